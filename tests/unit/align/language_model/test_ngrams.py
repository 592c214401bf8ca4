"""Language models: estimation against the slow twin, ARPA files, queries through KenLM."""

import gzip
import math
import re
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from align.errors import DataError, DataWarning, UsageError
from align.language_model.ngrams import LanguageModel, NgramModel, estimate, read_arpa, write_arpa
from align.text.corpus import Corpus
from align.text.vocabulary import Vocabulary
from tests.naive import language_model as naive

ODD_WORDS = [
    "x\u00a0y",
    "\u3000",
    "z\u0085",
    "\ufeff",
    "<s>",
    "</s>",
    "<unk>",
    "<UNK>",
    "q\x0br",
    "",
]
WORDS = st.sampled_from([*"abcdefg", *ODD_WORDS])
PLAIN_SENTENCES = st.lists(
    st.lists(st.sampled_from("abcdefg"), max_size=8), min_size=1, max_size=30
).filter(any)
SENTENCES = st.lists(st.lists(WORDS, max_size=8), min_size=1, max_size=30).filter(any)


def quiet_estimate(
    sentences: Sequence[Sequence[str]], order: int, size: int | None = None
) -> NgramModel:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return estimate(Corpus.from_sentences(sentences), order, vocabulary_size=size)


def zipf_sentences(number: int, seed: int = 1) -> list[list[str]]:
    """Text that is large and varied enough for closed-form discounts."""
    random = np.random.default_rng(seed)
    return [
        [f"w{min(token, 400)}" for token in random.zipf(1.5, random.integers(1, 15)).tolist()]
        for _ in range(number)
    ]


def assert_same_model(fast: NgramModel, slow: naive.Model) -> None:
    found = naive.as_dictionaries(fast)
    assert found.probability.keys() == slow.probability.keys()
    assert sum(map(len, fast.ngrams)) == len(found.probability)
    for ngram, value in slow.probability.items():
        assert math.isclose(found.probability[ngram], value, rel_tol=1e-5), ngram
        assert math.isclose(found.backoff[ngram], slow.backoff.get(ngram, 1.0), rel_tol=1e-5)


def assert_equal_models(first: NgramModel, second: NgramModel) -> None:
    assert (first.order, first.words) == (second.order, second.words)
    for name in ("ngrams", "log_probability", "log_backoff"):
        for one, other in zip(getattr(first, name), getattr(second, name), strict=True):
            assert one.dtype == other.dtype
            np.testing.assert_array_equal(one, other)


# --- estimation --------------------------------------------------------------------------------


@given(SENTENCES, st.integers(1, 5), st.none() | st.integers(20, 40))
@settings(deadline=None)
def test_estimate_agrees_with_the_twin(
    sentences: list[list[str]], order: int, size: int | None
) -> None:
    model = quiet_estimate(sentences, order, size)
    assert_same_model(model, naive.estimate(sentences, order, size))


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_estimate_agrees_with_the_twin_under_closed_form_discounts(order: int) -> None:
    sentences = zipf_sentences(1500)
    assert all(naive.discounts(counts) for counts in naive.adjusted_counts(sentences, order))
    model = estimate(Corpus.from_sentences(sentences), order)  # a warning would be an error
    assert_same_model(model, naive.estimate(sentences, order))


@given(SENTENCES, st.integers(1, 4))
@settings(deadline=None)
def test_every_history_has_a_distribution(sentences: list[list[str]], order: int) -> None:
    assert_distributions(quiet_estimate(sentences, order), unseen=0)


@given(PLAIN_SENTENCES, st.integers(1, 4), st.integers(0, 50))
@settings(deadline=None)
def test_unseen_types_of_a_common_vocabulary_share_the_distribution(
    sentences: list[list[str]], order: int, unseen: int
) -> None:
    types = {word for sentence in sentences for word in sentence}
    model = quiet_estimate(sentences, order, len(types) + 2 + unseen)  # 2: <unk> and </s>
    assert_distributions(model, unseen)


def assert_distributions(model: NgramModel, unseen: int) -> None:
    """Each history's probabilities sum to 1 with ``unseen`` more types that score as <unk>."""
    slow = naive.as_dictionaries(model)
    predicted = [*(word for word in model.words if word != "<s>"), *["<unk>"] * unseen]
    histories = [g for g in slow.probability if len(g) < model.order and g[-1] != "</s>"]
    for history in [(), *histories]:
        p = [math.exp(slow.log_probability(word, history)) for word in predicted]
        assert min(p) > 0 and max(p) <= 1
        assert sum(p) == pytest.approx(1, abs=1e-5)


def test_two_sentences_are_enough() -> None:
    corpus = Corpus.from_sentences([["a", "b"], ["a"]])
    with pytest.warns(DataWarning) as caught:
        model = estimate(corpus, 5)
    assert all("no Kneser-Ney discounts" in str(warning.message) for warning in caught)
    assert len(caught) == 4  # there is no 5-gram in <s> a b </s>, and nothing to say about it
    assert [len(rows) for rows in model.ngrams] == [5, 4, 3, 1, 0]
    assert_same_model(model, naive.estimate([["a", "b"], ["a"]], 5))
    assert all(np.isfinite(column).all() for column in model.log_probability + model.log_backoff)


def test_fallback_is_reported_with_order_and_counts() -> None:
    with pytest.warns(DataWarning, match="1-grams: .* 3, 0, 1, 0 n-grams .* count 1, 2, 3, 4"):
        estimate(Corpus.from_sentences([["a", "b", "b", "b", "c"]]), 1)


def test_a_discount_of_zero_falls_back() -> None:
    # counts of counts 4, 1, 1: Y = 2/3, D2 = 2 - 3 Y = 0; </s> is one of the four
    sentences = [["a", "b", "c", "d", "d", "e", "e", "e"]]
    with pytest.warns(DataWarning, match="1-grams: .* 4, 1, 1, 0 n-grams"):
        model = estimate(Corpus.from_sentences(sentences), 1)
    assert_same_model(model, naive.estimate(sentences, 1))


def test_words_are_in_order_of_first_appearance() -> None:
    corpus = Corpus.from_sentences([["b", "a"], [], ["c", "a"]], Vocabulary("xabc"))
    with pytest.warns(DataWarning):
        model = estimate(corpus, 2)
    assert model.words == ("<unk>", "<s>", "</s>", "b", "a", "c")
    assert model.ngrams[0].tolist() == [[0], [1], [2], [3], [4], [5]]
    assert model.ngrams[1].tolist() == sorted(model.ngrams[1].tolist())


def test_tokens_outside_the_vocabulary_count_as_unknown() -> None:
    corpus = Corpus.from_sentences([["a", "?", "b"], ["?"]], Vocabulary("ab"))
    with pytest.warns(DataWarning):
        model = estimate(corpus, 2)
    assert_same_model(model, naive.estimate([["a", "<unk>", "b"], ["<unk>"]], 2))


def test_words_that_arpa_cannot_hold_are_reported() -> None:
    with pytest.warns(DataWarning) as caught:
        model = estimate(Corpus.from_sentences([["<s>", "a"], ["b\x0bc", "\u00a0"]]), 2)
    assert "2 word types cannot stand in a language model" in str(caught[0].message)
    assert r"'<s>', 'b\x0bc'" in str(caught[0].message)
    assert model.words[3:] == ("a", "\u00a0")


def test_models_over_one_vocabulary_agree_on_unknown_words() -> None:
    small, large = (["a", "b"], ["a"]), (["a", "b", "c", "d"], ["c"])
    size = 100
    for sentences in (small, large):
        model = quiet_estimate(sentences, 1, size)
        slow = naive.estimate(sentences, 1, size)
        assert 10.0 ** float(model.log_probability[0][0]) == pytest.approx(
            slow.probability[("<unk>",)]
        )


@pytest.mark.parametrize("order", [0, 7])
def test_order_out_of_range(order: int) -> None:
    with pytest.raises(UsageError, match=f"order {order}; expected 1 to 6"):
        estimate(Corpus.from_sentences([["a"]]), order)


def test_vocabulary_size_too_small() -> None:
    with pytest.raises(UsageError, match="vocabulary size 3; expected at least 4"):
        estimate(Corpus.from_sentences([["a", "b"]]), 2, vocabulary_size=3)


@pytest.mark.parametrize("sentences", [[], [[], []]])
def test_empty_corpus(sentences: list[list[str]]) -> None:
    with pytest.raises(DataError, match="no tokens; expected text"):
        estimate(Corpus.from_sentences(sentences))


# --- the model ---------------------------------------------------------------------------------


def test_model_arrays_are_read_only() -> None:
    model = quiet_estimate([["a"]], 2)
    with pytest.raises(ValueError, match="read-only"):
        model.log_probability[0][0] = 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"order": 3}, "one entry per order"),
        ({"words": ("<s>", "<unk>", "</s>", "a")}, "start with <unk>"),
        ({"words": ("<unk>", "<s>", "</s>", "</s>")}, "unique"),
        ({"words": ("<unk>", "<s>", "</s>", "a b")}, "no blank or NUL"),
        ({"words": ("<unk>", "<s>", "</s>")}, "among the 1-grams is out of range"),
        ({"ngrams": (np.zeros((4, 1), np.int32), np.zeros((2, 3), np.int32))}, "the 2-grams diff"),
        ({"log_probability": (np.zeros(3, np.float32),) * 2}, "columns of the 1-grams differ"),
        ({"log_backoff": (np.zeros(4, np.float32), np.ones(2, np.float32))}, "have no backoff"),
    ],
)
def test_model_checks_its_columns(change: dict[str, Any], message: str) -> None:
    model = quiet_estimate([["a"]], 2)
    with pytest.raises(ValueError, match=message):
        replace(model, **change)


# --- ARPA files --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["model.arpa", "model.arpa.gz"])
@pytest.mark.parametrize("order", [1, 3, 6])
def test_round_trip(tmp_path: Path, name: str, order: int) -> None:
    model = quiet_estimate([*zipf_sentences(200), ["x\u00a0y", "\u3000", "ü"]], order)
    write_arpa(model, tmp_path / name)
    assert_equal_models(model, read_arpa(tmp_path / name))
    assert [path.name for path in tmp_path.iterdir()] == [name]  # no temporary file stays


def test_round_trip_of_awkward_numbers(tmp_path: Path) -> None:
    model = quiet_estimate([["a"]], 1)
    values = np.array(
        [-1e-7, -99, np.nextafter(np.float32(-1), np.float32(-2)), -1 / 3], np.float32
    )
    model = replace(model, log_probability=(values,))
    write_arpa(model, tmp_path / "m")
    assert_equal_models(model, read_arpa(tmp_path / "m"))


def test_round_trip_over_several_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("align.language_model.ngrams._BLOCK", 7)
    model = quiet_estimate(zipf_sentences(50), 3)
    write_arpa(model, tmp_path / "m")
    assert_equal_models(model, read_arpa(tmp_path / "m"))


def test_compression_is_told_by_the_content(tmp_path: Path) -> None:
    model = quiet_estimate([["a", "b"]], 2)
    write_arpa(model, tmp_path / "m.gz")
    (tmp_path / "m.gz").rename(tmp_path / "m.arpa")
    assert_equal_models(model, read_arpa(tmp_path / "m.arpa"))


ARPA = r"""
\data\
ngram 1=5
ngram 2=3

\1-grams:
-1.5	<unk>
-99	<s>	-0.25
-1	b	-0.5
-1	</s>
-0.5	a	-0.125

\2-grams:
-0.25	<s> a
-0.5	a </s>
-0.75	a b

\end\
"""


def test_read_what_other_tools_write(tmp_path: Path) -> None:
    path = tmp_path / "m.arpa"
    path.write_text(ARPA.replace("<unk>", "<UNK>").replace("-0.5\ta </s>", "-0.5 a </s>"))
    model = read_arpa(path)
    assert model.words == ("<unk>", "<s>", "</s>", "b", "a")
    assert model.ngrams[0].ravel().tolist() == [0, 1, 3, 2, 4]
    assert model.log_backoff[0].tolist() == [0, -0.25, -0.5, 0, -0.125]
    assert model.ngrams[1].tolist() == [[1, 4], [4, 2], [4, 3]]
    assert model.log_probability[1].tolist() == [-0.25, -0.5, -0.75]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("\\data\\", "data", r"line 2: 'data'; expected \data" + "\\"),
        ("ngram 1=5", "ngram 2=5", r"line 3: 'ngram 2=5'; expected ngram 1=<count>"),
        ("ngram 2=3\n", "ngrams\n", r"line 4: 'ngrams'; expected ngram 2=<count>"),
        ("ngram 1=5\nngram 2=3\n", "", r"line 3: no counts; expected ngram 1=<count>"),
        ("ngram 1=5", "ngram 1=6", r"line 12: the section ends before its count of 1-grams"),
        ("ngram 1=5", "ngram 1=4", r"line 11: '-0.5\ta\t-0.125'; expected \2-grams:"),
        ("ngram 2=3", "ngram 2=4", r"line 16: the section ends before its count of 2-grams"),
        ("ngram 2=3", "ngram 2=2", r"line 15: '-0.75\ta b'; expected \end" + "\\"),
        ("\\2-grams:", "\\3-grams:", r"line 12: '\\3-grams:'; expected \2-grams:"),
        ("\tb\t", "\tb c d\t", "line 9: 5 fields; expected 2 or 3 fields in a 1-gram"),
        ("a b\n", "a b\t-1\n", "line 15: 4 fields; expected 3 fields in a 2-gram"),
        ("a b\n", "a\n", "line 15: 2 fields; expected 3 fields in a 2-gram"),
        ("a b\n", "a c\n", "line 15: the word 'c' is not among the 1-grams"),
        ("-0.75", "low", "line 15: 'low'; expected a finite number"),
        ("-0.125", "nan", "line 11: 'nan'; expected a finite number"),
        ("\tb\t", "\ta\t", "line 11: the word 'a' stands twice; expected a new word"),
        ("\tb\t", "\tb\0c\t", r"line 9: the word 'b\x00c' holds a NUL byte"),
        ("\tb\t", "\t\udcff\t", r"line 9: the bytes b'\xff'; expected UTF-8 text"),
        ("\\end\\\n", "", "line 16: the file ends after this line; expected an ARPA file"),
    ],
)
def test_bad_arpa(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = tmp_path / "m.arpa"
    text = ARPA.replace("\n\n\\2", "\n\\2")
    assert text.count(old) == 1
    path.write_bytes(text.replace(old, new).encode(errors="surrogateescape"))
    with pytest.raises(DataError, match=re.escape(f"{path}, {message}")):
        read_arpa(path)


def test_every_truncation_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "m.arpa"
    content = ARPA.strip().encode()
    for length in range(len(content)):
        path.write_bytes(content[:length])
        with pytest.raises(DataError, match=r"m\.arpa, line|m\.arpa: "):
            read_arpa(path)
    path.write_bytes(content)
    read_arpa(path)


@pytest.mark.parametrize("length", [11, 40, -9])
def test_truncated_archive(tmp_path: Path, length: int) -> None:
    path = tmp_path / "m.arpa.gz"
    path.write_bytes(gzip.compress(ARPA.encode())[:length])
    with pytest.raises(DataError, match=r"line \d+: the compressed file is truncated or damaged"):
        read_arpa(path)


def test_missing_arpa(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="a readable file"):
        read_arpa(tmp_path / "none")


# --- queries -----------------------------------------------------------------------------------


@given(SENTENCES, SENTENCES, st.integers(1, 5))
@settings(deadline=None, max_examples=40)
def test_scores_agree_with_the_twin(
    text: list[list[str]], queries: list[list[str]], order: int
) -> None:
    queries = [*queries, ["a", "new", "word"]]
    model = quiet_estimate(text, order)
    slow = naive.as_dictionaries(model)
    fast = LanguageModel.from_ngrams(model)
    assert fast.order == order
    expected = [slow.score(query) if query else 0.0 for query in queries]
    scores = fast.score_corpus(Corpus.from_sentences(queries))
    assert scores.dtype == np.float64
    np.testing.assert_allclose(scores, expected, rtol=1e-6, atol=1e-5)


def test_score_splits_at_ascii_blanks_only() -> None:
    model = quiet_estimate([["x\u00a0y", "a"], ["x", "y"]], 2)
    slow = naive.as_dictionaries(model)
    sentences = ["x\u00a0y a", " x\ty\x0ba ", "", "a <s> <unk>", "a </s>", "b <b> a\0b"]
    words = [["x\u00a0y", "a"], ["x", "y", "a"], [], ["a", "<unk>", "<unk>"], ["a", "<unk>"]]
    words.append(["<unk>"] * 3)
    scores = LanguageModel.from_ngrams(model).score(iter(sentences))
    assert scores.dtype == np.float64
    np.testing.assert_allclose(scores, [slow.score(w) for w in words], rtol=1e-6, atol=1e-5)


def test_tokens_outside_the_vocabulary_score_as_unknown() -> None:
    model = quiet_estimate([["a", "b"], ["b"]], 3)
    corpus = Corpus.from_sentences([["a", "b", "c"]], Vocabulary("a"))
    expected = naive.as_dictionaries(model).score(["a", "<unk>", "<unk>"])
    scores = LanguageModel.from_ngrams(model).score_corpus(corpus)
    np.testing.assert_allclose(scores, [expected], rtol=1e-6)


def test_a_null_token_is_a_word_of_its_own() -> None:
    model = quiet_estimate([["NULL", "a"], ["a"]], 2)
    corpus = Corpus.from_sentences([["NULL"]])
    expected = naive.as_dictionaries(model).score(["NULL"])
    np.testing.assert_allclose(LanguageModel.from_ngrams(model).score_corpus(corpus), [expected])


def test_loading_says_nothing(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "m.arpa"
    path.write_text(ARPA.lstrip())  # KenLM draws a progress bar by default
    assert LanguageModel(path).order == 2
    captured = capfd.readouterr()
    assert captured.out == captured.err == ""


def test_score_of_a_file_equals_score_of_its_model(tmp_path: Path) -> None:
    model = quiet_estimate(zipf_sentences(100), 3)
    write_arpa(model, tmp_path / "m.arpa")
    sentences = ["w1 w2 w3", "w7"]
    np.testing.assert_array_equal(
        LanguageModel(tmp_path / "m.arpa").score(sentences),
        LanguageModel.from_ngrams(model).score(sentences),
    )


@pytest.mark.parametrize("content", [None, b"", b"\\data\\\n", b"no model"])
def test_unreadable_model(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "m.arpa"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(DataError, match="expected a language model that KenLM reads"):
        LanguageModel(path)
