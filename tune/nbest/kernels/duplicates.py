"""Hypotheses of a sentence that come twice, with the same text and the same features."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from isogloss.align.kernels.hash_tables import text_hash
from isogloss.align.kernels.lazy import borrowing, njit
from isogloss.align.kernels.sorting import rising_order

_MIX, _STIR = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)
_MINUS_ZERO = np.uint32(1 << 31)


class HypothesisColumns(NamedTuple):
    """Texts and features of hypotheses.

    content: uint8[bytes], text_offsets: int64[n + 1]: the texts, UTF-8
    ids: int32[total], bits: uint32[total], offsets: int64[n + 1]: features, and the bits of values
    """

    content: NDArray[np.uint8]
    text_offsets: NDArray[np.int64]
    ids: NDArray[np.int32]
    bits: NDArray[np.uint32]
    offsets: NDArray[np.int64]


@borrowing
def _bits(bits, entry):
    """Bits of a value; minus zero has those of zero."""
    return np.uint32(0) if bits[entry] == _MINUS_ZERO else bits[entry]


@njit(nogil=True, cache=True)
def hash_rows(hypotheses, result):
    """A hash of text and features of each hypothesis, whatever the order of the features.

    hypotheses: HypothesisColumns; result: uint64[n], written
    """
    content, text_offsets, ids, bits, offsets = hypotheses
    for row in range(len(result)):
        key = text_hash(content, text_offsets[row], text_offsets[row + 1])
        for entry in range(offsets[row], offsets[row + 1]):
            value = np.uint64(ids[entry]) << np.uint64(32) | np.uint64(_bits(bits, entry))
            value *= _MIX
            value = (value ^ (value >> np.uint64(31))) * _STIR
            key += value ^ (value >> np.uint64(29))
        result[row] = key


@njit(nogil=True, cache=True)
def _sorted_entries(ids, bits, begin, end):
    """The features of a hypothesis in the order of their ids, each with its value: uint64."""
    result = np.empty(end - begin, np.uint64)
    for entry in range(begin, end):
        number = np.uint64(ids[entry]) << np.uint64(32)
        result[entry - begin] = number | np.uint64(_bits(bits, entry))
    return result[rising_order(result)]


@njit(nogil=True, cache=True)
def _same(hypotheses, row, other):
    """Whether two hypotheses have the same text and the same features in any order."""
    content, text_offsets, ids, bits, offsets = hypotheses
    begin, end, shift = offsets[row], offsets[row + 1], offsets[other] - offsets[row]
    if offsets[other + 1] - offsets[other] != end - begin:
        return False
    size = text_offsets[row + 1] - text_offsets[row]
    if text_offsets[other + 1] - text_offsets[other] != size:
        return False
    for place in range(size):
        if content[text_offsets[row] + place] != content[text_offsets[other] + place]:
            return False
    for entry in range(begin, end):
        twin = entry + shift
        if ids[entry] != ids[twin] or _bits(bits, entry) != _bits(bits, twin):
            entries = _sorted_entries(ids, bits, begin, end)
            other_entries = _sorted_entries(ids, bits, begin + shift, end + shift)
            return np.all(entries == other_entries)
    return True


@njit(nogil=True, cache=True)
def first_of_equals(rows, sentences, hashes, hypotheses, keep):
    """Tell which hypotheses are the first of their sentence with their text and features.

    rows: int64[m], hypotheses, those of a sentence side by side; sentences: int64[n]
    hashes: uint64[n], of :func:`hash_rows`; hypotheses: HypothesisColumns; keep: bool[m], written
    """
    longest, run = 1, 0
    for k in range(len(rows)):
        run = run + 1 if k > 0 and sentences[rows[k]] == sentences[rows[k - 1]] else 1
        longest = max(longest, run)
    mask = 1
    while mask < 2 * longest:
        mask *= 2
    slots, owner = np.zeros(mask, np.int64), np.full(mask, -1, np.int64)
    mask -= 1
    begin = 0
    for k in range(len(rows)):
        row = rows[k]
        if k > 0 and sentences[row] != sentences[rows[k - 1]]:
            begin = k  # slots of other owners are free
        slot = np.int64(hashes[row] ^ (hashes[row] >> np.uint64(32))) & mask
        keep[k] = True
        while owner[slot] == begin:
            other = slots[slot]
            if hashes[other] == hashes[row] and _same(hypotheses, other, row):
                keep[k] = False
                break
            slot = (slot + 1) & mask
        if keep[k]:
            owner[slot] = begin
            slots[slot] = row
