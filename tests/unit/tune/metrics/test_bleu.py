"""BLEU statistics against counting, scores against sacrebleu."""

from math import exp, log

import numpy as np
import pytest
import sacrebleu
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from isogloss.align.errors import UsageError
from isogloss.tune.metrics.bleu import SMOOTHINGS, Bleu, bleu, sentence_bleu
from isogloss.tune.references import References
from tests.naive import bleu as naive
from tests.naive.lists import lists_of
from tests.naive.mira import cherry_foster_gain, chiang_gain
from tests.naive.odd_text import corpora

words = st.lists(st.sampled_from("abcd"), max_size=9)
Corpus = list[tuple[list[str], list[str]]]


def measured(
    hypotheses: list[str], references: list[str], metric: Bleu | None = None
) -> NDArray[np.float64]:
    """Statistics of one sentence's hypotheses."""
    lists = lists_of([hypotheses])
    return (metric or Bleu()).statistics(lists, References.from_texts([references]))


@pytest.mark.parametrize("length", ["closest", "shortest", "average"])
@given(st.lists(words, min_size=1, max_size=4), st.lists(words, min_size=1, max_size=4))
def test_statistics_equal_counting(
    length: str, hypotheses: list[list[str]], references: list[list[str]]
) -> None:
    metric = Bleu(smoothing="scaled", reference_length=length)
    found = measured([*map(" ".join, hypotheses)], [*map(" ".join, references)], metric)
    shortest = min(map(len, references))
    expected = [[*naive.statistics(one, references, length), shortest] for one in hypotheses]
    np.testing.assert_allclose(expected, found, rtol=1e-15)


@pytest.mark.parametrize("smoothing", ["exp", "none"])
@given(corpora)
def test_corpus_bleu_equals_sacrebleu(smoothing: str, corpus: Corpus) -> None:
    references = References.from_texts([others for _, others in corpus])
    first = [own[0] for own, _ in corpus]
    own = Bleu()
    total = own.statistics(lists_of([[one] for one in first]), references).sum(0)
    theirs = sacrebleu.BLEU(tokenize="none", smooth_method=smoothing, force=True)
    expected = theirs.corpus_score(first, references.streams())
    assert [*expected.counts] == total[0:8:2].tolist()
    assert [*expected.totals] == total[1:8:2].tolist()
    assert (expected.sys_len, expected.ref_len) == (total[1], total[8])
    found = own.score(total) if smoothing == "exp" else bleu(total)
    assert expected.score == pytest.approx(found, rel=1e-9, abs=1e-9)


def test_corpus_bleu_by_hand() -> None:
    # precisions 4/5, 3/4, 2/3, 1/2; 5 words for a reference of 6
    statistics = np.array([4, 5, 3, 4, 2, 3, 1, 2, 6])
    expected = 100 * exp((log(4 / 5) + log(3 / 4) + log(2 / 3) + log(1 / 2)) / 4 + 1 - 6 / 5)
    assert expected == pytest.approx(bleu(statistics), rel=1e-12)
    many = np.stack([np.tile(statistics, (2, 1)), np.zeros((2, 9))])
    np.testing.assert_allclose([[expected, expected], [0.0, 0.0]], bleu(many), rtol=1e-12)


@pytest.mark.parametrize("statistics", [[0] * 9, [1, 4, 1, 3, 1, 2, 0, 1, 4], [0] * 8 + [5]])
def test_corpus_bleu_without_a_match_of_some_order(statistics: list[int]) -> None:
    assert 0.0 == bleu(np.array(statistics))
    reached = 100 * (1 / 4 * 1 / 3 * 1 / 2 * 1 / 2 / 1) ** 0.25 if statistics[0] else 0.0
    assert pytest.approx(reached) == Bleu().score(np.array(statistics))


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
@given(words, st.lists(words, min_size=1, max_size=3))
def test_smoothed_bleu_equals_its_definition(
    smoothing: str, hypothesis: list[str], references: list[list[str]]
) -> None:
    metric = Bleu(smoothing=smoothing)
    found = measured([" ".join(hypothesis)], [*map(" ".join, references)], metric)
    expected = naive.sentence_bleu(naive.statistics(hypothesis, references), smoothing)
    scale = min(map(len, references)) if smoothing == "scaled" else 1
    assert scale * expected == pytest.approx(metric.gains(found)[0], rel=1e-12, abs=1e-15)


def test_smoothed_bleu_by_hand() -> None:
    # a b c / a b d: 2 of 3 words, 1 of 2 bigrams, 0 of 1 trigram, no 4-gram
    found = measured(["a b c", "a b d"], ["a b d", "a b d e f g"], Bleu(smoothing="scaled"))
    plain = [(2 / 3 * 2 / 3 * 1 / 2 * 1 / 1) ** 0.25, 1.0]
    expected = {
        "lin-och": plain,
        "nakov": [plain[0] * exp(-1 / 3), exp(-1 / 3)],
        "all-orders": [(3 / 4 * 2 / 3 * 1 / 2 * 1 / 1) ** 0.25, 1.0],
        "scaled": [3 * plain[0], 3.0],
        "floor": [(2 / 3 * 1 / 2 * 0.01) ** (1 / 3), 1.0],
    }
    assert set(SMOOTHINGS) == set(expected)
    for smoothing, gains in expected.items():
        np.testing.assert_allclose(gains, sentence_bleu(found, smoothing), rtol=1e-12)


def test_smoothed_bleu_of_short_hypotheses() -> None:
    # one right word of four; no match; no word
    found = sentence_bleu(measured(["a", "x", ""], ["a b c d"]))
    np.testing.assert_allclose([exp(1 - 4), 0.0, 0.0], found, rtol=1e-12)


def test_an_empty_reference_and_hypothesis() -> None:
    found = measured([""], [""], Bleu(smoothing="scaled"))
    assert [[0.0] * 10] == found.tolist()
    for smoothing in SMOOTHINGS:
        assert [0.0] == sentence_bleu(found, smoothing).tolist()


def test_closest_reference_ties_go_to_the_shorter() -> None:
    found = measured(
        ["a b c d", "a b c d e f", "a b c d e f g h"], ["a b c d e", "a b c", "a " * 9]
    )
    assert [3, 5, 9] == found[:, 8].tolist()


def test_sentences_with_different_numbers_of_references() -> None:
    references = References.from_texts([["a b", "a b c d"], ["x"], ["a", "b", "a a"]])
    metric = Bleu(reference_length="average")
    found = metric.statistics(lists_of([["a b c"], ["x x"], ["a a a"]]), references)
    assert [[3, 3, 2, 2], [1, 2, 0, 1], [2, 3, 1, 2]] == found[:, :4].tolist()
    np.testing.assert_allclose([3.0, 1.0, 4 / 3], found[:, 8], rtol=1e-15)


def test_references_with_many_distinct_words() -> None:
    many = [str(k) for k in range(70000)]
    found = measured([" ".join([*many[-5:], "x"])], [" ".join(many)])
    assert [5, 6, 4, 5, 3, 4, 2, 3, 70000] == found[0].tolist()


def test_gains_in_an_oracle_document() -> None:
    background = np.array([20, 30, 10, 28, 6, 26, 3, 24, 32.0])
    own = measured(["a b c", "a b c d", "x"], ["a b c d"])
    expected = [cherry_foster_gain(background.tolist(), one) for one in own.tolist()]
    assert expected[1] > expected[0] > expected[2]
    np.testing.assert_allclose(expected, Bleu().gains_in(background, own), rtol=1e-12)
    by_chiang = [chiang_gain(background.tolist(), one) for one in own.tolist()]
    assert by_chiang[1] > by_chiang[0] > 0.0 > by_chiang[2]
    found = Bleu(document="chiang").gains_in(background, own)
    np.testing.assert_allclose(by_chiang, found, rtol=1e-12)
    scaled = Bleu(smoothing="scaled")
    rows = np.column_stack([own, [4, 4, 4]])
    found = scaled.gains_in(np.append(background, 1.0), rows)
    np.testing.assert_allclose(expected, found, rtol=1e-12)


@pytest.mark.parametrize("option", ["smoothing", "reference_length", "document"])
def test_an_unknown_choice(option: str) -> None:
    first = {"smoothing": "lin-och, nakov", "reference_length": "closest", "document": "cherry"}
    with pytest.raises(UsageError, match=f"{option} of bleu must be one of {first[option]}"):
        Bleu(**{option: "none"})
