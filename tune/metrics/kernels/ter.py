"""Translation edit rate: edits and shifts of blocks of words (Snover et al. 2006).

The search is that of sacrebleu's TER, Tercom's greedy one: as long as it gets closer, the shift
that brings the hypothesis closest to the reference is made; then words are inserted, deleted and
substituted.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from isogloss.align.kernels.lazy import njit

from .edit_distance import edit_distance, symbol_masks

LONGEST_SHIFT = 10  # words of a block
FARTHEST_SHIFT = 50  # words between its places in hypothesis and reference
BEAM = 25  # cells of the distance matrix on each side of the diagonal
MAX_SHIFTS = 1000  # shifts tried for a hypothesis and a reference
_INFINITE = 1 << 30
_KEEP, _SUBSTITUTE, _DELETE, _INSERT = 0, 1, 2, 3  # what is done to the hypothesis


class _Workspace(NamedTuple):
    """What the search of shifts writes to, for one hypothesis and one reference."""

    # masks: uint64, symbol_masks of the reference; up, down: uint64, as edit_distance needs them
    # steps: uint8[words + 1, 2 * beam + 2], last step to each cell of the distance matrix
    # shifted: int32[words], the hypothesis after a shift that is tried

    masks: NDArray[np.uint64]
    up: NDArray[np.uint64]
    down: NDArray[np.uint64]
    steps: NDArray[np.uint8]
    shifted: NDArray[np.int32]


@njit(nogil=True, cache=True)
def _beam(num_words, num_reference):
    """Cells on each side of the diagonal that are looked at, and the diagonal's slope."""
    slope = num_reference / num_words if num_words else 1.0
    return (int(np.ceil(slope / 2 + BEAM)) if slope / 2 > BEAM else BEAM), slope


@njit(nogil=True, cache=True)
def _band(row, num_words, num_reference, beam, slope):
    """First and last + 1 column of the distance matrix in a row."""
    diagonal = int(np.floor(row * slope))
    last = num_reference + 1
    return max(diagonal - beam, 0), last if row == num_words else min(diagonal + beam, last)


@njit(nogil=True, cache=True)
def _beam_distance(words, reference, steps):
    """Edit distance within the beam. steps."""
    # Uint8[words + 1, 2 * beam + 2], last step to each cell.
    # Of equally short ways the one by substitution is taken, then that by deletion.
    beam, slope = _beam(len(words), len(reference))
    above = np.arange(len(reference) + 1)
    here = np.full(len(reference) + 1, _INFINITE)
    reached = len(above)
    for row in range(1, len(words) + 1):
        low, high = _band(row, len(words), len(reference), beam, slope)
        above[reached:high] = _INFINITE
        reached = high
        if low > 0:
            here[low - 1] = _INFINITE
        for column in range(low, high):
            best, step = above[column] + 1, _DELETE
            if column > 0:
                differ = words[row - 1] != reference[column - 1]
                if above[column - 1] + differ <= best:
                    best, step = above[column - 1] + differ, _SUBSTITUTE if differ else _KEEP
                if here[column - 1] + 1 < best:
                    best, step = here[column - 1] + 1, _INSERT
            here[column] = best
            steps[row, column - low] = step
        above, here = here, above
    return above[len(reference)]


@njit(nogil=True, cache=True)
def _align(words, reference, steps, aligned, wrong, reference_wrong):
    """Follow the steps back. aligned."""
    # Int64, place in the hypothesis of each reference word, or of the last word before it; wrong,
    # reference_wrong: bool, words that were not kept.
    beam, slope = _beam(len(words), len(reference))
    row, column = len(words), len(reference)
    while row or column:
        step = _INSERT
        if row:
            low = _band(row, len(words), len(reference), beam, slope)[0]
            step = steps[row, column - low]
        if step != _DELETE:
            column -= 1
            reference_wrong[column] = step != _KEEP
        if step != _INSERT:
            row -= 1
            wrong[row] = step != _KEEP
        if step != _DELETE:
            aligned[column] = row if step != _INSERT else row - 1


@njit(nogil=True, cache=True)
def _shift(words, begin, length, target, result):
    """Write the words with a block of them taken to before ``target``, counted with the block."""
    # A target within the block, or right behind it, is counted without it.
    rest = target - length if begin + length < target else target
    rest = min(rest, len(words) - length)
    written = 0
    for place in range(len(words)):
        if begin <= place < begin + length:
            continue
        if written == rest:
            written += length
        result[written] = words[place]
        written += 1
    result[rest : rest + length] = words[begin : begin + length]


@njit(nogil=True, cache=True)
def _distance(words, reference, workspace):
    """The distance within the beam, by a faster way where no shortest way can leave the beam."""
    # A way of d edits with I insertions and D deletions stays within max(I, D) <= (d + |I - D|) / 2
    # cells of the diagonal.
    masks, up, down = workspace.masks, workspace.up, workspace.down
    distance = edit_distance(words, masks, len(reference), up, down)
    if (distance + abs(len(reference) - len(words))) // 2 < BEAM:
        return distance
    return np.int64(_beam_distance(words, reference, workspace.steps))


@njit(nogil=True, cache=True)
def _least_distance(words, reference):
    """A distance that no order of the words is closer than: that of bags of words."""
    if not len(reference):
        return len(words)
    counts = np.zeros(reference.max() + 1, np.int64)
    for symbol in reference:
        counts[symbol] += 1
    common = 0
    for symbol in words:
        if symbol < len(counts) and counts[symbol] > 0:
            counts[symbol] -= 1
            common += 1
    return max(len(words), len(reference)) - common


@njit(nogil=True, cache=True)
def _best_shift(words, reference, workspace, distance, least, tried, best_words):
    """Write the words after the best shift; return what it gains and the number of shifts tried."""
    # words, reference: int32; distance: between them; least: no shift reaches less
    # tried: shifts tried so far; best_words: int32[len(words)], written
    # Shifts move a block to where the reference has the same words, if neither the block nor those
    # are aligned rightly yet. The best gains most; of equal ones the longest, then the first block
    # to the first place.
    aligned = np.empty(len(reference), np.int64)
    wrong = np.empty(len(words), np.bool_)
    reference_wrong = np.empty(len(reference), np.bool_)
    _align(words, reference, workspace.steps, aligned, wrong, reference_wrong)
    shifted = workspace.shifted
    best_gain, best_length, best_begin, best_target = -_INFINITE, 0, 0, 0
    for begin in range(len(words)):
        from_place = max(begin - FARTHEST_SHIFT, 0)
        for place in range(from_place, min(begin + FARTHEST_SHIFT + 1, len(reference))):
            any_wrong = any_reference_wrong = False
            longest = min(len(words) - begin, len(reference) - place, LONGEST_SHIFT)
            for length in range(1, longest + 1):
                if words[begin + length - 1] != reference[place + length - 1]:
                    break
                any_wrong |= wrong[begin + length - 1]
                any_reference_wrong |= reference_wrong[place + length - 1]
                if not any_wrong or not any_reference_wrong:
                    continue
                if begin <= aligned[place] < begin + length:
                    continue
                previous = -1
                for behind in range(place - 1, place + length):
                    target = aligned[behind] + 1 if behind >= 0 else 0
                    if target == previous:
                        continue
                    previous = target
                    tried += 1
                    rank = (length, -begin, -target)
                    best_rank = (best_length, -best_begin, -best_target)
                    if best_gain == distance - least and rank <= best_rank:
                        continue  # no shift gains more
                    _shift(words, begin, length, target, shifted)
                    gain = distance - _distance(shifted, reference, workspace)
                    if gain > best_gain or (gain == best_gain and rank > best_rank):
                        best_gain, best_length = gain, length
                        best_begin, best_target = begin, target
                if tried >= MAX_SHIFTS:
                    return 0, tried
    if best_gain > 0:
        _shift(words, best_begin, best_length, best_target, best_words)
    return best_gain, tried


@njit(nogil=True, cache=True)
def ter_edits(words, reference, masks):
    """Shifts and edits that turn a hypothesis into a reference.

    words, reference: int32; masks: symbol_masks(reference).
    """
    if not len(reference) or not len(words):
        return np.int64(max(len(words), len(reference)))
    up, down = np.empty(masks.shape[1], np.uint64), np.empty(masks.shape[1], np.uint64)
    least = _least_distance(words, reference)
    distance = edit_distance(words, masks, len(reference), up, down)
    if distance == least and distance + abs(len(reference) - len(words)) < 2 * BEAM:
        return distance
    steps = np.empty((len(words) + 1, 2 * _beam(len(words), len(reference))[0] + 2), np.uint8)
    workspace = _Workspace(masks, up, down, steps, np.empty_like(words))
    after = np.empty_like(words)
    shifts = tried = 0
    while True:
        distance = np.int64(_beam_distance(words, reference, steps))
        if distance == least:
            break
        gain, tried = _best_shift(words, reference, workspace, distance, least, tried, after)
        if gain <= 0 or tried >= MAX_SHIFTS:
            break
        words, after = after.copy(), after
        shifts += 1
    return shifts + distance


@njit(nogil=True, cache=True)
def _first_of_equals(words, first, last):
    """For the hypotheses first..last - 1 the earliest one with the same words: int64."""
    size = 16
    while size < 2 * (last - first):
        size *= 2
    slots = np.full(size, -1, np.int64)
    result = np.arange(first, last)
    for row in range(first, last):
        symbols = words.symbols[words.offsets[row] : words.offsets[row + 1]]
        value = np.uint64(len(symbols))
        for symbol in symbols:
            value = (value ^ np.uint64(symbol)) * np.uint64(0x9E3779B97F4A7C15)
            value ^= value >> np.uint64(32)
        slot = value & np.uint64(size - 1)
        while slots[slot] >= 0:
            other = slots[slot]
            if np.array_equal(
                symbols, words.symbols[words.offsets[other] : words.offsets[other + 1]]
            ):
                result[row - first] = other
                break
            slot = (slot + np.uint64(1)) & np.uint64(size - 1)
        else:
            slots[slot] = row
    return result


@njit(nogil=True, cache=True)
def measure_ter(words, result):
    """Write the fewest edits to any reference, and the mean length of the references.

    words: Symbols; result: float64[num_hypotheses, 2].
    """
    for sentence in range(len(words.sentences) - 1):
        first, last = words.sentences[sentence], words.sentences[sentence + 1]
        first_reference = words.reference_sentences[sentence]
        last_reference = words.reference_sentences[sentence + 1]
        num_words = (
            words.reference_offsets[last_reference] - words.reference_offsets[first_reference]
        )
        result[first:last, 0] = np.inf
        result[first:last, 1] = num_words / (last_reference - first_reference)
        equal = _first_of_equals(words, first, last)
        for reference in range(first_reference, last_reference):
            reference_symbols = words.reference_symbols[
                words.reference_offsets[reference] : words.reference_offsets[reference + 1]
            ]
            masks = symbol_masks(reference_symbols)
            for row in range(first, last):
                if equal[row - first] == row:
                    symbols = words.symbols[words.offsets[row] : words.offsets[row + 1]]
                    result[row, 0] = min(
                        result[row, 0], ter_edits(symbols, reference_symbols, masks)
                    )
        for row in range(first, last):
            result[row, 0] = result[equal[row - first], 0]
