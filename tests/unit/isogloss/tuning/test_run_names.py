"""What a tuning run has written, told from what is a user's: kept, removed, refused."""

from pathlib import Path

import pytest

from isogloss.align.errors import DataError
from isogloss.align.files.parts import part_name
from isogloss.tuning.folder import TuningFolder
from tests.unit.isogloss.tuning.test_folder import OUTCOME, SPACE, names_in, started


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "list"
    path.write_text("0 ||| a ||| LM0= 1 ||| 1\n")
    return path


PARTS = (
    part_name("manifest.json", "00000099"),
    f"tasks/{part_name('run1.final.json', '00000099')}",
    f"tasks/{part_name('run1.fold0.state.npz', '00000007')}",
)


def parts_in(folder: Path) -> None:
    (folder / "tasks").mkdir(parents=True, exist_ok=True)
    for name in PARTS:
        (folder / name).write_text("hal")


@pytest.mark.parametrize("option", ["resume", "overwrite"])
def test_a_run_killed_before_its_manifest_starts_anew(
    tmp_path: Path, source: Path, option: str
) -> None:
    (tmp_path / "run/tasks").mkdir(parents=True)
    started(tmp_path / "run", source, **{option: True})
    assert ["manifest.json", "tasks", "tasks/files.json"] == names_in(tmp_path / "run")
    (tmp_path / "run/manifest.json").unlink()
    parts_in(tmp_path / "run")
    started(tmp_path / "run", source, **{option: True})
    assert ["manifest.json", "tasks", "tasks/files.json"] == names_in(tmp_path / "run")


def test_parts_of_files_are_removed_when_a_run_goes_on(tmp_path: Path, source: Path) -> None:
    started(tmp_path / "run", source).write_outcome(OUTCOME)
    before = names_in(tmp_path / "run")
    parts_in(tmp_path / "run")
    (tmp_path / "run" / part_name("mine", "00000099")).write_text("of no run")
    assert started(tmp_path / "run", source, resume=True).read_outcome(OUTCOME.task, SPACE)
    assert [part_name("mine", "00000099"), *before] == names_in(tmp_path / "run")


def test_results_without_manifest_are_not_gone_on_with(tmp_path: Path, source: Path) -> None:
    started(tmp_path / "run", source).write_outcome(OUTCOME)
    (tmp_path / "run/manifest.json").unlink()
    with pytest.raises(DataError, match=r"run1.fold2.json; expected the manifest.json .*--overwr"):
        started(tmp_path / "run", source, resume=True)
    assert ["tasks", "tasks/files.json", "tasks/run1.fold2.json"] == names_in(tmp_path / "run")
    started(tmp_path / "run", source, overwrite=True)
    assert ["manifest.json", "tasks", "tasks/files.json"] == names_in(tmp_path / "run")


def test_weights_of_the_users_own_are_not_replaced(tmp_path: Path, source: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run/weights.json").write_text("mine")
    with pytest.raises(DataError, match=r"run contains weights.json; expected only files of `iso"):
        started(tmp_path / "run", source, overwrite=True)
    assert (tmp_path / "run/weights.json").read_text() == "mine"


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("notes", "notes"), ("tasks/notes", "tasks/notes"), ("tasks/weights.json", "tasks/weights"),
        ("run1.final.json", "run1.final.json"), (".notes.9.part", ".notes.9.part"),
        ("report.json/mine", "report.json"), ("manifest.json", "another program's manifest.json"),
    ],
)  # fmt: skip
def test_what_no_run_has_written_is_not_overwritten(
    tmp_path: Path, source: Path, name: str, shown: str
) -> None:
    path = tmp_path / "run" / name
    path.parent.mkdir(parents=True)
    path.write_text('{"stages": {}}')
    with pytest.raises(
        DataError, match=rf"run contains {shown}.*Choose another folder, or remove them"
    ):
        started(tmp_path / "run", source, overwrite=True)
    assert '{"stages": {}}' == path.read_text()
    path.unlink()
    if name.startswith("report"):
        path.parent.rmdir()
    started(tmp_path / "run", source, overwrite=True)


@pytest.mark.parametrize(
    "name",
    [
        "run2.final.json", "run1.fold3.json", "run01.final.json", "run1.final.iteration1.json",
        "run1.final.epoch1.pool.gz", "run0.final.state.npz", "files.json/mine",
    ],
)  # fmt: skip
def test_files_of_tasks_are_known_by_what_the_run_says(
    tmp_path: Path, source: Path, name: str
) -> None:
    """Another file that is called as those of some run are is a user's."""
    started(tmp_path / "run", source).write_outcome(OUTCOME)
    path = tmp_path / "run/tasks" / name
    if path.parent.is_file():
        path.parent.unlink()
        path.parent.mkdir()
    path.write_text("mine")
    before = names_in(tmp_path / "run")
    with pytest.raises(DataError, match=r"run contains .*; expected only files of `isogloss tune"):
        started(tmp_path / "run", source, overwrite=True)
    assert before == names_in(tmp_path / "run")
    assert "mine" == path.read_text()


def test_files_of_tasks_that_no_run_names_are_not_removed(tmp_path: Path, source: Path) -> None:
    started(tmp_path / "run", source).write_outcome(OUTCOME)
    (tmp_path / "run/tasks/files.json").write_text("{}")
    with pytest.raises(
        DataError, match=r"run contains manifest.json, tasks/files.json, tasks/run1.f"
    ):
        started(tmp_path / "run", source, overwrite=True)
    (tmp_path / "run/tasks/files.json").write_text('{"runs": 1, "folds": 3, "iterations": 0}')
    started(tmp_path / "run", source, overwrite=True)
    assert ["manifest.json", "tasks", "tasks/files.json"] == names_in(tmp_path / "run")


def test_files_of_a_loop_with_a_decoder_are_the_runs(tmp_path: Path, source: Path) -> None:
    command = {"decoder": "decoder.toml", "runs": 2, "decoder_iterations": 5}
    TuningFolder.prepare(tmp_path / "run", command, [str(source)]).begin()
    for name in ("iteration5.json", "iteration0.nbest.gz", "epoch3.pool.gz"):
        (tmp_path / f"run/tasks/run2.final.{name}").write_text("x")
    (tmp_path / "run/tasks/run2.final.iteration6.json").write_text("mine")
    with pytest.raises(
        DataError, match=r"run contains tasks/run2.final.iteration6.json; expected only"
    ):
        started(tmp_path / "run", source, overwrite=True)
    (tmp_path / "run/tasks/run2.final.iteration6.json").unlink()
    started(tmp_path / "run", source, overwrite=True)
    assert ["manifest.json", "tasks", "tasks/files.json"] == names_in(tmp_path / "run")


def test_a_folder_named_as_that_of_the_tasks(tmp_path: Path, source: Path) -> None:
    started(tmp_path / "tasks", source).write_outcome(OUTCOME)
    started(tmp_path / "tasks", source, overwrite=True)
    assert ["manifest.json", "tasks", "tasks/files.json"] == names_in(tmp_path / "tasks")
