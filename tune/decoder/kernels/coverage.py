"""Which source words a hypothesis covers: the first uncovered position, and a window behind it.

The window is 64 bits of what is covered from the first uncovered position on, so that bit 0 is
never set; the distortion limit keeps all that is covered behind that position within it.
"""

import numpy as np

from isogloss.align.kernels.lazy import borrowing

__all__ = ["WINDOW", "cover", "gap_begin", "gap_end", "is_covered"]

WINDOW = 64  # bits, and so the largest distortion limit

_ONE = np.uint64(1)


@borrowing
def is_covered(window, distance):
    """Whether the position ``distance`` behind the first uncovered one is covered."""
    return distance < WINDOW and (window >> np.uint64(distance)) & _ONE != 0


@borrowing
def gap_begin(window, first, position):
    """Begin of the uncovered words that end at ``position``: itself where there are none."""
    while position > first and not is_covered(window, position - 1 - first):
        position -= 1
    return position


@borrowing
def gap_end(window, first, position, num_source_words):
    """End of the gap that the uncovered ``position`` lies in."""
    while position < num_source_words and not is_covered(window, position - first):
        if position - first >= WINDOW:
            return num_source_words
        position += 1
    return position


@borrowing
def cover(first, window, begin, end):
    """First uncovered position and window after [begin, end) has been covered."""
    if begin > first:  # the distortion limit keeps end - first <= WINDOW
        for position in range(begin - first, end - first):
            window |= _ONE << np.uint64(position)
        return first, window
    shift = end - first
    window = window >> np.uint64(shift) if shift < WINDOW else np.uint64(0)
    while window & _ONE:
        window >>= _ONE
        end += 1
    return end, window
