"""Pharaoh text to links."""

import numpy as np

from ...kernels.lazy import njit

_TAB, _FEED, _BLANK, _DASH, _COLON, _ZERO = 9, 10, 32, 45, 58, 48
PAIR_SHIFT, SOURCE_SHIFT = 32, 16  # of the keys, see Links.keys
LONGEST = 1 << SOURCE_SHIFT  # positions in a sentence pair are below this
MOST_PAIRS = 1 << (63 - PAIR_SHIFT)  # sentence pairs of a text


@njit(nogil=True, cache=True)
def _position(text, at):
    """A decimal number below LONGEST and the place behind it; -1 where there is none."""
    number, begin = 0, at
    while at < len(text) and _ZERO <= text[at] < _ZERO + 10 and at - begin < 8:
        number = 10 * number + (text[at] - _ZERO)
        at += 1
    if at == begin or number >= LONGEST or at - begin > 7:
        number = -1
    return number, at


@njit(nogil=True, cache=True)
def parse_pharaoh(text, pair, keys):
    """Write a key per link of some lines, the first of which is that of ``pair``.

    text: uint8, lines ``0-0 1-2:0.5``, what is behind a colon is dropped; keys: int64, with room
    for a link per four bytes and one more
    Returns how many there are, or -1 where anything is not as it should be.
    """
    at, size, end = 0, 0, len(text)
    while at < end:
        byte = text[at]
        if byte == _FEED:
            pair += 1
            at += 1
        elif byte in (_BLANK, _TAB):
            at += 1
        else:
            left, at = _position(text, at)
            if left < 0 or at >= end or text[at] != _DASH:
                return -1
            right, at = _position(text, at + 1)
            if right < 0:
                return -1
            if at < end and text[at] == _COLON:
                while at < end and _BLANK < text[at] < 127:
                    at += 1
            if at < end and text[at] != _FEED and text[at] != _BLANK and text[at] != _TAB:
                return -1
            keys[size] = np.int64(pair) << PAIR_SHIFT | left << SOURCE_SHIFT | right
            size += 1
    return size
