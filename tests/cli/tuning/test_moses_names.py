"""`isogloss tune --decoder moses.ini`: features by the names that a moses.ini has for them."""

import json
import sys
from pathlib import Path

import pytest

import isogloss
from isogloss import program
from isogloss.tune.weights.weights import Weights

from .test_decoder_loops import MOSES_INI, made_in, make


@pytest.fixture
def work(tmp_path, monkeypatch):
    folder = made_in(tmp_path / "work", make, monkeypatch)
    Path("moses.ini").write_text(MOSES_INI)
    return folder


@pytest.mark.parametrize(
    "options",
    [
        ("--optimizer", "adagrad-pro", "--epochs", "2", "--group-rate", "Lm=1"),
        ("--optimizer", "hinge", "--epochs", "2", "--group-rate", "Tm.1=0"),
        ("--optimizer", "mert", "--loop", "forests", "--decoder-iterations", "1"),
        ("--optimizer", "mert", "--loop", "batch", "--decoder-iterations", "1"),
    ],
)
def test_features_by_the_names_of_a_moses_ini(work, options):
    """What is fixed is left as it was, though the decoder calls it p(f|e) and so on, not Tm."""
    files = ["tune", "--decoder", "moses.ini", "--dev", "dev", "--refs", "ref", "-o", "w.json"]
    assert program.main([*files, *options, "--fixed", "Tm", "--fixed", "Dist"]) == 0
    weights = Weights.load("w.json")
    kept = {name: weights[name] for name in ("Tm.0", "Tm.1", "Tm.2", "Tm.3", "Distortion0")}
    assert kept == {"Tm.0": 0.2, "Tm.1": 0.2, "Tm.2": 0.2, "Tm.3": 0.2, "Distortion0": 0.3}


def test_prefixes_of_a_moses_ini(work, capsys):
    """All sparse features of the table; and an error of a prefix is of what was given."""
    files = ["tune", "--decoder", "moses.ini", "--dev", "dev", "--refs", "ref", "-o", "w.json"]
    options = ("--optimizer", "adagrad-pro", "--epochs", "2", "--rate", "0.5", "--metric", "wer")
    assert program.main([*files, *options, "--fixed", "Tm_"]) == 0
    weights = Weights.load("w.json")
    assert not any(weights[name] for name in weights if name.startswith("WT_"))
    assert weights["Tm.0"] != 0.2
    assert program.main([*files, *options, "--fixed", "Tm=0.7"]) == 2
    assert "epoch 0: loss 0.00, wer 93.33, 9" in capsys.readouterr().err


def test_weights_of_a_moses_ini_that_stay_positive(work):
    files = ["tune", "--decoder", "moses.ini", "--dev", "dev", "--refs", "ref", "-o", "w.json"]
    options = ("--optimizer", "mert", "--decoder-iterations", "1", "--positive", "Tm")
    assert program.main([*files, *options, "--range", "Tm.0=0..1"]) == 0
    assert min(Weights.load("w.json")[f"Tm.{k}"] for k in range(4)) >= 0


def test_sparse_weights_of_a_moses_ini_for_lists_and_a_command(work, monkeypatch):
    """A moses.ini has the table's name before those of sparse features, our lists haven't."""
    Weights.from_dict({"WT_A": 0.5, "WT_z": 0.25, "WT_q": 0.1}).save("own.json")
    convert = ["weights", "convert", "own.json", "--ini", "moses.ini", "-o", "start.ini", "-q"]
    assert program.main(convert) == 0
    assert {"Tm_WT_A", "Tm_WT_q"} <= set(Weights.load("start.ini"))
    lists = ["decode", "-f", "start.ini", "-i", "dev", "-o", "out", "-q", "--threads", "1"]
    assert program.main([*lists, "-n-best-list", "list", "20", "distinct"]) == 0
    tuned = ["-w", "start.ini", "--metric", "wer", "--optimizer", "pro", "-q", "--threads", "1"]
    assert program.main(["tune", "list", "--refs", "ref", *tuned, "-o", "w.json"]) == 0
    decoder = [sys.executable, "-m", "isogloss", "decode", "-f", "start.ini", "--weights"]
    monkeypatch.setenv("PYTHONPATH", str(Path(isogloss.__file__).parents[1]))
    command = " ".join([*decoder, "{weights} -n-best-list {nbest} {size} distinct -q"])
    loop = ["tune", "--decoder-command", command, "--dev", "dev", "--refs", "ref", *tuned]
    assert program.main([*loop, "--decoder-iterations", "1", "-o", "c.json"]) == 0
    for file in ("w.json", "c.json"):
        learned = Weights.load(file)
        assert not [name for name in learned if name.startswith("Tm_")]
        assert learned["WT_q"] == 0.1
        assert learned["WT_A"] > learned["WT_z"]
        assert program.main(["decode", "-f", "moses.ini", "--weights", file, "-i", "dev",
                             "-o", "out", "-q"]) == 0  # fmt: skip


def test_sparse_weights_of_a_moses_ini_that_later_lists_show(work, tmp_path):
    """The first list has no sparse feature with a weight, the second one has one."""
    Path("start.ini").write_text("LM0 1\nTm_WT_A 0.4\nTm_WT_q 0.3\n")
    script = tmp_path / "decoder.py"
    script.write_text(
        "import pathlib, sys\n"
        "given = pathlib.Path('number')\n"
        "number = int(given.read_text()) if given.exists() else 0\n"
        "given.write_text(str(number + 1))\n"
        "name = 'WT_A' if number else 'WT_b'\n"
        "lines = [f'{k} ||| {w} ||| LM0= {k + len(w)} {name}= {len(w)} ||| 0\\n'\n"
        "         for k in range(6) for w in ('A', 'B b' + ' c' * number)]\n"
        "pathlib.Path(sys.argv[2]).write_text(''.join(lines))\n"
    )
    command = f"{sys.executable} {script} {{weights}} {{nbest}}"
    loop = ["tune", "--decoder-command", command, "--dev", "dev", "--refs", "ref", "-q"]
    options = ["-w", "start.ini", "--metric", "wer", "--optimizer", "pro", "--out", "run"]
    assert program.main([*loop, *options, "--decoder-iterations", "2"]) == 0
    steps = [json.loads(file.read_text()) for file in sorted(Path("run/tasks").glob("*.json"))
             if "iteration" in file.name]  # fmt: skip
    names = [set(step["weights"]) for step in steps]
    assert names[0] == {"LM0", "WT_b", "Tm_WT_A", "Tm_WT_q"}
    assert names[1] == {"LM0", "WT_b", "WT_A", "WT_q"}


def test_lists_are_reordered_by_them(work):
    Path("start.ini").write_text("LM0 0\nTm_WT_A 0.4\n")
    Path("list").write_text("0 ||| a ||| LM0= 1 ||| 0\n0 ||| b ||| LM0= 1 WT_A= 1 ||| 0\n")
    assert program.main(["rerank", "list", "-w", "start.ini", "-o", "best", "-q"]) == 0
    assert Path("best").read_text() == "b\n"
