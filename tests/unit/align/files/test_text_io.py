"""Compressed files and standard input, line by line."""

import bz2
import gzip
import io
import os
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
import zstandard

from isogloss.align.errors import DataError
from isogloss.align.files.inputs.opening import FileShare, open_binary
from isogloss.align.files.text_io import iter_lines, raw_lines, read_lines, text_blocks
from isogloss.align.language_model.ngrams import NgramModel
from isogloss.align.text.readers import read_bitext, read_sentences

SKIPPABLE = b"\x50\x2a\x4d\x18\x04\x00\x00\x00abcd"  # as pzstd writes before each frame


def line_blocks(path: Path, *, longest: int) -> Iterator[list[str]]:
    """The lines of each block."""
    return (block.decode().split("\n") for block in text_blocks(path, longest=longest))


def zst(data: bytes) -> bytes:
    return zstandard.ZstdCompressor(write_checksum=True).compress(data)


def numbers(count: int) -> list[str]:
    return [str(number) for number in np.random.default_rng(0).integers(0, 10**9, count)]


@pytest.fixture
def stdin(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """Put bytes on standard input, from a file as the shell's < does."""

    def put(data: bytes) -> None:
        (tmp_path / "stdin").write_bytes(data)
        monkeypatch.setattr(sys, "stdin", (tmp_path / "stdin").open(encoding="utf-8"))

    return put


@pytest.mark.parametrize(
    "packed",
    [
        zst(b"a\nb") + zst(b"c\nd\n"),
        zst(b"a\nbc\n") + zst(b"") + SKIPPABLE + zst(b"d\n"),
        SKIPPABLE + zst(b"a\nbc\nd\n"),
        b"".join(zst(bytes([byte])) for byte in b"a\nbc\nd\n"),
    ],
)
def test_all_frames_of_a_zst_file_are_read(tmp_path: Path, packed: bytes) -> None:
    path = tmp_path / "x"
    path.write_bytes(packed)
    assert read_lines(path) == ["a", "bc", "d"]


def test_a_zst_file_of_many_blocks(tmp_path: Path) -> None:
    lines = numbers(200_000)
    text = "\n".join(lines).encode()
    half = len(text) // 2
    (tmp_path / "x").write_bytes(zst(text[:half]) + zst(text[half:]))
    assert lines == read_lines(tmp_path / "x")


def test_a_long_window(tmp_path: Path) -> None:
    parameters = zstandard.ZstdCompressionParameters.from_level(1, window_log=28)
    packer = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    (tmp_path / "x").write_bytes(packer.compress(b"a\nb\n") + packer.flush())
    assert read_lines(tmp_path / "x") == ["a", "b"]


@pytest.mark.parametrize("keep", [3, 0.5, -1])
@pytest.mark.parametrize("whole_frames", [0, 1])
def test_a_zst_file_cut_short(tmp_path: Path, keep: float, whole_frames: int) -> None:
    frame = zst("\n".join(numbers(20_000)).encode())
    end = int(len(frame) * keep) if isinstance(keep, float) else keep
    (tmp_path / "x").write_bytes(zst(b"a\nb\n") * whole_frames + frame[:end])
    if whole_frames == 0 and keep == 3:  # too little to be told from text
        with pytest.raises(DataError, match="line 1: byte 0xb5 at column 2 is not UTF-8"):
            read_lines(tmp_path / "x")
        return
    with pytest.raises(
        DataError,
        match=r"x, line \d+: the compressed file is truncated or damaged in or after this line "
        r"\(Compressed file ended before the end of a member\)\. Fetch",
    ) as caught:
        read_lines(tmp_path / "x")
    assert caught.value.line is not None
    assert caught.value.line >= 2 * whole_frames


def test_a_zst_file_with_a_wrong_checksum(tmp_path: Path) -> None:
    packed = bytearray(zst(b"a\nb\n"))
    packed[-1] ^= 0xFF
    (tmp_path / "x").write_bytes(packed)
    with pytest.raises(DataError, match=r"damaged in or after this line \(.*checksum"):
        read_lines(tmp_path / "x")


def test_rubbish_behind_a_zst_frame(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(zst(b"a\nb\n") + b"rubbish")
    with pytest.raises(DataError, match="x, line 2: the compressed file is truncated or damaged"):
        read_lines(tmp_path / "x")


def test_a_damaged_zst_language_model(tmp_path: Path) -> None:
    """Readers that catch the damage of other archives themselves catch that of zst."""
    packed = zst(b"\\data\\\n" + b"\n" * 100_000)
    (tmp_path / "x").write_bytes(packed[:-3])
    with pytest.raises(DataError, match="before the end of a member"):
        NgramModel.load(tmp_path / "x")


def test_lines_are_read_as_they_are_asked_for(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"a\nb\n\xff\n")
    lines = iter_lines(tmp_path / "x")
    assert next(lines) == "a"
    assert next(lines) == "b"
    with pytest.raises(DataError, match="line 3: byte 0xff"):
        next(lines)


@pytest.mark.parametrize("pack", [bytes, gzip.compress, zst])
@pytest.mark.parametrize("path", ["-", Path("-")])
def test_standard_input(stdin, pack, path: str | Path) -> None:
    stdin(pack("a é\n\nb".encode()))
    assert read_lines(path) == ["a é", "", "b"]


def test_standard_input_without_a_file_behind_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(zst(b"a\n"))))
    assert list(raw_lines("-")) == [b"a"]


def test_standard_input_is_given_once(stdin) -> None:
    stdin(b"a\n")
    assert read_sentences("-") == [["a"]]
    message = "standard input is closed or already in use. Pass the other inputs as files"
    with pytest.raises(DataError, match=message):
        read_sentences("-")
    stdin(b"a\n")
    with pytest.raises(DataError, match=message):
        read_bitext("-", "-")


def test_no_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(DataError, match="standard input is closed"), open_binary("-"):
        pass


def test_blocks_hold_the_same_lines(tmp_path: Path) -> None:
    lines = [*numbers(300_000), "", "é\u2028x", "", "last"]
    for text in ("\n".join(lines) + "\n", "\n".join(lines)):
        (tmp_path / "file.gz").write_bytes(gzip.compress(text.encode(), 1))
        blocks = list(line_blocks(tmp_path / "file.gz", longest=100))
        assert len(blocks) > 2
        assert lines == [line for block in blocks for line in block]
    (tmp_path / "empty").touch()
    assert [] == list(line_blocks(tmp_path / "empty", longest=100))


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, zstandard.compress])
def test_the_share_of_a_file_that_is_read(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    """It rises from block to block, whatever the file is packed with, and ends at the whole."""
    rng = np.random.default_rng(1)
    lines = [" ".join(map(str, row)) for row in rng.integers(10**9, size=(1 << 16, 12))]
    (tmp_path / "x").write_bytes(pack("".join(f"{line}\n" for line in lines).encode()))
    share, shares = FileShare(), list[float]()
    assert share.read is None
    for _ in text_blocks(tmp_path / "x", longest=1000, share=share):
        assert share.read is not None
        shares.append(share.read)
    assert shares == sorted(shares)
    assert 0 < shares[0] < 0.3
    assert 0.4 < shares[len(shares) // 2] < 0.75
    assert shares[-1] == pytest.approx(1.0, abs=0.001)


def test_of_a_pipe_nobody_knows_the_share(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x")
    writer = threading.Thread(target=(tmp_path / "x").write_text, args=("a\n",))
    writer.start()
    share = FileShare()
    assert [*text_blocks(tmp_path / "x", longest=9, share=share)] == [b"a"]
    writer.join()
    assert share.read is None


def test_blocks_of_text_that_needs_a_closer_look(tmp_path: Path) -> None:
    lines = numbers(200_000)
    text = b"\xef\xbb\xbf" + "\n".join(lines).encode() + b"\r\nx\ny\xff\n"
    (tmp_path / "file").write_bytes(text)
    read: list[str] = []
    with (
        pytest.warns(UserWarning, match="a byte order mark was removed"),
        pytest.raises(DataError, match="line 200002: byte 0xff at column 2 is not UTF-8"),
    ):
        for block in line_blocks(tmp_path / "file", longest=100):
            read += block
    assert read == lines[: len(read)]
    (tmp_path / "file").write_bytes(text.replace(b"\xff", b"").removeprefix(b"\xef\xbb\xbf"))
    with pytest.warns(UserWarning, match="carriage return at the end of 1 line was"):
        read = [line for block in line_blocks(tmp_path / "file", longest=100) for line in block]
    assert read == [*lines, "x", "y"]


@pytest.mark.parametrize("end", ["", "\n", "\nz\n"])
def test_the_longest_line(tmp_path: Path, end: str) -> None:
    lines = [*numbers(150_000), "x" * 100]
    (tmp_path / "file").write_text("\n".join(lines) + end)
    blocks = line_blocks(tmp_path / "file", longest=100)
    assert [*lines, "z"][: len(lines) + end.count("z")] == [
        line for block in blocks for line in block
    ]
    with pytest.raises(
        DataError,
        match=r"line 150001: the line is longer than 99 bytes.* "
        r"line feeds",
    ):
        list(line_blocks(tmp_path / "file", longest=99))


@pytest.mark.parametrize(
    "content",
    ["", "\n", "\n\n", "a", "a\n\nb", "\n" * 1_000_000, "a\n" + "x" * 3_000_000 + "\n\né\n"],
    ids=["none", "empty", "two empty", "one", "gap", "many empty", "long"],
)
def test_all_lines_are_those_read_one_by_one(tmp_path: Path, content: str) -> None:
    (tmp_path / "x.gz").write_bytes(gzip.compress(content.encode(), 1))
    assert read_lines(tmp_path / "x.gz") == list(iter_lines(tmp_path / "x.gz"))


def test_a_line_over_many_blocks(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("a\n" + "x" * 3_000_000 + "\nb\n")
    blocks = line_blocks(tmp_path / "file", longest=3_000_000)
    assert [1, 3_000_000, 1] == [len(line) for block in blocks for line in block]


def test_blocks_of_a_damaged_archive(tmp_path: Path) -> None:
    packed = gzip.compress("\n".join(numbers(200_000)).encode())
    (tmp_path / "file.gz").write_bytes(packed[: len(packed) // 2])
    num_lines = 0
    with pytest.raises(DataError, match=r"line (\d+): .*truncated or damaged") as caught:
        for block in line_blocks(tmp_path / "file.gz", longest=100):
            num_lines += len(block)
    with pytest.raises(DataError) as by_line:
        list(iter_lines(tmp_path / "file.gz"))
    assert caught.value.line == by_line.value.line
    assert caught.value.line in (num_lines, num_lines + 1)


def test_a_file_of_more_lines_than_it_may_have(tmp_path):
    path = tmp_path / "many.gz"
    path.write_bytes(gzip.compress(b"a\n" * 3_000_000))
    assert len(read_lines(path, most=3_000_000)) == 3_000_000
    with pytest.raises(
        DataError,
        match=r"many.gz, line 1001: the file has more "
        r"than 1,000 lines",
    ):
        read_lines(path, most=1000)


@pytest.mark.parametrize("end", [b"", b"\r", b"\n", b"\r\n"])
def test_line_ends_of_old_macs(tmp_path: Path, end: bytes) -> None:
    """A file of one line is refused; among other lines, a carriage return is a character."""
    path = tmp_path / "x"
    path.write_bytes(b"0-0\r1-1\r2-2\r3-3" + end)
    for read in (read_lines, iter_lines):
        with (
            pytest.raises(
                DataError,
                match=r"x, line 1: the file is one line with 3 carriage returns inside; expected "
                r"lines that end with a line feed\. Convert line ends of old Macs with `tr '.r' ",
            ),
        ):
            list(read(path))
    path.write_bytes(b"a\rb\rc\rd\re\nf\n")
    assert list(iter_lines(path)) == read_lines(path) == ["a\rb\rc\rd\re", "f"]
