"""`isogloss tune --decoder --optimizer hinge`: learning in the whole search space."""

import json
import shutil
from pathlib import Path

import pytest

from isogloss import program
from isogloss.tune.weights.weights import Weights
from isogloss.tuning.folder import TuningFolder
from tests.cli.tuning.test_decoder_loops import RIGHT, made_in, make
from tests.naive.kills import killed_everywhere, without_times
from tests.tiers import tiers

SENTENCES = ["a b c a b", "b a c a", "c b b a x", "a c x b", "b b a c c a", "c a b a"]
FILES = (
    "tune", "--decoder", "decoder.toml", "--dev", "dev", "--refs", "ref", "--threads", "1",
    "--optimizer", "hinge", "--update", "mira", "--rate", "0.3", "--epochs", "4",
)  # fmt: skip


def make_longer(folder: Path) -> None:
    """Sentences that have n-grams of all orders."""
    make(folder)
    translations = [" ".join(RIGHT[word] for word in line.split()) for line in SENTENCES]
    for name, lines in (("dev", SENTENCES), ("ref", translations)):
        (folder / name).write_text("".join(f"{line}\n" for line in lines))
        (folder / f"other{name.removeprefix('dev').replace('ref', '.ref')}").write_text(
            "".join(f"{line}\n" for line in lines[:2])
        )


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return made_in(tmp_path / "work", make_longer, monkeypatch)


def tune(*more: str, status: int = 0) -> None:
    assert program.main([*FILES, *more]) == status


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("--approximation", "linear", "--forest-density", "3"),
        ("--update", "arow", "--rate", "1", "--workers", "2"),
        ("--update", "sgd", "--workers", "2", "--parallel", "mixing"),
        ("--update", "sgd", "--oracle", "local", "--local-size", "50"),
        ("--optimizer", "risk", "--update", "adagrad", "--batch-size", "2"),
        ("--optimizer", "risk", "--update", "sgd", "--mu", "1", "--temperature", "0"),
    ],
)
def test_a_run_is_the_same_again(work, capsys, options):
    held_out = ("--held-out-dev", "other", "--held-out-refs", "other.ref", "--trials", "20")
    tune(*options, *held_out, "--out", "run", "-o", "w.json")
    said = capsys.readouterr().err
    assert "epoch 0: loss 0.00, bleu 2.37, held-out 0.00, 9 active features" in said
    report = json.loads(Path("run/report.json").read_text())
    assert report["held_out"][0] > report["start"] == 0.0
    assert report["training"][0] > report["start_training"]
    weights = Weights.load("run/weights.json")
    assert weights["WT_A"] > weights["WT_z"]
    assert weights["UnknownWordPenalty0"] == 1.0
    assert Path("w.json").read_bytes() == Path("run/weights.json").read_bytes()
    assert program.main(["reproduce", "run", "--out", "again", "--threads", "2"]) == 0
    assert "every file is the same, byte for byte" in capsys.readouterr().err


@pytest.mark.parametrize("update", ["arow", "sgd"])
def test_learners_that_go_on_as_they_come(work, update):
    """They learn to translate. On one thread, where nothing is chance."""
    rate = {"arow": "1", "sgd": "0.3"}[update]
    command = ("--update", update, "--rate", rate, "--workers", "3", "--no-deterministic")
    tune(*command, "--out", "run")
    report = json.loads(Path("run/report.json").read_text())
    assert report["training"][0] > 2 * report["start_training"] > 0.0
    assert len(Path("run/epochs.jsonl").read_text().splitlines()) == 5
    weights = Weights.load("run/weights.json")
    assert weights["WT_A"] > weights["WT_z"]


def test_learners_on_a_cluster(work, capsys):
    """The same bytes as on threads, which a reproduce has."""
    pytest.importorskip("ray", reason="Ray isn't installed; pip install isogloss[distributed]")
    tune("--update", "arow", "--workers", "2", "--cluster", "local", "--out", "run", "-o", "w.json")
    assert "cluster" not in json.loads(Path("run/manifest.json").read_text())["command"]
    assert program.main(["reproduce", "run", "--out", "again", "--threads", "2"]) == 0
    assert "every file is the same, byte for byte" in capsys.readouterr().err


def test_an_interrupted_run_goes_on(work, monkeypatch):
    command = ("--update", "arow", "--workers", "2", "--epochs", "3")
    tune(*command, "--out", "whole")
    write = TuningFolder.write_outcome

    def ended(folder, outcome):
        raise KeyboardInterrupt

    monkeypatch.setattr(TuningFolder, "write_outcome", ended)
    tune(*command, "--out", "run", status=130)
    assert sorted(file.name for file in Path("run/tasks").iterdir()) == [
        "files.json", "run1.final.state.npz"
    ]  # fmt: skip
    monkeypatch.setattr(TuningFolder, "write_outcome", write)
    tune(*command, "--out", "run", "--resume")
    for name in ("weights.json", "epochs.jsonl", "tasks/run1.final.json"):
        assert Path("run", name).read_bytes() == Path("whole", name).read_bytes()


@pytest.mark.parametrize("step", tiers(61, 9))
def test_a_run_that_is_killed_goes_on(work, tmp_path, step):
    command = (*FILES, "--out", "run", "-o", "w", "-q")
    assert program.main(command) == 0
    expected = without_times(work)
    for number in killed_everywhere(lambda: program.main(command), make_longer, tmp_path, step):
        assert program.main((*command, "--resume")) == 0, number
        assert without_times(Path.cwd()) == expected, number
    assert number > 20


def test_the_same_on_lists_of_all_iterations(work):
    tune("--loop", "batch", "--decoder-iterations", "2", "--out", "run")
    weights = Weights.load("run/weights.json")
    assert weights["WT_A"] > weights["WT_z"]


MERT = (
    *FILES[:9], "--optimizer", "mert", "--loop", "forests", "--random-restarts", "1",
    "--decoder-iterations", "2",
)  # fmt: skip


def test_the_option_of_more_iterations(work, capsys):
    assert program.main([*MERT, "--decoder-iterations", "1", "-o", "w.json"]) == 0
    said = capsys.readouterr().err
    assert "epoch 1, the last one; a higher --decoder-iterations may improve the metric" in said


@pytest.mark.thorough
def test_mert_on_forests(work, capsys, monkeypatch, tmp_path):
    held_out = ("--held-out-dev", "other", "--held-out-refs", "other.ref", "--trials", "20")
    assert program.main([*MERT, *held_out, "--out", "run", "-o", "w.json"]) == 0
    said = capsys.readouterr().err
    assert "iteration 0: loss -2.37, bleu 2.37, held-out 0.00" in said
    report = json.loads(Path("run/report.json").read_text())
    assert report["training"][0] > 90.0 > report["start_training"]
    weights = Weights.load("run/weights.json")
    assert weights["UnknownWordPenalty0"] > 0.0  # as all others, times a factor
    assert program.main(["reproduce", "run", "--out", "again", "--threads", "2"]) == 0
    assert "every file is the same, byte for byte" in capsys.readouterr().err
    command = (*MERT, "--out", "run", "-o", "w", "-q")
    shutil.rmtree("run")
    assert program.main(command) == 0
    shutil.rmtree("again")
    Path("w.json").unlink()
    expected = without_times(work)
    for number in killed_everywhere(lambda: program.main(command), make_longer, tmp_path, step=17):
        assert program.main((*command, "--resume")) == 0, number
        assert without_times(Path.cwd()) == expected, number
    assert number > 20


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--optimizer", "risk", "--cluster", "auto"], "--cluster needs --optimizer hinge"),
        (["--loop", "batch", "--cluster", "local"], "--cluster needs --optimizer hinge and"),
        (["--no-deterministic", "--parallel", "mixing"], "--deterministic must be true with --par"),
        (["--metric", "wer"], "learns from forests by BLEU; --metric wer needs --loop batch"),
        (["--accumulate-nbest"], "--accumulate-nbest cannot be used with forests"),
        (["--nbest-size", "7"], "--nbest-size cannot be used with forests"),
        (["--loop", "batch", "--forest-density", "2"], "needs --loop online and --optimizer"),
        (["--optimizer", "pro", "--approximation", "linear"], "--approximation needs --loop"),
        (["--forest-density", "0.5"], "--forest-density must be between 1 and 1000000000, got 0.5"),
        (["--precision-step", "1"],
         "--precision-step cannot be used with --update mira; it needs --update"),
        (["--local-size", "9"], "--local-size cannot be used with --oracle hope; it needs"),
        (["--bleu-smoothing", "floor"], "--bleu-smoothing needs n-best lists; forest gains"),
        (["--optimizer", "risk", "--oracle-document", "chiang"], "--oracle-document needs n-best"),
        (["--folds", "3"], "--folds needs --loop batch"),
        (["--loop", "forests"], "--loop forests needs --optimizer mert, not hinge; hi"),
        (["--optimizer", "mert", "--loop", "forests", "--folds", "3"], "--folds needs --loop bat"),
        (["--optimizer", "mert", "--loop", "forests", "--approximation", "linear"],
         "--approximation needs --optimizer hinge or risk"),
        (["--optimizer", "mert", "--loop", "forests", "--metric", "wer"], "--metric wer needs --l"),
    ],
)  # fmt: skip
def test_what_is_refused(work, capsys, options, message):
    command = FILES[:9] if {"pro", "mert"} & {*options} else FILES
    status = program.main([*command, *options])
    assert (status, message in capsys.readouterr().err) == (2, True)


def test_sentences_that_can_not_be_searched(work, capsys, monkeypatch):
    def exhausted(*arguments):
        raise MemoryError

    monkeypatch.setattr("isogloss.tune.optimizers.structured.decoded.search_forest", exhausted)
    tune("--out", "run", status=1)
    said = capsys.readouterr().err
    assert "words needs more memory than is available" in said
    assert "Split the sentence, or lower the stack size" in said


def test_the_metric_is_the_one_that_was_asked_for(work, capsys):
    Path("second").write_text(f"{'A ' * 30}\n" * len(SENTENCES))
    told = {}
    for length in ("closest", "average"):
        command = ("--refs", "ref", "second", "--reference-length", length, "--epochs", "1")
        tune(*command, "--out", length)
        told[length] = json.loads(Path(length, "report.json").read_text())["start_training"]
    assert told["closest"] > told["average"]
