"""Pairs of hypotheses: candidates drawn at random, of which the most different ones are kept."""

import heapq

import numpy as np

from isogloss.align.kernels.lazy import njit

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
FIRST, SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
LOW = np.uint64(0xFFFFFFFF)


@njit(nogil=True, cache=True)
def mixed(value):
    """A bijection of uint64 that spreads every bit (the finalizer of SplitMix64)."""
    value = (value ^ (value >> np.uint64(30))) * FIRST
    value = (value ^ (value >> np.uint64(27))) * SECOND
    return value ^ (value >> np.uint64(31))


@njit(nogil=True, cache=True)
def draw_pairs(gains, offsets, sentences, key, gamma, kept, threshold):
    """Kept pairs of some sentences: better and worse hypothesis, and where each sentence's begin.

    gains: float64[num_hypotheses], higher is better; offsets: int64[num_sentences + 1]
    sentences: int64[s]; key: uint64, of the random numbers: each sentence has a stream of its own
    gamma: pairs drawn with replacement; of those that differ by the threshold or more the ``kept``
    most different ones are returned, most different first, earlier draws first among equal ones
    Returns int64[k, 2], numbers of hypotheses, and int64[s + 1].
    """
    pairs = np.empty((len(sentences) * kept, 2), np.int64)
    bounds = np.zeros(len(sentences) + 1, np.int64)
    count = 0
    for number in range(len(sentences)):
        sentence = sentences[number]
        begin = offsets[sentence]
        sentence_gains = gains[begin : offsets[sentence + 1]]
        size = np.uint64(len(sentence_gains))
        state = mixed(key ^ mixed(np.uint64(sentence) + GOLDEN))
        heap = [(0.0, 0, 0, 0) for _ in range(0)]  # the pair to leave first at its top
        limit = np.nextafter(threshold, 0.0)  # to be exceeded: nearly no draw gets far
        for draw in range(gamma if size > np.uint64(1) else 0):
            state += GOLDEN
            bits = mixed(state)
            first = ((bits & LOW) * size) >> np.uint64(32)
            second = ((bits >> np.uint64(32)) * size) >> np.uint64(32)
            difference = abs(sentence_gains[first] - sentence_gains[second])
            if difference > limit:
                if sentence_gains[first] < sentence_gains[second]:
                    first, second = second, first
                found = (difference, -draw, begin + np.int64(first), begin + np.int64(second))
                if len(heap) < kept:
                    heapq.heappush(heap, found)
                else:
                    heapq.heapreplace(heap, found)
                if len(heap) == kept:
                    limit = heap[0][0]
        count += len(heap)
        for place in range(count - 1, count - len(heap) - 1, -1):
            _, _, pairs[place, 0], pairs[place, 1] = heapq.heappop(heap)
        bounds[number + 1] = count
    return pairs[:count].copy(), bounds
