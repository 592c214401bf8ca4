"""Weights by value: numbers by hand, pictures by their bytes."""

import sys
from pathlib import Path

import numpy as np
import pytest

from isogloss.align.errors import UsageError
from isogloss.features.bins.binning import Binning, BinSpec
from isogloss.features.bins.uniform import Bins, uniform_population_bins
from isogloss.plot.bin_weights import ScoreWeights, bin_weights, fit_log_curve, plot_weights
from isogloss.plot.drawing import image_format
from isogloss.tune.weights.weights import Weights
from tests.tiers import sampled


def binning_of(values: list[float], spec: BinSpec) -> Binning:
    return Binning((spec,), (uniform_population_bins(np.array(values), spec.bits),))


FOUR = [0.1, 0.2, 0.3, 0.4]


def test_weight_of_a_bin() -> None:
    weights = {"p_bin0:4": 0.5, "p_bin3:4": -1.0, "p_bin2:8": 7.0, "LM0": 0.3}
    weights_of_bins = bin_weights(
        binning_of(FOUR, BinSpec("p", 2)), "p", Weights.from_dict(weights)
    )
    assert [0.5, 0.0, 0.0, -1.0] == weights_of_bins.tolist()


def test_weight_of_windows_adds_up() -> None:
    spec = BinSpec("p", 2, overlaps=(0, 1))
    weights = {"p_bin1:4": 0.25, "p_bin0..1:4_overlap1": 1.0, "p_bin1..2:4_overlap1": 2.0}
    weights_of_bins = bin_weights(binning_of(FOUR, spec), "p", Weights.from_dict(weights))
    assert [1.0, 3.25, 2.0, 0.0] == weights_of_bins.tolist()
    weights = {"p_bin0:4_extend1": 1.0, "p_bin2:4_extend1": 2.0}
    weights_of_bins = bin_weights(
        binning_of(FOUR, BinSpec("p", 2, extend=1)), "p", Weights.from_dict(weights)
    )
    assert [1.0, 3.0, 2.0, 2.0] == weights_of_bins.tolist()


def test_weights_of_something_else() -> None:
    binning = binning_of(FOUR, BinSpec("p", 2))
    message = "there is no weight for a bin of p; pass weights of features such as p_bin0:4"
    with pytest.raises(UsageError, match=message):
        bin_weights(binning, "p", Weights.from_dict({"LM0": 1.0, "p_bin0:8": 1.0}))
    with pytest.raises(UsageError, match="score 'q'; this binning has p"):
        bin_weights(binning, "q", Weights.from_dict({}))


def bins_of(values: list[float], population: list[float]) -> Bins:
    medians = np.array(values)
    return Bins(medians, medians, medians, np.array(population))


def test_curve_through_all_points() -> None:
    bins = bins_of([0.01, 0.3, 1.0, 8.0], [1.0, 2.0, 3.0, 4.0])
    curve = fit_log_curve(bins, 0.25 * np.log(bins.median) - 2.0)
    assert curve == pytest.approx((0.25, -2.0), abs=1e-12)


def test_curve_by_numpy() -> None:
    bins = bins_of([0.01, 0.3, 1.0, 8.0], [1.0, 20.0, 3.0, 4.0])
    weights = np.array([1.0, -1.0, 3.0, 2.0])
    expected = np.polyfit(np.log(bins.median), weights, 1, w=np.sqrt(bins.population))
    assert fit_log_curve(bins, weights) == pytest.approx(tuple(expected), abs=1e-12)


def test_bins_without_a_logarithm_are_left_out() -> None:
    bins = bins_of([-1.0, 0.0, 1.0, np.e], [9.0, 9.0, 1.0, 1.0])
    weights = np.array([5.0, 6.0, 1.0, 4.0])
    assert fit_log_curve(bins, weights) == pytest.approx((3.0, 1.0), abs=1e-12)
    assert fit_log_curve(bins_of([-2.0, -1.0, 1.0], [1.0] * 3), np.ones(3)) is None


@pytest.mark.parametrize(
    ("name", "form"), [("a.png", "png"), ("x/b.c.SVG", "svg"), ("b.pdf", "pdf")]
)
def test_forms_of_images(name: str, form: str) -> None:
    assert form == image_format(name)


@pytest.mark.parametrize("name", ["a", "a.jpg", "png", "a.svg.gz"])
def test_other_forms(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match=r"must end in \.png, \.svg, \.pdf"):
        plot_weights(ScoreWeights("p", bins_of([1.0], [1.0]), np.ones(1)), tmp_path / name)
    assert [] == list(tmp_path.iterdir())


def test_without_matplotlib(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(UsageError, match=r"needs Matplotlib: pip install isogloss\[plot\]"):
        plot_weights(ScoreWeights("p", bins_of([1.0], [1.0]), np.ones(1)), tmp_path / "a.png")
    assert [] == list(tmp_path.iterdir())


def test_logarithmic_scale_of_other_values(tmp_path: Path) -> None:
    bins = bins_of([0.0, 1.0], [1.0, 1.0])
    with pytest.raises(UsageError, match="a logarithmic scale needs values above 0, got 0"):
        plot_weights(ScoreWeights("p", bins, np.ones(2)), tmp_path / "a.png", log_scale=True)


@pytest.fixture(scope="module")
def bins() -> Bins:
    return uniform_population_bins(np.random.default_rng(1).beta(0.5, 3.0, 2000), 4)


@pytest.fixture(scope="module")
def weights(bins: Bins) -> np.ndarray:
    return 0.01 * np.log(bins.median) + 0.05


@pytest.mark.parametrize("form", sampled(["svg", "png", "pdf"], 3))
@pytest.mark.parametrize("log_scale", [False, True])
def test_same_input_same_bytes(
    tmp_path: Path, bins: Bins, weights: np.ndarray, form: str, log_scale: bool
) -> None:
    matplotlib = pytest.importorskip("matplotlib", reason="plots need Matplotlib")
    paths = [tmp_path / f"{name}.{form}" for name in "ab"]
    plot_weights(ScoreWeights("p(e|f)", bins, weights), paths[0], log_scale=log_scale)
    with matplotlib.rc_context({"lines.linewidth": 9.0, "svg.hashsalt": None}):
        plot_weights(ScoreWeights("p(e|f)", bins, weights), paths[1], log_scale=log_scale)
        assert matplotlib.rcParams["lines.linewidth"] == 9.0  # the user's settings stay
    first, second = (path.read_bytes() for path in paths)
    assert first == second
    assert first.startswith({"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[form])


def test_what_a_plot_shows(tmp_path: Path, bins: Bins, weights: np.ndarray) -> None:
    pytest.importorskip("matplotlib", reason="plots need Matplotlib")
    path = tmp_path / "a.svg"
    plot_weights(ScoreWeights("p(e|f) $x$ 词", bins, weights), path)
    text = path.read_text(encoding="utf-8")
    for label in ("p(e|f) $x$ 词", "weight", "0.01 log x +0.05", "bins", "values in a bin"):
        assert f">{label}</text>" in text
    assert "<dc:date>" not in text


@pytest.mark.parametrize("values", [[3.0], [0.0], [-1.0, 0.0, 2.0], [1.0, 1.0 + 1e-15]])
@pytest.mark.parametrize("log_scale", [False, True])
def test_few_values(tmp_path: Path, values: list[float], log_scale: bool) -> None:
    """Without a curve, and with a last bin of one value only."""
    pytest.importorskip("matplotlib", reason="plots need Matplotlib")
    bins = bins_of(values, [1.0] * len(values))
    shown = ScoreWeights("p", bins, np.ones(len(bins)))
    plot_weights(shown, tmp_path / "a.png", log_scale=log_scale and values[0] > 0)
    assert (tmp_path / "a.png").stat().st_size > 1000
