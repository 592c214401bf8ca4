"""The exchange algorithm for word classes (Kneser & Ney 1993) on sparse lists of neighbors."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .lazy import njit


class Neighbors(NamedTuple):
    """What follows each word type, or what it follows; type 0 is the sentence boundary.

    offsets: int64[num_types + 1], the neighbors of type w are ``words[offsets[w]:offsets[w + 1]]``
    words: int32[num_bigram_types]; counts: int64[num_bigram_types], how often the two meet
    """

    offsets: NDArray[np.int64]
    words: NDArray[np.int32]
    counts: NDArray[np.int64]


class ClassCounts(NamedTuple):
    """The classes of words, and the class bigrams of the text; all of it is changed in place.

    classes: int32[num_types], 0 to K - 1, or K for what is in no class, the boundary
    pairs: int64[K + 1, K + 1], bigrams of classes; sizes: int64[K + 1], running words
    """

    classes: NDArray[np.int32]
    pairs: NDArray[np.int64]
    sizes: NDArray[np.int64]


@njit(nogil=True, cache=True)
def count_successors(stream, num_types):
    """The words that follow each type: arrays of a :class:`Neighbors`.

    stream: int32[n], types with a boundary (0) around each sentence; pairs of boundaries don't
    count.
    """
    begins = np.zeros(num_types + 1, np.int64)
    for k in range(len(stream) - 1):
        begins[stream[k] + 1] += 1
    begins = np.cumsum(begins)
    words = np.empty(begins[-1], np.int32)
    ends = begins[:-1].copy()
    for k in range(len(stream) - 1):
        if stream[k] > 0 or stream[k + 1] > 0:
            words[ends[stream[k]]] = stream[k + 1]
            ends[stream[k]] += 1
    # the running words after each type become its list of types: no longer, so in the same place
    offsets = np.zeros(num_types + 1, np.int64)
    counts = np.empty(len(words), np.int64)
    stamp = np.full(num_types, -1, np.int64)
    number = np.zeros(num_types, np.int64)
    size = 0
    for word in range(num_types):
        for k in range(begins[word], ends[word]):
            other = words[k]
            if stamp[other] != word:
                stamp[other] = word
                number[other] = size
                words[size] = other
                counts[size] = 0
                size += 1
            counts[number[other]] += 1
        offsets[word + 1] = size
    return offsets, words[:size].copy(), counts[:size].copy()


@njit(nogil=True, cache=True)
def _sum_by_class(neighbors, word, classes, sums, met):
    """Add up the neighbors of a word by their classes, the word itself left out."""
    # sums: int64[K + 1], all 0 before, written; met: int32[K + 1], the front is written: classes
    #   with a sum. Returns how many those are, and how often the word is its own neighbor.
    offsets, words, counts = neighbors.offsets, neighbors.words, neighbors.counts
    size, twice = 0, 0
    for k in range(offsets[word], offsets[word + 1]):
        if words[k] == word:
            twice = counts[k]
            continue
        other = classes[words[k]]
        if sums[other] == 0:
            met[size] = other
            size += 1
        sums[other] += counts[k]
    return size, twice


@njit(nogil=True, cache=True)
def _move(pairs, number, sign, successors, predecessors, twice):
    """Add (sign 1) the bigrams of a word to those of a class, or take them away (sign -1)."""
    # pairs: int64[K + 1, K + 1], changed; successors, predecessors: (sums, classes with a sum).
    sums, met = successors
    for k in range(len(met)):
        pairs[number, met[k]] += sign * sums[met[k]]
    sums, met = predecessors
    for k in range(len(met)):
        pairs[met[k], number] += sign * sums[met[k]]
    pairs[number, number] += sign * twice


@njit(nogil=True, cache=True)
def _n_log_n(count, table):
    """x log x, out of the table float64[n] for x below n."""
    return table[count] if count < len(table) else count * np.log(count)


@njit(nogil=True, cache=True)
def _gains(pairs, sizes, frequency, successors, predecessors, twice, table, gains):
    """Write what the log-likelihood gains when a word enters each class: float64[K]."""
    # pairs, sizes: the counts without the word, see :func:`exchange`.
    after, met_after = successors
    before, met_before = predecessors
    for number in range(len(gains)):
        old = pairs[number, number]
        gain = _n_log_n(old + after[number] + before[number] + twice, table)
        gain -= _n_log_n(old, table)
        for k in range(len(met_after)):
            other = met_after[k]
            if other != number:
                old = pairs[number, other]
                gain += _n_log_n(old + after[other], table) - _n_log_n(old, table)
        old = sizes[number]
        gains[number] = gain - 2.0 * (_n_log_n(old + frequency, table) - _n_log_n(old, table))
    for k in range(len(met_before)):
        other = met_before[k]
        for number in range(len(gains)):
            if other != number:
                old = pairs[other, number]
                gains[number] += _n_log_n(old + before[other], table) - _n_log_n(old, table)


@njit(nogil=True, cache=True)
def exchange(order, frequencies, successors, predecessors, counts, table, least):
    """One sweep: each word in its turn goes to the class that makes the text likeliest.

    order: int64[n], the words; frequencies: int64[num_types]
    successors, predecessors: :class:`Neighbors`, of the text and of the text read backwards
    counts: :class:`ClassCounts`
    table: float64[n], x log x; least: gain in nats below which a class is no better than another.
    Classes that are equally good: a word's own comes first, then the one of lowest number. Returns
    how many words moved. Work per word: its neighbors, and K times the classes among them.
    """
    classes, pairs, sizes = counts
    num_classes = len(sizes) - 1
    after = np.zeros(num_classes + 1, np.int64)
    before = np.zeros(num_classes + 1, np.int64)
    met_after = np.empty(num_classes + 1, np.int32)
    met_before = np.empty(num_classes + 1, np.int32)
    gains = np.empty(num_classes)
    moved = 0
    for word in order:
        size, twice = _sum_by_class(successors, word, classes, after, met_after)
        following = after, met_after[:size]
        size, twice = _sum_by_class(predecessors, word, classes, before, met_before)
        leading = before, met_before[:size]
        old = classes[word]
        best = old if old < num_classes else 0
        _move(pairs, old, -1, following, leading, twice)
        sizes[old] -= frequencies[word]
        _gains(pairs, sizes, frequencies[word], following, leading, twice, table, gains)
        for number in range(num_classes):
            if gains[number] > gains[best] + least:
                best = number
        _move(pairs, best, 1, following, leading, twice)
        sizes[best] += frequencies[word]
        classes[word] = best
        moved += best != old
        after[following[1]] = 0
        before[leading[1]] = 0
    return moved
