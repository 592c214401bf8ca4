"""Suffix arrays of sentences (Manber & Myers 1993) and phrases looked up in them."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from isogloss.align.kernels.lazy import njit
from isogloss.align.kernels.ragged import longest_row
from isogloss.align.kernels.sorting import sort_values

STEP = 64  # places between two samples of a running count
SAMPLED_LENGTHS = 8  # longer phrases are counted place by place: they are rare in any text


class Suffixes(NamedTuple):
    """The positions of a text in the order of the words from there to the end of their sentence.

    n positions, below 2^31; a place is a number in that order.

    tokens: int32[n]; offsets: int64[num_sentences + 1], as in a corpus
    first_word: int64[num_types + 2], places of word w: ``first_word[w + 1]:first_word[w + 2]``
    order: int32[n], the position at each place; rank: int32[n], the place of each position
    sentence: int32[n], the sentence at each place
    shared: int32[n], words that the suffix at a place shares with the one before it (by place)
        of the same sentence, 0 where there is none
    repeats: int64[SAMPLED_LENGTHS, n // STEP + 1], how many of the first STEP * b places share
        row + 1 words or more
    """

    tokens: NDArray[np.int32]
    offsets: NDArray[np.int64]
    first_word: NDArray[np.int64]
    order: NDArray[np.int32]
    rank: NDArray[np.int32]
    sentence: NDArray[np.int32]
    shared: NDArray[np.int32]
    repeats: NDArray[np.int64]


@njit(nogil=True, cache=True)
def sort_suffixes(tokens, offsets, first_word, order):
    """Order the positions of a text by prefix doubling; equal suffixes stay in text order.

    Groups of suffixes with equal first words are sorted by the groups of what follows these words
    (Larsson & Sadakane 2007), which doubles the number of words that count.

    tokens, offsets, first_word, order: see :class:`Suffixes`
    """
    size, longest = len(tokens), 0
    ends, group = np.empty_like(order), np.empty_like(order)
    begins = np.zeros(size + 1, np.bool_)  # the places at which groups begin
    begins[first_word] = True
    free = first_word.copy()
    for sentence in range(len(offsets) - 1):
        ends[offsets[sentence] : offsets[sentence + 1]] = offsets[sentence + 1]
        longest = max(longest, offsets[sentence + 1] - offsets[sentence])
    for position in range(size):
        key = tokens[position] + 1
        order[free[key]] = position
        free[key] += 1
        group[position] = first_word[key]  # a group has the number of its first place
    keys = np.empty(size, np.int64)
    known, changed = 1, True
    while changed and known < longest:  # without a change, what is equal is so to the end
        changed = False
        first = 0
        while first < size:
            last = first + 1
            while not begins[last]:
                last += 1
            if last - first > 1:
                places = slice(first, last)
                if _split_group(order[places], first, group, ends, known, keys[places], begins):
                    changed = True
            first = last
        known *= 2


@njit(nogil=True, cache=True)
def _split_group(members, first, group, ends, known, keys, begins):
    """Sort a group of suffixes by what follows their first words; whether it falls into parts."""
    for k in range(len(members)):
        rest = members[k] + known
        follows = group[rest] + 1 if rest < ends[members[k]] else 0
        keys[k] = np.int64(follows) << 32 | members[k]
    sort_values(keys)
    head = first
    for k in range(len(members)):
        if k > 0 and keys[k] >> 32 != keys[k - 1] >> 32:
            head = first + k
            begins[head] = True
        members[k] = keys[k] & 0xFFFFFFFF
        group[members[k]] = head
    return head != first


@njit(nogil=True, cache=True)
def share_words(tokens, offsets, order, rank, sentence, shared, repeats):
    """Fill the last four columns of a :class:`Suffixes`.

    The places of one sentence are its own suffix array, so that the words shared with the place
    before follow in linear time (Kasai et al. 2001).
    """
    for place in range(len(order)):
        rank[order[place]] = place
    for number in range(len(offsets) - 1):
        for position in range(offsets[number], offsets[number + 1]):
            sentence[rank[position]] = number
    last = np.full(len(offsets) - 1, -1, order.dtype)
    previous = np.empty_like(order)
    for place in range(len(order)):
        previous[order[place]] = last[sentence[place]]
        last[sentence[place]] = order[place]
    for number in range(len(offsets) - 1):
        end, same = offsets[number + 1], 0
        for position in range(offsets[number], end):
            before = previous[position]
            if before < 0:
                same = 0
            else:
                while max(position, before) + same < end:
                    if tokens[position + same] != tokens[before + same]:
                        break
                    same += 1
            shared[rank[position]] = same
            same = max(same - 1, 0)
    running = np.zeros(SAMPLED_LENGTHS, np.int64)
    for place in range(len(order)):
        if place % STEP == 0:
            repeats[:, place // STEP] = running
        running[: shared[place]] += 1
    if len(order) % STEP == 0:
        repeats[:, len(order) // STEP] = running


@njit(nogil=True, cache=True)
def _first_place(text, depth, word, low, high):
    """First place in low..high whose suffix has ``word`` or a greater one ``depth`` words on."""
    while low < high:
        middle = (low + high) // 2
        position = text.order[middle] + depth
        inside = position < text.offsets[text.sentence[middle] + 1]
        if inside and text.tokens[position] >= word:
            high = middle
        else:
            low = middle + 1
    return low


@njit(nogil=True, cache=True)
def find_phrases(words, offsets, text, low, high):
    """Places low[k]..high[k] - 1 of the suffixes that begin with phrase k; none: low = high.

    words: int32[total], ids of the text, below 0 = not in it; offsets: int64[num_phrases + 1];
    low, high: int64[num_phrases]. Phrases that begin like the one before cost less.
    """
    longest = longest_row(offsets)
    lows, highs = np.zeros(longest + 1, np.int64), np.zeros(longest + 1, np.int64)
    highs[0] = len(text.tokens)
    before, known = 0, 0
    for phrase in range(len(offsets) - 1):
        begin, length = offsets[phrase], offsets[phrase + 1] - offsets[phrase]
        same = 0
        while same < min(known, length) and words[begin + same] == words[before + same]:
            same += 1
        for depth in range(same, length):
            word = words[begin + depth]
            if word < 0:
                lows[depth + 1] = highs[depth + 1] = lows[depth]
            elif depth == 0:
                lows[1], highs[1] = text.first_word[word + 1], text.first_word[word + 2]
            else:
                first = _first_place(text, depth, word, lows[depth], highs[depth])
                lows[depth + 1] = first
                highs[depth + 1] = _first_place(text, depth, word + 1, first, highs[depth])
        low[phrase], high[phrase] = lows[length], highs[length]
        before, known = begin, length


@njit(nogil=True, cache=True)
def count_sentences(low, high, lengths, text, result):
    """How many sentences hold each phrase: its places, less those that repeat it in a sentence.

    low, high: see :func:`find_phrases`; lengths: int64[num_phrases], words; result: int64
    """
    for phrase in range(len(low)):
        begin, end, length = low[phrase], high[phrase], lengths[phrase]
        count = end - begin
        if length <= SAMPLED_LENGTHS and count > 2 * STEP:
            first, last = -(-begin // STEP), end // STEP
            count -= text.repeats[length - 1, last] - text.repeats[length - 1, first]
            count -= _num_repeats(text.shared, begin, first * STEP, length)
            begin = last * STEP
        result[phrase] = count - _num_repeats(text.shared, begin, end, length)


@njit(nogil=True, cache=True)
def _num_repeats(shared, begin, end, length):
    count = 0
    for place in range(begin, end):
        count += shared[place] >= length
    return count
