"""Translation edit rate against sacrebleu and a slow twin."""

import numpy as np
import pytest
import sacrebleu
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from isogloss.tune.metrics.error_rates import Ter
from isogloss.tune.references import References
from tests.naive import edits as naive
from tests.naive.lists import lists_of
from tests.naive.odd_text import corpora

Corpus = list[tuple[list[str], list[str]]]
few_words = st.lists(st.sampled_from("abcde"), max_size=9)


def measured(hypotheses: list[str], references: list[str]) -> NDArray[np.float64]:
    """Statistics of one sentence's hypotheses."""
    return Ter().statistics(lists_of([hypotheses]), References.from_texts([references]))


def by_sacrebleu(hypothesis: str, references: list[str]) -> list[float]:
    score = sacrebleu.TER().sentence_score(hypothesis, references)
    return [score.num_edits, score.ref_length]


@given(st.lists(few_words, min_size=1, max_size=3), st.lists(few_words, min_size=1, max_size=3))
def test_statistics_equal_the_definition(
    hypotheses: list[list[str]], references: list[list[str]]
) -> None:
    found = measured([*map(" ".join, hypotheses)], [*map(" ".join, references)])
    expected = [naive.ter_statistics(one, references) for one in hypotheses]
    np.testing.assert_allclose(expected, found, rtol=1e-15)


@given(corpora)
def test_statistics_equal_sacrebleu(corpus: Corpus) -> None:
    references = References.from_texts([others for _, others in corpus])
    found = Ter().statistics(lists_of([own for own, _ in corpus]), references)
    expected = [by_sacrebleu(one, others) for own, others in corpus for one in own]
    np.testing.assert_allclose(expected, found, rtol=1e-15)


@settings(max_examples=8)
@given(st.data())
def test_long_and_unequal_texts_equal_sacrebleu(data: st.DataObject) -> None:
    """The beam, its width, the longest block, the farthest shift, the most shifts."""
    rng = np.random.default_rng(data.draw(st.integers(0, 10**6)))
    kinds = data.draw(st.sampled_from([3, 8, 200]))
    length, other = (data.draw(st.sampled_from([1, 12, 30, 70])) for _ in range(2))
    reference = rng.integers(kinds, size=other).astype(str).tolist()
    hypothesis = rng.integers(kinds, size=length).astype(str).tolist()
    if data.draw(st.booleans()):  # blocks of the reference in another order, some words wrong
        cuts = np.sort(rng.integers(other, size=3))
        blocks = [one.tolist() for one in np.split(np.array(reference), cuts)]
        hypothesis = [word for k in rng.permutation(4) for word in blocks[k]]
        hypothesis = [word if rng.random() < 0.9 else "x" for word in hypothesis]
    found = measured([" ".join(hypothesis)], [" ".join(reference)])
    assert by_sacrebleu(" ".join(hypothesis), [" ".join(reference)]) == found[0].tolist()


def test_by_hand() -> None:
    # one shift; one shift and a substitution; two deletions; all inserted
    hypotheses = ["c d a b", "c x a b", "a b b b c d", ""]
    assert [[1, 4], [2, 4], [2, 4], [4, 4]] == measured(hypotheses, ["a b c d"]).tolist()
    # the fewest edits, the mean length
    assert [[0, 3.0]] == measured(["a b"], ["a b c d", "a b"]).tolist()


def test_empty_references() -> None:
    metric = Ter()
    found = measured(["a b", ""], [""])
    assert [[2, 0], [0, 0]] == found.tolist()
    assert [100.0, 0.0] == metric.score(found).tolist()
    assert [0.0, 1.0] == metric.gains(found).tolist()


def test_case() -> None:
    lists, references = lists_of([["A B c", "ΑΣ É"]]), References.from_texts([["a b C"]])
    assert [[0, 3], [3, 3]] == Ter().statistics(lists, references).tolist()
    exact = Ter(case_sensitive=True)
    assert [[3, 3], [3, 3]] == exact.statistics(lists, references).tolist()
    greek = References.from_texts([["ας é"]])
    assert [[3, 2], [0, 2]] == Ter().statistics(lists, greek).tolist()


def test_equal_hypotheses_are_counted_once_and_right() -> None:
    texts = ["b a", "x b a", "b a", "y b a", "z b a", "a b"] * 3
    found = measured(texts, ["a b"])
    assert [1, 2, 1, 2, 2, 0] * 3 == found[:, 0].tolist()


def test_scores_and_gains() -> None:
    metric = Ter()
    statistics = np.array([[1, 4.0], [6, 3], [0, 5]])
    assert pytest.approx(100 * 7 / 12) == metric.score(statistics.sum(0))
    assert [0.75, 0.0, 1.0] == metric.gains(statistics).tolist()
    assert [3.0, -3.0, 5.0] == metric.gains_in(np.ones(2), statistics).tolist()
    assert (-1, "ter", 2) == (metric.sign, metric.name, metric.num_statistics)
