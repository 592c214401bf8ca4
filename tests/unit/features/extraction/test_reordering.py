"""Reordering models: their names, scores and tables."""

import gzip
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.align.errors import DataError, UsageError
from isogloss.features.extraction.reordering import (
    ADAGRAD_PRO,
    CLASSES,
    KINDS,
    ReorderingModel,
    ReorderingRows,
    proportional_smoothing,
    read_reordering_table,
    reordering_scores,
)


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
        ("", "'': the name does not have four"),
        ("wbe-msd", "reordering model"),
        ("wbe-msd-backward-f-allff-f", "reordering model 'wbe-msd-backward-f-allff-f': the name"),
        ("tree-msd-backward-f", "reordering model"),
        ("wbe-mono-backward-f", "reordering model 'wbe-mono-backward-f': 'mono' is not"),
        ("wbe-msd-up-f", "reordering model 'wbe-msd-up-f': 'up' is not"),
        ("wbe-msd-backward-e", "reordering model"),
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


def test_a_collapsed_model_has_one_feature_per_neighbor() -> None:
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
    with pytest.raises(UsageError, match=r"reordering_smoothing must be 0 \(none\) or above, got"):
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
        ("b ||| 0.2 0.2 0.6", r"the line 'b \|\|\| 0.2 0.2 0.6' has 2 fields; expected source"),
        ("b ||| x ||| 0.2 0.2 0.6 ||| 1", r"the line 'b \|\|\| x \|\|\| 0.2 0.2 0.6 \|\|\| 1' has"),
        ("", "the line '' has 1 field; expected source ||| target ||| probabilities, 3 of them,"),
        ("b |||  ||| 0.2 0.2 0.6", "a phrase is empty; expected source ||| target |||"),
        ("b ||| x ||| 0.2 0.8", "2 scores; expected .* 3 probabilities, as in wbe-msd-b"),
        ("b ||| x ||| 0.2 0.2 0.3 0.3", r"the line has 4 scores; expected source \|\|\| target"),
        ("b ||| x |||", r"the line 'b \|\|\| x' has 2 fields; expected source \|\|\| target"),
        ("b ||| x ||| 0.2 O.2 0.6", "the scores '0.2 O.2 0.6' contain 'O.2'; expected finite"),
        ("b ||| x ||| 0.2 nan 0.6", "the scores '0.2 nan 0.6' contain 'nan'; expected finite"),
        ("b ||| x ||| 0.4 0 0.6", "the scores '0.4 0 0.6' contain 0; expected probabilities"),
        ("b ||| x ||| -0.2 0.6 0.6", "the scores '-0.2 0.6 0.6' contain -0.2; expected"),
        ("b ||| x ||| 0.2 0.2 1.6", "the scores '0.2 0.2 1.6' contain 1.6; expected"),
        ("a ||| x ||| 0.1 0.1 0.8", r"the entry 'a \|\|\| x' is repeated; expected unique entries"),
    ],
)
def test_a_bad_line(tmp_path: Path, line: str, message: str) -> None:
    path = write(tmp_path / "table", GOOD, "a ||| y ||| 0.2 0.2 0.6", line, "c ||| x ||| 1 1 1")
    with pytest.raises(DataError, match=f"table, line 3: .*{message}"):
        list(read_reordering_table(path, MODEL))
    with pytest.raises(DataError, match=f"table, line 3: .*{message}"):
        list(read_reordering_table(path, MODEL, rows=2))
    more = [f"w{k} ||| x ||| 0.2 0.2 0.6" for k in range(2000)]  # so many are read by a kernel
    path = write(tmp_path / "table", GOOD, "a ||| y ||| 0.2 0.2 0.6", line, *more)
    with pytest.raises(DataError, match=f"table, line 3: .*{message}"):
        list(read_reordering_table(path, MODEL))
    path = write(tmp_path / "table", "a  |||   x ||| 0.2 0.2 0.6", *more, GOOD)
    with pytest.raises(DataError, match=r"line 2002: the entry 'a \|\|\| x' is repeated; expected"):
        list(read_reordering_table(path, MODEL))


@pytest.mark.parametrize("form", ["{:.6f}", "{:.17g}", "{:.3e}"])
def test_the_kernel_reads_what_the_parser_in_python_reads(tmp_path: Path, form: str) -> None:
    """Few lines at a time, which Python reads, and all at once."""
    rng = np.random.default_rng(7)
    scores = np.maximum(rng.dirichlet((0.3, 1.0, 1.0), 3000), 1e-5).clip(max=1.0)
    path = write(
        tmp_path / "table",
        *(
            f"{number} 語 ||| é{number % 7} ' ||| {' '.join(map(form.format, row))}"
            + " " * (number % 5 == 0)
            for number, row in enumerate(scores.tolist())
        ),
    )
    (whole,) = read_reordering_table(path, MODEL)
    parts = list(read_reordering_table(path, MODEL, rows=500))
    assert len(parts) == 6
    assert whole.source == sum((part.source for part in parts), ())
    assert whole.target == sum((part.target for part in parts), ())
    assert np.array_equal(whole.scores, np.concatenate([part.scores for part in parts]))


def test_a_table_of_another_model(tmp_path: Path) -> None:
    path = write(tmp_path / "table", GOOD)
    message = (
        r"line 1: the line has 3 scores; expected source \|\|\| target \|\|\| 8 probabilities,"
    )
    with pytest.raises(DataError, match=message):
        list(read_reordering_table(path, ReorderingModel.parse(ADAGRAD_PRO)))


def test_a_table_whose_phrases_moses_left_out(tmp_path: Path) -> None:
    path = write(tmp_path / "table", " 0.2 0.2 0.6")
    with pytest.raises(DataError, match="Some versions of Moses omit the phrases"):
        list(read_reordering_table(path, ReorderingModel.parse("wbe-msd-backward-f")))


def test_an_empty_table(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"the table is empty; expected lines source \|\|\| target"):
        list(read_reordering_table(write(tmp_path / "table"), MODEL))


def test_repeated_phrases_are_found_across_many_blocks(tmp_path: Path) -> None:
    lines = [f"{k * 7919 % 1000} ||| x ||| 0.2 0.2 0.6" for k in range(1000)]
    path = write(tmp_path / "table", *lines)
    assert len(rows_of(list(read_reordering_table(path, MODEL, rows=7)))) == 1000
    path = write(tmp_path / "table", *lines, lines[123])
    with pytest.raises(DataError, match=r"line 1001: the entry '37 \|\|\| x' is repeated;"):
        list(read_reordering_table(path, MODEL, rows=7))
