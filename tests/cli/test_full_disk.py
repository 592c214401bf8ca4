"""A disk without room: an error that names the file, nothing half written, older files kept."""

import gzip
import os
import subprocess
import sys
from pathlib import Path

import pytest

from isogloss import program
from tests.naive.disk import no_file_above

DATA = Path(__file__).resolve().parents[2] / "data"
FAST = ["--model1-iterations", "1", "--hmm-iterations", "1", "-q"]
ROOM = 1500  # bytes that a file may have; all files below are larger


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    folder = tmp_path_factory.mktemp("full")
    for name in ("en", "es"):
        with gzip.open(DATA / f"train.{name}.gz", "rt", encoding="utf-8") as stream:
            lines = stream.read().splitlines()[:400]
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert run(folder, "align", "--model", "m", "-o", "links", "--t2s", "more") == 0
    assert run(folder, "apply", "m", "--scores", "-o", "more") == 0
    (folder / "more").unlink()  # written so that kernels are compiled while there is room for them
    return folder


def run(folder, command, *more):
    """Words without a dash are files of the folder."""
    files = [word if word[0] == "-" else str(folder / word) for word in more]
    texts = [str(folder / "en"), str(folder / "es")]
    if command == "align":
        return program.main([command, *texts, *files, *FAST])
    return program.main([command, files[0], *texts, *files[1:], "-q"])


def contents(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


REFUSED = "cannot be written: File too large. Free disk space, or write to another disk"


@pytest.mark.parametrize(
    ("command", "named"),
    [
        (("align", "-o", "new"), "new"),
        (("align", "-o", "links"), "links"),
        (("align", "--t2s", "new.gz", "-o", "-"), "new.gz"),
        (("align", "--model", "new"), "new.checkpoint/iteration-1/lexical.npy"),
        (("align", "--model", "m", "--overwrite"), "m.checkpoint/iteration-1/lexical.npy"),
        (("align", "--model", "new", "--checkpoint", "links"), "links/checkpoint.json"),
        (("apply", "m", "-o", "links"), "links"),
        (("apply", "m", "--scores", "-o", "new.zst"), "new.zst"),
    ],
)
def test_commands(texts, capsys, command, named):
    before = contents(texts)
    with no_file_above(ROOM):
        assert run(texts, *command) == 1
    assert f"isogloss {command[0]}: {texts / named}" in capsys.readouterr().err
    assert contents(texts) == before
    assert sorted(path.name for path in texts.iterdir()) == ["en", "es", "links", "m"]


def test_lexicons(texts, capsys):
    before = contents(texts)
    for name, options in (("new", []), ("new.gz", ["--to", "bicleaner"])):
        command = ["lexicon", str(texts / "m"), *options, "-o", str(texts / name)]
        with no_file_above(ROOM):
            assert program.main(command) == 1
        assert f"isogloss lexicon: {texts / name} {REFUSED}" in capsys.readouterr().err
    assert contents(texts) == before


def test_a_model(texts, capsys, monkeypatch):
    """The model itself, where its checkpoints had room."""
    monkeypatch.setattr(
        "isogloss.commands.bitexts.train.train_with_progress", lambda *rest, **more: trained(texts)
    )
    before = contents(texts)
    for more in (["--model", "new"], ["--model", "m", "--overwrite"]):
        with no_file_above(ROOM):
            assert run(texts, "align", *more, "-o", "-") == 1
        name = texts / more[1] / "index.row_offsets.npy"
        assert f"isogloss align: {name} {REFUSED}" in capsys.readouterr().err
        assert contents(texts) == before


def trained(texts):
    from isogloss.align.model.model import AlignmentModel

    return AlignmentModel.load(texts / "m")


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_standard_output(texts, unbuffered):
    """The message is the last thing that is written, also when Python ends."""
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "isogloss", "check", str(texts / "m")],
            stdout=full, stderr=subprocess.PIPE, text=True, check=False,
            env=os.environ | {"PYTHONUNBUFFERED": unbuffered},
        )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr == (
        "isogloss check: standard output cannot be written: No space left on device. Free disk "
        "space, or write to another disk\n"
    )


@pytest.mark.parametrize("words", [["--version"], ["--help"], ["align", "--help"]])
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_help_and_version(words, unbuffered):
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "isogloss", *words],
            stdout=full, stderr=subprocess.PIPE, text=True, check=False,
            env=os.environ | {"PYTHONUNBUFFERED": unbuffered},
        )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr == ("isogloss: standard output cannot be written: No space left on device\n")


def test_a_disk_that_can_not_be_read(capsys):
    """The file's name is in what is said."""
    assert program.main(["score", "/proc/self/mem", "--refs", "/proc/self/mem"]) == 1
    assert "/proc/self/mem: Input/output error" in capsys.readouterr().err
