"""Folders and files that tune and reproduce write: refused early, replaced safely, never lost."""

import json
from pathlib import Path

import pytest

from isogloss import program
from isogloss.align.errors import OutputError
from isogloss.align.files.parts import part_name
from isogloss.tune.weights.weights import Weights
from isogloss.tuning import list_tuning
from tests.naive.disk import no_file_above

SENTENCES = 9


@pytest.fixture
def work(tmp_path, monkeypatch):
    """The working folder: a list whose feature ``good`` tells the right hypothesis."""
    rows = []
    for number in range(SENTENCES):
        rows.append(f"{number} ||| a b c d x{number} ||| good= 1 bad= 0 ||| 0")
        rows.append(f"{number} ||| a d b c y ||| good= 0 bad= 1 ||| 0")
    (tmp_path / "list").write_text("\n".join(rows) + "\n")
    (tmp_path / "ref").write_text("".join(f"a b c d x{k}\n" for k in range(SENTENCES)))
    (tmp_path / "start").write_text("bad 1\ngood 0\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


TUNE = ("tune", "list", "--refs", "ref", "-w", "start", "--folds", "0", "--epochs", "2")


def contents(folder):
    return {path: path.read_bytes() for path in Path(folder).rglob("*") if path.is_file()}


def told(capsys, status, *command):
    """What a command says that ends with this status."""
    capsys.readouterr()
    assert program.main([str(word) for word in command]) == status
    return capsys.readouterr().err


@pytest.mark.parametrize("out", ["run", "./run", "sub/../run", "link", "run/again", "link/tasks"])
def test_a_run_is_not_repeated_over_itself(work, capsys, out):
    (work / "sub").mkdir()
    (work / "link").symlink_to("run")
    told(capsys, 0, *TUNE, "--out", "run")
    before = contents("run")
    inside = f"--out {out} is inside the folder of the run"
    expected = inside if out in ("run/again", "link/tasks") else "is an input of this command"
    for folder in ("run", "link", work / "run"):
        assert expected in told(capsys, 2, "reproduce", folder, "--out", out, "--overwrite")
    assert contents("run") == before


def test_parts_of_files_make_no_difference(work, capsys):
    """Those that a killed run has left, in the run and in the folder that is to be like it."""
    told(capsys, 0, *TUNE, "--out", "run")
    for folder in ("run", "again"):
        (work / folder / "tasks").mkdir(parents=True, exist_ok=True)
        (work / folder / "tasks" / part_name("run1.final.json", "00000099")).write_text("{")
    error = told(capsys, 0, "reproduce", "run", "--out", "again", "--resume")
    assert "every file is the same, byte for byte" in error
    assert not (work / "again/tasks" / part_name("run1.final.json", "00000099")).exists()


@pytest.mark.parametrize("damage", ["cut", "version", "inputs", "program", "command"])
def test_a_damaged_manifest(work, capsys, damage):
    told(capsys, 0, *TUNE, "--out", "run")
    before = contents("run")
    path = work / "run/manifest.json"
    manifest = json.loads(path.read_text())
    manifest.pop(damage, None)
    path.write_text(path.read_text()[:99] if damage == "cut" else json.dumps(manifest))
    error = told(capsys, 1, "reproduce", "run", "--out", "again")
    assert "isogloss reproduce: run/manifest.json" in error
    assert "Restore it from a backup, or repeat the `isogloss tune` of the run" in error
    error = told(capsys, 1, *TUNE, "--out", "run", "--resume")
    assert "Start again with --overwrite, or choose another folder" in error
    told(capsys, 0, *TUNE, "--out", "run", "--overwrite")
    assert differing(before, contents("run")) == ["usage.json"]


def differing(before, after):
    return sorted({path.name for path in before.keys() | after.keys()
                   if before.get(path) != after.get(path)} | {"usage.json"})  # fmt: skip


def test_a_command_without_an_option(work, capsys):
    told(capsys, 0, *TUNE, "--out", "run")
    path = work / "run/manifest.json"
    manifest = json.loads(path.read_text())
    del manifest["command"]["optimizer"]
    path.write_text(json.dumps(manifest))
    error = told(capsys, 1, "reproduce", "run", "--out", "again")
    assert ("run/manifest.json: the recorded command lacks the option optimizer") in error
    assert not (work / "again").exists()


def test_a_damaged_training(work, capsys):
    told(capsys, 0, *TUNE, "--out", "run")
    before = contents("run")
    path = work / "run/tasks/run1.final.json"
    path.write_text("{}")
    error = told(capsys, 1, *TUNE, "--out", "run", "--resume")
    assert "run/tasks/run1.final.json: the key 'best_epoch' is" in error
    assert "Delete it and pass --resume, which trains run1.final again" in error
    path.unlink()
    told(capsys, 0, *TUNE, "--out", "run", "--resume")
    assert differing(before, contents("run")) == ["usage.json"]


def test_the_same_command_after_bad_input_is_mended(work, capsys):
    good = (work / "list").read_text()
    (work / "list").write_text(good.replace("good= 1", "good= nan"))
    told(capsys, 1, *TUNE, "--out", "run")
    assert not (work / "run").exists()
    (work / "list").write_text(good)
    told(capsys, 0, *TUNE, "--out", "run")


@pytest.mark.parametrize(
    ("wrong", "seen"),
    [
        (("--folds", "2"), "folds must be 0"),
        (
            ("--optimizer", "mert", "--ranges", "good"),
            "ranges must be PREFIX=MIN..MAX, such as LM=0..1, got 'good'",
        ),
        (("--metric", "none"), "metric must be one of"),
    ],
)
def test_wrong_options_leave_no_folder(work, capsys, wrong, seen):
    options = [option for option in TUNE if "mert" not in wrong or option not in ("--epochs", "2")]
    assert seen in told(capsys, 2, *options, *wrong, "--out", "run")
    assert not (work / "run").exists()


def test_bad_input_does_not_replace_a_run(work, capsys):
    told(capsys, 0, *TUNE, "--out", "run")
    before = contents("run")
    (work / "list").write_text("no list\n")
    told(capsys, 1, *TUNE, "--out", "run", "--overwrite")
    assert contents("run") == before


def test_a_crash_after_a_training_keeps_it(work, capsys, monkeypatch):
    def full(*rest):
        raise OutputError("run/report.json", OSError(28, "No space left on device"))

    with monkeypatch.context() as patch:
        patch.setattr(list_tuning.TuningFolder, "write_report", full)
        told(capsys, 1, *TUNE, "--out", "run")
    assert "run1.final: already done" in told(capsys, 0, *TUNE, "--out", "run", "--resume")
    assert "every file is the same" in told(capsys, 0, "reproduce", "run", "--out", "again")


def test_a_run_is_repeated_where_it_was_started(work, capsys, monkeypatch):
    told(capsys, 0, *TUNE, "--out", "run")
    (work / "elsewhere").mkdir()
    monkeypatch.chdir(work / "elsewhere")
    error = told(capsys, 1, "reproduce", "../run", "--out", "again")
    assert "reproduce: list: the file does not exist. " in error
    assert "relative to the folder in which the run was started" in error
    monkeypatch.chdir(work)
    assert "every file is the same" in told(
        capsys, 0, "reproduce", "run", "--out", "elsewhere/again"
    )


@pytest.mark.parametrize("out", ["/proc/new", "/proc/new/w.json", "there", "start/w", "w" * 250])
def test_a_place_for_the_weights_is_looked_for_first(work, capsys, out):
    (work / "there").mkdir()
    before = contents(work)
    (work / "list").unlink()  # it is not even opened
    error = told(capsys, 1, *TUNE, "-o", out)
    assert f"isogloss tune: {out} cannot be written: " in error
    decoder = ("tune", "--decoder", "none.toml", "--dev", "none", "--refs", "none")
    assert f"isogloss tune: {out} cannot be written: " in told(capsys, 1, *decoder, "-o", out)
    assert before.keys() - {work / "list"} == contents(work).keys()


@pytest.mark.parametrize("out", ["/proc/new", "start/run"])
def test_a_place_for_the_folder_is_looked_for_first(work, capsys, out):
    (work / "list").unlink()
    for option in ("--resume", "--overwrite", "-q"):
        error = told(capsys, 1, *TUNE, "--out", out, option)
        assert f"isogloss tune: {out} cannot be written: " in error
        assert "Choose another name or folder" in error
    error = told(capsys, 2, *TUNE, "--out", "start", "--overwrite")
    assert "start is an input of this command" in error
    (work / "file").write_text("")
    error = told(capsys, 1, *TUNE, "--out", "file", "--overwrite")
    assert "file is a file. Choose another name" in error


def test_folders_for_the_weights_are_made(work, capsys):
    told(capsys, 0, *TUNE, "-o", "new/folder/w.json")
    assert {"good", "bad"} == set(Weights.load("new/folder/w.json"))


def refusing(path):
    """A Weights.save that finds no room for this file."""
    write = Weights.save

    def write_elsewhere(weights, other):
        if str(other) == path:
            raise OutputError(path, OSError(28, "No space left on device"))
        write(weights, other)

    return write_elsewhere


def test_weights_that_can_not_be_written_are_not_lost(work, capsys, monkeypatch):
    told(capsys, 0, *TUNE, "-o", "good.json")
    monkeypatch.setattr(Weights, "save", refusing("w.json"))
    assert program.main([*TUNE, "-o", "w.json"]) == 1
    out, error = capsys.readouterr()
    assert out == (work / "good.json").read_text()
    assert error.endswith(
        "the weights are written to standard output instead\n"
        "isogloss tune: w.json cannot be written: No "
        "space left on device. Free disk space, or write to another disk\n"
    )
    assert program.main([*TUNE, "-o", "w.json", "--out", "run"]) == 1
    out, error = capsys.readouterr()
    assert out == ""
    assert "the weights are in run/weights.json\nisogloss tune: w.json cannot be written" in error
    assert contents("run")[Path("run/weights.json")] == (work / "good.json").read_bytes()


def test_weights_for_a_full_device(work, capsys):
    told(capsys, 0, *TUNE, "-o", "good.json")
    assert program.main([*TUNE, "-o", "/dev/full"]) == 1
    out, error = capsys.readouterr()
    assert out == (work / "good.json").read_text()
    assert "isogloss tune: /dev/full cannot be written: No space left on device" in error


def test_a_full_disk_in_the_first_training(work, capsys):
    """Nothing was learned, so that the same command starts when there is room."""
    with no_file_above(1):
        told(capsys, 1, *TUNE, "--out", "run", "-q")
    assert not (work / "run").exists()
    told(capsys, 0, *TUNE, "--out", "run")
