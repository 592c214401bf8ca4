"""Consistent phrase pairs (Koehn, Och & Marcu 2003) and their lexical weights."""

import numpy as np
from numba import njit

from align.kernels.cooccurrence import find_pair

# links inside a phrase pair are the bits i * STRIDE + j of a uint64, so a side has at most 8 words;
# they are listed by target position, then source position, as Moses does
STRIDE = 8


@njit(nogil=True, cache=True)
def _spans(links, first, last, num_source, low, high, linked):
    """Lowest and highest linked target position per source word; which target words are linked."""
    low[:num_source] = 1 << 30
    high[:num_source] = -1
    linked[:] = False
    for k in range(first, last):
        j, i = links[0][k], links[1][k]
        low[j] = min(low[j], i)
        high[j] = max(high[j], i)
        linked[i] = True


@njit(nogil=True, cache=True)
def _leaves(links, first, last, target_begin, target_end, source_begin, source_end):
    """True where a target word of the block is linked to a source word outside of it."""
    for k in range(first, last):
        if target_begin <= links[1][k] <= target_end and not (
            source_begin <= links[0][k] <= source_end
        ):
            return True
    return False


@njit(nogil=True, cache=True)
def _signature(links, first, last, block):
    """Links inside the block as bits."""
    source_begin, source_end, target_begin, target_end = block
    bits = np.uint64(0)
    for k in range(first, last):
        j, i = links[0][k], links[1][k]
        if source_begin <= j <= source_end and target_begin <= i <= target_end:
            place = (i - target_begin) * STRIDE + (j - source_begin)
            bits |= np.uint64(1) << np.uint64(place)
    return bits


@njit(nogil=True, cache=True)
def extract(links, source_offsets, target_offsets, max_length, positions, lengths, signatures):
    """Write all phrase pairs consistent with the links; returns how many there are.

    links: (source int32, target int32, offsets int64[n + 1])
    positions: int64[room, 2], corpus positions of the first source and target word
    lengths: int8[room, 2]; signatures: uint64[room]
    Where there is no room the pairs are only counted.
    """
    num_pairs = len(source_offsets) - 1
    most_source = max(1, np.max(np.diff(source_offsets))) if num_pairs else 1
    most_target = max(1, np.max(np.diff(target_offsets))) if num_pairs else 1
    low, high = np.empty(most_source, np.int64), np.empty(most_source, np.int64)
    linked = np.empty(most_target, np.bool_)
    room, size = len(signatures), 0
    for pair in range(num_pairs):
        num_source = source_offsets[pair + 1] - source_offsets[pair]
        num_target = target_offsets[pair + 1] - target_offsets[pair]
        first, last = links[2][pair], links[2][pair + 1]
        _spans(links, first, last, num_source, low, high, linked[:num_target])
        for begin in range(num_source):
            lowest, highest = 1 << 30, -1
            for end in range(begin, min(begin + max_length, num_source)):
                lowest, highest = min(lowest, low[end]), max(highest, high[end])
                if highest < 0:
                    continue
                if highest - lowest >= max_length:
                    break  # a longer source side never spans less
                if _leaves(links, first, last, lowest, highest, begin, end):
                    continue
                left = lowest
                while True:  # unlinked target words at the edges may join or stay out
                    right = highest
                    while right - left < max_length:
                        if size < room:
                            positions[size, 0] = source_offsets[pair] + begin
                            positions[size, 1] = target_offsets[pair] + left
                            lengths[size, 0] = end - begin + 1
                            lengths[size, 1] = right - left + 1
                            signatures[size] = _signature(
                                links, first, last, (begin, end, left, right)
                            )
                        size += 1
                        right += 1
                        if right >= num_target or linked[right]:
                            break
                    left -= 1
                    if left < 0 or linked[left] or highest - left >= max_length:
                        break
    return size


@njit(nogil=True, cache=True)
def find(keys, key):
    """Place of a key in sorted int64 keys, or -1."""
    place = np.searchsorted(keys, key)
    return place if place < len(keys) and keys[place] == key else -1


@njit(nogil=True, cache=True)
def lexical_weights(generated, given, links, words, null, result):
    """lex(generated | given, a) of each rule (Koehn, Och & Marcu 2003).

    generated, given: (tokens int32, offsets int64, phrase of each rule int32)
    links: (generated position uint8, given position uint8, offsets int64[num_rules + 1])
    words: (keys int64, sorted, given * num_generated_types + generated; w(generated | given)
    float64; num_generated_types); null: float64[num_generated_types], w(generated | NULL)
    """
    keys, values, num_types = words
    total = np.empty(256)
    count = np.empty(256, np.int64)
    for rule in range(len(result)):
        generated_phrase, given_phrase = generated[2][rule], given[2][rule]
        begin = generated[1][generated_phrase]
        length = generated[1][generated_phrase + 1] - begin
        other = given[1][given_phrase]
        total[:length] = 0.0
        count[:length] = 0
        for k in range(links[2][rule], links[2][rule + 1]):
            j, i = links[0][k], links[1][k]
            word = generated[0][begin + j]
            place = find(keys, given[0][other + i] * num_types + word)
            total[j] += values[place] if place >= 0 else 0.0
            count[j] += 1
        weight = 1.0
        for j in range(length):
            weight *= total[j] / count[j] if count[j] else null[generated[0][begin + j]]
        result[rule] = weight


@njit(nogil=True, cache=True)
def model1_log_scores(source, target, row_offsets, columns, table, floor, result):
    """log( l^-m prod_j sum_i t(f_j | e_i) ) of each rule (Cuong & Sima'an 2015, footnote 11).

    source, target: (tokens int32, offsets int64, phrase of each rule int32), ids of the aligner's
    vocabularies, -1 where it lacks the word; row_offsets, columns: its pair index; table:
    float32[num_type_pairs + 1], t(source | target) of one domain; result: float64[num_rules].
    """
    for rule in range(len(result)):
        begin, end = source[1][source[2][rule]], source[1][source[2][rule] + 1]
        first, last = target[1][target[2][rule]], target[1][target[2][rule] + 1]
        score = 0.0
        for j in range(begin, end):
            word = source[0][j]
            total = 0.0
            for i in range(first, last):
                place = find_pair(row_offsets, columns, word, target[0][i])
                total += max(table[place], floor)
            score += np.log(total / (last - first))
        result[rule] = score
