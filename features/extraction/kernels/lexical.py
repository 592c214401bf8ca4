"""Lexical weights of rules."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from isogloss.align.kernels.cooccurrence import find_pair
from isogloss.align.kernels.lazy import borrowing, njit

LONGEST = 256  # positions in a phrase are numbers of one byte
REMEMBERED = 1 << 13  # word pairs that are remembered
_SHIFT, _HALF = np.uint64(64 - 13), np.uint64(32)
_MIX = np.uint64(0x9E3779B97F4A7C15)  # 2^64 over the golden ratio (Knuth's multiplicative hashing)


class SeenPairs(NamedTuple):
    """Word pairs looked up not long ago, each in the slot that it chooses, and room for a phrase.

    keys: uint64[REMEMBERED], given word << 32 | generated word, 0 = none; no word has the number 0
    values: float64[REMEMBERED], w(generated | given)
    total: float64[LONGEST]; number: int64[LONGEST]
    """

    keys: NDArray[np.uint64]
    values: NDArray[np.float64]
    total: NDArray[np.float64]
    number: NDArray[np.int64]


@njit(nogil=True, cache=True)
def link_keys(generated, given, links, num_types, keys, linked):
    """Write given * num_types + generated of each link, and mark the words that have one.

    generated, given: (tokens int32, offsets int64[num_pairs + 1]); links: (generated int32, given
    int32, offsets int64[num_pairs + 1]); keys: int64[num_links]
    linked: (bool[num_generated_tokens], bool[num_given_tokens])
    """
    for pair in range(len(links[2]) - 1):
        for k in range(links[2][pair], links[2][pair + 1]):
            token, other = generated[1][pair] + links[0][k], given[1][pair] + links[1][k]
            keys[k] = np.int64(given[0][other]) * num_types + generated[0][token]
            linked[0][token] = True
            linked[1][other] = True


@borrowing
def _probability(words, given, generated, room):
    """w(generated | given), 0 where the two were never linked."""
    key = np.uint64(given) << _HALF | np.uint64(generated)
    slot = np.int64((key * _MIX) >> _SHIFT)
    if room.keys[slot] != key:
        row_offsets, columns, values = words
        entry = find_pair(row_offsets, columns, given, generated)
        room.keys[slot] = key
        room.values[slot] = values[entry] if entry < len(values) else 0.0
    return room.values[slot]


@borrowing
def lexical_weights(generated, given, links, words, null, room, result):
    """lex(generated | given, a) of each rule (Koehn, Och & Marcu 2003).

    generated, given: (tokens int32, offsets int64, phrase of each rule int32)
    links: (generated position uint8, given position uint8, offsets int64[num_rules + 1])
    words: (row_offsets int64[num_given_types + 1], generated words int32, sorted in a row,
    w(generated | given) float64); null: float64[num_generated_types], w(generated | NULL)
    room: SeenPairs, in which word pairs are remembered; result: float64[num_rules], written
    """
    total, count = room.total, room.number
    for rule in range(len(result)):
        generated_phrase, given_phrase = generated[2][rule], given[2][rule]
        begin = generated[1][generated_phrase]
        length = generated[1][generated_phrase + 1] - begin
        other = given[1][given_phrase]
        for j in range(length):
            total[j], count[j] = 0.0, 0
        for k in range(links[2][rule], links[2][rule + 1]):
            j, i = links[0][k], links[1][k]
            total[j] += _probability(words, given[0][other + i], generated[0][begin + j], room)
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
                entry = find_pair(row_offsets, columns, word, target[0][i])
                total += max(table[entry], floor)
            score += np.log(total / (last - first))
        result[rule] = score
