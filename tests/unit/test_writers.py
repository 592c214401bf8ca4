"""Files appear complete or not at all."""

import gzip
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import zstandard

from align.readers import read_lines
from align.writers import atomic_file, atomic_path, write_lines

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
    one = (tmp_path / f"one.{suffix}").read_bytes()
    assert one == (tmp_path / f"other.{suffix}").read_bytes()
    assert len(one) < 200


def test_zst_holds_a_checksum(tmp_path: Path) -> None:
    write_lines(["a"], tmp_path / "x.zst")
    written = (tmp_path / "x.zst").read_bytes()
    assert zstandard.get_frame_parameters(written).has_checksum
    assert zstandard.ZstdDecompressor().decompressobj().decompress(written) == b"a\n"


def test_gz_bytes_depend_on_content_only(tmp_path: Path) -> None:
    for name in ("one.gz", "other.gz"):
        write_lines(["a", "b"], tmp_path / name)
    one = (tmp_path / "one.gz").read_bytes()
    assert one == (tmp_path / "other.gz").read_bytes()
    assert gzip.decompress(one) == b"a\nb\n"
    assert bytes(4) == one[4:8]  # no time
    assert one[3] == 0  # no name


@pytest.mark.parametrize("path", [None, "-"])
def test_standard_output(path: str | None, capsys: pytest.CaptureFixture[str]) -> None:
    write_lines(["a", "é"], path)
    assert capsys.readouterr().out == "a\né\n"


def test_the_temporary_path_stands_beside_the_file(tmp_path: Path) -> None:
    with atomic_path(tmp_path / "x") as temporary:
        assert tmp_path == temporary.parent
        assert not temporary.exists()
        temporary.write_bytes(b"1")
    assert (tmp_path / "x").read_bytes() == b"1"


def test_nothing_is_visible_before_the_end(tmp_path: Path) -> None:
    with atomic_file(tmp_path / "x") as stream:
        stream.write(b"1")
        assert not (tmp_path / "x").exists()
    assert (tmp_path / "x").read_bytes() == b"1"


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
