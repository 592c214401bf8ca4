"""Word and character error rate against the whole table of distances."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.tune.metrics.error_rates import Cer, Wer
from isogloss.tune.metrics.kernels.edit_distance import edit_distance, symbol_masks
from isogloss.tune.references import References
from tests.naive import edits as naive
from tests.naive.lists import lists_of
from tests.naive.odd_text import corpora

Corpus = list[tuple[list[str], list[str]]]


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.sampled_from([0, 1, 63, 64, 65, 128, 200]), st.integers(0, 200))
def test_distance_in_words_of_bits(seed: int, length: int, other: int) -> None:
    rng = np.random.default_rng(seed)
    reference = rng.integers(1, 6, size=length, dtype=np.int32)
    symbols = rng.integers(0, 8, size=other, dtype=np.int32)
    masks = symbol_masks(reference)
    up, down = np.empty(masks.shape[1], np.uint64), np.empty(masks.shape[1], np.uint64)
    found = edit_distance(symbols, masks, length, up, down)
    assert naive.edit_distance(symbols.tolist(), reference.tolist()) == found


@pytest.mark.parametrize("metric", [Wer(), Cer()])
@given(corpora)
def test_statistics_equal_the_definition(metric: Wer | Cer, corpus: Corpus) -> None:
    references = References.from_texts([others for _, others in corpus])
    found = metric.statistics(lists_of([own for own, _ in corpus]), references)
    split = str.split if isinstance(metric, Wer) else lambda text: list(" ".join(text.split()))
    expected = [
        naive.least_edits(split(one), [split(other) for other in others])
        for own, others in corpus
        for one in own
    ]
    assert expected == found.tolist()


@pytest.mark.parametrize("metric", [Wer(), Cer()])
@given(corpora)
def test_operations_equal_the_definition(metric: Wer | Cer, corpus: Corpus) -> None:
    references = References.from_texts([others for _, others in corpus])
    lists = lists_of([own for own, _ in corpus])
    split = str.split if isinstance(metric, Wer) else lambda text: list(" ".join(text.split()))
    expected = []
    for own, others in corpus:
        for one in own:
            expected.append(naive.operations_of(split(one), [split(other) for other in others]))
    found = metric.operations(lists, references)
    assert expected == found.tolist()
    assert metric.statistics(lists, references)[:, 0].tolist() == found.sum(1).tolist()


def test_operations_by_hand() -> None:
    lists = lists_of([["a b", "b c a", "", "x"]])
    # "b c" is two substitutions from "a b", or one insertion and one deletion with a match
    assert [[1, 1, 0], [1, 0, 0], [0, 2, 0], [0, 1, 1]] == Wer().operations(
        lists, References.from_texts([["b c"]])
    ).tolist()


def test_by_hand() -> None:
    lists = lists_of([["a b c", "", "x y"]])
    references = References.from_texts([["a c d", "a b", "b"]])
    # "x y" is two substitutions from the second, one and an insertion from the third
    assert [[1, 2], [1, 1], [2, 2]] == Wer().statistics(lists, references).tolist()
    assert [[2, 5], [1, 1], [2, 3]] == Cer().statistics(lists, references).tolist()


@pytest.mark.parametrize("metric", [Wer(), Cer()])
def test_scores(metric: Wer | Cer) -> None:
    statistics = np.array([[1, 4.0], [5, 4], [0, 0], [2, 0]])
    assert pytest.approx(100.0) == metric.score(statistics.sum(0))
    assert [25.0, 125.0, 0.0, 100.0] == metric.score(statistics).tolist()
    assert [0.75, 0.0, 1.0, 0.0] == metric.gains(statistics).tolist()
    assert (-1, 2) == (metric.sign, metric.num_statistics)
