"""Decimal numbers in text to the nearest doubles or singles."""

import numpy as np

from .lazy import borrowing, inlined

LARGEST = float(np.finfo(np.float32).max)

_TAB, _FEED, _BLANK, _PLUS, _DASH, _DOT = 9, 10, 32, 43, 45, 46
_ZERO, _CAPITAL_E, _SMALL_E = 48, 69, 101
_POWERS = np.array([10.0**k for k in range(23)])  # exact
_EXACT = 1 << 53  # whole numbers up to here are doubles
_MOST_DIGITS = 10**17  # a mantissa below takes another digit
_FURTHEST = 66  # powers of ten in three exact steps; singles need no more
_DOUBT = 2.0**-50  # more than what rounding of the digits and of four products can lose


@borrowing
def ends_token(text, at):
    """Whether a token ends before this place."""
    return at == len(text) or text[at] == _BLANK or text[at] == _FEED or text[at] == _TAB


@inlined
def _scan_number(text, at):
    """Digits, sign and power of ten of a decimal number, and the place behind it."""
    # Returns the first digits as a whole number, the power of ten that it is to be multiplied by,
    # whether digits were left out, whether there is a minus, and the place: -1 where there is no
    # number.
    negative = at < len(text) and text[at] == _DASH
    if negative or (at < len(text) and text[at] == _PLUS):
        at += 1
    mantissa, shift, digits, dropped, point = np.int64(0), np.int64(0), 0, False, False
    while at < len(text):
        byte = text[at]
        if _ZERO <= byte < _ZERO + 10:
            digits += 1
            if mantissa < _MOST_DIGITS:
                mantissa = 10 * mantissa + (np.int64(byte) - _ZERO)
                shift -= point
            else:
                dropped = True
                shift += not point
        elif byte == _DOT and not point:
            point = True
        else:
            break
        at += 1
    if digits == 0:
        return mantissa, shift, dropped, negative, -1
    if at < len(text) and (text[at] == _SMALL_E or text[at] == _CAPITAL_E):
        at += 1
        below = at < len(text) and text[at] == _DASH
        if below or (at < len(text) and text[at] == _PLUS):
            at += 1
        begin, exponent = at, np.int64(0)
        while at < len(text) and _ZERO <= text[at] < _ZERO + 10 and at - begin < 6:
            exponent = 10 * exponent + (np.int64(text[at]) - _ZERO)
            at += 1
        if at == begin:
            return mantissa, shift, dropped, negative, -1
        shift += -exponent if below else exponent
    return mantissa, shift, dropped, negative, at if ends_token(text, at) else -1


@borrowing
def read_double(text, at):
    """A decimal number as the nearest double, and the place behind it.

    Whole digits up to 2^53 times or over a power of ten up to 22 are one correctly rounded
    operation (Clinger 1990). Of all others, and where there is no number, the place is -1.
    """
    mantissa, shift, dropped, negative, at = _scan_number(text, at)
    if at < 0 or dropped or mantissa > _EXACT or abs(shift) > 22:
        return 0.0, -1
    value = np.float64(mantissa)
    value = value * _POWERS[shift] if shift > 0 else value / _POWERS[-shift]
    return -value if negative else value, at


@borrowing
def read_number(text, at):
    """A decimal number as the nearest single of its nearest double, and the place behind it.

    Whole digits up to 2^53 times or over a power of ten up to 22 are one correctly rounded
    operation. Others are a few roundings off, which is enough where all doubles that near give the
    same single. Otherwise, and where there is no number, the place is -1.
    """
    mantissa, shift, dropped, negative, at = _scan_number(text, at)
    if at < 0:
        return np.float32(0.0), -1
    value = np.float64(mantissa)
    if mantissa != 0:
        if abs(shift) > _FURTHEST:
            return np.float32(0.0), -1
        exact = mantissa < _EXACT and not dropped and abs(shift) <= 22
        while shift > 0:
            step = min(shift, 22)
            value *= _POWERS[step]
            shift -= step
        while shift < 0:
            step = min(-shift, 22)
            value /= _POWERS[step]
            shift += step
        if value > LARGEST:
            return np.float32(0.0), -1
        if not exact:
            low, high = np.float32(value * (1.0 - _DOUBT)), np.float32(value * (1.0 + _DOUBT))
            if low != high:
                return np.float32(0.0), -1
    return np.float32(-value if negative else value), at
