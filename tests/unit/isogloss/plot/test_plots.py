"""Plots of tuning: what they show, and that the same input gives the same bytes."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isogloss.align.errors import UsageError
from isogloss.plot.drawing import PictureStyle
from isogloss.plot.epochs import band_of, plot_epochs
from isogloss.plot.epochs import draw_epochs as draw_panels
from isogloss.plot.surfaces import FeatureSurface, plot_surface, visible_steps
from isogloss.plot.surfaces import draw_surface as draw_stairs
from isogloss.plot.weight_paths import WeightPaths, plot_weight_paths
from isogloss.runs.epoch_log import TrainingCurve, TuningLog
from isogloss.tune.optimizers.line_search import Surface
from isogloss.tune.results import Epoch
from tests.tiers import sampled

# surfaces

STAIRS = Surface(np.array([-2.0, -1.0, 0.5, 3.0]), np.array([1.0, 2.0, 5.0, 3.0, 4.0]))


@pytest.mark.parametrize(
    ("low", "high", "x", "y"),
    [
        (-3.0, 1.0, [-3, -2, -2, -1, -1, 0.5, 0.5, 1], [1, 1, 2, 2, 5, 5, 3, 3]),
        (0.0, 0.25, [0, 0.25], [5, 5]),
        (-1.0, 0.5, [-1, 0.5], [5, 5]),
        (7.0, 8.0, [7, 8], [4, 4]),
        (-8.0, -7.0, [-8, -7], [1, 1]),
    ],
)
def test_corners_of_stairs(low: float, high: float, x: list[float], y: list[float]) -> None:
    corners = visible_steps(STAIRS, low, high)
    assert (x, y) == (corners[0].tolist(), corners[1].tolist())


def test_extremes_of_many_steps_are_kept() -> None:
    rng = np.random.default_rng(1)
    surface = Surface(np.sort(rng.normal(size=5000)), rng.normal(size=5001))
    x, y = visible_steps(surface, -1.0, 1.0, columns=50)
    exact_x, exact_y = visible_steps(surface, -1.0, 1.0)
    assert 4 * 50 == len(x) < len(exact_x)
    assert (np.diff(x) >= 0.0).all()
    assert (x[0], x[-1], y[0], y[-1]) == (-1.0, 1.0, exact_y[0], exact_y[-1])
    width = 2.0 / 50
    for left in np.arange(-1.0, 1.0, width):
        narrow = exact_y[(exact_x >= left) & (exact_x <= left + width)]
        near = y[(x >= left - width) & (x <= left + 2.0 * width)]
        assert near.min() <= narrow.min() < narrow.max() <= near.max()
    assert (y.min(), y.max()) == (exact_y.min(), exact_y.max())


def test_limits_out_of_order(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="the range must be LOW:HIGH with LOW below HIGH, got 1:0"):
        plot_surface(FeatureSurface(STAIRS, "a"), tmp_path / "a.svg", limits=(1.0, 0.0))
    assert [] == list(tmp_path.iterdir())


# paths


@pytest.mark.parametrize("strengths", [[0.1], [0.2, 0.1], [0.1, 0.1], [-0.1, 0.1]])
def test_strengths_that_are_none(strengths: list[float]) -> None:
    with pytest.raises(UsageError, match="two or more different strengths of L1"):
        WeightPaths(np.array(strengths), np.ones((len(strengths), 1)), ["a"])


# pictures


def curve(run: int, fold: int | None, held_out: bool) -> TrainingCurve:
    return TrainingCurve(
        run,
        fold,
        tuple(
            Epoch(k, 1.0, 20.0 + run + k / 3, 3 + k, 19.0 + k / 7 if held_out else None)
            for k in range(4)
        ),
    )


CURVES = (curve(1, None, True), curve(1, 0, True), curve(2, None, True))
LOGS = {
    "one": TuningLog(CURVES, "bleu", (2, 3)),
    "two": TuningLog((curve(1, None, False),), "bleu", (1, 2)),
    "three": TuningLog((curve(1, 0, False),)),
}
STYLE = PictureStyle((5.0, 3.0), "DejaVu Serif", 8.0, "Fig. $1$", "x_$1$", "y_$1$")


def draw_epochs(path: Path, style: PictureStyle | None = None) -> None:
    plot_epochs(LOGS, path, style)


def draw_surface(path: Path, style: PictureStyle | None = None) -> None:
    plot_surface(FeatureSurface(STAIRS, "PT_$a$_词", "BLEU", 0.25, -1.5), path, style=style)


def draw_paths(path: Path, style: PictureStyle | None = None) -> None:
    weights = np.array([[1.0, -0.5, 0.1, 7.0], [0.75, 0.0, 0.0, 7.0], [0.0, 0.0, 0.0, 7.0]])
    names = ["a_$x$", "_b", "c", "d"]
    paths = WeightPaths(np.array([0.0, 0.01, 1.0]), weights, names)
    plot_weight_paths(paths, path, named=2, style=style)


DRAWINGS = [draw_epochs, draw_surface, draw_paths]


@pytest.mark.parametrize("draw", DRAWINGS)
@pytest.mark.parametrize("form", sampled(["svg", "png", "pdf"], 3))
def test_same_input_same_bytes(tmp_path: Path, draw: Any, form: str) -> None:
    matplotlib = pytest.importorskip("matplotlib", reason="plots need Matplotlib")
    draw(tmp_path / f"a.{form}")
    with matplotlib.rc_context({"lines.linewidth": 9.0, "svg.hashsalt": None}):
        draw(tmp_path / f"b.{form}")
    first, second = ((tmp_path / f"{name}.{form}").read_bytes() for name in "ab")
    assert first == second
    assert first.startswith({"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[form])


@pytest.mark.parametrize(
    ("draw", "labels"),
    [
        (
            draw_epochs,
            [
                "one, mean and range of 2, 21.50 at epoch 0",
                "one, held out, 19.00 at epoch 0",
                "kept: run 2, epoch 3",
                "bleu, change from the start",
                "two, 21.00 at epoch 0",
                *("kept: epoch 2", "three", "score", "epoch", "active features"),
            ],
        ),
        (draw_surface, ["PT_$a$_词", "BLEU", "given: 5.00 at 0.25", "best: 2.00 at -1.5"]),
        (
            draw_paths,
            ["a_$x$", " _b", "2 others", "weight", "strength of L1", "active features"],
        ),
    ],
)
def test_what_a_picture_shows(tmp_path: Path, draw: Any, labels: list[str]) -> None:
    pytest.importorskip("matplotlib", reason="plots need Matplotlib")
    draw(tmp_path / "a.svg")
    text = (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert [] == [label for label in labels if f">{label.strip()}<" not in text.replace("> ", ">")]
    assert "<dc:date>" not in text


@pytest.mark.parametrize("draw", DRAWINGS)
def test_what_a_picture_looks_like(tmp_path: Path, draw: Any) -> None:
    pytest.importorskip("matplotlib", reason="plots need Matplotlib")
    draw(tmp_path / "a.svg", STYLE)
    text = (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert [] == [label for label in ("Fig. $1$", "x_$1$", "y_$1$") if f">{label}<" not in text]
    assert "font-size: 8px; font-family: 'DejaVu Serif'" in text
    assert 'width="360pt" height="216pt"' in text
    with pytest.raises(UsageError, match=r"font must be an installed family, .*, got 'No Such'"):
        draw(tmp_path / "b.svg", PictureStyle(font="No Such"))
    assert [path.name for path in tmp_path.iterdir()] == ["a.svg"]


def test_mean_and_range_of_runs() -> None:
    band = band_of([{0: 1.0, 1: 2.0, 2: 9.0}, {0: 3.0, 1: 2.0}, {1: 8.0}])
    assert band.numbers.tolist() == [0, 1, 2]
    assert band.mean.tolist() == [2.0, 4.0, 9.0]
    assert (band.low.tolist(), band.high.tolist()) == ([1.0, 2.0, 9.0], [3.0, 8.0, 9.0])


def test_penalties_and_what_never_changes_do_not_set_the_scale(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="plots need Matplotlib")
    weights = np.array([[0.1, -9.0, 5.0], [0.3, -7.0, 5.0]])
    names = ["a", "WordPenalty0", "fixed"]
    strengths = np.array([0.1, 1.0])
    plot_weight_paths(WeightPaths(strengths, weights, names), tmp_path / "a.svg")
    text = (tmp_path / "a.svg").read_text(encoding="utf-8")
    for label in ("a", "WordPenalty0 (beyond the scale)", "fixed (beyond the scale)", "0.30"):
        assert f">{label}</text>" in text
    plot_weight_paths(WeightPaths(strengths, weights[:, 1:], names[1:]), tmp_path / "b.svg")
    assert "beyond" not in (tmp_path / "b.svg").read_text(encoding="utf-8")
    many = np.ones((2, 500))
    many[1, 1:] = 0.0
    plot_weight_paths(WeightPaths(strengths, many, [*map(str, range(500))]), tmp_path / "c.svg")
    assert ">492 others</text>" in (tmp_path / "c.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize("boundaries", [[], [0.0], [1.0, 2.0]])
def test_flat_surfaces(tmp_path: Path, boundaries: list[float]) -> None:
    pytest.importorskip("matplotlib", reason="plots need Matplotlib")
    surface = FeatureSurface(Surface(np.array(boundaries), np.ones(len(boundaries) + 1)), "a")
    plot_surface(surface, tmp_path / "a.png", limits=None)
    plot_surface(surface, tmp_path / "b.png", limits=(5.0, 6.0))
    assert {"a.png", "b.png"} == {path.name for path in tmp_path.iterdir()}


def test_equal_lines_are_both_seen() -> None:
    matplotlib = pytest.importorskip("matplotlib.figure", reason="plots need Matplotlib")
    log = TuningLog((curve(1, None, False),), "column:comet")
    other = TuningLog((curve(2, None, True),), "column:comet")
    figure = matplotlib.Figure()
    scores, active = draw_panels(figure, {"a": log, "b": log, "c": other})
    patterns = [[line.is_dashed() for line in panel.lines] for panel in (scores, active)]
    assert patterns == [[False, True, True, True], [False, True, True]]


@pytest.mark.parametrize(("metric", "shown"), [("column:comet", "5.0000"), ("bleu", "5.00")])
def test_decimals_of_a_surface(metric: str, shown: str) -> None:
    matplotlib = pytest.importorskip("matplotlib.figure", reason="plots need Matplotlib")
    axes = draw_stairs(matplotlib.Figure(), FeatureSurface(STAIRS, "a", metric, 0.0, 0.1))
    labels = [line.get_label() for line in axes.lines]
    assert labels == [metric, f"given: {shown} at 0", f"best: {shown} at 0.1"]


def test_no_weight_at_all(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="plots need Matplotlib")
    paths = WeightPaths(np.array([1.0, 2.0]), np.zeros((2, 1)), ["a"])
    plot_weight_paths(paths, tmp_path / "a.png")
    assert (tmp_path / "a.png").stat().st_size > 1000


@pytest.mark.parametrize("draw", DRAWINGS)
def test_without_matplotlib(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, draw: Any) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(UsageError, match=r"needs Matplotlib: pip install isogloss\[plot\]"):
        draw(tmp_path / "a.png")
    assert [] == list(tmp_path.iterdir())


@pytest.mark.parametrize("draw", DRAWINGS)
def test_other_forms(tmp_path: Path, draw: Any) -> None:
    with pytest.raises(UsageError, match=r"must end in \.png, \.svg, \.pdf"):
        draw(tmp_path / "a.gif")
