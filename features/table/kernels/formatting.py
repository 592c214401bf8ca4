"""Numbers and rules as text."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from isogloss.align.kernels.lazy import borrowing
from isogloss.align.kernels.simd import BLOCK, copy_block

DIGITS = 6  # significant digits of a number, as C's %g and Moses print
LONGEST_NUMBER = 13  # "-1.23457e-300"
_SPLIT = 134217729.0  # 2^27 + 1: halves of a double whose products are exact (Veltkamp)
_POWERS = np.array([10.0**k for k in range(23)])  # exact
_TENTHS = np.array([float(f"1e-{k}") for k in range(325)])  # the last one is 0
_LARGEST, _SMALLEST = 10**DIGITS, 10 ** (DIGITS - 1)

_BLANK, _BAR, _DASH, _DOT, _ZERO, _E, _PLUS = 32, 124, 45, 46, 48, 101, 43

REMEMBERED = 1 << 12  # numbers whose text is kept
_SHIFT = np.uint64(64 - 12)
_MIX = np.uint64(0x9E3779B97F4A7C15)  # 2^64 over the golden ratio (Knuth's multiplicative hashing)


class NumberTexts(NamedTuple):
    """Numbers that were written not long ago, each in the slot that its bits choose.

    bits: uint64[REMEMBERED], of the number in each slot; sizes: uint8[REMEMBERED], bytes of its
        text, 0 = none is there
    content: uint8[REMEMBERED * BLOCK], the texts
    """

    bits: NDArray[np.uint64]
    sizes: NDArray[np.uint8]
    content: NDArray[np.uint8]


@borrowing
def _product(value, other):
    """value * other and what is lost in rounding it (Dekker 1971)."""
    product = value * other
    high = _SPLIT * value
    high -= high - value
    low = value - high
    other_high = _SPLIT * other
    other_high -= other_high - other
    other_low = other - other_high
    error = ((high * other_high - product) + high * other_low + low * other_high) + low * other_low
    return product, error


@borrowing
def _rounded(value, shift):
    """value * 10^shift to the nearest whole number, ties to even, as exact arithmetic would."""
    scaled, rest = value, 0.0
    while shift < 0:
        part = min(-shift, 22)
        quotient = scaled / _POWERS[part]
        # scaled = quotient * 10^part + what is left
        product, error = _product(quotient, _POWERS[part])
        rest = (scaled - product - error + rest) / _POWERS[part]
        scaled = quotient
        shift += part
    while shift > 0:
        part = min(shift, 22)
        product, error = _product(scaled, _POWERS[part])
        rest = error + rest * _POWERS[part]
        scaled = product
        shift -= part
    whole = np.floor(scaled)
    above = (scaled - whole - 0.5) + rest
    number = np.int64(whole)
    if above > 0.0 or (above == 0.0 and number % 2 == 1):
        number += 1
    return number


@borrowing
def _exponent(value):
    """The largest power of ten at or below a positive value, or one that rounding will correct."""
    exponent = 0
    if value >= 1.0:
        while exponent < 22 and value >= _POWERS[exponent + 1]:
            exponent += 1
        while exponent >= 22 and value >= 10.0 ** (exponent + 1):
            exponent += 1
        return exponent
    while value < _TENTHS[exponent]:
        exponent += 1
    return -exponent


@borrowing
def write_whole(number, out, at):
    """Write a whole number; returns the position behind it."""
    if 0 <= number < 10:
        out[at] = _ZERO + number
        return at + 1
    if number < 0:
        out[at] = _DASH
        at += 1
        number = -number
    size, rest = 1, number
    while rest >= 10:
        rest //= 10
        size += 1
    for position in range(at + size - 1, at - 1, -1):
        out[position] = _ZERO + number % 10
        number //= 10
    return at + size


@borrowing
def _write_digits(number, size, out, at):
    """Write ``size`` digits of a number, leading zeros included."""
    for position in range(at + size - 1, at - 1, -1):
        out[position] = _ZERO + number % 10
        number //= 10
    return at + size


@borrowing
def write_number(value, out, at):
    """Write a finite number with six significant digits, as C's ``%g``; returns its end."""
    if np.signbit(value):
        out[at] = _DASH
        at += 1
        value = -value
    if value < _LARGEST and value == np.floor(value):
        return write_whole(np.int64(value), out, at)
    exponent = _exponent(value)
    number = _rounded(value, DIGITS - 1 - exponent)
    if number >= _LARGEST:  # 999999.5 rounds up
        exponent += 1
        number = _rounded(value, DIGITS - 1 - exponent)
    elif number <= _SMALLEST:  # the power of ten may have been rounded down itself
        lower = _rounded(value, DIGITS - exponent)
        if lower < _LARGEST:
            exponent -= 1
            number = lower
    used = DIGITS
    while used > 1 and number % 10 == 0:
        number //= 10
        used -= 1
    if -5 < exponent < 0:
        out[at], out[at + 1] = _ZERO, _DOT
        at += 2
        for _ in range(-1 - exponent):
            out[at] = _ZERO
            at += 1
        return _write_digits(number, used, out, at)
    whole = exponent + 1 if 0 <= exponent < DIGITS else 1  # digits before the point
    if used <= whole:
        at = _write_digits(number * 10 ** (whole - used), whole, out, at)
    else:
        tail = 10 ** (used - whole)
        at = _write_digits(number // tail, whole, out, at)
        out[at] = _DOT
        at = _write_digits(number % tail, used - whole, out, at + 1)
    if -5 < exponent < DIGITS:
        return at
    out[at], out[at + 1] = _E, _DASH if exponent < 0 else _PLUS
    size = abs(exponent)
    return _write_digits(size, 2 if size < 100 else 3, out, at + 2)


@borrowing
def _write_numbers(values, row, texts, out, at):
    """Write the numbers of a row with blanks before them; returns the position behind."""
    for column in range(values.shape[1]):
        bits = np.float64(values[row, column]).view(np.uint64)
        slot = np.int64((bits * _MIX) >> _SHIFT)
        if texts.bits[slot] != bits or texts.sizes[slot] == 0:
            end = write_number(values[row, column], texts.content, slot * BLOCK)
            texts.sizes[slot] = end - slot * BLOCK
            texts.bits[slot] = bits
        out[at] = _BLANK
        copy_block(out, at + 1, texts.content, slot * BLOCK)
        at += 1 + texts.sizes[slot]
    return at


@borrowing
def _write_separator(out, at):
    out[at], out[at + 1], out[at + 2], out[at + 3] = _BLANK, _BAR, _BAR, _BAR
    return at + 4


@borrowing
def _write_phrase(phrases, phrase, words, out, at):
    tokens, offsets = phrases
    text, bounds = words
    for k in range(offsets[phrase], offsets[phrase + 1]):
        if k > offsets[phrase]:
            out[at] = _BLANK
            at += 1
        word = tokens[k]
        begin, end = bounds[word], bounds[word + 1]
        for block in range(begin, end, BLOCK):
            copy_block(out, at + block - begin, text, block)
        at += end - begin
    return at


@borrowing
def _repeat(begin, size, out, at):
    """Write ``size`` bytes again that stand further ahead, in a line that has others behind."""
    for block in range(0, size, BLOCK):
        copy_block(out, at + block, out, begin + block)
    return at + size


@borrowing
def write_rules(rules, span, source, target, words, fields, texts, out):
    """Write ``source ||| target ||| scores ||| links ||| counts ||| |||`` while there is room.

    Returns the bytes that were written, and the rule behind the last.

    rules: (source phrase int32[n], target phrase int32[n], empty where lines have no target)
    span: the first rule, the one behind the last, and the bytes of the longest word
    source, target: (tokens int32, offsets int64) of the phrases
    words: of both sides, (uint8, their texts one after the other; int64, where each begins)
    fields: (scores float64[n, k]; links as (source * 256 + target int32, offsets int64[n + 1]);
    counts float64[n, c]; whether there are links and counts), of which the lines end with the
    scores where not
    texts: NumberTexts, which most numbers are copied from
    out: uint8, room for lines, which is left unused where the next one might not fit
    """
    rule_source, rule_target = rules
    scores, links, counts, whole = fields
    fixed = 32 + (LONGEST_NUMBER + 1) * (scores.shape[1] + counts.shape[1]) + BLOCK
    at, phrase, begin, size = np.int64(0), np.int64(-1), np.int64(0), np.int64(0)
    for rule in range(span[0], span[1]):
        num_words = source[1][rule_source[rule] + 1] - source[1][rule_source[rule]]
        if len(rule_target):
            num_words += target[1][rule_target[rule] + 1] - target[1][rule_target[rule]]
        num_links = links[1][rule + 1] - links[1][rule]
        if at + fixed + (span[2] + 1) * num_words + 8 * num_links > len(out):
            return at, np.int64(rule)
        if rule_source[rule] == phrase:
            at, begin = _repeat(begin, size, out, at), at
        else:
            phrase, begin = np.int64(rule_source[rule]), at
            at = _write_phrase(source, phrase, words[0], out, at)
            at = _write_separator(out, at)
            size = at - begin
        if len(rule_target):
            out[at] = _BLANK
            at = _write_phrase(target, np.int64(rule_target[rule]), words[1], out, at + 1)
            at = _write_separator(out, at)
        at = _write_numbers(scores, rule, texts, out, at)
        if whole:
            at = _write_separator(out, at)
            for k in range(links[1][rule], links[1][rule + 1]):
                out[at] = _BLANK
                at = write_whole(np.int64(links[0][k] >> 8), out, at + 1)
                out[at] = _DASH
                at = write_whole(np.int64(links[0][k] & 255), out, at + 1)
            at = _write_separator(out, at)
            given = False  # else the file it came from had none
            for column in range(counts.shape[1]):
                given |= counts[rule, column] != 0.0
            if given:
                at = _write_numbers(counts, rule, texts, out, at)
            at = _write_separator(out, at)
            at = _write_separator(out, at)
        out[at] = 10
        at += 1
    return at, np.int64(span[1])
