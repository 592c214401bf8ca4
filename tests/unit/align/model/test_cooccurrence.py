"""PairIndex and its cells against dictionaries."""

import numpy as np
import pytest

from isogloss.align.errors import DataError
from isogloss.align.model.cooccurrence import KeptPairs, build_pair_index
from isogloss.align.model.kernels.estimation import move_kept
from isogloss.align.text.bitext import Bitext
from isogloss.align.text.corpus import Corpus
from tests.naive.alignment import random_bitext


def naive_cells(bitext: Bitext, ids: dict[tuple[int, int], int]) -> list[int]:
    """Pair after pair, source position before target position; len(ids) = never seen."""
    return [
        ids.get((f, e), len(ids))
        for number in range(len(bitext))
        for f in bitext.source.sentence(number).tolist()
        for e in bitext.target.sentence(number).tolist()
    ]


@pytest.mark.parametrize(("seed", "most"), [*((seed, 20) for seed in range(6)), (6, 5000)])
def test_index_is_the_sorted_set_of_pairs(seed: int, most: int) -> None:
    """Of words that meet many others, and of those that meet few of a large vocabulary."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(0, 8, (int(rng.integers(1, 30)), 2)).tolist()
    bitext = random_bitext(rng, lengths, num_types=int(rng.integers(most // 20, most)))
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
    bitext = Bitext.unlabeled(
        Corpus.from_sentences([["a", "b"], ["c"]]), Corpus.from_sentences([["x", "y"], ["z"]])
    )
    index, _ = build_pair_index(bitext)
    other = Bitext.unlabeled(
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


@pytest.mark.parametrize("pairs", [1, 400])  # fewer cells than source types, and more
def test_cells_of_a_small_and_of_a_large_text(pairs: int) -> None:
    generator = np.random.default_rng(pairs)
    known = [f"s{k}" for k in range(60)], [f"t{k}" for k in range(80)]

    def text(size: int, new: int) -> Bitext:
        sides = (
            [
                [words[k] for k in np.minimum(generator.zipf(1.3, length), len(words)) - 1]
                for length in generator.integers(2, 6, size)
            ]
            for words in ([*names, *["new"] * new] for names in known)
        )
        return Bitext.unlabeled(*map(Corpus.from_sentences, sides))

    bitext = text(60, 0)
    index, _ = build_pair_index(bitext)
    other = text(pairs, 3)
    sides = ((bitext.source, other.source), (bitext.target, other.target))
    other = Bitext.unlabeled(
        *(Corpus.from_sentences([*there], trained.vocabulary) for trained, there in sides)
    )
    ids = {
        (row, int(column)): int(k)
        for row in range(len(index.row_offsets) - 1)
        for k, column in enumerate(index.columns)
        if index.row_offsets[row] <= k < index.row_offsets[row + 1]
    }
    cells = index.cells(other)
    assert (len(cells.pair_ids) < len(index.row_offsets) - 1) == (pairs == 1)
    assert cells.pair_ids.tolist() == naive_cells(other, ids)


def test_a_text_without_pairs() -> None:
    index, cells = build_pair_index(random_bitext(np.random.default_rng(0), [(0, 2), (3, 0)]))
    assert len(index) == 0
    assert cells.offsets.tolist() == [0, 0, 0]


@pytest.mark.parametrize("columns", [1, 2])
@pytest.mark.parametrize("domains", [1, 3])
@pytest.mark.parametrize("seed", range(3))
def test_pruned_pairs_are_those_counted_enough_in_one_direction(
    seed: int, domains: int, columns: int
) -> None:
    rng = np.random.default_rng(seed)
    bitext = random_bitext(rng, rng.integers(0, 8, (20, 2)).tolist(), num_types=10)
    index, cells = build_pair_index(bitext)
    counts = rng.random((len(index) + 1, domains, columns)) ** 3
    counts[-1] = 9.0  # stands for pairs never seen
    found = index.counted(counts, 0.2 * domains)
    kept = index.selected(found)
    pairs = list(zip(index.rows.tolist(), index.columns.tolist(), strict=True))
    wanted = [
        any(sum(counts[k, :, column].tolist()) >= 0.2 * domains for column in range(columns))
        for k in range(len(pairs))
    ]
    assert 0 < sum(wanted) < len(pairs)
    left = [pair for pair, keep in zip(pairs, wanted, strict=True) if keep]
    assert left == list(zip(kept.rows.tolist(), kept.columns.tolist(), strict=True))
    ids = {pair: k for k, pair in enumerate(left)}
    assert len(left) == len(found)
    assert wanted == found.mask.tolist()
    cells.renumber(found, 2)
    assert naive_cells(bitext, ids) == cells.pair_ids.tolist()
    table = rng.random((len(index) + 1, domains, 2)).astype(np.float32)
    rows = table[[*np.flatnonzero(wanted), len(index)]]
    move_kept(found.marks, found.firsts, table)
    np.testing.assert_array_equal(table[: len(left) + 1], rows)
    np.testing.assert_array_equal(kept.cells(bitext).pair_ids, cells.pair_ids)
    assert (np.int64, np.int32, np.uint32) == (
        kept.row_offsets.dtype,
        kept.columns.dtype,
        cells.pair_ids.dtype,
    )


@pytest.mark.parametrize("size", [0, 1, 127, 128, 129, 1000])
def test_new_ids_of_kept_pairs(size: int) -> None:
    kept = np.random.default_rng(size).random(size) < 0.4
    found = KeptPairs.of_mask(kept)
    assert found.mask.tolist() == kept.tolist()
    assert found.before(np.arange(size + 1)).tolist() == [0, *np.cumsum(kept)]
    assert len(found) == kept.sum()
    assert repr(found) == f"KeptPairs({kept.sum()} of {size:,} pairs)"


def test_a_count_at_the_threshold_is_kept() -> None:
    """In either direction, domains added up."""
    bitext = Bitext.unlabeled(
        Corpus.from_sentences([["a", "b", "c"]]), Corpus.from_sentences([["x"]])
    )
    index, _ = build_pair_index(bitext)
    counts = np.zeros((4, 2, 2))
    counts[0, :, 0] = 0.25, 0.25
    counts[1, :, 1] = 0.5, 0.0
    counts[2] = 0.24  # 0.48 in both directions
    assert index.selected(index.counted(counts, 0.5)).rows.tolist() == [1, 2]
    assert index.selected(index.counted(counts, 0.0)) == index
    nothing = index.selected(index.counted(counts, 1e9))
    assert len(nothing) == 0
    assert nothing.cells(bitext).pair_ids.tolist() == [0, 0, 0]


def test_more_word_pairs_than_can_be_numbered(monkeypatch: pytest.MonkeyPatch) -> None:
    bitext = random_bitext(np.random.default_rng(0), [(3, 3)] * 4, num_types=9)
    size = len(build_pair_index(bitext)[0])
    monkeypatch.setattr("isogloss.align.model.cooccurrence.MAX_WORD_PAIRS", size)
    assert size == len(build_pair_index(bitext)[0])
    monkeypatch.setattr("isogloss.align.model.cooccurrence.MAX_WORD_PAIRS", size - 1)
    with pytest.raises(DataError, match=rf"{size} distinct word pairs; expected at most"):
        build_pair_index(bitext)
