"""Results of parts of a long work."""

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from isogloss.align.execution.finished_parts import FinishedParts, foreign_files, remove_finished


@dataclass
class Result:
    lines: list[str]
    counts: list[int] = field(default_factory=list)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "parts"


def test_what_is_saved_is_loaded(folder: Path) -> None:
    parts = FinishedParts(folder, Result, "run")
    assert len(parts) == 0
    assert parts.load(0) is None
    results = [Result(["0-0 1-1", "", "é"], [3]), Result([])]
    for number, result in enumerate(results):
        parts.save(number, result)
    assert len(parts) == 2
    assert [parts.load(number) for number in range(3)] == [*results, None]


def test_those_of_another_run_are_not_taken(folder: Path) -> None:
    FinishedParts(folder, Result, "run").save(0, Result(["0-0"]))
    assert FinishedParts(folder, Result, "other").load(0) is None


@pytest.mark.parametrize("damage", ["cut", "changed", "empty", "no archive", "another type"])
def test_a_damaged_one_is_not_taken(folder: Path, damage: str) -> None:
    parts = FinishedParts(folder, Result, "run")
    parts.save(0, Result(["0-0 1-1 2-2"] * 100))
    file = folder / "000000.json.zst"
    content = file.read_bytes()
    middle = len(content) // 2
    if damage == "another type":
        FinishedParts(folder, int, "run").save(0, 3)
    else:
        file.write_bytes({
            "cut": content[:middle],
            "changed": content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :],
            "empty": b"",
            "no archive": b"text",
        }[damage])  # fmt: skip
    assert parts.load(0) is None


def test_the_folder_goes_unless_something_else_is_in_it(folder: Path) -> None:
    FinishedParts(folder, Result, "run").save(0, Result([]))
    (folder / "mine").write_text("of the user")
    assert foreign_files(folder) == ["mine"]
    remove_finished(folder)
    assert (folder / "mine").exists()
    (folder / "mine").unlink()
    remove_finished(folder)
    assert not folder.exists()
    remove_finished(folder)
