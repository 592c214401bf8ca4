"""`isogloss plot`: from files of weights and bins to a picture."""

import json
from pathlib import Path

import numpy as np
import pytest

from isogloss import program
from isogloss.features.bins.binning import Binning, BinSpec
from isogloss.features.bins.uniform import uniform_population_bins
from isogloss.tune.weights.weights import Weights


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Weights and bins of two scores."""
    values = np.array([0.1, 0.2, 0.4, 0.8])
    specs = (BinSpec("p(e|f)", 2), BinSpec("zero", 1))
    bins = (uniform_population_bins(values, 2), uniform_population_bins(values - 0.2, 1))
    Binning(specs, bins).save(tmp_path / "table.bins.json")
    weights = {"LM0": 0.3, "p(e|f)_bin0:4": 0.0, "p(e|f)_bin1:4": np.log(2.0), "zero_bin1:2": 1.0}
    weights |= {"p(e|f)_bin2:4": np.log(4.0), "p(e|f)_bin3:4": np.log(8.0)}
    Weights.from_dict(weights).save(tmp_path / "weights.json")
    return [str(tmp_path / "weights.json"), str(tmp_path / "table.bins.json")]


def test_picture_of_weights(
    files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("matplotlib", reason="plots need Matplotlib")
    out = tmp_path / "plot.svg"
    command = [
        "plot",
        "weights",
        *files,
        "--score",
        "p(e|f)",
        "--axis-scale",
        "log",
        "-o",
        str(out),
    ]
    assert program.main(command) == 0
    assert "p(e|f): 4 bins, fitted curve 1 log x +2.30259" in capsys.readouterr().err
    first = out.read_bytes()
    assert b">p(e|f)</text>" in first
    assert program.main(command) == 0
    assert first == out.read_bytes()
    for scale in ("auto", "linear"):  # of 0.1 to 0.8
        command[command.index("--axis-scale") + 1] = scale
        assert program.main(command) == 0
        linear = out.read_bytes()
        assert first != linear
    again = json.loads(Path(files[1]).read_text())
    for values in ("first", "median", "last"):  # from 0.001 on
        again["scores"][0][values][0] = 0.001
    Path(files[1]).write_text(json.dumps(again))
    drawn = []
    for scale in ("auto", "log", "linear"):
        command[command.index("--axis-scale") + 1] = scale
        assert program.main(command) == 0
        drawn.append(out.read_bytes())
    assert drawn[0] == drawn[1] != drawn[2]


def test_no_curve(files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib", reason="plots need Matplotlib")
    out = tmp_path / "plot.png"
    assert program.main(["plot", "weights", *files, "--score", "zero", "-o", str(out)]) == 0
    message = "zero: 2 bins; a logarithmic curve needs at least two bins with values above 0"
    assert message in capsys.readouterr().err
    assert out.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("options", "status", "message"),
    [
        (["-o", "plot.svg"], 2, "--score is missing; choose one of p(e|f), zero"),
        (["--score", "q", "-o", "plot.svg"], 2, "score 'q'; this binning has p(e|f), zero"),
        (["--score", "zero", "-o", "plot.jpg"], 2, "must end in .png, .svg, .pdf, got plot.jpg"),
        (
            ["--score", "zero", "--axis-scale", "log", "-o", "plot.svg"],
            2,
            "a logarithmic scale needs",
        ),
        (["--score", "zero"], 2, "required: -o/--output"),
    ],
)
def test_options_that_do_not_fit(
    files: list[str],
    options: list[str],
    status: int,
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert program.main(["plot", "weights", *files, *options]) == status
    assert message in capsys.readouterr().err
    assert not list(tmp_path.glob("plot*"))


def test_a_place_for_the_picture_is_looked_for_first(capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main(["plot", "weights", "none", "none", "-o", "/proc/plot.svg"]) == 1
    assert (
        "isogloss plot weights: /proc/plot.svg cannot be written: No such"
        in capsys.readouterr().err
    )


def test_files_in_the_wrong_order(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main(["plot", "weights", *reversed(files), "-o", "plot.svg"]) == 1
    assert "weights.json: the JSON does not describe bins (the key" in capsys.readouterr().err
