"""Consistent phrase pairs (Koehn, Och & Marcu 2003)."""

import numpy as np

from isogloss.align.kernels.lazy import njit
from isogloss.align.kernels.ragged import longest_row

# links inside a phrase pair are the bits i * STRIDE + j of a uint64, so a side has at most 8 words;
# they are listed by target position, then source position, as Moses does
STRIDE = 8


@njit(nogil=True, cache=True)
def _spans(links, first, last, lows, highs):
    """Lowest and highest linked position on the other side, of each word of both sides."""
    # links: (source, target) positions; lows, highs: (int32 by source word, int32 by target word).
    for k in range(first, last):
        j, i = links[0][k], links[1][k]
        lows[0][j], highs[0][j] = min(lows[0][j], i), max(highs[0][j], i)
        lows[1][i], highs[1][i] = min(lows[1][i], j), max(highs[1][i], j)


@njit(nogil=True, cache=True)
def _leaves(lows, highs, begin, end, block_begin, block_end):
    """True where a word of begin..end is linked to a word outside of the block."""
    for i in range(begin, end + 1):
        if highs[i] >= 0 and (lows[i] < block_begin or highs[i] > block_end):
            return True
    return False


@njit(nogil=True, cache=True)
def _signature(links, first, last, block):
    """Links inside the block as bits; links are sorted by source position."""
    source_begin, source_end, target_begin, target_end = block
    bits = np.uint64(0)
    for k in range(first, last):
        j, i = links[0][k], links[1][k]
        if j > source_end:
            break
        if j >= source_begin and target_begin <= i <= target_end:
            cell = (i - target_begin) * STRIDE + (j - source_begin)
            bits |= np.uint64(1) << np.uint64(cell)
    return bits


@njit(nogil=True, cache=True)
def extract(links, source, target_offsets, max_length, low, high, phrase_pairs, counts):
    """Write all phrase pairs consistent with the links; returns how many there are.

    links: (source int32, target int32, offsets int64[n + 1]), sorted by source position in a pair
    source: (words int32, offsets int64[n + 1]); target_offsets: int64[n + 1]
    low, high: only source phrases whose first word is in [low, high)
    phrase_pairs: (positions int32[room, 2], corpus positions of the first source and target word;
    lengths int8[room, 2]; sentence pairs int32[room]; signatures uint64[room], inner links as bits)
    counts: int64[largest word + 1], phrase pairs by first source word are added
    Where there is no room the pairs are only counted.
    """
    words, source_offsets = source
    positions, lengths, pairs, signatures = phrase_pairs
    num_pairs = len(source_offsets) - 1
    most_source = max(1, longest_row(source_offsets))
    most_target = max(1, longest_row(target_offsets))
    lows = np.empty(most_source, np.int32), np.empty(most_target, np.int32)
    highs = np.empty(most_source, np.int32), np.empty(most_target, np.int32)
    room, size = len(signatures), 0
    for pair in range(num_pairs):
        source_begin, target_begin = source_offsets[pair], target_offsets[pair]
        num_source = source_offsets[pair + 1] - source_begin
        num_target = target_offsets[pair + 1] - target_begin
        first, last = links[2][pair], links[2][pair + 1]
        for side, number in enumerate((num_source, num_target)):
            lows[side][:number] = 1 << 30
            highs[side][:number] = -1
        _spans(links, first, last, lows, highs)
        for begin in range(num_source):
            word = words[source_begin + begin]
            if not low <= word < high:
                continue
            while first < last and links[0][first] < begin:
                first += 1
            lowest, highest = 1 << 30, -1
            for end in range(begin, min(begin + max_length, num_source)):
                lowest, highest = min(lowest, lows[0][end]), max(highest, highs[0][end])
                if highest < 0:
                    continue
                if highest - lowest >= max_length:
                    break  # a longer source side never spans less
                if _leaves(lows[1], highs[1], lowest, highest, begin, end):
                    continue
                left = lowest
                while True:  # unlinked target words at the edges may join or stay out
                    right = highest
                    while right - left < max_length:
                        if size < room:
                            positions[size, 0] = source_begin + begin
                            positions[size, 1] = target_begin + left
                            lengths[size, 0] = end - begin + 1
                            lengths[size, 1] = right - left + 1
                            pairs[size] = pair
                            signatures[size] = _signature(
                                links, first, last, (begin, end, left, right)
                            )
                        size += 1
                        counts[word] += 1
                        right += 1
                        if right >= num_target or highs[1][right] >= 0:
                            break
                    left -= 1
                    if left < 0 or highs[1][left] >= 0 or highest - left >= max_length:
                        break
    return size
