"""IBM Model 1, one direction, one domain (Brown et al. 1993)."""

import numpy as np
from numba import njit

from .text import cell_steps, sizes


@njit(nogil=True, cache=True)
def _sum_over_states(pair_ids, cell, step, num_states, table, floor, null):
    total = null
    for _ in range(num_states):
        total += max(table[pair_ids[cell]], floor)
        cell += step
    return total


@njit(nogil=True, cache=True)
def log_likelihoods(text, lexical, result):
    """Write log P(generated | states) of each sentence pair to ``result`` float64[num_pairs]."""
    # an array taken out of a tuple inside a loop costs Numba two atomic counts
    pair_ids, table, floor = text.pair_ids, lexical.table, lexical.floor
    for pair in range(len(result)):
        first, num_generated, num_states = sizes(text, pair)
        result[pair] = 0.0
        if num_states == 0 or num_generated == 0:
            continue
        generated_step, state_step = cell_steps(text, num_generated, num_states)
        for j in range(num_generated):
            cell = text.cell_offsets[pair] + j * generated_step
            null = max(lexical.null[text.generated_tokens[first + j]], floor)
            total = _sum_over_states(
                pair_ids, cell, state_step, num_states, table, floor, null
            )
            result[pair] += np.log(total / (num_states + 1))


@njit(nogil=True, cache=True)
def expectations(text, lexical, weights, counts, null_counts):
    """Add expected link counts, weighted by sentence pair, to float64 ``counts`` and
    ``null_counts``; return the weighted log-likelihood.

    weights: float64[num_pairs], usually P(D | f, e); pairs of weight 0 are passed over.
    """
    pair_ids, table, floor = text.pair_ids, lexical.table, lexical.floor
    objective = 0.0
    for pair in range(len(weights)):
        first, num_generated, num_states = sizes(text, pair)
        weight = weights[pair]
        if num_states == 0 or num_generated == 0 or weight == 0.0:
            continue
        generated_step, state_step = cell_steps(text, num_generated, num_states)
        for j in range(num_generated):
            cell = text.cell_offsets[pair] + j * generated_step
            word = text.generated_tokens[first + j]
            null = max(lexical.null[word], floor)
            total = _sum_over_states(
                pair_ids, cell, state_step, num_states, table, floor, null
            )
            objective += weight * np.log(total / (num_states + 1))
            share = weight / total
            null_counts[word] += share * null
            for _ in range(num_states):
                identity = pair_ids[cell]
                counts[identity] += share * max(table[identity], floor)
                cell += state_step
    return objective
