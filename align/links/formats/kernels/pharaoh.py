"""Pharaoh text to links."""

import numpy as np

from ....kernels.lazy import njit

_TAB, _FEED, _BLANK, _DASH, _POINT, _COLON, _ZERO = 9, 10, 32, 45, 46, 58, 48
_DIGITS = 15  # of a probability that a float64 holds whole
PAIR_SHIFT, SOURCE_SHIFT = 32, 16  # of the keys, see Links.keys
LONGEST = 1 << SOURCE_SHIFT  # positions in a sentence pair are below this
MAX_PAIRS = 1 << (63 - PAIR_SHIFT)  # sentence pairs of a text


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
def _probability(text, at):
    """A plain decimal number up to 1 and the place behind it; -1 where there is none."""
    number, scale, digits, behind = 0, 1.0, 0, False
    while at < len(text) and digits <= _DIGITS:
        byte = text[at]
        if _ZERO <= byte < _ZERO + 10:
            number = 10 * number + (byte - _ZERO)
            digits += 1
            if behind:
                scale *= 10.0
        elif byte == _POINT and not behind:
            behind = True
        else:
            break
        at += 1
    if digits == 0 or digits > _DIGITS or number > scale:
        return -1.0, at
    return number / scale, at


@njit(nogil=True, cache=True)
def parse_pharaoh(text, pair, keys, probabilities):
    """Write a key per link of some lines, the first of which is that of ``pair``.

    text: uint8, lines ``0-0 1-2:0.5``; keys: int64, with room for a link per four bytes and one
    more
    probabilities: float32, of as many, what is behind the colons, 1 where there is none; or empty,
    and it is dropped
    Returns how many there are, or -1 where anything is not as it should be, or looks odd.
    """
    scored = len(probabilities) > 0
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
            value = 1.0
            if at < end and text[at] == _COLON:
                if scored:
                    value, at = _probability(text, at + 1)
                    if value < 0.0:
                        return -1
                else:
                    while at < end and _BLANK < text[at] < 127:
                        at += 1
            if at < end and text[at] != _FEED and text[at] != _BLANK and text[at] != _TAB:
                return -1
            if scored:
                probabilities[size] = value
            keys[size] = np.int64(pair) << PAIR_SHIFT | left << SOURCE_SHIFT | right
            size += 1
    return size
