"""The header and the words of KenLM's binaries, and what is said of damaged ones."""

import os
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from isogloss.align.errors import DataError
from isogloss.align.language_model.kenlm_files import PROBING, KenlmFile, is_kenlm
from isogloss.align.language_model.words import MARKERS
from tests.naive.kenlm_binary import probing_file
from tests.unit.tune.decoder.test_language_model import random_model

MODEL = random_model(3, 3)
CONTENT = probing_file(MODEL)
TEXT = "".join(f"{word}\0" for word in MODEL.words).encode()
WORDS = len(CONTENT) - len(TEXT)  # byte where they begin
FIRST = CONTENT[:88]


def put(at: int, form: str, *values: float) -> Callable[[bytes], bytes]:
    packed = struct.pack("<" + form, *values)
    return lambda content: content[:at] + packed + content[at + len(packed) :]


def other(old: bytes, new: bytes) -> Callable[[bytes], bytes]:
    return lambda content: content.replace(old, new, 1)


def test_what_the_header_says(tmp_path: Path) -> None:
    (tmp_path / "lm").write_bytes(CONTENT)
    assert is_kenlm(tmp_path / "lm")
    with KenlmFile(tmp_path / "lm") as file:
        assert (file.kind, file.order, file.multiplier) == (PROBING, 3, 1.5)
        assert file.counts == tuple(map(len, MODEL.ngrams))
        assert file.start == 136
        assert file.words(WORDS) == MODEL.words
        assert [len(block) for block in file.blocks(0, "<u8", 10)] == [10]


def test_other_files_are_not_kenlms(tmp_path: Path) -> None:
    (tmp_path / "lm").write_bytes(b"\\data\\\n")
    os.mkfifo(tmp_path / "pipe")
    for name in ("lm", "pipe", "none", "."):
        assert not is_kenlm(tmp_path / name)
    with pytest.raises(DataError, match=r"none cannot be read: No such file.*\. Check"):
        KenlmFile(tmp_path / "none")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (other(b"version 5", b"version 4"), "the binary language model has version 4; expected"),
        (other(FIRST, b"mmap lm http://kheafield.com/code incomplete\n".ljust(88, b"\0")),
         "the binary language model is incomplete. Rebuild it with"),
        (put(60, "I", 0x803F), "the test values are damaged or from another platform; expected a"),
        (lambda content: content[:70], "the file begins with 'mmap lm http://kheafield.com/code"),
        (lambda content: content[:90], "the file has 90 bytes; expected at least 108, according"),
        (lambda content: content[:120], "the file has 120 bytes; expected at least 132,"),
        (put(88, "B", 1), "the order of the model is 1; expected between 2 and 32"),
        (put(88, "B", 33), "the order of the model is 33; expected between 2 and 32"),
        (put(92, "f", np.nan), "the model has nan slots per n-gram; expected a number above 1"),
        (put(92, "f", np.inf), "the model has inf slots per n-gram; expected a number above 1"),
        (put(92, "f", 1.0), "the model has 1.0 slots per n-gram; expected a number above 1"),
        (put(96, "I", 6), "the type of the model is kind 6, version 0; expected one of probing"),
        (put(96, "I", 2), "the type of the model is trie, version 0; expected one"),
        (put(104, "I", 1), "the type of the model is probing hash tables, version 1;"),
        (put(100, "B", 0), "the binary language model lacks its vocabulary"),
        (put(116, "Q", 10**12), r"the header declares \[9, 1000000000000, 37\] n-grams in a file"),
        (put(108, "Q", 0), r"the header declares \[0, 29, 37\] n-grams in a file of 1,761 bytes;"),
    ],
)  # fmt: skip
def test_headers_that_can_not_be(
    tmp_path: Path, change: Callable[[bytes], bytes], message: str
) -> None:
    (tmp_path / "lm").write_bytes(change(CONTENT))
    with pytest.raises(DataError, match=f"lm: {message}") as error:
        KenlmFile(tmp_path / "lm")
    assert error.value.remedy


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (other(b"<unk>\0", b"<unk>"), "the vocabulary at byte 1,728 begins with"),
        (lambda content: content[:-1], "the vocabulary at byte 1,728 begins with"),
        (lambda content: content[:WORDS], "the vocabulary at byte 1,728 begins with ''; expected"),
        (lambda content: content[: WORDS - 1], "the file has 1,727 bytes; expected at least"),
        (other(b"w1\0", b"\xff1\0"), r"word 4 is '\\\\xff1'; expected UTF-8 text. Convert the"),
        (lambda content: content + b"w8\0w9\0", "the vocabulary has 11 words; expected 9, one"),
        (other(b"w1\0w2\0", b""), "the vocabulary has 7 words; expected 9, one per 1-gram"),
        (other(b"\0<s>\0", b"\0(s)\0"), "the vocabulary does not contain <s>; expected <unk> <s>"),
        (other(b"</s>\0", b"<.s>\0"), "the vocabulary does not contain </s>; expected <unk> <s>"),
        (other(b"w1\0", b"w2\0"), "a word occurs twice."),
        (other(b"w1\0w2", b"<s>\0w"), "a word occurs twice"),
        (other(b"w1\0", b"w \0"), "a word is empty or contains whitespace; expected words"),
        (other(b"w1\0w2", b"\0w1w2"), "a word is empty or contains whitespace; expected words"),
    ],
)
def test_words_that_can_not_be(
    tmp_path: Path, change: Callable[[bytes], bytes], message: str
) -> None:
    (tmp_path / "lm").write_bytes(change(CONTENT))
    with KenlmFile(tmp_path / "lm") as file, pytest.raises(DataError, match=f"lm: {message}"):
        file.words(WORDS)


def test_a_file_without_unknown_words_counts_none(tmp_path: Path) -> None:
    """KenLM adds <unk> to a model without it, and leaves the number of unigrams as it is."""
    (tmp_path / "lm").write_bytes(CONTENT + b"w9\0")
    with KenlmFile(tmp_path / "lm") as file:
        assert file.words(WORDS) == (*MODEL.words, "w9")
    assert MODEL.words[:3] == MARKERS


def test_a_file_that_is_cut_off_while_it_is_read(tmp_path: Path) -> None:
    (tmp_path / "lm").write_bytes(CONTENT)
    with KenlmFile(tmp_path / "lm") as file:
        os.truncate(tmp_path / "lm", 200)
        with pytest.raises(DataError, match="the file was truncated while it was read; expected"):
            file.words(WORDS)
