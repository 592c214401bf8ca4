"""How phrase pairs lie beside their neighbors (Tillmann 2004; Galley & Manning 2008).

Orientation with the previous phrase is told from what lies before the phrase pair's first target
word. That with the next one is the same question in the sentence pair read backwards, so all is
written for the previous phrase and each sentence pair is looked at in both ways.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from isogloss.align.kernels.lazy import njit
from isogloss.align.kernels.ragged import longest_row

WORD, PHRASE, HIERARCHICAL = range(3)  # columns of the result
MONOTONE, SWAP, LEFT, RIGHT = range(4)  # the last two are discontinuous
ALL_KINDS = 1 << WORD | 1 << PHRASE | 1 << HIERARCHICAL


class PhrasePairs(NamedTuple):
    """Phrase pairs as ``extract`` writes them, all or some, those of a sentence pair together.

    positions: int32[n, 2], corpus positions of the first source and target word
    lengths: int8[n, 2], words of both sides
    """

    positions: NDArray[np.int32]
    lengths: NDArray[np.int8]


class Definition(NamedTuple):
    """What orientations are looked for.

    max_length: longest side of a neighbor of the phrase-based kind
    kinds: the columns wanted, as bits 1 << kind
    moses: the classes of Moses, whose next block has one target word only, and whose previous one
        is not found at the last source word; else those of the papers
    """

    max_length: int
    kinds: int = ALL_KINDS
    moses: bool = True


@njit(nogil=True, cache=True)
def _read_links(links, first, last, sizes, backwards, heads, following, spans):
    """Links of each target word as chains; lowest and highest partner of each word, both sides."""
    num_source, num_target = sizes
    source_low, source_high, target_low, target_high = spans
    heads[:num_target] = -1
    source_low[:num_source], source_high[:num_source] = num_target, -1
    target_low[:num_target], target_high[:num_target] = num_source, -1
    for k in range(first, last):
        j, i = links[0][k], links[1][k]
        if backwards:
            j, i = num_source - 1 - j, num_target - 1 - i
        following[k - first], heads[i] = heads[i], k - first
        source_low[j], source_high[j] = min(source_low[j], i), max(source_high[j], i)
        target_low[i], target_high[i] = min(target_low[i], j), max(target_high[i], j)


@njit(nogil=True, cache=True)
def _nearest_linked(high, size, before, after):
    """Nearest linked word at or before, and at or after each word; -1 and size where none is."""
    nearest = -1
    for j in range(size):
        nearest = j if high[j] >= 0 else nearest
        before[j] = nearest
    nearest = size
    for j in range(size - 1, -1, -1):
        nearest = j if high[j] >= 0 else nearest
        after[j] = nearest


@njit(nogil=True, cache=True)
def _by_word(links, first, size, backwards, chain, begin, end):
    """Class by the links of the target word before the phrase pair, and whether that is final."""
    # It is where the word is linked to a neighbor of the source side begin..end: no block that ends
    # with the word lies clear of the phrase pair then, or the block beside it says the same.
    head, following = chain
    before = after = left = right = False
    while head >= 0:
        j = links[0][first + head]
        if backwards:
            j = size - 1 - j
        before |= j == begin - 1
        after |= j == end + 1
        left |= j < begin - 1
        right |= j > end + 1
        head = following[head]
    if before != after:
        return (MONOTONE if before else SWAP), True
    return (LEFT if right and not (left or before) else RIGHT), before


@njit(nogil=True, cache=True)
def _blocks(last, reach, latest, spans, number, corners):
    """Note all blocks of at most ``reach`` target words that end with target word ``last``."""
    # A block is consistent with the links and begins and ends with linked words, but for unlinked
    # target words up to ``last``. ``corners``: number of the search that met a block that ends
    # (begins) with a source word, and where the smallest such block begins (ends). Of two blocks
    # with a corner in common, one holds the other. Returns the source span of the smallest block
    # that begins at ``latest`` or before; unlinked words up to there may join it.
    source_low, source_high, target_low, target_high = spans
    ends, begin_of, begins, end_of = corners
    begin, end, lowest = 0, -1, last
    smallest = (-1, -1)
    for low in range(last, max(-1, last - reach), -1):
        if target_high[low] < 0:
            continue
        if end < 0:
            begin, end = target_low[low], target_low[low] - 1
        while begin > target_low[low]:
            begin -= 1
            lowest = min(lowest, source_low[begin])
            if source_high[begin] > last:
                return smallest
        while end < target_high[low]:
            end += 1
            lowest = min(lowest, source_low[end])
            if source_high[end] > last:
                return smallest
        if lowest < low:
            continue
        if ends[end] != number:
            ends[end], begin_of[end] = number, begin
        if begins[begin] != number:
            begins[begin], end_of[begin] = number, end
        if smallest[0] < 0 and (begin <= latest or source_high[latest] < 0):
            smallest = (min(begin, latest), end)
    return smallest


@njit(nogil=True, cache=True)
def _by_block(begin, end, size, longest, number, corners, smallest, nearest):
    """Class by the blocks that end right before the phrase pair's first target word."""
    # The source side is begin..end; unlinked source words may lengthen a block up to ``longest``.
    ends, begin_of, begins, end_of = corners
    before, after = nearest
    if begin > 0:
        corner = before[begin - 1]
        if corner >= 0 and ends[corner] == number and begin - begin_of[corner] <= longest:
            return MONOTONE
    if end < size - 1:
        corner = after[end + 1]
        if corner < size and begins[corner] == number and end_of[corner] - end <= longest:
            return SWAP
    within = smallest[1] - smallest[0] < longest
    return LEFT if smallest[0] > end and within else RIGHT


@njit(nogil=True, cache=True)
def _sentence_span(phrase_pairs, k, starts, sizes, backwards):
    """First and last source word of a phrase pair in its sentence, and its first target word."""
    positions, lengths = phrase_pairs
    begin, target_begin = positions[k, 0] - starts[0], positions[k, 1] - starts[1]
    end = begin + lengths[k, 0] - 1
    if backwards:
        return sizes[0] - 1 - end, sizes[0] - 1 - begin, sizes[1] - target_begin - lengths[k, 1]
    return begin, end, target_begin


@njit(nogil=True, cache=True)
def _write(result, k, kinds, backwards, orientation):
    """Write one class for some kinds."""
    for kind in range(3):
        if kinds >> kind & 1:
            if backwards:
                result[k, kind] |= orientation << 4
            else:
                result[k, kind] = orientation


@njit(nogil=True, cache=True)
def _first_of_pairs(source_offsets, positions):
    """First phrase pair of each sentence pair: int64[num_pairs + 1]."""
    first = np.zeros(len(source_offsets), np.int64)
    k = 0
    for pair in range(len(source_offsets) - 1):
        first[pair] = k
        while k < len(positions) and positions[k, 0] < source_offsets[pair + 1]:
            k += 1
    first[-1] = k
    return first


@njit(nogil=True, cache=True)
def _most(offsets):
    """Largest difference of neighbors, at least 1."""
    return max(1, longest_row(offsets))


@njit(nogil=True, cache=True)
def orientations(links, source_offsets, target_offsets, phrase_pairs, definition, result):
    """Write the orientation of phrase pairs with the previous and with the next phrase.

    links: (source int32, target int32, offsets int64[num_pairs + 1])
    source_offsets, target_offsets: int64[num_pairs + 1], where the sentences begin
    phrase_pairs: see :class:`PhrasePairs`; definition: see :class:`Definition`
    result: uint8[n, 3], for WORD, PHRASE and HIERARCHICAL the class with the previous phrase (low
    four bits) and with the next one (high four bits): MONOTONE, SWAP, LEFT or RIGHT
    Columns of kinds that are not wanted are left as they are.

    Time per sentence pair: links, phrase pairs, and for blocks at most the square of its length;
    memory: its length.
    """
    max_length, kinds, moses = definition
    most_source, most_target = _most(source_offsets), _most(target_offsets)
    instances = _first_of_pairs(source_offsets, phrase_pairs.positions)
    spans = (
        np.empty(most_source, np.int64), np.empty(most_source, np.int64),
        np.empty(most_target, np.int64), np.empty(most_target, np.int64),
    )  # fmt: skip
    corners = (
        np.zeros(most_source, np.int64), np.empty(most_source, np.int64),
        np.zeros(most_source, np.int64), np.empty(most_source, np.int64),
    )  # fmt: skip
    nearest = (np.empty(most_source, np.int64), np.empty(most_source, np.int64))
    heads, following = np.empty(most_target, np.int64), np.empty(_most(links[2]), np.int64)
    # phrase pairs that blocks must decide, as a chain for each target word before them
    waiting, behind = np.empty(most_target, np.int64), np.empty(_most(instances), np.int64)
    number = 0
    for pair in range(len(source_offsets) - 1):
        starts = (source_offsets[pair], target_offsets[pair])
        sizes = (source_offsets[pair + 1] - starts[0], target_offsets[pair + 1] - starts[1])
        first, last = instances[pair], instances[pair + 1]
        if first == last:
            continue
        for backwards in (False, True):
            _read_links(
                links, links[2][pair], links[2][pair + 1], sizes, backwards, heads, following, spans
            )
            waiting[: sizes[1]] = -1
            for k in range(first, last):
                begin, end, start = _sentence_span(phrase_pairs, k, starts, sizes, backwards)
                if start == 0:  # the border stands for a link of the words before the first ones
                    border = MONOTONE if begin == 0 else RIGHT
                    _write(result, k, kinds, backwards, border)
                    continue
                by_word, final = _by_word(
                    links, links[2][pair], sizes[0], backwards, (heads[start - 1], following),
                    begin, end,
                )  # fmt: skip
                _write(result, k, kinds if final else kinds & 1 << WORD, backwards, by_word)
                if not final:
                    behind[k - first], waiting[start - 1] = waiting[start - 1], k - first
            if kinds == 1 << WORD:
                continue
            _nearest_linked(spans[1], sizes[0], nearest[0], nearest[1])
            latest = max(0, sizes[0] - 2) if moses and not backwards else sizes[0] - 1
            for kind in (PHRASE, HIERARCHICAL):
                if not kinds >> kind & 1:
                    continue
                longest = max_length if kind == PHRASE else max(sizes)
                reach = 1 if moses and backwards else longest
                for word in range(sizes[1]):
                    k = waiting[word]
                    if k < 0:
                        continue
                    number += 1
                    smallest = _blocks(word, reach, latest, spans, number, corners)
                    while k >= 0:
                        begin, end, _ = _sentence_span(
                            phrase_pairs, first + k, starts, sizes, backwards
                        )
                        by_block = _by_block(
                            begin, end, sizes[0], longest, number, corners, smallest, nearest
                        )
                        _write(result, first + k, 1 << kind, backwards, by_block)
                        k = behind[k]
