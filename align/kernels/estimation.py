"""M-steps: normalise expected counts."""

import numpy as np
from numba import njit

SMALLEST = 1e-9  # keeps a bucket that was never used open for sentences that offer nothing else


@njit(nogil=True, cache=True)
def sum_by_state(counts, states, totals):
    """Add the counts of each pair to the total of its state word: float64[num_state_types]."""
    for k in range(len(states)):
        totals[states[k]] += counts[k]


@njit(nogil=True, cache=True)
def normalize_rows(counts, states, totals, prior, strength, result):
    """t = (count + strength * prior) / (total of the state + strength).

    counts: float32[num_pairs]; states: int32[num_pairs]; totals: float64[num_state_types];
    prior: float32[num_pairs], not read where strength is 0; result: float32[num_pairs].
    """
    for k in range(len(states)):
        total = totals[states[k]] + strength
        value = counts[k] + (strength * prior[k] if strength > 0.0 else 0.0)
        result[k] = value / total if total > 0.0 else 0.0


@njit(nogil=True, cache=True)
def normalize_jumps(jump, counts, occupancy, rounds):
    """Jump weights that raise sum_b counts_b log c_b - sum_o occupancy_o log Z_o(c).

    jump: float64[2 * window + 3], overwritten; occupancy: float64[window + 2, window + 2], jumps
    seen from origins by the number of open buckets on each side (window + 1 = with its tail).
    Each round divides by the tangent of the log normalisers, which never lowers the bound.
    """
    window = (len(jump) - 3) // 2
    centre = window + 1
    for _ in range(rounds):
        offered = np.zeros(len(jump))
        for before in range(window + 2):
            for after in range(window + 2):
                weight = occupancy[before, after]
                if weight > 0.0:
                    total = jump[centre - before : centre + after + 1].sum()
                    for bucket in range(centre - before, centre + after + 1):
                        offered[bucket] += weight / total
        for bucket in range(len(jump)):
            if offered[bucket] > 0.0:
                jump[bucket] = counts[bucket] / offered[bucket]
        total = jump.sum()
        for bucket in range(len(jump)):
            jump[bucket] = max(jump[bucket] / total, SMALLEST)
