"""Jumps of the HMM: weights to transition probabilities, and expected jumps to counts.

Distances in [-window, window] have a weight each; longer ones share a tail whose mass is spread
evenly over the positions it covers. A jump is normalized over the positions that exist, and with
final jumps the end counts as one position more, behind the last word. The transition matrix of a
number of states is thus a band, beside which all entries of a row are alike.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...kernels.lazy import borrowing, njit
from ...kernels.simd import LANES, clear, padded, zeros
from .jump_vectors import GROUP
from .step_vectors import band_row, class_row, explained

KEPT = 1 << 21  # numbers that the bands kept for later pairs may take: 8 MB
_RECIPROCALS = 1.0 / np.arange(1, 257)  # divisions are what filling a band would wait for


class Jumps(NamedTuple):
    """Jump weights of both directions; bucket b holds distance b - window - 1, the ends are tails.

    jump: float64[2, K, C, 2 * window + 3], between words, by the class of the word jumped from
    start: float64[2, K, 2 * window + 3], from before the first word
    K is the number of domains, or 1 where they share their jumps; C that of classes.
    null_probability: chance of the empty word; smoothing: share of the uniform distribution
    final: whether sentences end with a jump
    source_class, target_class: int32[num_types + 1], class of each word; the last is of unknown
    words
    """

    jump: NDArray[np.float64]
    start: NDArray[np.float64]
    null_probability: float
    smoothing: float
    final: bool
    source_class: NDArray[np.int32]
    target_class: NDArray[np.int32]


class JumpCounts(NamedTuple):
    """Expected jumps of both directions.

    jump: float64[2, K, C, 2 * window + 3]; start: float64[2, K, 2 * window + 3]
    occupancy: float64[2, K, C, window + 2, window + 2], jumps from origins by the number of open
    buckets to the left and to the right (window + 1 = with the tail)
    start_occupancy: float64[2, K, window + 2], by the number of open buckets
    """

    jump: NDArray[np.float64]
    start: NDArray[np.float64]
    occupancy: NDArray[np.float64]
    start_occupancy: NDArray[np.float64]


class Bands(NamedTuple):
    """Bands of the sentence pairs of a call, for both directions and all tables.

    Of one class a band depends on the number of states alone, and is kept for later pairs of as
    many; that of the words' classes, or one too large to keep, gives way to the next pair's.

    numbers: float32[...], the parts of all directions and tables, each with room for the same bands
    begins: int64[most + 1], where in a part the band of a number of states begins
    kept: bool[most + 1], whether no other band is written there
    filled: bool[2, K, most + 1], whether it stands there
    shares: float64[2, K, C, window + 2, window + 2], of :func:`row_shares`
    """

    numbers: NDArray[np.float32]
    begins: NDArray[np.int64]
    kept: NDArray[np.bool_]
    filled: NDArray[np.bool_]
    shares: NDArray[np.float64]


@borrowing
def window_of(weights):
    """The window of an array whose last axis is jump weights."""
    return (weights.shape[-1] - 3) // 2


@borrowing
def table_of(jumps, domain):
    """The jump table of a domain."""
    return domain if jumps.jump.shape[1] > 1 else 0


@borrowing
def num_groups(window):
    """Groups of rows of a band; the last rows may be unused, and hold zeros."""
    return (2 * window + GROUP) // GROUP


@borrowing
def margin(window):
    """Zeros beside a row of the passes, so that it can be read with any shift."""
    return padded(GROUP * num_groups(window) - window)


@borrowing
def band_places(at, window, width):
    """Where the parts of a band that begins at ``at`` stand in its array; their rows are of width.

    Rows of the probabilities by origin, one for each distance from -window on; the same by
    position; of each position beyond the window to the right, and to the left, by origin; the same
    two by the position next to the window; of each position from the start; of the end from each
    position, and at num_states from the start; last, the first number behind all, before which
    four rows with margins are room for what they are made of.
    """
    rows = GROUP * num_groups(window) * width
    right = at + 2 * rows
    start = right + 4 * width
    end = start + width
    behind = end + width + LANES + 4 * (width + margin(window)) + margin(window)
    return at, at + rows, right, right + width, start, end, behind


@njit(nogil=True, cache=True)
def row_shares(jumps):
    """(1 - smoothing) / Z of an origin by its open buckets to the left and to the right.

    float64[2, K, C, window + 2, window + 2], window + 1 = with the tail, as in JumpCounts.
    """
    _, num_tables, num_classes, _ = jumps.jump.shape
    side = window_of(jumps.jump) + 1
    result = np.empty((2, num_tables, num_classes, side + 1, side + 1))
    for kind in np.ndindex((2, num_tables, num_classes)):
        jump = jumps.jump[kind]
        for left in range(side + 1):
            for right in range(side + 1):
                total = jump[side - left : side + right + 1].sum()
                result[kind][left, right] = (1.0 - jumps.smoothing) / total
    return result


@borrowing
def _fill_start(start, smoothing, final, num_states, band, starts, ends):
    """The chance of each position as the first one, at distance position + 1."""
    window = window_of(start)
    reach = num_states + 1 if final else num_states
    total = 0.0
    for position in range(min(reach, window)):
        total += start[window + 2 + position]
    num_right = reach - window
    if num_right > 0:
        total += start[2 * window + 2]
    share, uniform = (1.0 - smoothing) / total, smoothing / reach
    for position in range(min(num_states, window)):
        band[starts + position] = share * start[window + 2 + position] + uniform
    far = np.float32(share * start[2 * window + 2] / max(num_right, 1) + uniform)
    for position in range(window, num_states):
        band[starts + position] = far
    band[ends + num_states] = 1.0
    if final:
        near = share * start[window + 2 + min(num_states, window)] + uniform
        band[ends + num_states] = near if num_states < window else far


@borrowing
def _inverse(number):
    """1 / number, of a number above 0."""
    return _RECIPROCALS[number - 1] if number <= 256 else 1.0 / number


@borrowing
def _fill_far(jump, share, smoothing, final, num_states, classes, band, rows):
    """Per origin: what its weights are multiplied by, and the chance of a place in either tail."""
    # rows: where these and the end's go: (share, uniform, exists, right, left, end)
    shares, uniforms, exists, rights, lefts, ends = rows
    side = window_of(jump) + 1
    width = lefts - rights
    reach = num_states + 1 if final else num_states
    uniform = smoothing / reach
    for origin in range(num_states):
        left, right = min(origin, side), min(reach - 1 - origin, side)
        kind = classes[origin]
        factor = share[kind, left, right]
        band[shares + origin] = factor
        band[uniforms + origin] = uniform
        band[exists + origin] = 1.0
        band[ends + origin] = 1.0
        if right == side:
            far = factor * jump[kind, 2 * side] * _inverse(reach - origin - side) + uniform
            band[rights + origin] = far
            if origin + side < width:
                band[rights + 2 * width + origin + side] = far
        if left == side:
            far = factor * jump[kind, 0] * _inverse(origin - side + 1) + uniform
            band[lefts + origin] = far
            band[lefts + 2 * width + origin - side] = far
        if final:
            distance = num_states - origin
            near = factor * jump[kind, min(distance, side) + side] + uniform
            band[ends + origin] = band[rights + origin] if distance >= side else near


@borrowing
def fill_band(jumps, shares, side, table, num_states, classes, band, at):
    """Write the transition probabilities of one number of states; see :func:`band_places`.

    shares: of :func:`row_shares`; side, table: which of the jumps; classes: int32[width] or more,
    of the words; band: float32, written from ``at`` on. Without final jumps the end is certain.
    """
    jump, start, share = jumps.jump[side, table], jumps.start[side, table], shares[side, table]
    smoothing, final = jumps.smoothing, jumps.final
    window = window_of(jump)
    width, beside = padded(num_states), margin(window)
    by_origin, by_position, rights, lefts, starts, ends, behind = band_places(at, window, width)
    clear((band, rights), behind - rights)
    _fill_start(start, smoothing, final, num_states, band, starts, ends)
    shares = ends + width + LANES + beside
    uniforms, exists = shares + width + beside, shares + 2 * (width + beside)
    rows = shares, uniforms, exists, rights, lefts, ends
    _fill_far(jump, share, smoothing, final, num_states, classes, band, rows)
    weights = shares
    if len(jump) > 1:
        weights = exists + width + beside
    for row in range(2 * window + 1):
        distance, weight = row - window, np.float32(jump[0, row + 1])
        if len(jump) > 1:
            weight = np.float32(1.0)
            class_row((band, weights), (jump, row + 1), (classes, 0), (band, shares), width)
        band_row(
            (band, by_origin + row * width), (band, weights), (band, uniforms),
            (band, exists + distance), weight, width,
        )  # fmt: skip
        band_row(
            (band, by_position + row * width), (band, weights - distance),
            (band, uniforms - distance), (band, exists), weight, width,
        )  # fmt: skip
    unused = (GROUP * num_groups(window) - 2 * window - 1) * width
    clear((band, by_position - unused), unused)
    clear((band, rights - unused), unused)


@njit(nogil=True, cache=True)
def allocate_bands(jumps, occurs):
    """Bands for the numbers of states that occur, bool[most + 1]; none is filled yet."""
    _, num_tables, num_classes, _ = jumps.jump.shape
    begins, kept = np.zeros(len(occurs), np.int64), np.zeros(len(occurs), np.bool_)
    begin = behind = 0
    for num_states in np.flatnonzero(occurs):
        begins[num_states] = begin
        behind = band_places(begin, window_of(jumps.jump), padded(num_states))[-1]
        if num_classes == 1 and 2 * num_tables * behind <= KEPT:
            kept[num_states], begin = True, behind
    filled = np.zeros((2, num_tables, len(occurs)), np.bool_)
    return Bands(zeros(2 * num_tables * behind), begins, kept, filled, row_shares(jumps))


@borrowing
def band_at(bands, side, table, num_states):
    """Where the band of a direction, table and number of states begins."""
    _, num_tables, _ = bands.filled.shape
    part = len(bands.numbers) // (2 * num_tables)
    return (side * num_tables + table) * part + bands.begins[num_states]


@borrowing
def provide_band(jumps, side, table, num_states, classes, bands):
    """Fill a band of :class:`Bands`, unless it is there from an earlier pair.

    classes: int32[width] or more, of the words.
    """
    if not bands.filled[side, table, num_states]:
        at = band_at(bands, side, table, num_states)
        fill_band(jumps, bands.shares, side, table, num_states, classes, bands.numbers, at)
        bands.filled[side, table, num_states] = bands.kept[num_states]


@borrowing
def count_jumps(placed_band, ratios, smoothing, final, num_states, classes, counts):
    """Add the jumps that the table, not the smoothing, explains.

    placed_band: (band, where it begins in this array), as :func:`fill_band` leaves it
    ratios: float32, expected jumps over their probability, arranged as a band that begins at 0; no
    rows by position; clobbered
    classes: int32[num_states] or more, of the words
    counts: (jump, start, occupancy, start occupancy) of one direction and domain
    """
    band, at = placed_band
    jump_counts, start_counts, occupancy, start_occupancy = counts
    side = len(start_occupancy) - 1  # window + 1
    width = padded(num_states)
    reach = num_states + 1 if final else num_states
    uniform = np.float32(smoothing / reach)
    origins, _, rights, lefts, starts, ends, _ = band_places(at, side - 1, width)
    ratio, seen, right, left, first, last, _ = band_places(0, side - 1, width)
    behind = seen + width  # of the rows by position nothing is read
    clear((ratios, seen), width)
    for bucket in range(2 * side + 1):
        row, chance = ratio + (bucket - 1) * width, origins + (bucket - 1) * width
        if bucket == 0:
            row, chance = left, lefts
        elif bucket == 2 * side:
            row, chance = right, rights
        total = explained((ratios, row), (band, chance), (ratios, seen), uniform, width)
        if len(jump_counts) == 1:
            jump_counts[0, bucket] += total
        else:
            for origin in range(num_states):
                jump_counts[classes[origin], bucket] += ratios[row + origin]
    near = 0.0
    total = explained((ratios, first), (band, starts), (ratios, behind), uniform, width)
    at_start = np.float64(total)
    for position in range(min(num_states, side - 1)):
        near += ratios[first + position]
        start_counts[position + 1 + side] += ratios[first + position]
    if num_states > side - 1:
        start_counts[2 * side] += max(at_start - near, 0.0)
    if final:
        for origin in range(num_states):
            part = ratios[last + origin] * (band[ends + origin] - uniform)
            jump_counts[classes[origin], min(num_states - origin, side) + side] += part
            ratios[seen + origin] += part
        part = ratios[last + num_states] * (band[ends + num_states] - uniform)
        start_counts[min(num_states + 1, side) + side] += part
        at_start += part
    for origin in range(num_states):
        left_open, right_open = min(origin, side), min(reach - 1 - origin, side)
        occupancy[classes[origin], left_open, right_open] += ratios[seen + origin]
    start_occupancy[min(reach, side)] += at_start
