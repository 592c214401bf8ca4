"""Checksums of files, and of a header in itself."""

import json
import re
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.align.files.checksums import checksum, file_sums, find_damage, is_intact, seal

HEADERS = st.dictionaries(st.text(), st.integers() | st.text() | st.lists(st.integers()))


@given(HEADERS)
def test_a_sealed_header_is_intact(header: dict[str, object]) -> None:
    text = seal(header)
    assert is_intact(text)
    sealed = json.loads(text)
    assert header | {"checksum": sealed["checksum"]} == sealed


@given(HEADERS, st.data())
def test_any_other_byte_is_noticed(header: dict[str, object], data: st.DataObject) -> None:
    text = bytearray(seal(header))
    position = data.draw(st.integers(0, len(text) - 1))
    text[position] ^= data.draw(st.integers(1, 255))
    assert not is_intact(bytes(text))
    assert not is_intact(json.dumps(header).encode())


@pytest.mark.parametrize("size", [0, 5, (1 << 20) + 3])
def test_the_checksum_is_that_of_all_blocks(tmp_path: Path, size: int) -> None:
    content = bytes(k % 251 for k in range(size))
    (tmp_path / "file").write_bytes(content)
    assert f"{zlib.crc32(content):08x}" == checksum(tmp_path / "file")


def test_damage_is_named(tmp_path: Path) -> None:
    for name in ("changed", "gone", "longer", "unread", "whole"):
        (tmp_path / name).write_text(name)
    sums = file_sums(tmp_path)
    assert [] == list(find_damage(tmp_path, sums))
    (tmp_path / "changed").write_text("changer")
    (tmp_path / "gone").unlink()
    (tmp_path / "longer").write_text("longer1")
    (tmp_path / "unread").write_text("Unread")
    expected = [
        "changed has changed since it was written (CRC-32)",
        "gone cannot be read (No such file or directory)",
        "longer has 7 bytes; it was written with 6",
    ]
    assert expected == list(find_damage(tmp_path, sums, size_only=["unread"]))
    assert re.match("unread has changed", list(find_damage(tmp_path, sums))[-1])
