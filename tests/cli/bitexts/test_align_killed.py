"""`isogloss align`, killed at each of its operations on files, then resumed: the same bytes."""

import gzip
import os
from pathlib import Path

import pytest

from isogloss import program
from isogloss.align.files.parts import part_name
from isogloss.align.text.samples import streamed_bitext
from tests.naive.kills import contents, done_in, killed_everywhere, put_back
from tests.tiers import tiers

DATA = Path(__file__).resolve().parents[3] / "data"
TRAIN = (
    "align", "en", "es", "--model", "m", "-o", "links", "--t2s", "f", "-q",
    "--model1-iterations", "1", "--hmm-iterations", "1", "--threads", "1",
)  # fmt: skip
WHOLE = (*TRAIN, "--train-on", "12", "--posteriors", "p", "--retokenize", ",characters:")
OTHER = (*TRAIN, "--null-probability", "0.3")


def make(folder: Path) -> None:
    for name in ("en", "es"):
        with gzip.open(DATA / f"train.{name}.gz", "rt", encoding="utf-8") as stream:
            lines = stream.read().splitlines()[:20]
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.fixture
def expected(tmp_path, monkeypatch):
    """What a run gives that nothing stops."""
    monkeypatch.chdir(tmp_path)
    done_in(tmp_path / "whole", make, lambda: program.main(TRAIN))
    return contents(tmp_path / "whole")


@pytest.mark.parametrize("step", tiers(67, 3))
def test_a_new_model(tmp_path, expected, step):
    for number in killed_everywhere(lambda: program.main(TRAIN), make, tmp_path, step):
        assert program.main((*TRAIN, "--resume")) == 0, number
        assert contents(Path.cwd()) == expected, number
    assert number > 200


@pytest.mark.parametrize("step", tiers(67, 11))
def test_a_whole_text_by_a_model_of_a_sample(tmp_path, monkeypatch, step):
    monkeypatch.setattr(streamed_bitext, "PART", 6)
    monkeypatch.chdir(tmp_path)
    done_in(tmp_path / "whole", make, lambda: program.main(WHOLE))
    expected = contents(tmp_path / "whole")
    assert expected["links"].count(b"\n") == 20
    for number in killed_everywhere(lambda: program.main(WHOLE), make, tmp_path, step):
        assert program.main((*WHOLE, "--resume")) == 0, number
        assert contents(Path.cwd()) == expected, number
    assert number > 250


def test_a_run_that_is_finished_is_not_trained_again(expected, capsys, monkeypatch):
    """It was killed when the state had gone; what was left of that goes, too."""
    monkeypatch.setattr("isogloss.commands.bitexts.train.train_with_progress", None)
    part = Path("m.checkpoint", part_name("iteration-2", "01234567"))
    part.mkdir(parents=True)
    command = [word for word in TRAIN if word != "-q"]
    assert program.main((*command, "--resume")) == 0
    assert "m and all outputs are complete; pass --overwrite" in capsys.readouterr().err
    assert contents(Path.cwd()) == expected


@pytest.mark.parametrize("change", ["an output is missing", "an output is older", "on stdout"])
def test_what_is_not_certain_to_be_finished_is_done_again(expected, capsys, change):
    command = TRAIN
    if change == "an output is missing":
        Path("f").unlink()
    elif change == "an output is older":
        Path("f").write_text("of another run")
        os.utime("f", (1, 1))
    else:
        command = tuple(word for word in TRAIN if word not in ("-o", "links"))
    assert program.main((*command, "--resume")) == 0
    assert contents(Path.cwd()) == expected
    if change == "on stdout":
        assert capsys.readouterr().out.encode() == expected["links"]


@pytest.mark.thorough
@pytest.mark.parametrize("step", [7])
def test_a_model_that_replaces_another(tmp_path, expected, step):
    """Of another training, which was stopped, too."""
    older = tmp_path / "older"
    older.mkdir()
    make(older)
    os.chdir(older)
    assert program.main(OTHER) == 0
    before = contents(older)

    def make_older(folder: Path) -> None:
        put_back(before, folder)

    def command() -> int:
        return program.main((*TRAIN, "--overwrite"))

    for number in killed_everywhere(command, make_older, tmp_path, step):
        assert program.main((*TRAIN, "--overwrite", "--resume")) == 0, number
        assert contents(Path.cwd()) == expected, number
