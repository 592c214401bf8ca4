"""KenLM's tries: all n-grams of one, listed.

A trie begins with the newest word: the children of an n-gram are those that an older word extends
it to. The entries of an order stand one behind the other as bits, those of one parent side by side;
each holds its older word, its probability and backoff or the numbers of these in tables, and where
its children begin (Heafield 2011), high bits of which may stand apart (Raj & Whittaker 2003).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import pluralize
from .kenlm_files import LARGEST_LOG, KenlmFile
from .ngrams import NgramModel
from .words import BEGIN, END, MARKERS

__all__ = ["read_trie"]

_UNIGRAM = np.dtype([("probability", "<f4"), ("backoff", "<f4"), ("next", "<u8")])
_QUANTIZED, _COMPRESSED = (3, 5), (4, 5)  # kinds
_QUANTIZATION_VERSION, _COMPRESSION_VERSION = 2, 0
_MOST_BITS = 25  # of the number of a value in its table
_PROBABILITY, _BACKOFF = 31, 32  # bits; a probability has no sign
_SPARE = 8  # bytes behind packed bits
_BLOCK = 1 << 18  # entries unpacked at a time


@dataclass(frozen=True)
class _Tables:
    """How many bits the numbers of values have, and the values: float32 each."""

    # Those of the longest n-grams have no backoff.

    probability_bits: int
    backoff_bits: int
    values: tuple[tuple[NDArray[np.float32], NDArray[np.float32]], ...]


@dataclass(frozen=True)
class _Level:
    """How the entries of an order are packed."""

    # at: first byte of their bits; count: of entries, behind which one more says where children end
    # word, probability, backoff, child: bits of each part, 0 = it isn't there
    # tables: values of probabilities and backoffs, None = they are themselves there
    # high: int64, the first entries whose children begin at each multiple of 2 ** child; None = all
    #   bits of that stand in the entry

    at: int
    count: int
    word: int
    probability: int
    backoff: int
    child: int
    tables: tuple[NDArray[np.float32], NDArray[np.float32]] | None = None
    high: NDArray[np.int64] | None = None

    @property
    def bits(self) -> int:
        """Bits of an entry."""
        return self.word + self.probability + self.backoff + self.child

    @property
    def end(self) -> int:
        """Byte behind the entries."""
        return self.at + ((1 + self.count) * self.bits + 7) // 8 + _SPARE


@dataclass(frozen=True)
class _Entries:
    """What the entries of an order say: older word, log10 values, first child, a row each."""

    word: NDArray[np.int64]
    probability: NDArray[np.float32]
    backoff: NDArray[np.float32]
    child: NDArray[np.int64]


def read_trie(file: KenlmFile) -> NgramModel:
    """All n-grams of a trie, those that fill holes of pruning among them.

    Raises DataError for a damaged file.
    """
    at = file.start + 8 + 8 * file.counts[0]  # behind the hashes of the words
    tables = _read_tables(file, at) if file.kind in _QUANTIZED else None
    if tables is not None:
        at += 8 + 4 * sum(len(values) for pair in tables.values for values in pair)
    levels = _levels(file, at + _UNIGRAM.itemsize * (file.counts[0] + 2), tables)
    words = file.words(levels[-1].end)
    if len(words) != file.counts[0]:
        raise file.error(
            f"the vocabulary has {pluralize(len(words), 'word')}",
            f"{file.counts[0]}, one per 1-gram",
        )
    unigrams = file.array(at, _UNIGRAM, len(words) + 1)
    rows = np.arange(len(words), dtype=np.int32)[:, None]
    ngrams, probabilities = [rows], [unigrams["probability"][:-1]]
    backoffs, child = [unigrams["backoff"][:-1]], unigrams["next"].astype(np.int64)
    for order, level in enumerate(levels, start=2):
        parents = _parents(file, child, level.count, order)
        entries = _read_level(file, level)
        if len(parents) and entries.word[:-1].max() >= len(words):
            raise file.error(
                f"a {order}-gram contains the word number {entries.word[:-1].max():,}",
                "numbers of the vocabulary",
            )
        rows = np.column_stack([entries.word[:-1].astype(np.int32), rows[parents]])
        ngrams.append(rows)
        probabilities.append(entries.probability[:-1])
        backoffs.append(entries.backoff[:-1])
        child = entries.child
    for order, values in enumerate(zip(probabilities, backoffs, strict=True), start=1):
        _check_values(file, *values, order)
    return _renumbered(words, ngrams, probabilities, backoffs)


def _read_tables(file: KenlmFile, at: int) -> _Tables:
    """The tables of quantized values, which begin at byte ``at``."""
    version, probability, backoff = file.array(at, np.uint8, 3).tolist()
    if version != _QUANTIZATION_VERSION:
        raise file.error(
            f"the quantization has version {version}", f"version {_QUANTIZATION_VERSION}"
        )
    if not (1 <= probability <= _MOST_BITS and 1 <= backoff <= _MOST_BITS):
        raise file.error(
            f"the values have {probability} and {backoff} bits", f"between 1 and {_MOST_BITS}"
        )
    at += 8
    values = []
    for order in range(2, file.order + 1):
        sizes = 1 << probability, (1 << backoff) if order < file.order else 0
        both = file.array(at, "<f4", sum(sizes))
        values.append((both[: sizes[0]], both[sizes[0] :]))
        at += both.nbytes
    return _Tables(probability, backoff, tuple(values))


def _levels(file: KenlmFile, at: int, tables: _Tables | None) -> list[_Level]:
    """How the orders from 2 on are packed, the first of which begins at byte ``at``."""
    counts, word = file.counts, file.counts[0].bit_length()
    sizes = (_PROBABILITY, _BACKOFF)
    if tables is not None:
        sizes = (tables.probability_bits, tables.backoff_bits)
    compressed = file.kind in _COMPRESSED and file.order > 2
    most = _compression(file, at) if compressed else 0
    levels: list[_Level] = []
    for order in range(2, file.order + 1):
        values = tables.values[order - 2] if tables is not None else None
        count, backoff, child, high = counts[order - 1], 0, 0, None
        if order < file.order:
            backoff, child = sizes[1], counts[order].bit_length()
        if compressed and order < file.order:
            child -= _bits_apart(count + 1, counts[order], most)
            num = (counts[order] >> child) + 1
            high = file.array(-(-at // 8) * 8 + 8, "<u8", num).astype(np.int64)
            at += 8 * (1 + num) + 7
            if high[0] != 0 or (high[1:] < high[:-1]).any():
                raise file.error("the offsets of children decrease", "increasing offsets from 0")
        levels.append(_Level(at, count, word, sizes[0], backoff, child, values, high))
        at = levels[-1].end
    return levels


def _compression(file: KenlmFile, at: int) -> int:
    """Most bits of a child's place that stand apart, as the header at byte ``at`` says."""
    version, bits = file.array(at, np.uint8, 2).tolist()
    if version != _COMPRESSION_VERSION:
        expected = f"version {_COMPRESSION_VERSION}"
        raise file.error(f"the compressed pointers have version {version}", expected)
    return int(bits)


def _bits_apart(num: int, largest: int, most: int) -> int:
    """How many high bits of the children's places stand apart: those that save the most memory."""
    # num: of places; largest: place; most: bits
    bits = largest.bit_length()
    costs = [(largest >> (bits - apart)) * 64 - num * apart for apart in range(min(bits, most) + 1)]
    return costs.index(min(costs))


def _read_level(file: KenlmFile, level: _Level) -> _Entries:
    """All entries of an order, and the one behind them."""
    parts = list(zip(*_blocks(file, level), strict=True))
    return _Entries(*(np.concatenate(part) for part in parts))


def _blocks(file: KenlmFile, level: _Level) -> Iterator[tuple[NDArray[Any], ...]]:
    """Parts of the entries in the order of `_Entries`, some entries at a time."""
    for begin in range(0, level.count + 1, _BLOCK):
        num = min(_BLOCK, level.count + 1 - begin)
        first = begin * level.bits
        content = file.array(level.at + first // 8, np.uint8, (num * level.bits + 14) // 8 + 7)
        bits = first % 8 + level.bits * np.arange(num)
        word = _unpacked(content, bits, level.word)
        bits += level.word
        if level.tables is None:
            sign = np.uint32(1 << _PROBABILITY)
            packed = _unpacked(content, bits, level.probability).astype(np.uint32) | sign
            probability = packed.view(np.float32)
            packed = _unpacked(content, bits + level.probability, level.backoff).astype(np.uint32)
            backoff = packed.view(np.float32)
        else:
            values, backoffs = level.tables
            backoff = np.zeros(num, np.float32)
            if level.backoff:
                backoff = backoffs[_unpacked(content, bits, level.backoff)]
            probability = values[_unpacked(content, bits + level.backoff, level.probability)]
        bits += level.probability + level.backoff
        child = _unpacked(content, bits, level.child)
        if level.high is not None:
            apart = np.searchsorted(level.high, np.arange(begin, begin + num), "right") - 1
            child |= apart << level.child
        yield word, probability, backoff, child


def _unpacked(
    content: NDArray[np.uint8], bits: NDArray[np.int64], length: int
) -> NDArray[np.int64]:
    """Numbers of ``length`` bits, up to 57, that begin at given bits: int64[len(bits)]."""
    eight = np.ndarray((len(content) - 7,), "<u8", content, strides=(1,))
    shifted = eight[bits >> 3] >> (bits & 7).astype(np.uint64)
    numbers: NDArray[np.int64] = (shifted & np.uint64((1 << length) - 1)).astype(np.int64)
    return numbers


def _parents(
    file: KenlmFile, child: NDArray[np.int64], count: int, order: int
) -> NDArray[np.int64]:
    """The parent of each entry of an order, int64[count]."""
    # child: int64[num_parents + 1], the first child of each; the last, where they end
    # compared, as differences of damaged ones may be beyond 64 bits
    if child[0] != 0 or child[-1] != count or (child[1:] < child[:-1]).any():
        raise file.error(
            f"the offsets of {order}-grams are invalid", f"increasing offsets from 0 to {count:,}"
        )
    return np.repeat(np.arange(len(child) - 1), np.diff(child))


def _check_values(
    file: KenlmFile, probability: NDArray[np.float32], backoff: NDArray[np.float32], order: int
) -> None:
    """Raise DataError for numbers that stand for no probability."""
    bad = ~((np.abs(probability) <= LARGEST_LOG) & (np.abs(backoff) <= LARGEST_LOG))
    bad |= probability > 0.0
    if bad.any():
        shown = f"{probability[bad][0]:g}, {backoff[bad][0]:g}"
        raise file.error(
            f"the values of a {order}-gram are {shown}", "a log probability and a finite backoff"
        )


def _renumbered(
    words: tuple[str, ...],
    ngrams: list[NDArray[np.int32]],
    probabilities: list[NDArray[np.float32]],
    backoffs: list[NDArray[np.float32]],
) -> NgramModel:
    """The model whose words begin with the markers, by columns of the trie's order of words."""
    first = [0, words.index(MARKERS[BEGIN]), words.index(MARKERS[END])]
    others = np.setdiff1d(np.arange(len(words)), first)
    order = np.concatenate([first, others])
    numbers = np.empty(len(words), np.int32)
    numbers[order] = np.arange(len(words), dtype=np.int32)
    return NgramModel(
        len(ngrams),
        tuple(words[number] for number in order),
        tuple(numbers[rows] for rows in ngrams),
        tuple(probabilities),
        (*(values + np.float32(0.0) for values in backoffs[:-1]), np.zeros_like(backoffs[-1])),
    )
