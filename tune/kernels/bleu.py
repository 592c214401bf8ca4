"""Clipped n-gram matches of many hypotheses of one sentence (Papineni et al. 2002)."""

import numpy as np
from numba import njit

ORDER = 4
COLUMNS = 2 * ORDER + 1  # match and total of each order, then the reference length
WORD_BITS = 16  # an n-gram of reference words is packed into 64 bits


@njit(nogil=True, cache=True)
def _local_ids(words, known):
    """1 + place of each word among the sorted ``known`` ones, 0 for others: uint64."""
    result = np.zeros(len(words), np.uint64)
    for k in range(len(words)):
        place = np.searchsorted(known, words[k])
        if place < len(known) and known[place] == words[k]:
            result[k] = place + 1
    return result


@njit(nogil=True, cache=True)
def _ngram_runs(words, order):
    """Sorted distinct n-grams of known words, and how often each occurs."""
    keys = np.empty(max(len(words) - order + 1, 0), np.uint64)
    size = 0
    for begin in range(len(keys)):
        key = np.uint64(0)
        known = True
        for k in range(begin, begin + order):
            known = known and words[k] != 0
            key = (key << np.uint64(WORD_BITS)) | words[k]
        if known:
            keys[size] = key
            size += 1
    keys = np.sort(keys[:size])
    counts = np.zeros(size, np.int64)
    runs = 0
    for k in range(size):
        if k > 0 and keys[k] == keys[k - 1]:
            counts[runs - 1] += 1
        else:
            keys[runs] = keys[k]
            counts[runs] = 1
            runs += 1
    return keys[:runs], counts[:runs]


@njit(nogil=True, cache=True)
def _reference_runs(ids, offsets, order):
    """N-grams of all references with the highest count that any of them has."""
    keys = np.empty(0, np.uint64)
    counts = np.empty(0, np.int64)
    for reference in range(len(offsets) - 1):
        more, times = _ngram_runs(ids[offsets[reference] : offsets[reference + 1]], order)
        keys = np.concatenate((keys, more))
        counts = np.concatenate((counts, times))
    sequence = np.argsort(keys, kind="mergesort")
    runs = 0
    merged, best = np.empty_like(keys), np.empty_like(counts)
    for place in sequence:
        if runs > 0 and merged[runs - 1] == keys[place]:
            best[runs - 1] = max(best[runs - 1], counts[place])
        else:
            merged[runs] = keys[place]
            best[runs] = counts[place]
            runs += 1
    return merged[:runs], best[:runs]


@njit(nogil=True, cache=True)
def closest_length(length, offsets):
    """Reference length closest to ``length``; of two equally close ones the shorter."""
    best = offsets[1] - offsets[0]
    for reference in range(1, len(offsets) - 1):
        other = offsets[reference + 1] - offsets[reference]
        if (abs(other - length), other) < (abs(best - length), best):
            best = other
    return best


@njit(nogil=True, cache=True)
def bleu_statistics(words, offsets, reference_words, reference_offsets, result):
    """Write the statistics of the hypotheses of one sentence.

    words: int32[num], offsets: int64[num_hypotheses + 1]; reference_words, reference_offsets:
    the same for the references; result: int64[num_hypotheses, COLUMNS].
    """
    known = np.unique(reference_words)
    reference_ids = _local_ids(reference_words, known)
    ids = _local_ids(words, known)
    for order in range(1, ORDER + 1):
        keys, best = _reference_runs(reference_ids, reference_offsets, order)
        for row in range(len(result)):
            own, times = _ngram_runs(ids[offsets[row] : offsets[row + 1]], order)
            matches = 0
            for k in range(len(own)):
                place = np.searchsorted(keys, own[k])
                if place < len(keys) and keys[place] == own[k]:
                    matches += min(times[k], best[place])
            length = offsets[row + 1] - offsets[row]
            result[row, 2 * order - 2] = matches
            result[row, 2 * order - 1] = max(length - order + 1, 0)
    for row in range(len(result)):
        length = offsets[row + 1] - offsets[row]
        result[row, COLUMNS - 1] = closest_length(length, reference_offsets)
