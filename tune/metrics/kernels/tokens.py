"""Words and characters of UTF-8 text as numbers, counted anew in each sentence."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from isogloss.align.kernels.hash_tables import TextTable, text_hash, text_slot
from isogloss.align.kernels.lazy import njit
from isogloss.align.kernels.ragged import longest_row

WORDS = 0  # what white space separates
CHARACTERS = 1  # code points other than white space
SPACED_CHARACTERS = 2  # the same, with one blank between two words
PARTED_WORDS = 3  # words with a punctuation mark at their end (else at their beginning) taken off


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
    reference_symbols: int32[num_reference_symbols]; reference_offsets: int64[num_references + 1];
    reference_sentences: int64[num_sentences + 1]: the same of the references
    """

    symbols: NDArray[np.int32]
    offsets: NDArray[np.int64]
    sentences: NDArray[np.int64]
    reference_symbols: NDArray[np.int32]
    reference_offsets: NDArray[np.int64]
    reference_sentences: NDArray[np.int64]


@njit(nogil=True, cache=True)
def _white_space_bytes(first, second, third):
    """Bytes of the white space (str.isspace) that begins with these, 0 where it is none."""
    if first < 0x80:
        return 1 if first == 0x20 or 9 <= first <= 13 or 28 <= first <= 31 else 0
    if first == 0xC2:
        return 2 if second == 0x85 or second == 0xA0 else 0
    is_space = False
    if first == 0xE1:
        is_space = second == 0x9A and third == 0x80
    elif first == 0xE2 and second == 0x80:
        is_space = third <= 0x8A or third == 0xA8 or third == 0xA9 or third == 0xAF
    elif first == 0xE2:
        is_space = second == 0x81 and third == 0x9F
    elif first == 0xE3:
        is_space = second == 0x80 and third == 0x80
    return 3 if is_space else 0


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
    position = begin
    while position < end:
        blank = white_space(content, position, end)
        if blank:
            position += blank
            continue
        first = position
        while position < end and not white_space(content, position, end):
            position += 1
        if unit in (CHARACTERS, SPACED_CHARACTERS):
            if unit == SPACED_CHARACTERS and size:
                bounds[size, 0] = bounds[size, 1] = first
                size += 1
            while first < position:
                bounds[size, 0] = first
                first += _width(content[first])
                bounds[size, 1] = first
                size += 1
            continue
        part = position
        if unit == PARTED_WORDS and position - first > 1:
            if _is_punctuation(content[position - 1]):
                part = position - 1
            elif _is_punctuation(content[first]):
                part = first + 1
        bounds[size, 0], bounds[size, 1] = first, part
        size += 1
        if part < position:
            bounds[size, 0], bounds[size, 1] = part, position
            size += 1
    return size


@njit(nogil=True, cache=True)
def _number_references(unit, content, offsets, first, last, bounds, result, result_offsets):
    """Number the units of one sentence's references, the texts first..last - 1."""
    room = offsets[last] - offsets[first]
    size = 16
    while size < 2 * room:
        size *= 2
    known = TextTable(
        np.zeros(size, np.int32),
        np.empty(room, np.uint64),
        np.empty(room, np.int64),
        np.empty(room, np.int64),
        content,
    )
    number = 0
    for text in range(first, last):
        written = result_offsets[text - first]
        for k in range(split_units(unit, content, offsets[text], offsets[text + 1], bounds)):
            begin, end = bounds[k, 0], bounds[k, 1]
            value = text_hash(content, begin, end)
            slot = text_slot(known, content, begin, end, value)
            if not known.slots[slot]:
                known.hashes[number] = value
                known.begins[number] = begin
                known.ends[number] = end
                number += 1
                known.slots[slot] = number
            result[written] = known.slots[slot]
            written += 1
        result_offsets[text - first + 1] = written
    return known


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
        longest_row(hypotheses.offsets[begin : end + 1]),
        longest_row(references.offsets[reference_begin : reference_end + 1]),
    )
    bounds = np.empty((longest, 2), np.int64)
    for sentence in range(first, last):
        text, text_end = references.sentences[sentence], references.sentences[sentence + 1]
        known = _number_references(
            unit, references.content, references.offsets, text, text_end, bounds,
            reference_symbols, reference_offsets[text - reference_begin :],
        )  # fmt: skip
        for text in range(hypotheses.sentences[sentence], hypotheses.sentences[sentence + 1]):
            written = offsets[text - begin]
            units = split_units(
                unit, hypotheses.content, hypotheses.offsets[text], hypotheses.offsets[text + 1],
                bounds,
            )  # fmt: skip
            for k in range(units):
                value = text_hash(hypotheses.content, bounds[k, 0], bounds[k, 1])
                slot = text_slot(known, hypotheses.content, bounds[k, 0], bounds[k, 1], value)
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
