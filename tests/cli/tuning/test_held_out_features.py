"""Sparse features that only what is held out has: the start's weights of these judge epochs."""

import re
from pathlib import Path

import pytest

from isogloss import program
from isogloss.tune.weights.weights import Weights

from . import test_tune_forests

forest_work = test_tune_forests.work
TOLD = re.compile(r"run 1, epoch (\d+): .* held-out (\S+), ")
HELD_OUT = """0 ||| a b c d e ||| good= 1 bad= 0 F_h= 1 ||| 0
0 ||| a b c d x ||| good= 0 bad= 1 H_h= 1 ||| 0
0 ||| a b x x x ||| good= 0.5 bad= 2 p_bin2:4= 1 ||| 0
"""


def _told(said: str) -> list[float]:
    """Held-out score of each epoch."""
    return [float(match[2]) for match in TOLD.finditer(said)]


def _without_warnings(said: str) -> list[str]:
    return [line for line in said.splitlines() if "warning: " not in line]


def _learned(lists: Path, *options: str) -> Weights:
    """What is written, begun with the file of start weights."""
    (lists / "held.ref").write_text("a b c d e\n")
    files = ["list", "--refs", "ref", "--held-out", "held", "--held-out-refs", "held.ref",
             "-w", "start", "-o", "w.json"]  # fmt: skip
    paths = [name if name.startswith("-") else str(lists / name) for name in files]
    command = ["tune", *paths, "--folds", "0", "--threads", "1", "--optimizer", *options]
    assert program.main(command) == 0
    return Weights.load(lists / "w.json")


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
        ("pro", "--samples", "3"),
        ("pro", "--samples", "3", "--bin-regularizer", "linear"),
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

    What is written is what was judged, also where all weights are normalized, and other features
    of the start stay as they were.
    """
    if "--bin-regularizer" in options:
        rows = (lists / "list").read_text().splitlines()
        binned = [row.replace(" ||| 0", f" p_bin{k % 2}:4= 1 ||| 0") for k, row in enumerate(rows)]
        (lists / "list").write_text("".join(f"{row}\n" for row in binned))
    (lists / "held").write_text(HELD_OUT)
    (lists / "start").write_text(f"bad 1\ngood 0\n{chosen} 1000\nF_99 20\n")
    learned = _learned(lists, *options)
    told = _told(capsys.readouterr().err)
    assert len(told) > 1
    assert set(told) == {score}
    assert learned[chosen] > 0
    assert learned["F_99"] == pytest.approx(learned[chosen] / 50, rel=1e-12)
    if "mert" not in options[0]:
        assert learned[chosen] == 1000.0
    assert _chosen(learned) == words


CHANGELESS = [  # where weights that only the held-out lists need might be in the way
    ("mert", "--random-walks", "2", "--random-restarts", "1"),
    ("pro", "--samples", "2", "--interpolation", "0.5"),
    ("pro", "--samples", "2", "--bin-regularizer", "linear", "--bin-strength", "0.01"),
    ("adagrad-pro", "--epochs", "2", "--bin-regularizer", "linear"),
    ("hinge", "--epochs", "2"),
]


@pytest.mark.parametrize("options", CHANGELESS)
def test_nothing_that_is_learned_depends_on_them(
    lists: Path, options: tuple[str, ...], capsys: pytest.CaptureFixture
) -> None:
    """Neither do 300 of them count among those that MERT tunes, nor bins of another score."""
    rows = (lists / "list").read_text().splitlines()
    binned = [row.replace(" ||| 0", f" q_bin{k % 4}:4= 1 ||| 0") for k, row in enumerate(rows)]
    (lists / "list").write_text("".join(f"{row}\n" for row in binned))
    more = " ".join(f"H_{k}= 1 p_bin{k % 5}:5= 1" for k in range(300) if k % 5 != 2)
    (lists / "held").write_text(HELD_OUT.replace(" ||| 0\n", f" {more} ||| 0\n"))
    kept = {f"H_{k}": 1.0 + k for k in range(300)} | {f"p_bin{k}:5": k * k for k in range(5)}
    learned = []
    for given in ({}, kept):
        Weights.from_dict({"bad": 1.0, "good": 0.5} | given).save(lists / "start")
        learned.append((_learned(lists, *options), capsys.readouterr().err))
    (alone, said), (beside, said_beside) = learned
    assert _without_warnings(said) == _without_warnings(said_beside)
    assert dict(alone.items()).items() <= dict(beside.items()).items()
    factor = beside["H_1"] / 2
    assert (factor == 1.0) is (options[0] != "mert")
    expected = {name: factor * value for name, value in kept.items() if value}
    assert {name: beside[name] for name in expected} == pytest.approx(expected, rel=1e-12)


def test_a_tenth_of_the_weights_is_a_tenth_of_all(
    lists: Path, capsys: pytest.CaptureFixture
) -> None:
    """MIRA's, after an epoch without a step: what is told is what the written weights choose."""
    (lists / "held").write_text(HELD_OUT)
    (lists / "start").write_text("bad 100000\ngood 0\nF_h 150000\nF_99 20\n")
    learned = _learned(lists, "mira", "--epochs", "9")
    told = _told(capsys.readouterr().err)
    assert told[0] == 21.36
    assert max(told) == 100.0
    assert _chosen(learned) == "a b c d e"
    factor = learned["F_99"] / 20
    assert factor in [pytest.approx(0.1**count, rel=1e-12) for count in range(1, 9)]
    assert learned["F_h"] == pytest.approx(150000 * factor, rel=1e-12)


def test_epochs_without_a_step_until_nothing_is_left(
    lists: Path, capsys: pytest.CaptureFixture
) -> None:
    """A tenth of a tenth of ... is 0 in the end."""
    (lists / "list").write_text("0 ||| a b ||| good= 1 ||| 0\n0 ||| a b ||| good= 1 ||| 0\n")
    (lists / "ref").write_text("a b\n")
    (lists / "held").write_text(HELD_OUT)
    (lists / "start").write_text("good 1\nF_h 1000\n")
    learned = _learned(lists, "mira", "--epochs", "330")
    assert set(_told(capsys.readouterr().err)) == {100.0}
    assert learned["F_h"] == 1000.0


def test_names_that_a_table_stands_before(lists: Path, capsys: pytest.CaptureFixture) -> None:
    """As a moses.ini has them; what the table is called shows in the held-out lists alone."""
    (lists / "held").write_text(HELD_OUT)
    (lists / "start").write_text("bad 1\ngood 0\nTable0_F_h 1000\nTable0_X_y 20\n")
    learned = _learned(lists, "pro", "--samples", "1")
    said = capsys.readouterr().err
    assert "X_y does not occur in the lists; its weight is kept\n" in said
    assert "F_h does not occur in the lists; its weight is kept and used" in said
    assert set(_told(said)) == {100.0}
    assert (learned["F_h"], learned["X_y"]) == (1000.0, 20.0)


FORESTS = [test_tune_forests.HINGE, test_tune_forests.RISK, test_tune_forests.MERT]


@pytest.mark.parametrize("options", FORESTS)
def test_forests(
    forest_work: Path, options: tuple[str, ...], capsys: pytest.CaptureFixture
) -> None:
    """A feature of the wrong words that the held-out forests alone have, named as in a moses.ini;
    what is reported at the end is what was told of the epochs.
    """
    for path in Path("others").iterdir():
        path.write_text(path.read_text().replace("bad=", "WT_h=1 bad="))
    Path("start").write_text("bad 1\ngood 0\nTable0_WT_h 1000\nTable0_WT_q 0.5\n")
    test_tune_forests.tune(*options, *test_tune_forests.HELD_OUT, "-o", "w.json")
    said = capsys.readouterr().err
    told = _told(said)
    assert len(told) > 1
    assert set(told) == {0.0}
    assert "held-out bleu: 0.00 -> 0.00" in said
    learned = Weights.load("w.json")
    assert learned["WT_h"] == pytest.approx(2000 * learned["WT_q"], rel=1e-12)
    if "mert" not in options:
        assert learned["WT_q"] == 0.5
