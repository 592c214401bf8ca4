"""Jumps of the HMM: from jump weights to transition matrices, and from expected jumps to counts.

Distances in [-window, window] have a weight each; longer ones share a tail whose mass is spread
evenly over the positions it covers. A jump is normalised over the positions that exist, and with
final jumps the end counts as one position more, behind the last word.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from .simd import padded, zeros

LONGEST = 64  # sentences up to here find their matrices ready; longer ones have them made


class Jumps(NamedTuple):
    """Jump weights of both directions; bucket b holds distance b - window - 1, the ends are tails.

    jump: float64[2, K, 2 * window + 3], between words; start: the same from before the first word.
    K is the number of domains, or 1 where they share their jumps.
    null_probability: chance of the empty word; smoothing: share of the uniform distribution
    final: whether sentences end with a jump
    """

    jump: NDArray[np.float64]
    start: NDArray[np.float64]
    null_probability: float
    smoothing: float
    final: bool


class Transitions(NamedTuple):
    """Transition probabilities by number of states I, for I up to LONGEST; P = padded(I).

    offsets: int64[LONGEST + 2]; where the matrix of I stands in the next two
    matrix: float32[2, K, total]; P rows of P, from origin to position
    transposed: the same by position, then origin
    start: float32[2, K, (LONGEST + 1) * padded(LONGEST + 1)]; of each position from the start
    end: the same shape; of the end from each position, and at I from the start
    """

    offsets: NDArray[np.int64]
    matrix: NDArray[np.float32]
    transposed: NDArray[np.float32]
    start: NDArray[np.float32]
    end: NDArray[np.float32]


class JumpCounts(NamedTuple):
    """Expected jumps of both directions.

    jump, start: float64[2, K, 2 * window + 3]
    occupancy: float64[2, K, window + 2, window + 2], jumps from origins by the number of open
    buckets to the left and to the right (window + 1 = with the tail)
    start_occupancy: float64[2, K, window + 2], by the number of open buckets
    """

    jump: NDArray[np.float64]
    start: NDArray[np.float64]
    occupancy: NDArray[np.float64]
    start_occupancy: NDArray[np.float64]


@njit(nogil=True, cache=True)
def no_jumps(jumps):
    """JumpCounts of zeros beside the given Jumps."""
    _, num_tables, buckets = jumps.jump.shape
    open_buckets = (buckets - 3) // 2 + 2
    return JumpCounts(
        np.zeros((2, num_tables, buckets)),
        np.zeros((2, num_tables, buckets)),
        np.zeros((2, num_tables, open_buckets, open_buckets)),
        np.zeros((2, num_tables, open_buckets)),
    )


@njit(nogil=True, cache=True)
def bucket_totals(jump, window, num_states, reach, inverse_total, right, left):
    """Per origin: 1 / Z and the weight of each position under the right and the left tail.

    reach: num_states, or one more where the end counts as a position
    inverse_total, right, left: float64[num_states], written.
    """
    for origin in range(num_states):
        before = min(origin, window)
        after = min(reach - 1 - origin, window)
        total = 0.0
        for distance in range(window - before, window + after + 1):
            total += jump[distance + 1]
        num_right = reach - 1 - origin - window
        num_left = origin - window
        right[origin] = 0.0
        left[origin] = 0.0
        if num_right > 0:
            total += jump[2 * window + 2]
            right[origin] = jump[2 * window + 2] / num_right
        if num_left > 0:
            total += jump[0]
            left[origin] = jump[0] / num_left
        inverse_total[origin] = 1.0 / total


@njit(nogil=True, cache=True)
def start_probabilities(start, window, reach, smoothing, result):
    """Chance of each position as the first one, at distance position + 1: float64[reach]."""
    total = 0.0
    for position in range(min(reach, window)):
        total += start[window + 2 + position]
    num_right = reach - window
    if num_right > 0:
        total += start[2 * window + 2]
    for position in range(reach):
        share = (
            start[window + 2 + position]
            if position < window
            else start[2 * window + 2] / num_right
        )
        result[position] = (1.0 - smoothing) * share / total + smoothing / reach


@njit(nogil=True, cache=True)
def fill_matrix(jump, start, smoothing, final, num_states, rows, out):
    """Write the transition probabilities of one number of states.

    rows: float64[4, at least num_states + 1], room; out: (matrix, transposed, at, start, end, at of
    these two), float32 and flat; without final jumps the end is certain.
    """
    matrix, transposed, at, starts, ends, starts_at = out
    window = (len(jump) - 3) // 2
    width = padded(num_states)
    reach = num_states + 1 if final else num_states
    inverse_total, right, left, first = rows
    bucket_totals(jump, window, num_states, reach, inverse_total, right, left)
    uniform = smoothing / reach
    for origin in range(num_states):
        share = (1.0 - smoothing) * inverse_total[origin]
        for position in range(reach):
            distance = position - origin
            if distance > window:
                weight = right[origin]
            elif distance < -window:
                weight = left[origin]
            else:
                weight = jump[distance + window + 1]
            value = share * weight + uniform
            if position < num_states:
                matrix[at + origin * width + position] = value
                transposed[at + position * width + origin] = value
            else:
                ends[starts_at + origin] = value
        if not final:
            ends[starts_at + origin] = 1.0
    start_probabilities(start, window, reach, smoothing, first)
    for position in range(num_states):
        starts[starts_at + position] = first[position]
    ends[starts_at + num_states] = first[num_states] if final else 1.0


@njit(nogil=True, cache=True)
def transition_tables(jumps):
    """Transitions of all domains and both directions."""
    num_tables = jumps.jump.shape[1]
    offsets = np.zeros(LONGEST + 2, np.int64)
    for num_states in range(1, LONGEST + 1):
        offsets[num_states + 1] = offsets[num_states] + padded(num_states) ** 2
    size, row = offsets[LONGEST + 1], padded(LONGEST + 1)
    shape = (2, num_tables, size)
    edges = (2, num_tables, (LONGEST + 1) * row)
    matrix = zeros(2 * num_tables * size).reshape(shape)
    transposed = zeros(2 * num_tables * size).reshape(shape)
    starts = zeros(2 * num_tables * (LONGEST + 1) * row).reshape(edges)
    ends = zeros(2 * num_tables * (LONGEST + 1) * row).reshape(edges)
    rows = np.empty((4, LONGEST + 1))
    for side in range(2):
        for table in range(num_tables):
            for num_states in range(1, LONGEST + 1):
                fill_matrix(
                    jumps.jump[side, table], jumps.start[side, table], jumps.smoothing,
                    jumps.final, num_states, rows,
                    (matrix[side, table], transposed[side, table], offsets[num_states],
                     starts[side, table], ends[side, table], num_states * row),
                )  # fmt: skip
    return Transitions(offsets, matrix, transposed, starts, ends)


@njit(nogil=True, cache=True)
def count_jumps(probabilities, sums, jumps, num_states, counts):
    """Add the jumps that the table, not the smoothing, explains, and clear the sums.

    probabilities: (matrix, at, starts, ends, at of these two) of ``num_states``
    sums: (outer, starts, ends), float32 at the same places: weight * mass before * what lies ahead,
    for jumps, first jumps and last ones
    counts: (jump, start, occupancy, start occupancy) of one direction and domain
    """
    matrix, at, starts, ends, edge = probabilities
    outer, start_sums, end_sums = sums
    jump_counts, start_counts, occupancy, start_occupancy = counts
    smoothing, final = jumps
    side = len(start_occupancy) - 1  # window + 1
    reach = num_states + 1 if final else num_states
    uniform = smoothing / reach
    width = padded(num_states)
    seen_at_start = 0.0
    for origin in range(num_states):
        seen = 0.0
        base = at + origin * width
        for position in range(num_states):
            part = outer[base + position] * (matrix[base + position] - uniform)
            outer[base + position] = 0.0
            jump_counts[min(max(position - origin, -side), side) + side] += part
            seen += part
        if final:
            part = end_sums[edge + origin] * (ends[edge + origin] - uniform)
            jump_counts[min(num_states - origin, side) + side] += part
            seen += part
        end_sums[edge + origin] = 0.0
        occupancy[min(origin, side), min(reach - 1 - origin, side)] += seen
        part = start_sums[edge + origin] * (starts[edge + origin] - uniform)
        start_sums[edge + origin] = 0.0
        start_counts[min(origin + 1, side) + side] += part
        seen_at_start += part
    if final:
        part = end_sums[edge + num_states] * (ends[edge + num_states] - uniform)
        start_counts[min(num_states + 1, side) + side] += part
        seen_at_start += part
    end_sums[edge + num_states] = 0.0
    start_occupancy[min(reach, side)] += seen_at_start
