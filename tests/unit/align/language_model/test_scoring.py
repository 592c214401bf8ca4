"""Sentence probabilities by KenLM against the slow twin."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.align.errors import DataError
from isogloss.align.language_model.scoring import LanguageModel, query_lines
from isogloss.align.text.corpus import Corpus
from isogloss.align.text.vocabulary import Vocabulary
from tests.naive import language_model as naive
from tests.unit.align.language_model.test_arpa import ARPA
from tests.unit.align.language_model.test_estimation import (
    SENTENCES,
    quiet_estimate,
    zipf_sentences,
)

pytestmark = pytest.mark.usefixtures("kenlm")


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
    scores = fast.score_lines(query_lines(Corpus.from_sentences(queries)))
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
    corpus = Corpus.from_sentences([["a", "b", "c"]], Vocabulary(["a"]))
    expected = naive.as_dictionaries(model).score(["a", "<unk>", "<unk>"])
    scores = LanguageModel.from_ngrams(model).score_lines(query_lines(corpus))
    np.testing.assert_allclose(scores, [expected], rtol=1e-6)


def test_a_null_token_is_a_word_of_its_own() -> None:
    model = quiet_estimate([["NULL", "a"], ["a"]], 2)
    corpus = Corpus.from_sentences([["NULL"]])
    expected = naive.as_dictionaries(model).score(["NULL"])
    np.testing.assert_allclose(
        LanguageModel.from_ngrams(model).score_lines(query_lines(corpus)), [expected]
    )


def test_loading_says_nothing(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "m.arpa"
    path.write_text(ARPA.lstrip())  # KenLM draws a progress bar by default
    assert LanguageModel(path).order == 2
    captured = capfd.readouterr()
    assert captured.out == captured.err == ""


def test_score_of_a_file_equals_score_of_its_model(tmp_path: Path) -> None:
    model = quiet_estimate(zipf_sentences(100), 3)
    model.save(tmp_path / "m.arpa")
    sentences = ["w1 w2 w3", "w7"]
    np.testing.assert_array_equal(
        LanguageModel(tmp_path / "m.arpa").score(sentences),
        LanguageModel.from_ngrams(model).score(sentences),
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, r"cannot be read: No such file or directory"),
        (b"", r"the file is not in the ARPA format; expected \\data\\ and sections of n-grams"),
        (b"\\data\\\n", r"the file is not in the ARPA format; expected \\data\\ and sections of"),
        (b"no model", r"the file is not in the ARPA format; expected \\data\\ and sections of"),
        (
            b"mmap lm http://kheafield.com/code format version 5\n\0",
            "the file is not in the ARPA format",
        ),
        (ARPA.encode() + b"\xff", "the line is not UTF-8; expected ARPA text"),
        (ARPA.encode() + b"\0", "the file is not in the ARPA format"),
        (
            ARPA.replace("1=5", "1=99999999999").encode(),
            r"the sections have \[5, 3\] lines; expected \[99999999999, 3\], as declared in the",
        ),
        (
            ARPA.replace("-0.75", "0.75").encode(),
            r"the value '0.75\\ta b' is invalid; expected a log",
        ),
        (
            ARPA.replace("-0.75", "1e39").encode(),
            r"the value '1e39\\ta b' is invalid; expected a log",
        ),
        (
            ARPA.replace("-0.75", "-low").encode(),
            r"the value '-low\\ta b' is invalid; expected a log",
        ),
        (
            ARPA.replace("\ta b", "\ta c").encode(),
            r"KenLM cannot read this file \(.*\); expected ARPA",
        ),
        (
            ARPA.replace("</s>", "c").encode(),
            "the 1-grams do not contain </s>; expected both <s> and </s>, as KenLM requires.",
        ),
        (
            ARPA.replace("<s>", "c").replace("</s>", "d").encode(),
            "the 1-grams do not contain <s> or </s>; expected both <s> and </s>, as KenLM",
        ),
    ],
    ids=range(14),
)
def test_unreadable_model(tmp_path: Path, content: bytes | None, message: str) -> None:
    path = tmp_path / "m.arpa"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(DataError, match=rf"m\.arpa(, line \d+)?:? {message}"):
        LanguageModel(path)
