"""Phrase pairs to rules: equal ones are brought together and counted."""

import numpy as np

from isogloss.align.kernels.lazy import borrowing, njit
from isogloss.align.kernels.sorting import sort_values

from .phrase_pairs import STRIDE


@njit(nogil=True, cache=True)
def _later(links, others, set_rank):
    """True where ``links`` come after ``others``: their source words, by target word."""
    for _ in range(STRIDE):
        left, right = set_rank[links & np.uint64(255)], set_rank[others & np.uint64(255)]
        if left != right:
            return left > right
        links >>= np.uint64(STRIDE)
        others >>= np.uint64(STRIDE)
    return False


@njit(nogil=True, cache=True)
def _most_frequent(signatures, set_rank):
    """The value that occurs most often in uint64[n]; of several, the one that comes last."""
    # The values are sorted in place.
    number = len(signatures)
    sort_values(signatures)
    best, most, begin = signatures[0], 0, 0
    for k in range(1, number + 1):
        if k < number and signatures[k] == signatures[begin]:
            continue
        count = k - begin
        if count > most or (count == most and _later(signatures[begin], best, set_rank)):
            best, most = signatures[begin], count
        begin = k
    return best


@borrowing
def add_instances(order, bounds, instances, weights, rules):
    """Add the phrase pairs of each rule up.

    order: int64[n], phrase pairs, those of a rule side by side; bounds: int64[r + 1], where the
    rules begin in it
    instances: (sentence pairs int32[n]; orientations uint8[n, kinds], class to the previous phrase
    in the low four bits, to the next one in the high ones)
    weights: float64[num_sentence_pairs, K]
    rules: (counts float64[r, K], sums of weights; orientations float64[r, kinds, 2, 4], sums of the
    first weight), zeros
    """
    pairs, orientations = instances
    counts, classes = rules
    for rule in range(len(bounds) - 1):
        for place in range(bounds[rule], bounds[rule + 1]):
            instance = order[place]
            pair = pairs[instance]
            for k in range(weights.shape[1]):
                counts[rule, k] += weights[pair, k]
            for kind in range(orientations.shape[1]):
                code = orientations[instance, kind]
                classes[rule, kind, 0, code & 15] += weights[pair, 0]
                classes[rule, kind, 1, code >> 4] += weights[pair, 0]


@njit(nogil=True, cache=True)
def choose_links(signatures, bounds, set_rank, result):
    """Write the most frequent inner links of each rule to uint64[r].

    signatures: uint64[n], inner links of phrase pairs as bits, those of a rule side by side, which
    are sorted in place; bounds: int64[r + 1], where the rules begin; set_rank: uint8[256]
    """
    for rule in range(len(bounds) - 1):
        begin, end = bounds[rule], bounds[rule + 1]
        best = signatures[begin]
        for place in range(begin + 1, end):
            if signatures[place] != best:
                best = _most_frequent(signatures[begin:end], set_rank)
                break
        result[rule] = best


@njit(nogil=True, cache=True)
def add_rows(rows, groups, totals):
    """Add each row to that of its group, one after the other, and 1 in a last column.

    rows: float64[n, K]; groups: int64[n], -1 for rows that are passed over; totals: float64[m, K+1]
    """
    columns = rows.shape[1]
    for k in range(len(rows)):
        group = groups[k]
        if group < 0:
            continue
        for column in range(columns):
            totals[group, column] += rows[k, column]
        totals[group, columns] += 1.0


@njit(nogil=True, cache=True)
def unpack_links(signatures, ids, offsets):
    """Write the links of each rule, by target position, as source * 256 + target; returns how many.

    signatures: uint64[n]; ids: int32[room]; offsets: int64[n + 1]. Without room they are counted.
    """
    size = 0
    for rule in range(len(signatures)):
        bits, cell = signatures[rule], 0
        offsets[rule] = size
        while bits:
            if bits & np.uint64(1):
                if size < len(ids):
                    ids[size] = cell % STRIDE * 256 + cell // STRIDE
                size += 1
            bits >>= np.uint64(1)
            cell += 1
    offsets[len(signatures)] = size
    return size
