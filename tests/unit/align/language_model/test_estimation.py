"""Estimation of n-gram models against the slow twin."""

import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.align.errors import DataError, DataWarning, UsageError
from isogloss.align.language_model.estimation import estimate_language_model
from isogloss.align.language_model.ngrams import NgramModel
from isogloss.align.text.bitext import Bitext
from isogloss.align.text.corpus import Corpus
from isogloss.align.text.vocabulary import Vocabulary
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
        return estimate_language_model(
            Corpus.from_sentences(sentences), order, vocabulary_size=size
        )


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
    model = estimate_language_model(
        Corpus.from_sentences(sentences), order
    )  # a warning would be an error
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
        model = estimate_language_model(corpus, 5)
    assert all("cannot be estimated from" in str(warning.message) for warning in caught)
    assert len(caught) == 4  # there is no 5-gram in <s> a b </s>, and nothing to say about it
    assert [len(rows) for rows in model.ngrams] == [5, 4, 3, 1, 0]
    assert_same_model(model, naive.estimate([["a", "b"], ["a"]], 5))
    assert all(np.isfinite(column).all() for column in model.log_probability + model.log_backoff)


def test_fallback_is_reported_with_order_and_counts() -> None:
    with pytest.warns(DataWarning, match="1-grams .* 3, 0, 1, 0 n-grams .* counts 1, 2, 3, 4"):
        estimate_language_model(Corpus.from_sentences([["a", "b", "b", "b", "c"]]), 1)


def test_a_discount_of_zero_falls_back() -> None:
    # counts of counts 4, 1, 1: Y = 2/3, D2 = 2 - 3 Y = 0; </s> is one of the four
    sentences = [["a", "b", "c", "d", "d", "e", "e", "e"]]
    with pytest.warns(DataWarning, match="1-grams .* 4, 1, 1, 0 n-grams"):
        model = estimate_language_model(Corpus.from_sentences(sentences), 1)
    assert_same_model(model, naive.estimate(sentences, 1))


def test_words_are_in_order_of_first_appearance() -> None:
    corpus = Corpus.from_sentences([["b", "a"], [], ["c", "a"]], Vocabulary(["x", "a", "b", "c"]))
    with pytest.warns(DataWarning):
        model = estimate_language_model(corpus, 2)
    assert model.words == ("<unk>", "<s>", "</s>", "b", "a", "c")
    assert model.ngrams[0].tolist() == [[0], [1], [2], [3], [4], [5]]
    assert model.ngrams[1].tolist() == sorted(model.ngrams[1].tolist())


def test_tokens_outside_the_vocabulary_count_as_unknown() -> None:
    corpus = Corpus.from_sentences([["a", "?", "b"], ["?"]], Vocabulary(["a", "b"]))
    with pytest.warns(DataWarning):
        model = estimate_language_model(corpus, 2)
    assert_same_model(model, naive.estimate([["a", "<unk>", "b"], ["<unk>"]], 2))


def test_words_that_arpa_cannot_hold_are_reported() -> None:
    with pytest.warns(DataWarning) as caught:
        model = estimate_language_model(
            Corpus.from_sentences([["<s>", "a"], ["b\x0bc", "\u00a0"]]), 2
        )
    assert "2 word types are not allowed in a language model; such types count" in str(
        caught[0].message
    )
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
    with pytest.raises(UsageError, match=f"order must be between 1 and 6, got {order}"):
        estimate_language_model(Corpus.from_sentences([["a"]]), order)


def test_vocabulary_size_too_small() -> None:
    with pytest.raises(UsageError, match="vocabulary_size must be at least 4, the number of"):
        estimate_language_model(Corpus.from_sentences([["a", "b"]]), 2, vocabulary_size=3)


def test_sentences_are_a_corpus() -> None:
    with pytest.warns(DataWarning):
        found = estimate_language_model(["a b c", ["a"]], 2)
    with pytest.warns(DataWarning):
        expected = estimate_language_model(Corpus.from_sentences([["a", "b", "c"], ["a"]]), 2)
    assert found == expected


def test_what_is_no_corpus() -> None:
    text: Any = "a b c"
    with pytest.raises(TypeError, match="sentences must be a list, not the string or path 'a b c'"):
        estimate_language_model(text)
    whole: Any = Bitext.from_sentences(["a b"], ["c"])
    with pytest.raises(TypeError, match=r"not a whole Bitext; use bitext.source or bitext.tar"):
        estimate_language_model(whole)


@pytest.mark.parametrize("sentences", [[], [[], []]])
def test_empty_corpus(sentences: list[list[str]]) -> None:
    with pytest.raises(
        DataError, match="the text is empty; a language model needs at least one token"
    ):
        estimate_language_model(Corpus.from_sentences(sentences))
