"""BLEU statistics against counting, scores against sacrebleu."""

import warnings
from math import exp, log
from pathlib import Path

import numpy as np
import pytest
import sacrebleu
from hypothesis import given, settings
from hypothesis import strategies as st

from align.errors import DataError, DataWarning
from align.readers import read_lines
from tests.naive import bleu as naive
from tune.metrics.bleu import WordReferences, bleu, bleu_plus_one, reported_bleu
from tune.nbest import read_nbest

words = st.lists(st.sampled_from("abcd"), max_size=9)


@settings(max_examples=200, deadline=None)
@given(st.lists(words, min_size=1, max_size=4), st.lists(words, min_size=1, max_size=4))
def test_statistics_equal_counting(
    hypotheses: list[list[str]], references: list[list[str]]
) -> None:
    own = WordReferences.from_sentences([[["z"]], references])
    expected = [naive.statistics(one, references) for one in hypotheses]
    assert expected == own.statistics(1, hypotheses).tolist()


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(words, words, words), min_size=1, max_size=5))
def test_corpus_bleu_equals_sacrebleu(rows: list[tuple[list[str], list[str], list[str]]]) -> None:
    own = WordReferences.from_sentences([row[1:] for row in rows])
    total = sum(own.statistics(k, [row[0]])[0] for k, row in enumerate(rows))
    metric = sacrebleu.BLEU(tokenize="none", smooth_method="none", force=True)
    texts = [[" ".join(row[k]) for row in rows] for k in range(3)]
    expected = metric.corpus_score(texts[0], texts[1:]).score
    assert expected == pytest.approx(bleu(total), rel=1e-9, abs=1e-9)


def first_best(path: Path, num_sentences: int) -> list[str]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # sentences that the list leaves out
        lists = read_nbest([path], num_sentences)
    return [lists.texts[k] for k in lists.sentence_offsets[:-1]]


@pytest.mark.parametrize(
    ("name", "references"),
    [
        ("europarl-into-en.100best.gz", ["europarl-into-en.ref.gz"]),
        ("weather-it-en.iter01.nbest.gz", [f"weather-it-en.ref{k}.gz" for k in range(3)]),
    ],
)
@pytest.mark.parametrize("smoothing", ["none", "exp"])
def test_corpus_bleu_of_real_lists(
    shared_data: Path, name: str, references: list[str], smoothing: str
) -> None:
    folder = shared_data / "nbest"
    columns = [[line.lower() for line in read_lines(folder / ref)] for ref in references]
    hypotheses = [text.lower() for text in first_best(folder / name, len(columns[0]))]
    own = WordReferences.from_sentences(
        [[line.split() for line in row] for row in zip(*columns, strict=True)]
    )
    total = sum(own.statistics(k, [text.split()])[0] for k, text in enumerate(hypotheses))
    metric = sacrebleu.BLEU(tokenize="none", smooth_method=smoothing, force=True)
    expected = metric.corpus_score(hypotheses, columns).score
    assert expected > 10.0
    assert expected == pytest.approx(bleu(total), abs=1e-6)
    assert expected == pytest.approx(reported_bleu(hypotheses, columns)[0], abs=1e-6)


def test_corpus_bleu_by_hand() -> None:
    # precisions 4/5, 3/4, 2/3, 1/2; 5 words for a reference of 6
    statistics = np.array([4, 5, 3, 4, 2, 3, 1, 2, 6])
    expected = 100 * exp((log(4 / 5) + log(3 / 4) + log(2 / 3) + log(1 / 2)) / 4 + 1 - 6 / 5)
    assert expected == pytest.approx(bleu(statistics), rel=1e-12)


@pytest.mark.parametrize("statistics", [[0] * 9, [1, 4, 1, 3, 1, 2, 0, 1, 4], [0] * 8 + [5]])
def test_corpus_bleu_without_a_match_of_some_order(statistics: list[int]) -> None:
    assert 0.0 == bleu(np.array(statistics))


def test_bleu_plus_one_by_hand() -> None:
    # a b c / a b d: 2 of 3 words, 1 of 2 bigrams, 0 of 1 trigram, no 4-gram
    own = WordReferences.from_sentences([[["a", "b", "d"], list("abdefg")]])
    expected = (2 / 3 * 2 / 3 * 1 / 2 * 1 / 1) ** 0.25
    found = bleu_plus_one(own.statistics(0, [["a", "b", "c"], ["a", "b", "d"]]))
    np.testing.assert_allclose([expected, 1.0], found, rtol=1e-12)


def test_bleu_plus_one_of_short_hypotheses() -> None:
    own = WordReferences.from_sentences([[list("abcd")]])
    # one right word of four; no match; no word
    found = bleu_plus_one(own.statistics(0, [["a"], ["x"], []]))
    np.testing.assert_allclose([exp(1 - 4), 0.0, 0.0], found, rtol=1e-12)


def test_an_empty_reference_and_hypothesis() -> None:
    own = WordReferences.from_sentences([[[]]])
    assert [[0] * 9] == own.statistics(0, [[]]).tolist()
    assert [0.0] == bleu_plus_one(own.statistics(0, [[]])).tolist()


def test_closest_reference_ties_go_to_the_shorter() -> None:
    own = WordReferences.from_sentences([[list("abcde"), list("abc"), list("abcdefghi")]])
    assert [3, 5, 9] == own.statistics(0, [list("abcd"), list("abcdef"), list("abcdefgh")])[
        :, 8
    ].tolist()


def test_encode() -> None:
    own = WordReferences.from_sentences([[["a", "b"]], [["b", "c"]]])
    assert [2, -1, 0] == own.encode(["c", "x", "a"])
    assert len(own) == 2


def test_a_sentence_without_reference() -> None:
    with pytest.raises(DataError, match="0 references with 0 distinct words; expected at least"):
        WordReferences.from_sentences([[["a"]], []])


def test_too_many_distinct_words() -> None:
    many = [str(k) for k in range(65535)]
    with pytest.raises(DataError, match="1 references with 65535 distinct words"):
        WordReferences.from_sentences([[many]])
    own = WordReferences.from_sentences([[many[:-1]]])
    hypothesis = many[-6:-1]
    assert [5, 5, 4, 4, 3, 3, 2, 2, 65534] == own.statistics(0, [hypothesis])[0].tolist()


def test_signature_of_reported_scores() -> None:
    score, signature = reported_bleu(["a b c d"], [["a b c d"], ["x"]])
    assert score == pytest.approx(100.0)
    assert {"nrefs:2", "case:mixed", "eff:no", "tok:none", "smooth:exp"} <= set(
        signature.split("|")
    )
