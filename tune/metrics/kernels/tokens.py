"""Words and characters of UTF-8 text as numbers, counted anew in each sentence."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from align.kernels.lazy import njit

WORDS = 0  # what white space separates
CHARACTERS = 1  # code points other than white space
SPACED_CHARACTERS = 2  # the same, with one blank between two words
PARTED_WORDS = 3  # words with a punctuation mark at their end (else at their beginning) taken off

_OFFSET, _PRIME = np.uint64(14695981039346656037), np.uint64(1099511628211)  # FNV-1a


class SentenceTexts(NamedTuple):
    """Texts of many sentences.

    content: uint8[total], UTF-8; offsets: int64[num_texts + 1], where each text begins in it
    sentences: int64[num_sentences + 1], texts of each sentence
    """

    content: NDArray[np.uint8]
    offsets: NDArray[np.int64]
    sentences: NDArray[np.int64]


class Symbols(NamedTuple):
    """Hypotheses and references of some sentences as numbers.

    symbols: int32[total], 1, 2, ... in the order of the sentence's references; 0 = in none of them
    offsets: int64[num_hypotheses + 1], symbols of each hypothesis
    sentences: int64[num_sentences + 1], hypotheses of each sentence
    reference_symbols, reference_offsets, reference_sentences: the same of the references
    """

    symbols: NDArray[np.int32]
    offsets: NDArray[np.int64]
    sentences: NDArray[np.int64]
    reference_symbols: NDArray[np.int32]
    reference_offsets: NDArray[np.int64]
    reference_sentences: NDArray[np.int64]


class _Known(NamedTuple):
    """Hash table of the units of one sentence's references.

    slots: int32, number of a unit, 0 = free; hashes uint64, begins, ends int64: by number
    """

    slots: NDArray[np.int32]
    hashes: NDArray[np.uint64]
    begins: NDArray[np.int64]
    ends: NDArray[np.int64]


@njit(nogil=True, cache=True)
def _white_space_bytes(first, second, third):
    """Bytes of the white space (str.isspace) that begins with these, 0 where it is none."""
    if first < 0x80:
        return 1 if first == 0x20 or 9 <= first <= 13 or 28 <= first <= 31 else 0
    if first == 0xC2:
        return 2 if second == 0x85 or second == 0xA0 else 0
    found = False
    if first == 0xE1:
        found = second == 0x9A and third == 0x80
    elif first == 0xE2 and second == 0x80:
        found = third <= 0x8A or third == 0xA8 or third == 0xA9 or third == 0xAF
    elif first == 0xE2:
        found = second == 0x81 and third == 0x9F
    elif first == 0xE3:
        found = second == 0x80 and third == 0x80
    return 3 if found else 0


@njit(nogil=True, cache=True)
def white_space(content, place, end):
    """Bytes of the white space that begins at ``place``, 0 where there is none."""
    first = content[place]
    if first > 0x20 and (first < 0xC2 or first > 0xE3):
        return 0
    second = content[place + 1] if place + 1 < end else np.uint8(0xFF)
    third = content[place + 2] if place + 2 < end else np.uint8(0xFF)
    return _white_space_bytes(first, second, third)


@njit(nogil=True, cache=True)
def _is_punctuation(byte):
    """Whether an ASCII character is one of string.punctuation."""
    return 33 <= byte <= 47 or 58 <= byte <= 64 or 91 <= byte <= 96 or 123 <= byte <= 126


@njit(nogil=True, cache=True)
def _width(byte):
    """Bytes of the character that begins with this one."""
    return 1 if byte < 0x80 else 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4


@njit(nogil=True, cache=True)
def split_units(unit, content, begin, end, bounds):
    """Write where each unit of a text begins and ends; a blank between two words has no bytes.

    bounds: int64[end - begin, 2]. Returns the number of units.
    """
    size = 0
    place = begin
    while place < end:
        blank = white_space(content, place, end)
        if blank:
            place += blank
            continue
        first = place
        while place < end and not white_space(content, place, end):
            place += 1
        if unit in (CHARACTERS, SPACED_CHARACTERS):
            if unit == SPACED_CHARACTERS and size:
                bounds[size, 0] = bounds[size, 1] = first
                size += 1
            while first < place:
                bounds[size, 0] = first
                first += _width(content[first])
                bounds[size, 1] = first
                size += 1
            continue
        part = place
        if unit == PARTED_WORDS and place - first > 1:
            if _is_punctuation(content[place - 1]):
                part = place - 1
            elif _is_punctuation(content[first]):
                part = first + 1
        bounds[size, 0], bounds[size, 1] = first, part
        size += 1
        if part < place:
            bounds[size, 0], bounds[size, 1] = part, place
            size += 1
    return size


@njit(nogil=True, cache=True)
def _hash(content, begin, end):
    value = _OFFSET
    for place in range(begin, end):
        value = (value ^ np.uint64(content[place])) * _PRIME
    return value ^ (value >> np.uint64(32))


@njit(nogil=True, cache=True)
def _slot(known, value, reference_content, content, begin, end):
    """Slot of a unit, or the free one where it belongs."""
    mask = np.uint64(len(known.slots) - 1)
    slot = value & mask
    while known.slots[slot]:
        number = known.slots[slot]
        first = known.begins[number]
        if known.hashes[number] == value and known.ends[number] - first == end - begin:
            k = 0
            while k < end - begin and reference_content[first + k] == content[begin + k]:
                k += 1
            if k == end - begin:
                return slot
        slot = (slot + np.uint64(1)) & mask
    return slot


@njit(nogil=True, cache=True)
def _number_references(unit, content, offsets, first, last, bounds, result, result_offsets):
    """Number the units of one sentence's references, the texts first..last - 1."""
    room = offsets[last] - offsets[first]
    size = 16
    while size < 2 * room:
        size *= 2
    known = _Known(
        np.zeros(size, np.int32),
        np.empty(room + 1, np.uint64),
        np.empty(room + 1, np.int64),
        np.empty(room + 1, np.int64),
    )
    number = 0
    for text in range(first, last):
        written = result_offsets[text - first]
        for k in range(split_units(unit, content, offsets[text], offsets[text + 1], bounds)):
            begin, end = bounds[k, 0], bounds[k, 1]
            value = _hash(content, begin, end)
            slot = _slot(known, value, content, content, begin, end)
            if not known.slots[slot]:
                number += 1
                known.slots[slot] = number
                known.hashes[number] = value
                known.begins[number] = begin
                known.ends[number] = end
            result[written] = known.slots[slot]
            written += 1
        result_offsets[text - first + 1] = written
    return known


@njit(nogil=True, cache=True)
def _longest(offsets, first, last):
    longest = 0
    for text in range(first, last):
        longest = max(longest, offsets[text + 1] - offsets[text])
    return longest


@njit(nogil=True, cache=True)
def number_units(unit, hypotheses, references, first, last):
    """The Symbols of sentences first..last - 1.

    unit: WORDS, CHARACTERS, ...; hypotheses, references: SentenceTexts.
    """
    begin, end = hypotheses.sentences[first], hypotheses.sentences[last]
    reference_begin, reference_end = references.sentences[first], references.sentences[last]
    symbols = np.empty(hypotheses.offsets[end] - hypotheses.offsets[begin], np.int32)
    offsets = np.zeros(end - begin + 1, np.int64)
    reference_symbols = np.empty(
        references.offsets[reference_end] - references.offsets[reference_begin], np.int32
    )
    reference_offsets = np.zeros(reference_end - reference_begin + 1, np.int64)
    longest = max(
        _longest(hypotheses.offsets, begin, end),
        _longest(references.offsets, reference_begin, reference_end),
    )
    bounds = np.empty((longest, 2), np.int64)
    for sentence in range(first, last):
        own = references.sentences[sentence]
        known = _number_references(
            unit, references.content, references.offsets, own, references.sentences[sentence + 1],
            bounds, reference_symbols, reference_offsets[own - reference_begin :],
        )  # fmt: skip
        for text in range(hypotheses.sentences[sentence], hypotheses.sentences[sentence + 1]):
            written = offsets[text - begin]
            units = split_units(
                unit, hypotheses.content, hypotheses.offsets[text], hypotheses.offsets[text + 1],
                bounds,
            )  # fmt: skip
            for k in range(units):
                value = _hash(hypotheses.content, bounds[k, 0], bounds[k, 1])
                slot = _slot(
                    known, value, references.content, hypotheses.content, bounds[k, 0],
                    bounds[k, 1],
                )  # fmt: skip
                symbols[written + k] = known.slots[slot]
            offsets[text - begin + 1] = written + units
    return Symbols(
        symbols[: offsets[-1]],
        offsets,
        hypotheses.sentences[first : last + 1] - begin,
        reference_symbols[: reference_offsets[-1]],
        reference_offsets,
        references.sentences[first : last + 1] - reference_begin,
    )
