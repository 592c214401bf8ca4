"""PairIndex and its cells against dictionaries."""

import numpy as np
import pytest

from align.cooccurrence import build_pair_index
from align.corpus import Bitext, Corpus
from align.errors import UsageError
from align.model import train
from tests.naive.alignment import random_bitext


def naive_cells(bitext: Bitext, ids: dict[tuple[int, int], int]) -> list[int]:
    """Pair after pair, source position before target position; len(ids) = never seen."""
    return [
        ids.get((f, e), len(ids))
        for number in range(len(bitext))
        for f in bitext.source.sentence(number).tolist()
        for e in bitext.target.sentence(number).tolist()
    ]


@pytest.mark.parametrize("seed", range(6))
def test_index_is_the_sorted_set_of_pairs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    lengths = rng.integers(0, 8, (int(rng.integers(1, 30)), 2)).tolist()
    bitext = random_bitext(rng, lengths, num_types=int(rng.integers(1, 20)))
    met = sorted(
        {
            (f, e)
            for number in range(len(bitext))
            for f in bitext.source.sentence(number).tolist()
            for e in bitext.target.sentence(number).tolist()
        }
    )
    index, cells = build_pair_index(bitext)
    assert met == list(zip(index.rows.tolist(), index.columns.tolist(), strict=True))
    assert len(met) == len(index)
    assert naive_cells(bitext, {pair: k for k, pair in enumerate(met)}) == cells.pair_ids.tolist()
    assert [0, *np.cumsum([j * i for j, i in lengths]).tolist()] == cells.offsets.tolist()
    again = index.cells(bitext)
    np.testing.assert_array_equal(again.pair_ids, cells.pair_ids)
    np.testing.assert_array_equal(again.offsets, cells.offsets)
    assert (np.int64, np.int32, np.uint32) == (
        index.row_offsets.dtype,
        index.columns.dtype,
        cells.pair_ids.dtype,
    )


def test_cells_of_another_text() -> None:
    bitext = Bitext.unlabelled(
        Corpus.from_sentences([["a", "b"], ["c"]]), Corpus.from_sentences([["x", "y"], ["z"]])
    )
    index, _ = build_pair_index(bitext)
    other = Bitext.unlabelled(
        Corpus.from_sentences([["c", "a", "new"], [], ["b"]], bitext.source.vocabulary),
        Corpus.from_sentences([["z", "x"], ["x"], ["y", "new"]], bitext.target.vocabulary),
    )
    ids = {
        (bitext.source.vocabulary.get(f), bitext.target.vocabulary.get(e)): k
        for k, (f, e) in enumerate([("a", "x"), ("a", "y"), ("b", "x"), ("b", "y"), ("c", "z")])
    }
    expected = [4, 5, 5, 0, 5, 5, 3, 5]  # c-z, c-x, a-z, a-x, new-z, new-x, b-y, b-new
    assert expected == naive_cells(other, ids)
    cells = index.cells(other)
    assert expected == cells.pair_ids.tolist()
    assert cells.offsets.tolist() == [0, 6, 6, 8]


def test_a_text_without_pairs() -> None:
    index, cells = build_pair_index(random_bitext(np.random.default_rng(0), [(0, 2), (3, 0)]))
    assert len(index) == 0
    assert cells.offsets.tolist() == [0, 0, 0]


def test_a_text_over_another_vocabulary_is_refused() -> None:
    rng = np.random.default_rng(0)
    model = train(random_bitext(rng, [(3, 3)] * 4))
    with pytest.raises(UsageError, match="other vocabularies than the model"):
        model.align(random_bitext(rng, [(1, 1)], num_types=1))
