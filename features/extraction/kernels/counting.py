"""Phrase pairs to rules: equal ones are brought together and counted."""

import numpy as np

from align.kernels.lazy import njit

from .phrase_pairs import STRIDE

_FEW = 64


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
    """The value that occurs most often in uint64[n]; of several, the one that comes last.

    The values are sorted in place.
    """
    number = len(signatures)
    if number == 1:
        return signatures[0]
    if number > _FEW:  # Numba's sort can take the square of the time on rising runs
        signatures[:] = signatures[np.argsort(signatures, kind="mergesort")]
    else:
        signatures.sort()
    best, most, begin = signatures[0], 0, 0
    for k in range(1, number + 1):
        if k < number and signatures[k] == signatures[begin]:
            continue
        count = k - begin
        if count > most or (count == most and _later(signatures[begin], best, set_rank)):
            best, most = signatures[begin], count
        begin = k
    return best


@njit(nogil=True, cache=True)
def gather_rules(keys, order, instances, weights, set_rank, rules):
    """Write one rule for each run of equal keys.

    keys: int64[n], of phrase pairs; order: int64[n], places of the keys as they rise
    instances: (sentence pairs int32[n]; signatures uint64[n]; orientations uint8[n, kinds], class
    to the previous phrase in the low four bits, to the next one in the high ones)
    weights: float64[num_sentence_pairs, K]; set_rank: uint8[256]
    rules: (keys int64[r]; counts float64[r, K], sums of weights; signatures uint64[r], the most
    frequent one; orientations float64[r, kinds, 2, 4], sums of the first weight), written
    """
    pairs, signatures, orientations = instances
    rule_keys, counts, rule_signatures, classes = rules
    kinds = orientations.shape[1]
    number, rule, begin = len(order), 0, 0
    room = np.empty(16, np.uint64)
    while begin < number:
        key = keys[order[begin]]
        end = begin
        counts[rule] = 0.0
        classes[rule] = 0.0
        while end < number and keys[order[end]] == key:
            instance = order[end]
            pair = pairs[instance]
            for k in range(weights.shape[1]):
                counts[rule, k] += weights[pair, k]
            for kind in range(kinds):
                code = orientations[instance, kind]
                classes[rule, kind, 0, code & 15] += weights[pair, 0]
                classes[rule, kind, 1, code >> 4] += weights[pair, 0]
            if end - begin == len(room):
                larger = np.empty(2 * len(room), np.uint64)
                larger[: len(room)] = room
                room = larger
            room[end - begin] = signatures[instance]
            end += 1
        rule_keys[rule] = key
        rule_signatures[rule] = _most_frequent(room[: end - begin], set_rank)
        rule += 1
        begin = end


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
