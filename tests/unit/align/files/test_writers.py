"""Files appear complete or not at all."""

import errno
import gzip
import io
import json
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
import zstandard

from isogloss.align.errors import OutputError
from isogloss.align.files.parts import is_part, scratch_folder, whole_name
from isogloss.align.files.writers import (
    atomic_file,
    atomic_files,
    together,
    write_array,
    write_described,
    write_lines,
)
from isogloss.align.text.readers import read_lines
from tests.naive.disk import no_file_above
from tests.naive.kills import killed_everywhere

NAMES = ["x.txt", "x.gz", "x.bz2", "x.xz", "x.zst"]


def failing() -> Iterator[str]:
    yield "first"
    raise RuntimeError("half way")


@pytest.mark.parametrize("name", NAMES)
def test_lines_come_back(tmp_path: Path, name: str) -> None:
    path = tmp_path / "deeper" / "folder" / name
    write_lines(["a é", "", "b\u2028c"], path)
    assert read_lines(path) == ["a é", "", "b\u2028c"]
    assert [path] == list(path.parent.iterdir())


@pytest.mark.parametrize("name", NAMES)
def test_no_file_after_a_failure(tmp_path: Path, name: str) -> None:
    with pytest.raises(RuntimeError, match="half way"):
        write_lines(failing(), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", NAMES)
def test_the_old_file_survives_a_failure(tmp_path: Path, name: str) -> None:
    write_lines(["old"], tmp_path / name)
    with pytest.raises(RuntimeError, match="half way"):
        write_lines(failing(), tmp_path / name)
    assert read_lines(tmp_path / name) == ["old"]
    assert [tmp_path / name] == list(tmp_path.iterdir())


def test_a_new_file_replaces_the_old_one(tmp_path: Path) -> None:
    for line in ("old and longer", "new"):
        write_lines([line], tmp_path / "x")
    assert (tmp_path / "x").read_bytes() == b"new\n"


@pytest.mark.parametrize("suffix", ["gz", "bz2", "xz", "zst"])
def test_bytes_depend_on_content_only(tmp_path: Path, suffix: str) -> None:
    for name in ("one", "other"):
        write_lines(["a"] * 1000, tmp_path / f"{name}.{suffix}")
    content = (tmp_path / f"one.{suffix}").read_bytes()
    assert content == (tmp_path / f"other.{suffix}").read_bytes()
    assert len(content) < 200


def test_zst_holds_a_checksum(tmp_path: Path) -> None:
    write_lines(["a"], tmp_path / "x.zst")
    written = (tmp_path / "x.zst").read_bytes()
    assert zstandard.get_frame_parameters(written).has_checksum
    assert zstandard.ZstdDecompressor().decompressobj().decompress(written) == b"a\n"


def test_gz_bytes_depend_on_content_only(tmp_path: Path) -> None:
    for name in ("one.gz", "other.gz"):
        write_lines(["a", "b"], tmp_path / name)
    content = (tmp_path / "one.gz").read_bytes()
    assert content == (tmp_path / "other.gz").read_bytes()
    assert gzip.decompress(content) == b"a\nb\n"
    assert bytes(4) == content[4:8]  # no time
    assert content[3] == 0  # no name


@pytest.mark.parametrize("path", [None, "-"])
def test_standard_output(path: str | None, capsys: pytest.CaptureFixture[str]) -> None:
    write_lines(["a", "é"], path)
    assert capsys.readouterr().out == "a\né\n"


def test_nothing_is_visible_before_the_end(tmp_path: Path) -> None:
    with atomic_file(tmp_path / "x") as stream:
        stream.write(b"1")
        (part,) = tmp_path.iterdir()
        assert whole_name(part.name) == "x"
    assert (tmp_path / "x").read_bytes() == b"1"
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


def test_several_files_appear_together(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("old")
    with atomic_files(tmp_path / "x", tmp_path / "y.gz") as (first, second):
        first.write(b"1")
        second.write(b"2")
        assert (tmp_path / "x").read_text() == "old"
    assert (tmp_path / "x").read_bytes() == b"1"
    assert read_lines(tmp_path / "y.gz") == ["2"]


def make_old(folder: Path) -> None:
    for name in ("w", "x", "y", "z"):
        (folder / name).write_text("old")


def write_set() -> int:
    """What commands do: single files, and such as have others beside them, or do without one."""
    with together():
        write_lines(["new"], "y")
        assert Path("x").read_text() == "old"
        with atomic_files("x", "z", "first", gone=["w", "never"]) as streams:
            for stream in streams:
                stream.write(b"new\n")
    return 0


@pytest.mark.thorough
def test_a_kill_leaves_no_old_file_beside_a_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    seen = set()
    for number in killed_everywhere(write_set, make_old, tmp_path):
        left = {p.name: p.read_text() for p in Path.cwd().iterdir() if not is_part(p.name)}
        seen.add(tuple(sorted(left.items())))
        assert len(set(left.values())) <= 1, number
        assert "x" not in left or len(left) >= 3, number  # the most important one is the last
        make_old(Path.cwd())
        write_set()
        assert {p.name: p.read_text() for p in Path.cwd().iterdir()} == dict.fromkeys(
            ("first", "x", "y", "z"), "new\n"
        ), number
    assert len(seen) >= 7


def test_a_set_is_as_it_was_where_a_file_can_not_have_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    make_old(tmp_path)
    replace = Path.replace

    def refused(self: Path, target: Path) -> Path:
        if target.name == "z" and self.read_text() == "new\n":
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", refused)
    with pytest.raises(OutputError, match="z cannot be written: Input/output error"):
        write_set()
    assert {p.name: p.read_text() for p in tmp_path.iterdir()} == dict.fromkeys("wxyz", "old")


def test_files_appear_although_nobody_reads_standard_output(tmp_path: Path) -> None:
    with pytest.raises(BrokenPipeError), together():
        write_lines(["a"], tmp_path / "x")
        raise BrokenPipeError
    assert (tmp_path / "x").read_text() == "a\n"


def test_what_is_in_a_scratch_folder_has_its_name_at_once(tmp_path: Path) -> None:
    with together(), scratch_folder(tmp_path) as folder:
        write_lines(["a"], folder / "x")
        assert (folder / "x").read_text() == "a\n"


def test_no_file_is_replaced_where_another_one_meets_a_full_disk(tmp_path: Path) -> None:
    """Also where that shows only when the last bytes are written."""
    for name in ("x", "y"):
        (tmp_path / name).write_text("old")
    for paths in ((tmp_path / "x", "/dev/full"), ("/dev/full", tmp_path / "y")):
        full = pytest.raises(OutputError, match=f"/dev/full {FULL}")
        with full, atomic_files(*paths) as streams:
            for stream in streams:
                stream.write(b"new")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {
        "x": "old", "y": "old"
    }  # fmt: skip


def test_links_where_parts_once_stood_are_not_followed(tmp_path: Path) -> None:
    """In a folder that others may write to, too."""
    (tmp_path / "other").write_text("theirs")
    (tmp_path / f".x.{os.getpid()}.part").symlink_to(tmp_path / "other")
    write_lines(["new"], tmp_path / "x")
    assert (tmp_path / "other").read_text() == "theirs"
    assert (tmp_path / f".x.{os.getpid()}.part").is_symlink()


def test_a_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    keep = os.open(pipe, os.O_RDWR)  # neither end waits for the other
    try:
        write_lines(["a"], pipe)
        assert pipe.is_fifo()
        assert os.read(keep, 9) == b"a\n"
    finally:
        os.close(keep)


def test_a_symbolic_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old\n")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_lines(["new"], tmp_path / "link")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new\n"


FULL = r"cannot be written: No space left on device\. Free disk space, or write to another disk"


def many_lines() -> Iterator[str]:
    rng = np.random.default_rng(0)
    for _ in range(2000):
        yield rng.bytes(40).hex()  # compresses badly


@pytest.mark.parametrize("there_before", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_no_room_for_all_of_a_file(tmp_path: Path, name: str, there_before: bool) -> None:
    path = tmp_path / name
    if there_before:
        path.write_bytes(b"old")
    message = rf"{path} cannot be written: File too large\. Free disk"
    refused = pytest.raises(OutputError, match=message)
    with refused, no_file_above(20000):
        write_lines(many_lines(), path)
    assert ([path] if there_before else []) == list(tmp_path.iterdir())
    if there_before:
        assert path.read_bytes() == b"old"


@pytest.mark.parametrize("step", ["chmod", "replace", "mkdir"])
def test_a_disk_that_is_full_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"old")

    def full(*arguments: object, **options: object) -> None:
        raise OSError(errno.EDQUOT, "Disk quota exceeded")

    monkeypatch.setattr(Path, step, full)
    with pytest.raises(OutputError, match=r"x cannot be written: Disk quota exceeded\. Free"):
        write_lines(["new"], path)
    monkeypatch.undo()
    assert path.read_bytes() == b"old"
    assert [path] == list(tmp_path.iterdir())


def test_a_device_that_is_full() -> None:
    """A short text meets the error when the file is closed."""
    for lines in (["a"], many_lines()):
        with pytest.raises(OutputError, match=f"/dev/full {FULL}"):
            write_lines(lines, "/dev/full")


@pytest.mark.parametrize("encoding", ["latin-1", "ascii", "utf-16"])
def test_standard_output_is_utf8(encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    held = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(held, encoding, newline="\r\n"))
    write_lines(["Ω", "é\u2028"], None)
    assert held.getvalue() == "Ω\né\u2028\n".encode()


def test_standard_output_comes_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    held = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(held, "utf-8"))
    sys.stdout.write("first\n")
    write_lines(["second"], "-")
    sys.stdout.write("third\n")
    sys.stdout.flush()
    assert held.getvalue() == b"first\nsecond\nthird\n"


def test_standard_output_without_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a notebook."""
    held = io.StringIO()
    monkeypatch.setattr(sys, "stdout", held)
    write_lines(["a", "é"], None)
    assert held.getvalue() == "a\né\n"


def test_names_that_are_no_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Bytes of a file name that are not UTF-8 are written as JSON writes them."""
    name = os.fsdecode(b"caf\xe9")
    write_lines([name], None)
    assert capsys.readouterr().out == "caf\\udce9\n"
    write_described([name], tmp_path / "a", {"file": name}, tmp_path / "a.json")
    assert (tmp_path / "a").read_bytes() == b"caf\\udce9\n"
    assert json.loads((tmp_path / "a.json").read_text("utf-8")) == {"file": name}


@pytest.mark.parametrize("path", [None, "-"])
def test_standard_output_that_is_full(path: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Path("/dev/full").open("w", encoding="utf-8")  # noqa: SIM115 - fails on closing, too
    with suppress(OSError), stream:
        monkeypatch.setattr(sys, "stdout", stream)
        with pytest.raises(OutputError, match=f"standard output {FULL}"):
            write_lines(many_lines(), path)


def test_errors_of_reading_are_not_those_of_writing(tmp_path: Path) -> None:
    def lines() -> Iterator[str]:
        yield "a"
        raise OSError("the input is gone")

    for path in (tmp_path / "x", None):
        with pytest.raises(OSError, match="the input is gone"):
            write_lines(lines(), path)


def test_a_file_below_a_file(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("")
    with pytest.raises(OutputError, match=r"x/y cannot be written: (Not a directory|File exists)"):
        write_lines(["a"], tmp_path / "x" / "y")
    (tmp_path / "folder").mkdir()
    with pytest.raises(OutputError, match=r"folder cannot be written: Is a directory\. Choose"):
        write_lines(["a"], tmp_path / "folder")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "x"]


@pytest.mark.parametrize(
    "array",
    [
        np.arange(12.0).reshape(3, 4),
        np.asfortranarray(np.arange(12, dtype=np.int32).reshape(3, 4)),
        np.zeros((0, 2), np.float32),
        np.array(3.5),
        np.arange(20)[::3],
    ],
    ids=str,
)
def test_arrays_are_written_as_numpy_does(tmp_path: Path, array: np.ndarray) -> None:
    write_array(array, tmp_path / "x.npy")
    loaded = np.load(tmp_path / "x.npy")
    np.testing.assert_array_equal(loaded, array)
    assert loaded.dtype == array.dtype
    np.save(tmp_path / "y.npy", np.asarray(array, order="C"))
    assert (tmp_path / "x.npy").read_bytes() == (tmp_path / "y.npy").read_bytes()


@pytest.mark.parametrize("size", [2490, 10000])
def test_no_room_for_the_end_of_an_array(tmp_path: Path, size: int) -> None:
    """numpy's own writing is silent where only the last bytes find no room."""
    refused = pytest.raises(OutputError, match=r"x\.npy cannot be written: File too large")
    with refused, no_file_above(20000):
        write_array(np.zeros(size), tmp_path / "x.npy")
    assert list(tmp_path.iterdir()) == []


def test_an_array_on_a_full_disk() -> None:
    with pytest.raises(OutputError, match=f"/dev/full {FULL}"):
        write_array(np.zeros(10), "/dev/full")


def test_a_file_and_what_describes_it(tmp_path: Path) -> None:
    write_described(["a", "é"], tmp_path / "x.gz", {"what": "é"}, tmp_path / "x.json")
    assert read_lines(tmp_path / "x.gz") == ["a", "é"]
    assert (tmp_path / "x.json").read_text(encoding="utf-8") == '{\n "what": "é"\n}\n'


@pytest.mark.parametrize("large", ["x", "x.json"])
def test_a_file_appears_with_what_describes_it_or_not_at_all(tmp_path: Path, large: str) -> None:
    for name in ("x", "x.json"):
        (tmp_path / name).write_text("old")
    lines = many_lines() if large == "x" else ["a"]
    description = {"words": list(many_lines())} if large == "x.json" else {}
    refused = pytest.raises(OutputError, match=rf"/{large} cannot be written: File too large")
    with refused, no_file_above(20000):
        write_described(lines, tmp_path / "x", description, tmp_path / "x.json")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {
        "x": "old", "x.json": "old"
    }  # fmt: skip
