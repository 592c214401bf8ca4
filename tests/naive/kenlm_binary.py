"""Slow twin of the readers of KenLM's binaries: it writes such files, number by number.

What `kenlm` makes of the files is what shows that they are right.
"""

import struct
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from isogloss.align.language_model.ngrams import NgramModel

Gram = tuple[int, ...]
Level = dict[Gram, tuple[float, float]]  # log10 probability and backoff; oldest word first
_MASK = (1 << 64) - 1


def probing_file(
    model: NgramModel, *, multiplier: float = 1.5, words: Sequence[str] = (), rest: bool = False
) -> bytes:
    """A model as hash tables. words: in the order of their ids; rest: with rest costs?"""
    words, levels = _numbered(model, words or model.words)
    counts = [len(level) for level in levels]
    _fill_holes(levels)
    content = _header(1 if rest else 0, counts, multiplier, 0)
    content += struct.pack("<II", 0, len(words))
    rows = {_murmur(word.encode()): struct.pack("<I", k) for k, word in enumerate(words) if k}
    content += _hash_table(rows, _slots(counts[0], multiplier), 4)
    for level, count in zip(levels, counts, strict=True):
        longer = levels[levels.index(level) + 1] if level is not levels[-1] else {}
        suffixes, contexts = {gram[1:] for gram in longer}, {gram[:-1] for gram in longer}
        packed = {}
        for gram, (probability, backoff) in level.items():
            sign = 1.0 if gram in suffixes else -1.0
            numbers = [np.copysign(probability, sign)]
            if level is not levels[-1]:
                zero = 0.0 if gram in contexts else -0.0
                numbers += [backoff or zero] + [probability] * rest
            packed[gram] = struct.pack(f"<{len(numbers)}f", *numbers)
        if level is levels[0]:
            content += b"".join(packed[k,] for k in range(len(words)))
            content += bytes(len(packed[0,]))  # for an <unk> that the text may not have
            continue
        size = 4 if level is levels[-1] else 12 if rest else 8
        keys = {_key(gram): row for gram, row in packed.items()}
        content += _hash_table(keys, _slots(count, multiplier), size)
    return content + "".join(f"{word}\0" for word in words).encode()


def crowded_file(words: Sequence[str], keys: Sequence[int]) -> bytes:
    """Hash tables of unigrams, and of bigrams with these hashes, one slot behind the other."""
    content = _header(0, [len(words), len(keys)], 1.5, 0) + struct.pack("<II", 0, len(words))
    rows = {_murmur(word.encode()): struct.pack("<I", k) for k, word in enumerate(words) if k}
    content += _hash_table(rows, _slots(len(words), 1.5), 4)
    content += struct.pack("<ff", -1.0, 0.0) * (len(words) + 1)
    table = b"".join(struct.pack("<Qf", key, -1.0) for key in keys)
    content += table.ljust(12 * _slots(len(keys), 1.5), b"\0")
    return content + "".join(f"{word}\0" for word in words).encode()


def trie_file(
    model: NgramModel, *, quantized: tuple[int, int] | None = None, apart: int | None = None
) -> bytes:
    """A model as a trie.

    quantized: bits of the numbers of probabilities and of backoffs, enough for all that occur
    apart: at most so many bits of the children's places in arrays of their own
    """
    others = sorted(model.words[1:], key=lambda word: _murmur(word.encode()))
    words, levels = _numbered(model, [model.words[0], *others])
    _fill_holes(levels)
    counts, order = [len(level) for level in levels], len(levels)
    content = _header(2 + (quantized is not None) + 2 * (apart is not None), counts, 1.5, 1)
    content += struct.pack("<Q", len(others))
    content += b"".join(struct.pack("<Q", _murmur(word.encode())) for word in others) + bytes(8)
    tables = [_tables(level, quantized, level is levels[-1]) for level in levels[1:]]
    if quantized is not None:
        content += struct.pack("<BBB5x", 2, *quantized)
        content += b"".join(struct.pack(f"<{len(t)}f", *t) for pair in tables for t in pair)
    places = [sorted(level, key=lambda gram: gram[::-1]) for level in levels]
    first = [_first_children(*pair) for pair in pairwise(places)]
    for gram in places[0]:
        content += struct.pack("<ffQ", *levels[0][gram], first[0][gram[0]])
    content += struct.pack("<ffQ", 0.0, 0.0, first[0][-1]) + bytes(16)
    for k in range(1, order):
        child_bits = counts[k + 1].bit_length() if k + 1 < order else 0
        if apart is not None and k + 1 < order:
            saved = _bits_apart(counts[k] + 1, counts[k + 1], apart)
            child_bits -= saved
            content += _high_places(first[k], child_bits, counts[k + 1], len(content), apart)
        bits, at, entry = 0, 0, 0
        for number, gram in enumerate([*places[k], places[k][0]]):  # the last for its child alone
            fields = [(gram[0], counts[0].bit_length())]
            fields += _fields(levels[k][gram], quantized, tables[k - 1], k + 1 == order)
            if k + 1 < order:
                fields.append((first[k][number] & ((1 << child_bits) - 1), child_bits))
            entry = sum(length for _, length in fields)
            for value, length in fields:
                bits |= value << at
                at += length
        size = ((counts[k] + 1) * entry + 7) // 8 + 8
        content += bits.to_bytes(size, "little")
    return content + "".join(f"{word}\0" for word in words).encode()


def _numbered(model: NgramModel, words: Sequence[str]) -> tuple[list[str], list[Level]]:
    """Words in an order, and the n-grams of each order by their numbers there."""
    number = {word: k for k, word in enumerate(words)}
    new = [number[word] for word in model.words]
    columns = zip(model.ngrams, model.log_probability, model.log_backoff, strict=True)
    return list(words), [
        {tuple(new[i] for i in row): values for row, *values in zip(*of_order, strict=True)}
        for of_order in ([array.tolist() for array in column] for column in columns)
    ]


def _fill_holes(levels: list[Level]) -> None:
    """Add the newest n - 1 words of each n-gram, with the probability of backing off."""
    for k in range(len(levels) - 1, 1, -1):
        for gram in levels[k]:
            if gram[1:] not in levels[k - 1]:
                levels[k - 1][gram[1:]] = np.nan, 0.0
    for k in range(1, len(levels)):
        for gram, (probability, backoff) in levels[k].items():
            if np.isnan(probability):
                shorter = levels[k - 1][gram[1:]][0]
                weight = levels[k - 1].get(gram[:-1], (0.0, 0.0))[1]
                levels[k][gram] = shorter + weight, backoff


def _header(kind: int, counts: Sequence[int], multiplier: float, version: int) -> bytes:
    magic = b"mmap lm http://kheafield.com/code format version 5\n\0".ljust(56, b"\0")
    content = magic + struct.pack("<fffIIIQ", 0.0, 1.0, -0.5, 1, 0xFFFFFFFF, 0, 1)
    content += struct.pack("<BxxxfIBxxxI", len(counts), multiplier, kind, 1, version)
    content += struct.pack(f"<{len(counts)}Q", *counts)
    return content.ljust((len(content) + 7) // 8 * 8, b"\0")


def _slots(count: int, multiplier: float) -> int:
    return max(count + 1, int(np.float32(multiplier) * np.float32(count)))


def _hash_table(rows: dict[int, bytes], slots: int, size: int) -> bytes:
    """Linear probing from key modulo slots; 0 is a free slot."""
    assert len(rows) < slots, "build_binary would say so, too"
    table: list[bytes | None] = [None] * slots
    for key, row in rows.items():
        slot = key % slots
        while table[slot] is not None:
            slot = (slot + 1) % slots
        table[slot] = struct.pack("<Q", key) + row
    return b"".join(row or bytes(8 + size) for row in table)


def _key(gram: Gram) -> int:
    key = gram[-1]
    for word in gram[-2::-1]:
        key = (key * 8978948897894561157 & _MASK) ^ ((1 + word) * 17894857484156487943 & _MASK)
    return key


def _murmur(text: bytes) -> int:
    """MurmurHash64A with seed 0 (Appleby)."""
    factor = 0xC6A4A7935BD1E995
    value = len(text) * factor & _MASK
    whole = len(text) // 8 * 8
    for (part,) in struct.iter_unpack("<Q", text[:whole]):
        part = part * factor & _MASK
        value = (value ^ ((part ^ (part >> 47)) * factor & _MASK)) * factor & _MASK
    if text[whole:]:
        value = (value ^ int.from_bytes(text[whole:], "little")) * factor & _MASK
    value = (value ^ (value >> 47)) * factor & _MASK
    return value ^ (value >> 47)


def _tables(
    level: Level, quantized: tuple[int, int] | None, longest: bool
) -> tuple[list[float], list[float]]:
    """Values that occur, filled up with the last one; a backoff of 0 is kept twice, as KenLM's."""
    if quantized is None:
        return [], []
    probabilities = sorted({values[0] for values in level.values()})
    backoffs = [-0.0, 0.0, *sorted({values[1] for values in level.values()} - {0.0})]
    assert len(probabilities) <= 1 << quantized[0]
    assert len(backoffs) <= 1 << quantized[1]
    probabilities += [0.0] * ((1 << quantized[0]) - len(probabilities))
    backoffs += [0.0] * ((1 << quantized[1]) - len(backoffs))
    return probabilities, [] if longest else backoffs


def _first_children(parents: Sequence[Gram], entries: Sequence[Gram]) -> list[int]:
    """Place of the first child of each parent, and how many there are."""
    first = [next((k for k, e in enumerate(entries) if e[1:] == p), -1) for p in parents]
    first.append(len(entries))
    for k in range(len(parents) - 1, -1, -1):
        first[k] = first[k] if first[k] >= 0 else first[k + 1]
    return first


def _bits_apart(num: int, largest: int, most: int) -> int:
    bits = largest.bit_length()
    return min(
        range(min(bits, most) + 1), key=lambda apart: (largest >> (bits - apart)) * 64 - num * apart
    )


def _high_places(first: list[int], bits: int, largest: int, at: int, apart: int) -> bytes:
    """The first entry whose children begin at each multiple of 2 ** bits, at least; aligned."""
    size = 8 * (2 + (largest >> bits)) + 7
    places = [
        0 if k == 0 else next(i for i, place in enumerate(first) if place >> bits >= k)
        for k in range((largest >> bits) + 1)
    ]
    content = bytearray(size)
    struct.pack_into(f"<{len(places)}Q", content, -at % 8 + 8, *places)
    struct.pack_into("<BB", content, 0, 0, apart)
    return bytes(content)


def _fields(
    values: tuple[float, float],
    quantized: tuple[int, int] | None,
    tables: tuple[list[float], list[float]],
    longest: bool,
) -> list[tuple[int, int]]:
    """Number and bits of each part of an entry that tells its probability and backoff."""
    probability, backoff = values
    if quantized is None:
        packed, bits = struct.unpack("<II", struct.pack("<ff", probability, backoff))
        return [(packed & 0x7FFFFFFF, 31), (bits, 32)][: 1 if longest else 2]
    fields = [(tables[0].index(probability), quantized[0])]
    if not longest:
        place = 1 if backoff == 0.0 else tables[1].index(backoff)
        fields.insert(0, (place, quantized[1]))
    return fields
