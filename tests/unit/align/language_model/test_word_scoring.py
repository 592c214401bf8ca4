"""Sentence probabilities found on word ids: those of KenLM, bit by bit, and those of the twin."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from isogloss.align.language_model.ngrams import NgramModel
from isogloss.align.language_model.scoring import LanguageModel, query_lines
from isogloss.align.language_model.word_scoring import WordScorer
from isogloss.align.text.corpus import Corpus
from isogloss.align.text.vocabulary import Vocabulary
from tests.naive import language_model as naive
from tests.unit.align.language_model.test_estimation import (
    SENTENCES,
    quiet_estimate,
    zipf_sentences,
)

pytestmark = pytest.mark.usefixtures("kenlm")


def by_kenlm(model: NgramModel, corpus: Corpus) -> NDArray[np.float64]:
    return LanguageModel.from_ngrams(model).score_lines(query_lines(corpus))


@given(SENTENCES, SENTENCES, st.integers(1, 6))
@settings(deadline=None, max_examples=60)
def test_scores_are_those_of_kenlm(
    text: list[list[str]], queries: list[list[str]], order: int
) -> None:
    model = quiet_estimate(text, order)
    corpus = Corpus.from_sentences([*text, *queries, ["a", "new", "word"], []])
    scores = WordScorer(model).score(corpus)
    assert scores.dtype == np.float64
    np.testing.assert_array_equal(scores, by_kenlm(model, corpus))
    slow = naive.as_dictionaries(model)
    expected = [slow.score(corpus.words(k)) if corpus.words(k) else 0.0 for k in range(len(corpus))]
    np.testing.assert_allclose(scores, expected, rtol=1e-6, atol=1e-5)


@pytest.mark.parametrize("order", [1, 2, 3, 6])
def test_long_sentences_are_summed_as_kenlm_sums_them(order: int) -> None:
    sentences = zipf_sentences(300)
    model = quiet_estimate(sentences[:200], order)
    corpus = Corpus.from_sentences([[word for part in sentences for word in part], *sentences])
    np.testing.assert_array_equal(WordScorer(model).score(corpus), by_kenlm(model, corpus))


def test_words_outside_of_either_vocabulary_score_as_unknown() -> None:
    model = quiet_estimate([["a", "b"], ["b", "c"]], 3)
    corpus = Corpus.from_sentences(
        [["a", "b", "c"], ["d"], ["<s>", "b"]], Vocabulary(["a", "b", "d"])
    )
    slow = naive.as_dictionaries(model)
    expected = [slow.score(words) for words in (["a", "b", "<unk>"], ["<unk>"], ["<unk>", "b"])]
    np.testing.assert_allclose(WordScorer(model).score(corpus), expected, rtol=1e-6)
    np.testing.assert_array_equal(WordScorer(model).score(corpus), by_kenlm(model, corpus))


def test_a_model_without_ngrams_of_its_order() -> None:
    model = quiet_estimate([["a"]], 5)
    assert [len(rows) for rows in model.ngrams] == [4, 2, 1, 0, 0]
    corpus = Corpus.from_sentences([["a"], ["a", "a"]])
    np.testing.assert_array_equal(WordScorer(model).score(corpus), by_kenlm(model, corpus))


@pytest.mark.parametrize(
    ("order", "rows", "message"),
    [
        (1, [0, 1, 2, 4, 3], "the words of the model must be its 1-grams"),
        (2, [1, 0, 2, 3], "the 2-grams are not sorted"),
        (3, [1, 0], "the 3-grams are not sorted"),
    ],
)
def test_ngrams_out_of_order(order: int, rows: list[int], message: str) -> None:
    model = quiet_estimate([["a", "b"]], 3)
    ngrams = list(model.ngrams)
    ngrams[order - 1] = ngrams[order - 1][rows[: len(ngrams[order - 1])]]
    with pytest.raises(ValueError, match=message):
        WordScorer(replace(model, ngrams=tuple(ngrams)))


def test_a_prefix_that_is_missing() -> None:
    model = quiet_estimate([["a", "b"]], 3)
    columns = (model.ngrams, model.log_probability, model.log_backoff)
    shorter = [(one, two[1:], three) for one, two, three in columns]
    with pytest.raises(ValueError, match="the prefix of some 3-gram is missing"):
        WordScorer(NgramModel(3, model.words, *shorter))
