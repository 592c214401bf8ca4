"""Best alignment under a geometric average of domains (Cuong & Sima'an 2015, eq. 5)."""

import numpy as np
from numba import njit

from .text import sizes
from .transitions import bucket_totals, start_probabilities

IMPOSSIBLE = -1e300


@njit(nogil=True, cache=True)
def _average_emissions(text, lexical, weights, pair, side, emission, null_emission):
    """Weighted sum over domains of log t: emission[j, i] and null_emission[j]."""
    num_target = sizes(text, pair)[1]
    begin = text.source_offsets[pair] if side == 0 else text.target_offsets[pair]
    tokens = text.source_tokens if side == 0 else text.target_tokens
    nulls = lexical.null_source if side == 0 else lexical.null_target
    num_generated, num_states = emission.shape
    generated_step, state_step = (num_target, 1) if side == 0 else (1, num_target)
    table, pair_ids, floor = lexical.table, text.pair_ids, np.float32(lexical.floor)
    emission[:] = 0.0
    null_emission[:] = 0.0
    for domain in range(len(weights)):
        weight = weights[domain]
        if weight == 0.0:
            continue
        for j in range(num_generated):
            cell = text.cell_offsets[pair] + j * generated_step
            null = max(nulls[domain, tokens[begin + j]], floor)
            null_emission[j] += weight * np.log(null)
            for i in range(num_states):
                emission[j, i] += weight * np.log(max(table[pair_ids[cell], domain, side], floor))
                cell += state_step


@njit(nogil=True, cache=True)
def _average_jumps(jumps, side, smoothing, weights, num_states, explicit, tails, first, end):
    """Weighted sums of log jump probabilities.

    explicit: float64[num_states, 2 * window + 1] by origin and distance; tails:
    float64[2, num_states] right and left by origin; first: float64[num_states]; end:
    float64[num_states + 1], of the end from each position and, last, from the start; all written.
    """
    jump, start, final = jumps.jump[side], jumps.start[side], jumps.final
    window = (jump.shape[1] - 3) // 2
    reach = num_states + 1 if final else num_states
    inverse_total, right, left = np.empty((3, num_states))
    position = np.empty(num_states + 1)
    explicit[:] = 0.0
    tails[:] = 0.0
    first[:] = 0.0
    end[:] = 0.0
    uniform = smoothing / reach
    for domain in range(len(weights)):
        weight = weights[domain]
        if weight == 0.0:
            continue
        own = domain if len(jump) > 1 else 0
        bucket_totals(jump[own], window, num_states, reach, inverse_total, right, left)
        start_probabilities(start[own], window, reach, smoothing, position)
        if final:
            end[num_states] += weight * np.log(max(position[num_states], 1e-300))
        for origin in range(num_states):
            share = (1.0 - smoothing) * inverse_total[origin]
            for bucket in range(2 * window + 1):
                explicit[origin, bucket] += weight * np.log(
                    share * jump[own, bucket + 1] + uniform
                )
            tails[0, origin] += weight * np.log(max(share * right[origin] + uniform, 1e-300))
            tails[1, origin] += weight * np.log(max(share * left[origin] + uniform, 1e-300))
            first[origin] += weight * np.log(position[origin])
            if final:
                distance = num_states - origin
                last = right[origin] if distance > window else jump[own, distance + window + 1]
                end[origin] += weight * np.log(max(share * last + uniform, 1e-300))


@njit(nogil=True, cache=True)
def _step(best, explicit, tails, window, num_states, reached, origins):
    """Best jump into each position: its value to ``reached``, its origin to ``origins``."""
    for position in range(num_states):
        reached[position] = IMPOSSIBLE
        origins[position] = 0
        low = max(0, position - window)
        for origin in range(low, min(num_states, position + window + 1)):
            value = best[origin] + explicit[origin, window + position - origin]
            if value > reached[position]:
                reached[position] = value
                origins[position] = origin
    leader = -1
    for position in range(window + 1, num_states):
        origin = position - window - 1
        if leader < 0 or best[origin] + tails[0, origin] > best[leader] + tails[0, leader]:
            leader = origin
        if best[leader] + tails[0, leader] > reached[position]:
            reached[position] = best[leader] + tails[0, leader]
            origins[position] = leader
    leader = -1
    for position in range(num_states - window - 2, -1, -1):
        origin = position + window + 1
        if leader < 0 or best[origin] + tails[1, origin] > best[leader] + tails[1, leader]:
            leader = origin
        if best[leader] + tails[1, leader] > reached[position]:
            reached[position] = best[leader] + tails[1, leader]
            origins[position] = leader


@njit(nogil=True, cache=True)
def _best_path(emission, null_emission, explicit, tails, first, end, null_probability, path):
    """Viterbi over words and null copies; path: int32[J], -1 for the empty word.

    Memory num_states stands for the start. A back pointer is 2 * memory + (1 if null).
    """
    num_generated, num_states = emission.shape
    window = (explicit.shape[1] - 1) // 2
    log_stay, log_move = np.log(null_probability), np.log(1.0 - null_probability)
    pointers = np.empty((num_generated, 2, num_states + 1), np.int32)
    best = np.full(num_states + 1, IMPOSSIBLE)
    best[num_states] = 0.0
    was_null = np.ones(num_states + 1, np.bool_)
    reached = np.empty(num_states)
    origins = np.empty(num_states, np.int64)
    for j in range(num_generated):
        if j > 0:
            _step(best, explicit, tails, window, num_states, reached, origins)
        else:
            reached[:] = IMPOSSIBLE
        for i in range(num_states):
            origin = origins[i] if j > 0 else num_states
            if best[num_states] + first[i] > reached[i]:
                reached[i] = best[num_states] + first[i]
                origin = num_states
            pointers[j, 0, i] = 2 * origin + was_null[origin]
        for i in range(num_states + 1):
            pointers[j, 1, i] = 2 * i + was_null[i]
            null = best[i] + log_stay + null_emission[j]
            word = IMPOSSIBLE
            if i < num_states:
                word = reached[i] + log_move + emission[j, i]
            best[i] = max(null, word)
            was_null[i] = null > word
    memory = np.argmax(best + end)
    null = was_null[memory]
    for j in range(num_generated - 1, -1, -1):
        path[j] = -1 if null else memory
        pointer = pointers[j, 1 if null else 0, memory]
        memory, null = pointer >> 1, bool(pointer & 1)


@njit(nogil=True, cache=True)
def viterbi(text, side, lexical, jumps, weights, result):
    """Best state of each generated word, or -1 for the empty word.

    side: 0 where target words explain source words, 1 the other way
    jumps: a null probability of 0 stands for 1 / (I + 1), as in Model 1
    weights: float64[num_pairs, D], each row sums to 1
    result: int32[num_generated_tokens], written.
    """
    offsets = text.source_offsets if side == 0 else text.target_offsets
    window = (jumps.jump.shape[2] - 3) // 2
    for pair in range(len(weights)):
        num_generated, num_states = sizes(text, pair)
        if side == 1:
            num_generated, num_states = num_states, num_generated
        path = result[offsets[pair] : offsets[pair + 1]]
        if num_states == 0:
            path[:] = -1
        if num_states == 0 or num_generated == 0:
            continue
        null_probability = jumps.null_probability
        if null_probability == 0.0:
            null_probability = 1.0 / (num_states + 1)
        emission = np.empty((num_generated, num_states))
        null_emission = np.empty(num_generated)
        _average_emissions(text, lexical, weights[pair], pair, side, emission, null_emission)
        explicit = np.empty((num_states, 2 * window + 1))
        tails = np.empty((2, num_states))
        first, end = np.empty(num_states), np.empty(num_states + 1)
        _average_jumps(
            jumps, side, jumps.smoothing, weights[pair], num_states, explicit, tails, first, end
        )
        _best_path(emission, null_emission, explicit, tails, first, end, null_probability, path)
