"""Lexicalized reordering in the decoder, against definitions and plain Python."""

import gzip
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.align.errors import DataError, DataWarning, UsageError
from isogloss.features.extraction.reordering import ReorderingModel
from isogloss.features.table.phrase_table import PhraseTable
from isogloss.tune.decoder.kernels.coverage import cover
from isogloss.tune.decoder.kernels.reordering import (
    Columns,
    Reordering,
    kept_begin,
    orientation,
    orientation_scores,
    reordering_features,
)
from isogloss.tune.decoder.model import (
    CONTEXT_FEATURES,
    ORIENTATION_WEIGHT,
    Decoder,
    DecoderSettings,
)
from isogloss.tune.decoder.reordering import Orientations, ReorderingTable
from isogloss.tune.weights.weights import Weights
from tests.naive import search as naive
from tests.unit.tune.decoder.test_language_model import random_model
from tests.unit.tune.decoder.test_search import random_options

RULES = [
    "a ||| x ||| 0.5 0.5 0.5 0.5",
    "a ||| y z ||| 0.25 0.5 0.25 0.5",
    "a b ||| x w ||| 0.5 0.5 0.5 0.5",
    "b ||| w ||| 0.5 0.5 0.5 0.5",
    "c ||| v ||| 0.5 0.5 0.5 0.5",
]
MSD = "wbe-msd-bidirectional-fe"
ROWS = [
    "c ||| v ||| 0.2 0.7 0.1 0.6 0.2 0.2",
    "a ||| nobody ||| 0.2 0.7 0.1 0.6 0.2 0.2",
    "nobody ||| x ||| 0.2 0.7 0.1 0.6 0.2 0.2",
    "a b ||| x w ||| 0.1 0.1 0.8 0.3 0.3 0.4",
    "a ||| x ||| 0.5 0.25 0.25 0.4 0.4 0.2",
    "b ||| w ||| 0.6 0.2 0.2 0.5 0.4 0.1",
]


@pytest.fixture
def table(tmp_path: Path) -> PhraseTable:
    (tmp_path / "table").write_text("".join(f"{rule}\n" for rule in RULES))
    return PhraseTable.load(tmp_path / "table")


def reordering_table(
    folder: Path, table: PhraseTable, rows: list[str] = ROWS, name: str = MSD
) -> ReorderingTable:
    path = folder / f"{name}.gz"
    path.write_bytes(gzip.compress("".join(f"{row}\n" for row in rows).encode()))
    return ReorderingTable.read(path, ReorderingModel.parse(name), table)


def test_rows_go_to_their_rules(tmp_path: Path, table: PhraseTable) -> None:
    read = reordering_table(tmp_path, table)
    by_rule = {row.rpartition(" ||| ")[0]: row.rpartition(" ||| ")[2].split() for row in ROWS}
    for rule, logs in zip(table, read.logs, strict=True):
        texts = by_rule.get(f"{rule.source} ||| {rule.target}", ["1"] * 6)
        np.testing.assert_allclose(np.exp(logs), [float(text) for text in texts], rtol=1e-6)


def test_rows_of_source_phrases_go_to_all_their_rules(tmp_path: Path, table: PhraseTable) -> None:
    rows = ["b ||| 0.3 0.7", "a ||| 0.9 0.1"]
    read = reordering_table(tmp_path, table, rows, "phrase-monotonicity-forward-f")
    expected = [[0.9, 0.1], [0.9, 0.1], [1, 1], [0.3, 0.7], [1, 1]]
    np.testing.assert_allclose(np.exp(read.logs), expected, rtol=1e-6)


def test_a_table_of_another_system(tmp_path: Path, table: PhraseTable) -> None:
    with pytest.raises(
        DataError,
        match=r"the table has no row for any rule of the phrase table; expected a reordering",
    ):
        reordering_table(tmp_path, table, ROWS[1:3])
    message = r"has rows for only 2 of 5 rules of the phrase table; the others score 0\. Check"
    with pytest.warns(DataWarning, match=message):
        reordering_table(tmp_path, table, ["a ||| 0.9 0.1"], "phrase-monotonicity-forward-f")
    other = ReorderingTable(ReorderingModel.parse(MSD), np.zeros((3, 6), np.float32))
    with pytest.raises(
        UsageError, match="scores for 3 rules, but the phrase table has 5; read the"
    ):
        Orientations([other], 5)


def test_names_of_several_models_do_not_clash() -> None:
    models = [
        ReorderingModel.parse(name)
        for name in (MSD, f"{MSD}-collapseff", "phrase-leftright-backward-f")
    ]
    tables = [ReorderingTable(m, np.zeros((2, len(m.columns)), np.float32)) for m in models]
    names = Orientations(tables, 2).names
    assert names[:6] == models[0].columns
    assert names[6:8] == ("LexR1.wbe.previous", "LexR1.wbe.next")
    assert names[8:] == ("LexR2.phrase.right.previous", "LexR2.phrase.left.previous")


@settings(deadline=None)
@given(st.data())
def test_orientations(data: st.DataObject) -> None:
    marks = sorted(data.draw(st.sets(st.integers(0, 9), min_size=4, max_size=4)))
    spans = [(marks[0], marks[1]), (marks[2], marks[3])]
    before, after = data.draw(st.permutations(spans))
    assert orientation(*before, *after) == naive.orientation(before, after)
    assert orientation(0, 0, *after) == naive.orientation(None, after)


def test_the_begin_matters_where_a_swap_may_follow() -> None:
    phrases = Reordering(np.zeros((1, 4)), np.zeros((1, 4)), np.zeros(1, np.int32), True, False)
    blocks = phrases._replace(phrases=False, blocks=True)
    for begin, expected in [(0, 0), (2, 2)]:  # what is before it may follow, or there is nothing
        first, window = cover(0, np.uint64(0), begin, begin + 2)
        assert kept_begin(phrases, first, np.uint64(window), begin) == expected
        assert kept_begin(blocks, first, np.uint64(window), begin) == expected
        assert kept_begin(phrases._replace(phrases=False), first, np.uint64(window), begin) == 0
    first, window = cover(0, np.uint64(0), 2, 4)
    first, window = cover(first, np.uint64(window), 4, 5)  # monotone, behind a gap
    assert kept_begin(phrases, first, np.uint64(window), 4) == 0
    assert kept_begin(blocks, first, np.uint64(window), 4) == 0


CLASSES = np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 1], [1, 0, 0, 0], [0, 1, 1, 1]], np.bool_)
SIDES = np.array([0, 0, 0, 1, 1])
OF_BLOCKS = np.array([False, True, False, True, False])


def random_logs(rng: np.random.Generator, num_rules: int) -> np.ndarray:
    return np.log(rng.choice([0.1, 0.2, 0.5, 1.0], (num_rules, len(SIDES)))).astype(np.float32)


@settings(deadline=None)
@given(st.integers(0, 10**6), st.integers(0, 40), st.sampled_from(["phrases", "blocks", "both"]))
def test_scores_of_options(seed: int, num: int, kind: str) -> None:
    of_blocks = {"phrases": OF_BLOCKS & False, "blocks": OF_BLOCKS | True, "both": OF_BLOCKS}[kind]
    columns = 16 if kind == "both" else 4
    rng = np.random.default_rng(seed)
    logs, rules = random_logs(rng, 6), rng.integers(-1, 6, num)
    weights = rng.choice([-1.0, 0.0, 0.5], len(SIDES))
    of_states = rng.normal(size=(2, num if kind != "blocks" else 0, 4))
    found = orientation_scores(rules, Columns(logs, SIDES, CLASSES, of_blocks), weights, of_states)
    expected = np.zeros((2, num, columns))
    if kind != "blocks":
        expected += np.repeat(of_states, columns // 4, axis=2)
    for option, rule in enumerate(rules.tolist()):
        for column, side in enumerate(SIDES.tolist()):
            for k in range(columns):
                kinds = {False: k // 4 if columns == 16 else k, True: k % 4}
                if rule >= 0 and CLASSES[column, kinds[bool(of_blocks[column])]]:
                    expected[side, option, k] += weights[column] * logs[rule, column]
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(found[1][found[2]], expected[1], rtol=1e-12, atol=1e-12)
    assert (found[1][0] == 0.0).all()
    assert len(np.unique(found[1], axis=0)) == len(found[1])
    assert tuple(found[3:]) == (kind != "blocks", kind != "phrases")


@settings(deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 5))
def test_features_of_derivations(seed: int, length: int) -> None:
    rng = np.random.default_rng(seed)
    options = random_options(rng, length, most=2 if length < 4 else 1)
    logs, rules = random_logs(rng, 6), rng.integers(-1, 6, len(options.begin))
    columns = Columns(logs, SIDES, CLASSES, OF_BLOCKS)
    chosen = list(naive.derivations(options, 6))
    offsets = np.cumsum([0, *map(len, chosen)])
    flat = np.array([k for one in chosen for k in one], np.int32)
    found = reordering_features(flat, offsets, options.begin, options.end, rules, columns)
    for one, values in zip(chosen, found, strict=True):
        kinds = naive.orientations(options, one)
        expected = np.zeros(len(SIDES))
        for k, kind in zip(one, kinds, strict=True):
            own = np.where(OF_BLOCKS, CLASSES[:, kind.block], CLASSES[:, kind.phrase])
            if rules[k] >= 0:
                expected += logs[rules[k]] * own * (SIDES == 0)
        for (before, _), (_, kind) in pairwise(zip(one, kinds, strict=True)):
            own = np.where(OF_BLOCKS, CLASSES[:, kind.next_block], CLASSES[:, kind.phrase])
            if rules[before] >= 0:
                expected += logs[rules[before]] * own * (SIDES == 1)
        np.testing.assert_allclose(values, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", [MSD, f"{MSD}-collapseff"])
def test_scores_are_weights_times_features(tmp_path: Path, table: PhraseTable, name: str) -> None:
    read = reordering_table(tmp_path, table, name=name)
    again = reordering_table(tmp_path, table, name="hier-msd-bidirectional-fe")
    decoder = Decoder(
        table, [random_model(0, 3), random_model(1, 2)], DecoderSettings(), [read, again]
    )
    rng = np.random.default_rng(3)
    weights = Weights.from_dict(
        dict(zip(decoder.space.names, rng.normal(size=len(decoder.space)), strict=True))
    )
    found = decoder.nbest(["a", "b", "unknown", "c"], weights, 1000)
    assert len(found) > 20
    all_ways = decoder.nbest(["a", "b", "unknown", "c"], weights, 1000, distinct=False)
    texts = [decoder.text(found, k) for k in range(len(found))]
    assert len(set(texts)) == len(texts) < len(all_ways)
    assert {decoder.text(all_ways, k) for k in range(len(all_ways))} == set(texts)
    values = decoder.weights(weights).values
    for k in range(len(found)):
        row = found.rows.part(k, k + 1)
        assert found.score[k] == pytest.approx(float(row.values @ values[row.ids]), rel=1e-5)
    begin = 2 + len(CONTEXT_FEATURES) + len(table.score_names)
    assert decoder.space.names[begin : begin + 6] == ReorderingModel.parse(MSD).columns or (
        "collapseff" in name
    )
    assert decoder.weights()["LexR1.hier.swap.next"] == ORIENTATION_WEIGHT
