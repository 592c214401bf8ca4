"""Outputs are checked before the work, and written by one process at a time."""

import errno
import multiprocessing
import os
import re
from pathlib import Path

import pytest

from isogloss.align.errors import OutputError
from isogloss.align.files.outputs import (
    check_folders,
    check_output,
    entries,
    file_name,
    naming_output,
    output_path,
    real_path,
    sole_writer,
)
from isogloss.align.files.writers import write_lines


@pytest.mark.parametrize(
    ("code", "remedy"),
    [
        (errno.ENOSPC, "Free disk space, or write to another disk"),
        (errno.EROFS, "Choose a folder you can write to"),
        (errno.EACCES, "Choose a folder you can write to"),
        (errno.ENAMETOOLONG, "Choose another name or folder"),
    ],
)
def test_an_error_says_what_to_do(code: int, remedy: str) -> None:
    message = rf"^m/x cannot be written: because\. {remedy}$"
    with pytest.raises(OutputError, match=message), naming_output("m/x"):
        raise OSError(code, "because")


def test_a_reader_that_has_gone_away_is_no_error() -> None:
    with pytest.raises(BrokenPipeError), naming_output():
        raise BrokenPipeError


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("/proc/new", "No such file or directory"), ("/proc/a/b", "No such file or directory"),
        ("file/new", "Not a directory"), ("folder", "Is a directory"), (".", "Is a directory"),
        ("to-nothing/new", "No such file or directory"), ("x" * 245, "File name too long"),
    ],
)  # fmt: skip
def test_a_place_that_takes_no_file_is_found_out_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, reason: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("old")
    (tmp_path / "to-nothing").symlink_to("/proc/nothing")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(OutputError, match=rf"^{name} cannot be written: {reason}\. Choose another"):
        check_output(name)
    with pytest.raises(OutputError, match=f"^{name} cannot be written"):
        write_lines(["a"], name)
    assert before == sorted(tmp_path.rglob("*"))


@pytest.mark.parametrize(
    "name", ["new", "a/b/new", "file", "link", "/dev/null", "/dev/full", "-", None, "x" * 230]
)
def test_a_place_for_a_file_stays_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str | None
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("old")
    (tmp_path / "link").symlink_to("new")
    before = sorted(tmp_path.rglob("*"))
    check_output(name)
    assert before == sorted(tmp_path.rglob("*"))
    assert "old" == (tmp_path / "file").read_text()


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("law", "law"), ("Übersetzung 2", "Übersetzung 2"), ("x/../../evil", "x%2F..%2F..%2Fevil"),
        ("50%", "50%25"), ("x%2Fy", "x%252Fy"), ("a\\b\tc", "a%5Cb%09c"),
    ],
)  # fmt: skip
def test_texts_become_names_of_files(text: str, name: str) -> None:
    assert name == file_name(text)


def test_files_of_locks_do_not_count(tmp_path: Path) -> None:
    for name in ("b", "a", ".c", ".x.lock", "y.lock", ".lock"):
        (tmp_path / name).write_text("")
    names = [path.name for path in entries(tmp_path)]
    assert names == [".c", ".lock", "a", "b", "y.lock"]


def refused(path: str) -> bool:
    """Whether another process is told that this one is writing."""
    try:
        with sole_writer(path):
            return False
    except OutputError as error:
        expected = "cannot be written: another process is writing it. Wait until it has finished"
        assert expected in str(error)
        return True


def in_another_process(path: Path) -> bool:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(refused, (str(path),))


@pytest.mark.parametrize("name", ["new", "a/b/new", "file", "folder", "link"])
def test_one_process_writes_at_a_time(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("old")
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("folder/new")
    before = sorted(tmp_path.rglob("*"))
    with sole_writer(tmp_path / name):
        with sole_writer(tmp_path / "other"):
            pass
        assert refused(str(tmp_path / name))
    assert not refused(str(tmp_path / name))
    assert before == sorted(tmp_path.rglob("*"))


@pytest.mark.parametrize("name", ["run/new", "run/a/b/new", "link"])
def test_what_is_in_a_folder_that_another_process_writes(tmp_path: Path, name: str) -> None:
    (tmp_path / "link").symlink_to("run/new")
    folder = real_path(tmp_path / "run")
    message = f"cannot be written: another process is writing {folder}. Wait until it has finished"
    with sole_writer(tmp_path / "run"):
        for _ in range(2):
            with pytest.raises(OutputError, match=re.escape(message)):
                check_folders(tmp_path / name)
        check_folders(tmp_path / name, {folder})
        check_folders(tmp_path / "other")
        assert refused(str(tmp_path / "run"))
    (tmp_path / ".run.lock").write_text("")  # as a killed process leaves it
    check_folders(tmp_path / name)


def test_another_process_is_told(tmp_path: Path) -> None:
    with sole_writer(tmp_path / "x"):
        assert in_another_process(tmp_path / "x")


def test_a_killed_process_leaves_no_lock(tmp_path: Path) -> None:
    """But perhaps the file that it was on."""
    child = os.fork()
    if child == 0:
        with sole_writer(tmp_path / "x"):
            os._exit(0)
    os.waitpid(child, 0)
    assert [path.name for path in tmp_path.iterdir()] == [".x.lock"]
    with sole_writer(tmp_path / "x"):
        assert refused(str(tmp_path / "x"))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("path", ["/dev/null", "/proc/new", "/proc/a/b"])
def test_where_there_can_be_no_lock_there_is_none(path: str) -> None:
    with sole_writer(path), sole_writer(path):
        pass


def test_a_file_of_the_users_with_the_name_of_a_lock_stays(tmp_path: Path) -> None:
    (tmp_path / ".x.lock").write_text("mine")
    with sole_writer(tmp_path / "x"):
        pass
    assert (tmp_path / ".x.lock").read_text() == "mine"


def test_a_link_in_place_of_the_lock_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / ".x.lock").symlink_to(tmp_path / "theirs")
    with sole_writer(tmp_path / "x"):
        assert [path.name for path in tmp_path.iterdir()] == [".x.lock"]


def test_a_file_system_without_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unsupported(*arguments: object) -> None:
        raise OSError(errno.EOPNOTSUPP, "Operation not supported")

    monkeypatch.setattr("fcntl.flock", unsupported)
    with sole_writer(tmp_path / "x"):
        write_lines(["1"], tmp_path / "x")
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


# --- links


LINK = (
    r"/shared/(out|model|inner) is a symbolic link of another user in a folder that other users "
    "can write to"
)


@pytest.fixture(params=[0o1777, 0o777, 0o775], ids=["sticky", "anybody's", "a group's"])
def shared(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A folder that others may write to, with links; beside it the user's own files."""
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "file").write_text("precious")
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(request.param)
    (folder / "out").symlink_to(tmp_path / "own" / "file")
    (folder / "model").symlink_to("../own")
    (tmp_path / "own" / "to-shared").symlink_to(folder / "inner")
    (folder / "inner").symlink_to("../own")
    return folder


PATHS = ["shared/out", "shared/../shared/out", "shared/model/new", "own/to-shared/x/../y"]


@pytest.fixture
def strangers(shared: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same; the links are another user's."""
    if os.geteuid() == 0:
        for name in ("out", "model", "inner"):
            os.lchown(shared / name, 4711, 4711)
    else:  # this process takes itself for another one
        monkeypatch.setattr(os, "geteuid", lambda: 4711)
    return shared


@pytest.mark.parametrize("name", PATHS)
def test_a_strangers_link_is_not_followed(
    strangers: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(strangers.parent)
    with pytest.raises(OSError, match=LINK):
        output_path(name)
    with pytest.raises(OutputError, match=f"{LINK}. Choose another name or folder"):
        check_output(name)
    with pytest.raises(OutputError, match=LINK), sole_writer(name):
        pass
    with pytest.raises(OutputError, match=LINK):
        write_lines(["new"], name)
    assert (strangers.parent / "own" / "file").read_text() == "precious"
    assert not list((strangers.parent / "own").glob("[nxy]*"))


@pytest.mark.parametrize("name", PATHS)
def test_own_links_are_followed(shared: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(shared.parent)
    assert output_path(name) == output_path(shared.parent / name) == real_path(name)
    write_lines(["new"], name)
    assert shared.is_dir()
    assert (shared / "out").is_symlink()
    assert real_path(name).read_text() == "new\n"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes files of others")
def test_a_strangers_link_is_followed_in_a_folder_of_ones_own_alone(strangers: Path) -> None:
    """Nobody else could put it there, but for the owner of a folder that isn't one's own."""
    strangers.chmod(0o755)
    assert output_path(strangers / "out") == real_path(strangers / "out")
    os.chown(strangers, 4711, 4711)
    with pytest.raises(OSError, match=LINK):
        output_path(strangers / "out")
    os.lchown(strangers / "out", 0, 0)
    assert output_path(strangers / "out") == real_path(strangers / "out")
