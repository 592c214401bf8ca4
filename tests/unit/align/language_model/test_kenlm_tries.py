"""Tries of KenLM: the n-grams that a slow twin has written, and damaged files."""

import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from isogloss.align.errors import DataError
from isogloss.align.language_model.kenlm_files import KenlmFile
from isogloss.align.language_model.kenlm_tries import read_trie
from isogloss.align.language_model.ngrams import NgramModel
from tests.naive.kenlm_binary import trie_file
from tests.unit.tune.decoder.test_language_model import random_model

Ngrams = dict[tuple[str, ...], tuple[float, float]]


def ngrams_of(model: NgramModel) -> list[Ngrams]:
    columns = zip(model.ngrams, model.log_probability, model.log_backoff, strict=True)
    return [
        {tuple(model.words[i] for i in row): values for row, *values in zip(*of_order, strict=True)}
        for of_order in ([array.tolist() for array in column] for column in columns)
    ]


def read(path: Path) -> NgramModel:
    with KenlmFile(path) as file:
        return read_trie(file)


@pytest.mark.parametrize("apart", [None, 0, 3, 30])
@pytest.mark.parametrize("bits", [None, (10, 9)])
@pytest.mark.parametrize("order", [2, 3, 6])
def test_all_ngrams_are_listed(
    tmp_path: Path, order: int, bits: tuple[int, int] | None, apart: int | None
) -> None:
    model = random_model(order, order, 30, num_lines=60, drop=0.3)
    (tmp_path / "lm").write_bytes(trie_file(model, quantized=bits, apart=apart))
    assert ngrams_of(read(tmp_path / "lm")) == ngrams_of(model)


def test_orders_of_many_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isogloss.align.language_model.kenlm_tries._BLOCK", 7)
    model = random_model(5, 4, 30, num_lines=60)
    for apart in (None, 3):
        (tmp_path / "lm").write_bytes(trie_file(model, apart=apart))
        assert ngrams_of(read(tmp_path / "lm")) == ngrams_of(model)


MODEL = random_model(3, 3, 30, num_lines=60)
WORDS, BIGRAMS = (len(rows) for rows in MODEL.ngrams[:2])
UNIGRAMS = 136 + 8 + 8 * WORDS  # bytes before them, where nothing is quantized


def put(at: int, form: str, *values: float) -> Callable[[bytes], bytes]:
    packed = struct.pack("<" + form, *values)
    return lambda content: content[:at] + packed + content[at + len(packed) :]


def one_place_more(content: bytes) -> bytes:
    """The last of all places of children."""
    (value,) = struct.unpack_from("<Q", content, UNIGRAMS + 16 * WORDS + 8)
    return put(UNIGRAMS + 16 * WORDS + 8, "Q", value + 1)(content)


@pytest.mark.parametrize(
    ("options", "change", "message"),
    [
        ({}, put(UNIGRAMS, "f", np.nan), "the values of a 1-gram are nan, 0; expected a log"),
        ({}, put(UNIGRAMS, "f", 0.5), "the values of a 1-gram are 0.5, 0; expected a log"),
        ({}, put(UNIGRAMS + 4, "f", -np.inf), "the values of a 1-gram are -0.626353, -inf;"),
        ({}, put(UNIGRAMS + 8, "Q", 1), "the offsets of 2-grams are invalid; expected"),
        ({}, put(UNIGRAMS + 24, "Q", 1 << 63), "the offsets of 2-grams are invalid; expected"),
        ({}, put(UNIGRAMS + 24, "Q", 1 << 40), "the offsets of 2-grams are invalid; expected"),
        ({}, put(UNIGRAMS + 24, "Q8xQ8xQ", (1 << 63) - 1, 1 << 63, 3 << 62),
         "the offsets of 2-grams are invalid; expected"),  # differences would all be positive
        ({}, one_place_more, "the offsets of 2-grams are invalid; expected"),
        ({}, put(UNIGRAMS + 16 * (WORDS + 2), "Q", 0x3F), "a 2-gram contains the word number 63;"),
        ({}, put(108, "Q", WORDS - 1), "lm: .*; expected"),
        ({}, put(116, "Q", BIGRAMS + 40), "the file has 3,995 bytes; expected at least 4,255,"),
        ({}, lambda content: content + b"more\0", f"{WORDS + 1} words; expected {WORDS}, one per"),
        ({"quantized": (10, 9)}, put(UNIGRAMS, "B", 3), "the quantization has version 3;"),
        ({"quantized": (10, 9)}, put(UNIGRAMS + 1, "B", 0), "the values have 0 and 9 bits;"),
        ({"quantized": (10, 9)}, put(UNIGRAMS + 2, "B", 26), "the values have 10 and 26 bits;"),
        ({"quantized": (10, 9)}, put(UNIGRAMS + 1, "B", 25), "the file has 12,598 bytes;"),
        ({"quantized": (10, 9)}, put(UNIGRAMS + 8, "9f", *[2.0] * 9), "the values of a 2-gram"),
        ({"apart": 3}, put(UNIGRAMS + 16 * (WORDS + 2), "B", 1), "the compressed pointers have"),
        ({"apart": 3}, put(UNIGRAMS + 16 * (WORDS + 2) + 8, "Q", 9), "the offsets of children"),
    ],
)  # fmt: skip
def test_damaged_tries(
    tmp_path: Path, options: dict[str, object], change: Callable[[bytes], bytes], message: str
) -> None:
    (tmp_path / "lm").write_bytes(change(trie_file(MODEL, **options)))  # type: ignore[arg-type]
    with pytest.raises(DataError, match=message) as error:
        read(tmp_path / "lm")
    assert error.value.remedy


def test_tries_that_are_cut_off(tmp_path: Path) -> None:
    for content in (trie_file(MODEL), trie_file(MODEL, quantized=(10, 9), apart=3)):
        for size in range(0, len(content), 13):
            (tmp_path / "lm").write_bytes(content[:size])
            with pytest.raises(DataError, match=r"lm: .*; expected"):
                read(tmp_path / "lm")
