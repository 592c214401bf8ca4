"""Phrases and names by number, in order of first appearance, and their words."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from isogloss.align.kernels.hash_tables import TextTable, text_hash, text_slot
from isogloss.align.kernels.lazy import borrowing

_BLANK, _FEED = 32, 10
_HALF = np.uint64(32)


class PhraseRoom(NamedTuple):
    """Different phrases and their words, each with room for more.

    slots: int32[2^k]; hashes: uint64[room]; begins, ends: int64[room]; a TextTable of the phrases
    word_slots: int32[2^k]; word_hashes: uint64[word room]; word_begins: int64[word room];
        word_ends: int64[word room]; one of their words
    content: uint8[bytes], the phrases, UTF-8, a line feed behind each; words are parts of it
    tokens: int32[token room], numbers of words from 1 on, phrase after phrase
    token_ends: int64[room], where the words of each phrase end in ``tokens``
    used: int64[4], how many phrases, words, bytes and tokens there are
    """

    slots: NDArray[np.int32]
    hashes: NDArray[np.uint64]
    begins: NDArray[np.int64]
    ends: NDArray[np.int64]
    word_slots: NDArray[np.int32]
    word_hashes: NDArray[np.uint64]
    word_begins: NDArray[np.int64]
    word_ends: NDArray[np.int64]
    content: NDArray[np.uint8]
    tokens: NDArray[np.int32]
    token_ends: NDArray[np.int64]
    used: NDArray[np.int64]


@borrowing
def _add_words(room, words, begin, end):
    """Number the words of a phrase that is in the content."""
    num_words, size = room.used[1], room.used[3]
    first = begin
    for place in range(begin, end + 1):
        if place < end and words.content[place] != _BLANK:
            continue
        value = text_hash(words.content, first, place)
        slot = text_slot(words, words.content, first, place, value)
        if words.slots[slot] == 0:
            words.hashes[num_words] = value
            words.begins[num_words] = first
            words.ends[num_words] = place
            num_words += 1
            words.slots[slot] = num_words
        room.tokens[size] = words.slots[slot]
        size += 1
        first = place + 1
    room.used[1], room.used[3] = num_words, size


@borrowing
def number_phrases(text, begins, ends, room, numbers):
    """Write the number of each phrase to int64[n]; new ones get new numbers.

    text: uint8[bytes]; begins, ends: int64[n], where each phrase stands in it
    room: PhraseRoom, with room for all of them
    """
    phrases = TextTable(room.slots, room.hashes, room.begins, room.ends, room.content)
    words = TextTable(
        room.word_slots, room.word_hashes, room.word_begins, room.word_ends, room.content
    )
    for k in range(len(begins)):
        begin, end = begins[k], ends[k]
        if k > 0 and ends[k - 1] - begins[k - 1] == end - begin:
            shift, place = begins[k - 1] - begin, begin
            while place < end and text[place] == text[place + shift]:
                place += 1
            if place == end:  # as a rule the source phrase is that of the line before
                numbers[k] = numbers[k - 1]
                continue
        value = text_hash(text, begin, end)
        slot = text_slot(phrases, text, begin, end, value)
        number = np.int64(phrases.slots[slot]) - 1
        if number < 0:
            number, start = room.used[0], room.used[2]
            for place in range(end - begin):
                phrases.content[start + place] = text[begin + place]
            finish = start + end - begin
            phrases.content[finish] = _FEED
            phrases.slots[slot] = number + 1
            phrases.hashes[number] = value
            phrases.begins[number], phrases.ends[number] = start, finish
            _add_words(room, words, start, finish)
            room.token_ends[number] = room.used[3]
            room.used[0], room.used[2] = number + 1, finish + 1
        numbers[k] = number


@borrowing
def fill_slots(slots, hashes, number):
    """Enter the first texts, all different, into an empty hash table.

    slots: int32[2^k], zeros; hashes: uint64[room]; number: how many
    """
    mask = np.uint64(len(slots) - 1)
    for k in range(number):
        slot = (hashes[k] ^ (hashes[k] >> _HALF)) & mask
        while slots[slot]:
            slot = (slot + np.uint64(1)) & mask
        slots[slot] = k + 1
