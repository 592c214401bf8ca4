"""Archives of several members, damaged ones, and such as unpack to more than memory."""

import bz2
import gzip
import io
import lzma
from collections import deque
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import zstandard

import isogloss.align.files.text_io
from isogloss.align.errors import DataError
from isogloss.align.files.inputs import archives
from isogloss.align.files.inputs.archives import MAX_EMPTY
from isogloss.align.files.inputs.opening import open_binary
from isogloss.align.files.text_io import iter_lines, read_lines, text_blocks
from tests.tiers import tiers

Pack = Callable[[bytes], bytes]
PACKERS: list[Pack] = [bz2.compress, gzip.compress, lzma.compress, zstandard.compress]
FIRST, SECOND = b"".join(b"%d\n" % k for k in range(50)), b"".join(b"x%d\n" % k for k in range(50))


@pytest.mark.parametrize("pack", PACKERS)
def test_all_members_are_read(tmp_path: Path, pack: Pack) -> None:
    (tmp_path / "x").write_bytes(pack(FIRST) + pack(b"") + pack(SECOND))
    assert (FIRST + SECOND).decode().split("\n")[:-1] == read_lines(tmp_path / "x")


def test_padding_between_members(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(lzma.compress(FIRST) + bytes(8) + lzma.compress(SECOND) + bytes(4))
    assert 100 == len(read_lines(tmp_path / "x"))


@pytest.mark.parametrize("pack", PACKERS)
@pytest.mark.parametrize(
    "damage",
    [
        lambda packed: packed[: len(packed) // 2],
        lambda packed: packed[:-1],
        lambda packed: packed[:2],
        lambda packed: b"\xff" + packed[1:],
        lambda packed: b"rubbish",
    ],
    ids=["half", "one byte short", "two bytes", "first byte", "something else"],
)
def test_a_second_member_that_is_damaged(
    tmp_path: Path, pack: Pack, damage: Callable[[bytes], bytes]
) -> None:
    """Its lines were lost without a word."""
    (tmp_path / "x").write_bytes(pack(FIRST) + damage(pack(SECOND)))
    with pytest.raises(
        DataError, match=r"x, line \d+: the compressed file is truncated or damaged"
    ):
        read_lines(tmp_path / "x")
    with pytest.raises(
        DataError, match=r"x, line \d+: the compressed file is truncated or damaged"
    ):
        list(text_blocks(tmp_path / "x", longest=1000))


@pytest.mark.parametrize("size", tiers(300_000, 3_000_000))
@pytest.mark.parametrize("pack", PACKERS)
def test_large_members(tmp_path: Path, pack: Pack, size: int) -> None:
    data = np.random.default_rng(1).integers(0, 9, size).astype(np.uint8).tobytes()
    (tmp_path / "x").write_bytes(pack(data) + pack(data[:100]))
    with open_binary(tmp_path / "x") as stream:
        assert data + data[:100] == stream.read()


@pytest.mark.parametrize("pack", PACKERS)
def test_a_line_without_end(tmp_path: Path, pack: Pack, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(isogloss.align.files.text_io, "LONGEST_LINE", 1000)
    (tmp_path / "x").write_bytes(pack(b"short\n" + bytes(10**7)))
    lines = iter_lines(tmp_path / "x")
    assert "short" == next(lines)
    with pytest.raises(DataError, match=r"x, line 2: the line is longer than 1000 bytes"):
        next(lines)


@pytest.mark.thorough
@pytest.mark.parametrize("size", tiers(1 << 27, 1 << 28))
@pytest.mark.parametrize("pack", PACKERS)
def test_little_is_unpacked_at_a_time(tmp_path: Path, pack: Pack, size: int) -> None:
    """However much an archive of some KB holds."""
    (tmp_path / "x").write_bytes(pack(bytes(size)))
    with open_binary(tmp_path / "x") as stream:
        assert bytes(10) == stream.read(10)
        source = stream.raw  # type: ignore[attr-defined]
        while isinstance(source, io.BufferedReader):
            source = source.raw
        assert len(getattr(source, "_content", b"")) <= 1 << 26


@pytest.mark.parametrize("pack", [bz2.compress, lzma.compress, zstandard.compress])
def test_an_archive_that_would_fill_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pack: Pack
) -> None:
    monkeypatch.setattr(archives, "_ANY_DENSITY", 1 << 20)
    path = tmp_path / "packed"
    path.write_bytes(pack(b"a\n" * (3 << 20)))
    message = r"packed, line \d+: the archive expands to far more than its .* at most 4,"
    with pytest.raises(DataError, match=message):
        deque(text_blocks(path, longest=10), maxlen=0)
    path.write_bytes(pack(b"\n" * (1 << 20)))
    assert sum(len(block) + 1 for block in text_blocks(path, longest=10)) == 1 << 20


@pytest.mark.parametrize("pack", PACKERS)
def test_an_archive_of_empty_lines(tmp_path: Path, pack: Pack) -> None:
    path = tmp_path / "packed"
    path.write_bytes(pack(b"a\n" + b"\n" * MAX_EMPTY + b"b\n"))
    assert len(read_lines(path)) == MAX_EMPTY + 2
    path.write_bytes(pack(b"a\n" + b"\n" * (3 * MAX_EMPTY)))
    message = (
        r"packed, line \d+: the archive contains more than 1,048,576 empty lines in a row; exp"
    )
    with pytest.raises(DataError, match=message):
        read_lines(path)
