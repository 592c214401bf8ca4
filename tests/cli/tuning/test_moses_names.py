"""`isogloss tune --decoder moses.ini`: features by the names that a moses.ini has for them."""

from pathlib import Path

import pytest

from isogloss import program
from tune.weights.weights import Weights

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
    weights = Weights.read("w.json")
    kept = {name: weights[name] for name in ("Tm.0", "Tm.1", "Tm.2", "Tm.3", "Distortion0")}
    assert kept == {"Tm.0": 0.2, "Tm.1": 0.2, "Tm.2": 0.2, "Tm.3": 0.2, "Distortion0": 0.3}


def test_prefixes_of_a_moses_ini(work, capsys):
    """All sparse features of the table; and an error of a prefix is of what was given."""
    files = ["tune", "--decoder", "moses.ini", "--dev", "dev", "--refs", "ref", "-o", "w.json"]
    options = ("--optimizer", "adagrad-pro", "--epochs", "2", "--rate", "0.5", "--metric", "wer")
    assert program.main([*files, *options, "--fixed", "Tm_"]) == 0
    weights = Weights.read("w.json")
    assert not any(weights[name] for name in weights if name.startswith("WT_"))
    assert weights["Tm.0"] != 0.2
    assert program.main([*files, *options, "--fixed", "Tm=0.7"]) == 2
    assert "fixed 'Tm=0.7' fits no feature" in capsys.readouterr().err


def test_weights_of_a_moses_ini_that_stay_positive(work):
    files = ["tune", "--decoder", "moses.ini", "--dev", "dev", "--refs", "ref", "-o", "w.json"]
    options = ("--optimizer", "mert", "--decoder-iterations", "1", "--positive", "Tm")
    assert program.main([*files, *options, "--range", "Tm.0=0..1"]) == 0
    assert min(Weights.read("w.json")[f"Tm.{k}"] for k in range(4)) >= 0
