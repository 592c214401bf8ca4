"""Sparse features that only what is held out has: the start's weights of these judge epochs."""

import re
from pathlib import Path

import pytest

from isogloss import program
from tune.weights.weights import Weights

from . import test_tune_forests

forest_work = test_tune_forests.work
TOLD = re.compile(r"run1\.final (\d+): .* held-out (\S+), ")
HELD_OUT = """0 ||| a b c d e ||| good= 1 bad= 0 F_h= 1 ||| 0
0 ||| a b c d x ||| good= 0 bad= 1 H_h= 1 ||| 0
0 ||| a b x x x ||| good= 0.5 bad= 2 p_bin2:4= 1 ||| 0
"""


def _told(said: str) -> list[float]:
    """Held-out score of each epoch."""
    return [float(match[2]) for match in TOLD.finditer(said)]


def _chosen(weights: Weights) -> str:
    """The held-out translation that the weights choose."""
    scores = {}
    for line in HELD_OUT.splitlines():
        _, words, features, _ = line.split(" ||| ")
        named = zip(features.split()[::2], features.split()[1::2], strict=True)
        scores[words] = sum(weights[name[:-1]] * float(value) for name, value in named)
    return max(scores, key=lambda words: scores[words])


@pytest.mark.parametrize(
    "options",
    [
        ("adagrad-pro", "--epochs", "3"),
        ("pro", "--epochs", "3"),
        ("pro", "--epochs", "3", "--neighbours", "linear"),
        ("mira", "--epochs", "3"),
        ("minrisk",),
        ("mert",),
        ("lp-mert",),
    ],
)
@pytest.mark.parametrize(
    ("chosen", "words", "score"), [("F_h", "a b c d e", 100.0), ("H_h", "a b c d x", 66.87)]
)
def test_lists(
    lists: Path,
    options: tuple[str, ...],
    chosen: str,
    words: str,
    score: float,
    capsys: pytest.CaptureFixture,
) -> None:
    """The start's weight decides, whatever is learned of the others, as it would in a decoder.

    What is written is what was judged, also where all weights are normalised, and other features
    of the start stay as they were.
    """
    if "--neighbours" in options:
        rows = (lists / "list").read_text().splitlines()
        binned = [row.replace(" ||| 0", f" p_bin{k % 2}:4= 1 ||| 0") for k, row in enumerate(rows)]
        (lists / "list").write_text("".join(f"{row}\n" for row in binned))
    (lists / "held").write_text(HELD_OUT)
    (lists / "held.ref").write_text("a b c d e\n")
    (lists / "start").write_text(f"bad 1\ngood 0\n{chosen} 1000\nF_99 20\n")
    command = ["tune", str(lists / "list"), "--refs", str(lists / "ref"), "--folds", "0"]
    held_out = ["--held-out", str(lists / "held"), "--held-out-refs", str(lists / "held.ref")]
    files = ["-w", str(lists / "start"), "-o", str(lists / "w.json"), "--threads", "1"]
    assert program.main([*command, *held_out, *files, "--optimizer", *options]) == 0
    told = _told(capsys.readouterr().err)
    assert len(told) > 1
    assert set(told) == {score}
    learned = Weights.read(lists / "w.json")
    assert learned[chosen] > 0
    assert learned["F_99"] == pytest.approx(learned[chosen] / 50, rel=1e-12)
    if "mert" not in options[0]:
        assert learned[chosen] == 1000.0
    assert _chosen(learned) == words


@pytest.mark.parametrize("options", [test_tune_forests.HINGE, test_tune_forests.RISK])
def test_forests(
    forest_work: Path, options: tuple[str, ...], capsys: pytest.CaptureFixture
) -> None:
    """A feature of the wrong words that the held-out forests alone have."""
    for path in Path("others").iterdir():
        path.write_text(path.read_text().replace("bad=", "WT_h=1 bad="))
    Path("start").write_text("bad 1\ngood 0\nWT_h 1000\nWT_q 0.5\n")
    test_tune_forests.tune(*options, *test_tune_forests.HELD_OUT, "-o", "w.json")
    told = _told(capsys.readouterr().err)
    assert len(told) > 1
    assert set(told) == {0.0}
    learned = Weights.read("w.json")
    assert (learned["WT_h"], learned["WT_q"]) == (1000.0, 0.5)
