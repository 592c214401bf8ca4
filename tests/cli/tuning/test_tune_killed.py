"""`isogloss tune`, killed at each of its operations on files, then resumed: the same bytes."""

import os
from pathlib import Path

import pytest

from isogloss import program
from tests.naive.kills import contents, done_in, killed_everywhere, put_back, without_times
from tests.tiers import tiers

SENTENCES = 6
TUNE = (
    "tune", "list", "--refs", "ref", "--folds", "3", "--epochs", "2", "--out", "run", "-o", "w",
    "--threads", "1", "-q", "--trials", "9",
)  # fmt: skip


def make(folder: Path) -> None:
    """A list whose feature ``good`` tells the right hypothesis."""
    rows = []
    for number in range(SENTENCES):
        rows.append(f"{number} ||| a b c d x{number} ||| good= 1 bad= 0 ||| 0")
        rows.append(f"{number} ||| a d b c y ||| good= 0 bad= 1 ||| 0")
    (folder / "list").write_text("\n".join(rows) + "\n")
    (folder / "ref").write_text("".join(f"a b c d x{k}\n" for k in range(SENTENCES)))


@pytest.fixture
def expected(tmp_path, monkeypatch):
    """What a run gives that nothing stops."""
    monkeypatch.chdir(tmp_path)
    done_in(tmp_path / "whole", make, lambda: program.main(TUNE))
    return without_times(tmp_path / "whole")


@pytest.mark.parametrize("step", tiers(47, 1))
def test_a_new_run(tmp_path, expected, step):
    for number in killed_everywhere(lambda: program.main(TUNE), make, tmp_path, step):
        assert program.main((*TUNE, "--resume")) == 0, number
        assert without_times(Path.cwd()) == expected, number
    assert number > 50


@pytest.mark.thorough
@pytest.mark.parametrize("step", [1])
def test_a_run_that_replaces_another(tmp_path, expected, step):
    """With other options, and files that the new one doesn't have."""
    older = tmp_path / "older"
    older.mkdir()
    make(older)
    os.chdir(older)
    assert program.main((*TUNE, "--runs", "2")) == 0
    before = contents(older)

    def make_older(folder: Path) -> None:
        put_back(before, folder)

    def command() -> int:
        return program.main((*TUNE, "--overwrite"))

    for number in killed_everywhere(command, make_older, tmp_path, step):
        assert program.main((*TUNE, "--overwrite", "--resume")) == 0, number
        assert without_times(Path.cwd()) == expected, number
