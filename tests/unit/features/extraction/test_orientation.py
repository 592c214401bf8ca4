"""Orientation kernel against the definitions; reordering models, their scores and tables."""

import gzip
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from align.errors import DataError, UsageError
from align.links.links import Links
from features.extraction.kernels.orientation import (
    ALL_KINDS,
    HIERARCHICAL,
    PHRASE,
    WORD,
    Definition,
    PhrasePairs,
    orientations,
)
from features.extraction.reordering import (
    ADAGRAD_PRO,
    CLASSES,
    KINDS,
    ReorderingModel,
    ReorderingRows,
    proportional_smoothing,
    read_reordering_table,
    reordering_scores,
)
from tests.naive import orientation as naive
from tests.naive.orientation import LEFT, MONOTONE, RIGHT, SWAP, Block, SentencePair

# ---- the kernel


def offsets(lengths: Sequence[int]) -> NDArray[np.int64]:
    return np.append(0, np.cumsum(np.array(lengths, np.int64)))


def classified(
    pairs: Sequence[SentencePair],
    phrases: Sequence[Sequence[Block]],
    max_length: int = 7,
    kinds: int = ALL_KINDS,
    moses: bool = False,
) -> list[list[list[tuple[int, int]]]]:
    """(previous, next) by kind of each phrase pair of each sentence pair."""
    links = Links.from_pairs(pair.links for pair in pairs)
    source = offsets([pair.num_source for pair in pairs])
    target = offsets([pair.num_target for pair in pairs])
    rows = [(k, block) for k, blocks in enumerate(phrases) for block in blocks]
    positions = [(source[k] + b.begin, target[k] + b.low) for k, b in rows]
    lengths = [(b.end - b.begin + 1, b.high - b.low + 1) for _, b in rows]
    result = np.full((len(rows), 3), 255, np.uint8)
    orientations(
        (links.source, links.target, links.offsets), source, target,
        PhrasePairs(
            np.array(positions, np.int64).reshape(-1, 2), np.array(lengths, np.int8).reshape(-1, 2)
        ),
        Definition(max_length, kinds, moses), result,
    )  # fmt: skip
    found: list[list[list[tuple[int, int]]]] = [[] for _ in pairs]
    for (k, _), row in zip(rows, result.tolist(), strict=True):
        found[k].append([(code & 15, code >> 4) for code in row])
    return found


@st.composite
def sentence_pairs(draw: st.DrawFn) -> SentencePair:
    """Mostly one link a word, so that there are many blocks; few words with none or several."""
    num_source, num_target = draw(st.integers(0, 7)), draw(st.integers(0, 7))
    cells = [(j, i) for j in range(num_source) for i in range(num_target)]
    order = draw(st.permutations(range(num_target)))
    unlinked = draw(st.sets(st.integers(0, 7), max_size=4))
    links = {(j, i) for j, i in enumerate(order[:num_source]) if j not in unlinked}
    links |= draw(st.sets(st.sampled_from(cells), max_size=2)) if cells else set()
    return SentencePair(num_source, num_target, sorted(links))


@settings(max_examples=150)
@given(st.lists(sentence_pairs(), max_size=2), st.integers(1, 4), st.booleans(), st.integers(1, 3))
def test_all_kinds_follow_their_definitions(
    pairs: list[SentencePair], max_length: int, moses: bool, step: int
) -> None:
    """Whichever phrase pairs of the sentence pair are given."""
    expected = [
        dict(list(naive.orientations(pair, max_length, moses).items())[::step]) for pair in pairs
    ]
    found = classified(pairs, [list(own) for own in expected], max_length, moses=moses)
    assert [list(own.values()) for own in expected] == found


def permuted(*targets: int) -> SentencePair:
    """Source word j is linked to the j-th number; there is no other word."""
    return SentencePair(len(targets), len(targets), list(enumerate(targets)))


def of_word(pair: SentencePair, j: int, **keywords: bool) -> list[tuple[int, int]]:
    """Orientations of the phrase pair of one source word and its target word."""
    i = dict(pair.links)[j]
    return classified([pair], [[Block(j, j, i, i)]], 7, **keywords)[0][0]


def test_border_words_are_monotone_at_their_own_corner_only() -> None:
    pair = permuted(0, 1)
    assert of_word(pair, 0)[WORD] == of_word(pair, 1)[WORD] == (MONOTONE, MONOTONE)
    pair = permuted(1, 0)
    assert of_word(pair, 0)[WORD] == (SWAP, RIGHT)
    assert of_word(pair, 1)[WORD] == (RIGHT, SWAP)


def test_a_swap_of_blocks_is_seen_by_the_hierarchical_kind() -> None:
    """Figure 2 of Galley & Manning (2008): the neighbour is a block, not a word."""
    pair = permuted(2, 0, 1)
    assert of_word(pair, 0) == [(LEFT, RIGHT), (SWAP, RIGHT), (SWAP, RIGHT)]


def test_a_long_block_is_seen_by_the_hierarchical_kind_alone() -> None:
    pair = permuted(8, *range(8))
    assert of_word(pair, 0) == [(LEFT, RIGHT), (LEFT, RIGHT), (SWAP, RIGHT)]


def test_the_smallest_block_counts_for_the_length_limit() -> None:
    """Source word 2 with the unlinked word 1 is short enough; with words 3 and 4 it isn't."""
    pair = SentencePair(5, 3, [(0, 2), (2, 1), (4, 0)])
    assert classified([pair], [[Block(0, 0, 2, 2)]], 2)[0][0][PHRASE][0] == SWAP


def test_unlinked_words_may_join_a_block_up_to_the_limit() -> None:
    pair = SentencePair(4, 2, [(1, 0), (3, 1)])
    last = Block(3, 3, 1, 1)
    assert classified([pair], [[last]], 2)[0][0][PHRASE][0] == MONOTONE
    assert classified([pair], [[last]], 1)[0][0][PHRASE][0] == RIGHT
    assert classified([pair], [[last]], 1)[0][0][HIERARCHICAL][0] == MONOTONE


def test_an_unlinked_word_brings_a_block_into_the_sight_of_moses() -> None:
    pair = SentencePair(4, 2, [(0, 1), (3, 0)])
    first = Block(0, 0, 1, 1)
    assert classified([pair], [[first]], 2, moses=True)[0][0][PHRASE][0] == LEFT
    assert classified([pair], [[first]], 1, moses=True)[0][0][PHRASE][0] == RIGHT
    assert classified([pair], [[first]], 1)[0][0][PHRASE][0] == LEFT


def test_a_word_linked_to_both_sides_is_discontinuous_right() -> None:
    pair = SentencePair(4, 2, [(0, 0), (1, 1), (2, 0), (3, 0)])
    assert [kind[0] for kind in of_word(pair, 1)] == [RIGHT] * 3


def test_moses_sees_next_blocks_of_one_target_word_alone() -> None:
    pair = permuted(0, 2, 1)
    assert of_word(pair, 0)[HIERARCHICAL] == (MONOTONE, MONOTONE)
    assert of_word(pair, 0, moses=True)[HIERARCHICAL] == (MONOTONE, RIGHT)


def test_moses_does_not_see_the_last_source_word_to_the_right() -> None:
    pair = permuted(2, 0, 1, 3, 4)
    assert of_word(pair, 0, moses=True)[HIERARCHICAL][0] == SWAP
    pair = SentencePair(3, 2, [(0, 1), (1, 1), (2, 0)])
    first = Block(0, 0, 1, 1)  # no phrase pair: a place to ask about
    assert classified([pair], [[first]])[0][0][HIERARCHICAL][0] == LEFT
    assert classified([pair], [[first]], moses=True)[0][0][HIERARCHICAL][0] == RIGHT


@pytest.mark.parametrize("kind", [WORD, PHRASE, HIERARCHICAL])
def test_only_the_kinds_asked_for_are_written(kind: int) -> None:
    pair = permuted(2, 0, 1, 3)
    blocks = naive.consistent_blocks(pair)
    everything = classified([pair], [blocks])[0]
    for row, full in zip(classified([pair], [blocks], kinds=1 << kind)[0], everything, strict=True):
        assert row == [full[k] if k == kind else (15, 15) for k in range(3)]


def test_no_phrase_pairs() -> None:
    assert classified([], []) == []
    assert classified([permuted(0), SentencePair(0, 0, [])], [[], []]) == [[], []]


def test_a_sentence_of_a_thousand_words() -> None:
    """Each third word linked, so that blocks must be looked for before and behind each."""
    size = 1000
    pair = SentencePair(size, size, [(j, size - 3 - j) for j in range(1, size - 2, 3)])
    words = [Block(j, j, i, i) for j, i in pair.links]
    found = classified([pair], [words])[0]
    assert [row[HIERARCHICAL] for row in found[1:-1]] == [(SWAP, SWAP)] * (len(words) - 2)
    assert found[0][HIERARCHICAL] == (SWAP, RIGHT)
    assert found[-1][HIERARCHICAL] == (RIGHT, SWAP)


# ---- models


def test_a_name_tells_the_model() -> None:
    assert ReorderingModel.parse("wbe-msd-backward-f") == ReorderingModel(
        "wbe", "msd", "backward", "f"
    )
    assert ReorderingModel.parse("msd-bidirectional-fe").kind == "wbe"
    assert ReorderingModel.parse("hier-mslr-forward-fe-collapseff").collapsed
    assert not ReorderingModel.parse("hier-mslr-forward-fe-allff").collapsed


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("classes", CLASSES)
@pytest.mark.parametrize("rest", ["backward-f", "forward-fe", "bidirectional-fe-collapseff"])
def test_names_come_back(kind: str, classes: str, rest: str) -> None:
    name = f"{kind}-{classes}-{rest}"
    assert str(ReorderingModel.parse(name)) == name


@pytest.mark.parametrize(
    ("name", "seen"),
    [
        ("", "'': its parts are not four"),
        ("wbe-msd", "its parts are not four"),
        ("wbe-msd-backward-f-allff-f", "its parts are not four"),
        ("tree-msd-backward-f", "'tree' .* expected wbe, phrase, hier"),
        ("wbe-mono-backward-f", "'mono' .* expected mslr, msd, leftright, monotonicity"),
        ("wbe-msd-up-f", "'up' .* expected backward, forward, bidirectional"),
        ("wbe-msd-backward-e", "'e' .* expected f, fe"),
    ],
)
def test_a_wrong_name(name: str, seen: str) -> None:
    with pytest.raises(UsageError, match=f"{seen}.*for example hier-mslr-bidirectional-fe"):
        ReorderingModel.parse(name)


def test_the_eight_features_of_adagrad_pro() -> None:
    assert ReorderingModel.parse(ADAGRAD_PRO).columns == (
        "LexR.hier.monotone.previous",
        "LexR.hier.swap.previous",
        "LexR.hier.discontinuous-left.previous",
        "LexR.hier.discontinuous-right.previous",
        "LexR.hier.monotone.next",
        "LexR.hier.swap.next",
        "LexR.hier.discontinuous-left.next",
        "LexR.hier.discontinuous-right.next",
    )


def test_a_collapsed_model_has_one_feature_per_neighbour() -> None:
    model = ReorderingModel.parse("wbe-msd-bidirectional-fe-collapseff")
    assert len(model.columns) == 6
    assert model.feature_names == ("LexR.wbe.previous", "LexR.wbe.next")
    assert ReorderingModel.parse("wbe-msd-forward-f").feature_names == (
        "LexR.wbe.monotone.next",
        "LexR.wbe.swap.next",
        "LexR.wbe.discontinuous.next",
    )


# ---- scores

# two rules of one source phrase, one of another; classes monotone, swap, left, right
COUNTS = np.array(
    [[[3, 0, 1, 0], [0, 0, 2, 2]], [[1, 1, 1, 1], [0, 4, 0, 0]], [[0, 0, 0, 1], [1, 0, 0, 0]]],
    np.float64,
)
SOURCES = np.array([4, 4, 7], np.int32)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("wbe-mslr-backward-fe", [[3.5, 0.5, 1.5, 0.5], [1.5] * 4, [0.5, 0.5, 0.5, 1.5]]),
        ("wbe-msd-backward-fe", [[3.5, 0.5, 1.5], [1.5, 1.5, 2.5], [0.5, 0.5, 1.5]]),
        ("wbe-leftright-backward-fe", [[3.5, 1.5], [2.5, 2.5], [1.5, 0.5]]),
        ("wbe-monotonicity-forward-fe", [[0.5, 4.5], [0.5, 4.5], [1.5, 0.5]]),
        ("wbe-msd-backward-f", [[4.5, 1.5, 3.5], [0.5, 0.5, 1.5]]),
        ("wbe-msd-forward-f", [[0.5, 4.5, 4.5], [1.5, 0.5, 0.5]]),
    ],
)
def test_probabilities_of_each_model(name: str, expected: list[list[float]]) -> None:
    rows = np.array(expected)
    found = reordering_scores(COUNTS, ReorderingModel.parse(name), SOURCES)
    np.testing.assert_allclose(rows / rows.sum(axis=1, keepdims=True), found, rtol=1e-15)


def test_previous_stands_before_next() -> None:
    names = ("wbe-msd-backward-f", "wbe-msd-forward-f", "wbe-msd-bidirectional-f")
    parts = [reordering_scores(COUNTS, ReorderingModel.parse(name), SOURCES) for name in names]
    np.testing.assert_array_equal(np.hstack(parts[:2]), parts[2])


def test_without_smoothing() -> None:
    model = ReorderingModel.parse("wbe-msd-backward-fe")
    np.testing.assert_array_equal(
        [[0.75, 0, 0.25], [0.25, 0.25, 0.5], [0, 0, 1]],
        reordering_scores(COUNTS, model, SOURCES, 0.0),
    )
    nothing = reordering_scores(0.0 * COUNTS, model, SOURCES, 0.0)
    np.testing.assert_allclose(nothing, 1 / 3, rtol=1e-15)


def test_smoothing_in_proportion_to_the_counts_of_the_table() -> None:
    model = ReorderingModel.parse("wbe-msd-bidirectional-fe")
    smoothing = proportional_smoothing(model, 0.5, COUNTS.sum(axis=0))
    expected = [4.1 / 9, 1.1 / 9, 4.1 / 9, 1.1 / 9, 4.1 / 9, 4.1 / 9]
    np.testing.assert_allclose(smoothing, np.array(expected) / 2, rtol=1e-15)
    found = reordering_scores(COUNTS, model, SOURCES, smoothing)
    row = np.array([3, 0, 1]) + smoothing[:3]
    np.testing.assert_allclose(found[0, :3], row / row.sum(), rtol=1e-15)
    empty = proportional_smoothing(model, 0.5, np.zeros((2, 4)))
    np.testing.assert_array_equal(empty, np.full(6, 0.5))


@pytest.mark.parametrize("weight", [-0.5, float("nan"), float("inf")])
def test_a_wrong_smoothing(weight: float) -> None:
    model = ReorderingModel.parse(ADAGRAD_PRO)
    with pytest.raises(UsageError, match=r"smoothing (-0.5|nan|inf); expected 0 \(none\) or more"):
        reordering_scores(COUNTS, model, SOURCES, weight)
    with pytest.raises(UsageError, match="smoothing"):
        proportional_smoothing(model, weight, COUNTS.sum(axis=0))


@pytest.mark.parametrize("name", ["hier-mslr-bidirectional-fe", "hier-mslr-bidirectional-f"])
def test_no_rules(name: str) -> None:
    none = np.zeros(0, np.int32)
    scores = reordering_scores(np.zeros((0, 2, 4)), ReorderingModel.parse(name), none)
    assert scores.shape == (0, 8)


@given(st.integers(0, 2**32 - 1), st.sampled_from(["f", "fe"]), st.sampled_from(list(CLASSES)))
def test_weighted_counts_give_probabilities(seed: int, condition: str, classes: str) -> None:
    rng = np.random.default_rng(seed)
    sources = np.sort(rng.integers(0, 5, 12)).astype(np.int32)
    model = ReorderingModel("hier", classes, "bidirectional", condition)
    scores = reordering_scores(rng.random((12, 2, 4)), model, sources)
    assert len(scores) == (12 if condition == "fe" else len(np.unique(sources)))
    np.testing.assert_allclose(scores.reshape(len(scores), 2, -1).sum(axis=2), 1.0, rtol=1e-12)
    assert (scores > 0).all()


# ---- tables

MODEL = ReorderingModel.parse("wbe-msd-backward-fe")


def write(path: Path, *lines: str) -> Path:
    path.write_bytes("".join(f"{line}\n" for line in lines).encode())
    return path


def rows_of(blocks: Sequence[ReorderingRows]) -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []
    for block in blocks:
        sides = (block.source, block.target) if block.target else (block.source,)
        numbers = [" ".join(f"{value:g}" for value in row) for row in block.scores.tolist()]
        found += zip(*sides, numbers, strict=True)
    return found


def test_read_a_table_in_any_order(tmp_path: Path) -> None:
    path = write(
        tmp_path / "table",
        "b ||| x  y ||| 0.2 0.2 0.6",
        "語 a ||| x ||| 0.200000 0.3 5e-1 ",  # Moses ends lines so
        "a ||| x ||| 1 1e-9 0.5",
    )
    blocks = list(read_reordering_table(path, MODEL, rows=2))
    assert [len(block) for block in blocks] == [2, 1]
    assert rows_of(blocks) == [
        ("b", "x y", "0.2 0.2 0.6"), ("語 a", "x", "0.2 0.3 0.5"), ("a", "x", "1 1e-09 0.5")
    ]  # fmt: skip


def test_read_a_compressed_table_of_source_phrases(tmp_path: Path) -> None:
    path = tmp_path / "table.gz"
    path.write_bytes(gzip.compress(b"a b ||| 0.2 0.2 0.6\na ||| 0.1 0.2 0.7\n"))
    blocks = list(read_reordering_table(path, ReorderingModel.parse("wbe-msd-backward-f")))
    assert rows_of(blocks) == [("a b", "0.2 0.2 0.6"), ("a", "0.1 0.2 0.7")]


GOOD = "a ||| x ||| 0.2 0.2 0.6"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("b ||| 0.2 0.2 0.6", r"2 fields in .*; expected source \|\|\| target \|\|\| prob"),
        ("b ||| x ||| 0.2 0.2 0.6 ||| 1", "4 fields in"),
        ("", "1 field in"),
        ("b |||  ||| 0.2 0.2 0.6", "an empty phrase"),
        ("b ||| x ||| 0.2 0.8", "2 scores; expected .* 3 of them, as wbe-msd-b"),
        ("b ||| x ||| 0.2 0.2 0.3 0.3", "4 scores; expected .*Is it a table of this model"),
        ("b ||| x |||", "2 fields in"),
        ("b ||| x ||| 0.2 O.2 0.6", "'O.2' among the scores"),
        ("b ||| x ||| 0.2 nan 0.6", "'nan' among the scores"),
        ("b ||| x ||| 0.4 0 0.6", r"0 among the scores '0.4 0 0.6'; .* above 0.*with smoothing"),
        ("b ||| x ||| -0.2 0.6 0.6", "-0.2 among the scores"),
        ("b ||| x ||| 0.2 0.2 1.6", "1.6 among the scores .*at most 1"),
        ("a ||| x ||| 0.1 0.1 0.8", r"the phrases 'a \|\|\| x' again; expected each of them once"),
    ],
)
def test_a_bad_line(tmp_path: Path, line: str, message: str) -> None:
    path = write(tmp_path / "table", GOOD, "a ||| y ||| 0.2 0.2 0.6", line, "c ||| x ||| 1 1 1")
    with pytest.raises(DataError, match=f"table, line 3: .*{message}"):
        list(read_reordering_table(path, MODEL))
    with pytest.raises(DataError, match=f"table, line 3: .*{message}"):
        list(read_reordering_table(path, MODEL, rows=2))


def test_a_table_of_another_model(tmp_path: Path) -> None:
    path = write(tmp_path / "table", GOOD)
    message = "line 1: 3 scores; expected .* 8 of them, as hier-mslr-bidirectional-fe has"
    with pytest.raises(DataError, match=message):
        list(read_reordering_table(path, ReorderingModel.parse(ADAGRAD_PRO)))


def test_a_table_whose_phrases_moses_left_out(tmp_path: Path) -> None:
    path = write(tmp_path / "table", " 0.2 0.2 0.6")
    with pytest.raises(DataError, match="Some versions of Moses leave the phrases out"):
        list(read_reordering_table(path, ReorderingModel.parse("wbe-msd-backward-f")))


def test_an_empty_table(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no row; expected lines source"):
        list(read_reordering_table(write(tmp_path / "table"), MODEL))


def test_repeated_phrases_are_found_across_many_blocks(tmp_path: Path) -> None:
    lines = [f"{k * 7919 % 1000} ||| x ||| 0.2 0.2 0.6" for k in range(1000)]
    path = write(tmp_path / "table", *lines)
    assert len(rows_of(list(read_reordering_table(path, MODEL, rows=7)))) == 1000
    path = write(tmp_path / "table", *lines, lines[123])
    with pytest.raises(DataError, match=r"line 1001: the phrases '37 \|\|\| x' again"):
        list(read_reordering_table(path, MODEL, rows=7))
