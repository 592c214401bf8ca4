"""HMM of word links, one direction, one domain: scaled forward and backward passes.

States are the words 0..I-1 and, for each, a null copy that remembers it (Och & Ney 2003), and a
null state that remembers the start. Jump distances in [-window, window] have a parameter each;
longer ones share a tail whose mass is spread evenly over the positions it covers. A jump is
normalised over the positions that exist. A step costs O(I * window): the tails go by prefix sums.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from .text import cell_steps, sizes


class Room(NamedTuple):
    """Buffers for the largest sentence pair of a call; smaller ones use the front of each.

    emission, alpha: float64, flat, see :func:`gather_emissions` and :func:`forward`
    null_emission: float64[J]
    padded: float64[I + 2 * window + 2], a vector over positions between zeros
    inverse_total, right, left: see :func:`bucket_totals`; start: see :func:`start_probabilities`
    ahead: what lies ahead of each position (forward: what was predicted for it)
    mass: weight of each origin; beta: future of each position, the start last
    after, before: float64[I + 1], sums of ``ahead`` from a position on, and up to it
    """

    emission: NDArray[np.float64]
    alpha: NDArray[np.float64]
    null_emission: NDArray[np.float64]
    padded: NDArray[np.float64]
    inverse_total: NDArray[np.float64]
    right: NDArray[np.float64]
    left: NDArray[np.float64]
    start: NDArray[np.float64]
    ahead: NDArray[np.float64]
    mass: NDArray[np.float64]
    beta: NDArray[np.float64]
    after: NDArray[np.float64]
    before: NDArray[np.float64]


@njit(nogil=True, cache=True)
def bucket_totals(jump, window, num_states, inverse_total, right, left):
    """Per origin: 1 / Z and the share of each position under the right and the left tail.

    inverse_total, right, left: float64[num_states], written.
    """
    for origin in range(num_states):
        before = min(origin, window)
        after = min(num_states - 1 - origin, window)
        total = 0.0
        for distance in range(window - before, window + after + 1):
            total += jump[distance + 1]
        num_right = num_states - 1 - origin - window
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
def start_probabilities(start, window, num_states, smoothing, result):
    """Chance of each position as the first one, distance position + 1: float64[num_states]."""
    within = min(num_states, window)
    total = 0.0
    for position in range(within):
        total += start[window + 2 + position]
    num_right = num_states - window
    if num_right > 0:
        total += start[2 * window + 2]
    for position in range(num_states):
        share = (
            start[window + 2 + position]
            if position < window
            else start[2 * window + 2] / num_right
        )
        result[position] = (1.0 - smoothing) * share / total + smoothing / num_states


@njit(nogil=True, cache=True)
def gather_emissions(text, lexical, pair, emission, null_emission):
    """Write t(f_j | e_i) to emission[j, i] and t(f_j | NULL) to null_emission[j]."""
    # an array taken out of a tuple inside a loop costs Numba two atomic counts
    pair_ids, table, floor = text.pair_ids, lexical.table, lexical.floor
    first, num_generated, num_states = sizes(text, pair)
    generated_step, state_step = cell_steps(text, num_generated, num_states)
    for j in range(num_generated):
        cell = text.cell_offsets[pair] + j * generated_step
        null_emission[j] = max(lexical.null[text.generated_tokens[first + j]], floor)
        for i in range(num_states):
            emission[j, i] = max(table[pair_ids[cell]], floor)
            cell += state_step


@njit(nogil=True, cache=True)
def _predict(jumps, window, num_states, mass, totals, padded, predicted):
    """One jump: spread ``mass`` (by origin) over positions into ``predicted``."""
    inverse_total, right, left = totals
    everything = 0.0
    for origin in range(num_states):
        padded[window + origin] = mass[origin] * inverse_total[origin]
        everything += mass[origin]
        predicted[origin] = 0.0
    jump = jumps.jump
    for bucket in range(2 * window + 1):
        # distance = bucket - window, so the origin of position i stands at i - distance
        value = jump[bucket + 1]
        shifted = padded[2 * window - bucket : 2 * window - bucket + num_states]
        for position in range(num_states):
            predicted[position] += value * shifted[position]
    running = 0.0
    for position in range(window + 1, num_states):
        origin = position - window - 1
        running += padded[window + origin] * right[origin]
        predicted[position] += running
    running = 0.0
    for back in range(window + 1, num_states):
        origin = num_states - 1 - (back - window - 1)
        running += padded[window + origin] * left[origin]
        predicted[num_states - 1 - back] += running
    uniform = jumps.smoothing * everything / num_states
    for position in range(num_states):
        predicted[position] = (1.0 - jumps.smoothing) * predicted[position] + uniform


@njit(nogil=True, cache=True)
def forward(jumps, emission, null_emission, totals, start, room, alpha):
    """Scaled forward pass; returns log P(generated | states).

    alpha: float64[3, J, I + 1]; [0, j, i] the word i, [1, j, i] the null copy of i and
    [1, j, I] the null that remembers the start; [2, j, 0] holds the scale of step j. Each step of
    the first two sums to 1.
    """
    padded, predicted, mass = room.padded, room.ahead, room.mass
    num_generated, num_states = emission.shape
    window = (len(jumps.jump) - 3) // 2
    null_probability = jumps.null_probability
    log_likelihood = 0.0
    mass_of_start = 1.0
    for j in range(num_generated):
        if j > 0:
            _predict(jumps, window, num_states, mass, totals, padded, predicted)
        else:
            for i in range(num_states):
                predicted[i] = 0.0
                mass[i] = 0.0
        total = 0.0
        for i in range(num_states):
            reached = predicted[i] + mass_of_start * start[i]
            alpha[0, j, i] = (1.0 - null_probability) * reached * emission[j, i]
            alpha[1, j, i] = null_probability * mass[i] * null_emission[j]
            total += alpha[0, j, i] + alpha[1, j, i]
        alpha[1, j, num_states] = null_probability * mass_of_start * null_emission[j]
        total += alpha[1, j, num_states]
        inverse = 1.0 / total
        for i in range(num_states):
            alpha[0, j, i] *= inverse
            alpha[1, j, i] *= inverse
            mass[i] = alpha[0, j, i] + alpha[1, j, i]
        alpha[1, j, num_states] *= inverse
        mass_of_start = alpha[1, j, num_states]
        alpha[2, j, 0] = total
        log_likelihood += np.log(total)
    return log_likelihood


@njit(nogil=True, cache=True)
def _jump_back(jumps, window, num_states, ahead, totals, padded, beta, sums):
    """Expected future by origin: beta[origin] = sum over positions of jump * ahead[position]."""
    inverse_total, right, left = totals
    everything = 0.0
    for position in range(num_states):
        padded[window + position] = ahead[position]
        everything += ahead[position]
        beta[position] = 0.0
    jump = jumps.jump
    for bucket in range(2 * window + 1):
        value = jump[bucket + 1]
        shifted = padded[bucket : bucket + num_states]
        for origin in range(num_states):
            beta[origin] += value * shifted[origin]
    after, before = sums
    after[num_states] = 0.0
    for position in range(num_states - 1, -1, -1):
        after[position] = after[position + 1] + ahead[position]
    before[0] = 0.0
    for position in range(num_states):
        before[position + 1] = before[position] + ahead[position]
    for origin in range(num_states):
        if origin + window + 1 < num_states:
            beta[origin] += right[origin] * after[origin + window + 1]
        if origin > window:
            beta[origin] += left[origin] * before[origin - window]
        beta[origin] = (1.0 - jumps.smoothing) * inverse_total[origin] * beta[
            origin
        ] + jumps.smoothing * everything / num_states


@njit(nogil=True, cache=True)
def _count_jumps(jumps, window, num_states, origin_mass, padded, totals, sums, counts, occupancy):
    """Add expected jumps by bucket, and by which buckets were open to the origin.

    origin_mass: float64[num_states], weight of each origin times the chance of no null and of
    no smoothing; padded, sums: the future of each position, just as _jump_back left them.
    """
    inverse_total, right, left = totals
    after, before = sums
    jump = jumps.jump
    for origin in range(num_states):
        scaled = origin_mass[origin] * inverse_total[origin]
        if scaled == 0.0:
            continue
        seen = 0.0
        for bucket in range(2 * window + 1):
            part = scaled * jump[bucket + 1] * padded[origin + bucket]
            counts[bucket + 1] += part
            seen += part
        num_right = num_states - 1 - origin
        if num_right > window:
            part = scaled * right[origin] * after[origin + window + 1]
            counts[2 * window + 2] += part
            seen += part
        if origin > window:
            part = scaled * left[origin] * before[origin - window]
            counts[0] += part
            seen += part
        occupancy[min(origin, window + 1), min(num_right, window + 1)] += seen


@njit(nogil=True, cache=True)
def _count_starts(jumps, window, num_states, weight, start, ahead, counts, occupancy):
    """Add the expected first jumps; what smoothing explains is not the table's to count."""
    seen = 0.0
    for position in range(num_states):
        part = weight * (start[position] - jumps.smoothing / num_states) * ahead[position]
        counts[min(window + 2 + position, 2 * window + 2)] += part
        seen += part
    occupancy[min(num_states, window + 1)] += seen


@njit(nogil=True, cache=True)
def allocate(text, weights, window):
    """Room for the largest sentence pair of non-zero weight."""
    most_generated, most_states, most_cells = 1, 1, 1
    for pair in range(len(weights)):
        if weights[pair] != 0.0:
            _, num_generated, num_states = sizes(text, pair)
            most_generated = max(most_generated, num_generated)
            most_states = max(most_states, num_states)
            most_cells = max(most_cells, num_generated * num_states)
    rows = np.zeros((10, most_states + 2 * window + 2))
    return Room(
        np.empty(most_cells),
        np.empty(3 * (most_cells + most_generated)),
        np.empty(most_generated),
        rows[0], rows[1], rows[2], rows[3], rows[4], rows[5], rows[6], rows[7], rows[8], rows[9],
    )  # fmt: skip


@njit(nogil=True, cache=True)
def prepare(text, lexical, jumps, pair, room):
    """Emissions, jump normalisers and buffers of one sentence pair, as views of the room."""
    _, num_generated, num_states = sizes(text, pair)
    window = (len(jumps.jump) - 3) // 2
    room.padded[: num_states + 2 * window + 2] = 0.0  # what a longer sentence left there
    cells = num_generated * num_states
    emission = room.emission[:cells].reshape(num_generated, num_states)
    alpha = room.alpha[: 3 * (cells + num_generated)].reshape(3, num_generated, num_states + 1)
    null_emission = room.null_emission[:num_generated]
    gather_emissions(text, lexical, pair, emission, null_emission)
    totals = (room.inverse_total[:num_states], room.right[:num_states], room.left[:num_states])
    bucket_totals(jumps.jump, window, num_states, totals[0], totals[1], totals[2])
    start = room.start[:num_states]
    start_probabilities(jumps.start, window, num_states, jumps.smoothing, start)
    return emission, alpha, null_emission, totals, start


@njit(nogil=True, cache=True)
def log_likelihoods(text, lexical, jumps, result):
    """Write log P(generated | states) of each sentence pair to ``result`` float64[num_pairs]."""
    room = allocate(text, np.ones(len(result)), (len(jumps.jump) - 3) // 2)
    for pair in range(len(result)):
        _, num_generated, num_states = sizes(text, pair)
        result[pair] = 0.0
        if num_states > 0 and num_generated > 0:
            emission, alpha, null_emission, totals, start = prepare(
                text, lexical, jumps, pair, room
            )
            result[pair] = forward(jumps, emission, null_emission, totals, start, room, alpha)


@njit(nogil=True, cache=True)
def posteriors(text, lexical, jumps, weights, posterior, null_counts, jump_counts):
    """Write P(link | both sentences) of each cell to ``posterior`` float32[num_cells].

    The other arguments are those of :func:`expectations`, and so is what happens to them; links
    are not counted, and cells of pairs of weight 0 are left alone.
    """
    return _expectations(
        text, lexical, jumps, weights, (np.empty(0), null_counts, jump_counts, posterior)
    )


@njit(nogil=True, cache=True)
def expectations(text, lexical, jumps, weights, counts, null_counts, jump_counts):
    """Add expected counts, weighted by sentence pair; return the weighted log-likelihood.

    weights: float64[num_pairs], usually P(D | f, e); pairs of weight 0 are passed over
    counts: float64[num_type_pairs + 1]; null_counts: float64[num_generated_types]
    jump_counts: (jump float64[2 * window + 3], start the same, occupancy
    float64[window + 2, window + 2] by open buckets to the left and to the right, start occupancy
    float64[window + 2] by sentence length)
    """
    none = np.empty(0, np.float32)
    return _expectations(text, lexical, jumps, weights, (counts, null_counts, jump_counts, none))


@njit(nogil=True, cache=True)
def _expectations(text, lexical, jumps, weights, result):
    room = allocate(text, weights, (len(jumps.jump) - 3) // 2)
    objective = 0.0
    for pair in range(len(weights)):
        _, num_generated, num_states = sizes(text, pair)
        weight = weights[pair]
        if num_states == 0 or num_generated == 0 or weight == 0.0:
            continue
        emission, alpha, null_emission, totals, start = prepare(text, lexical, jumps, pair, room)
        objective += weight * forward(
            jumps, emission, null_emission, totals, start, room, alpha
        )
        _backward(
            text, pair, weight, jumps, (emission, null_emission, alpha), totals, start, room, result
        )
    return objective


@njit(nogil=True, cache=True)
def _count_links(text, pair, j, weight, alpha, beta, counts, null_counts, posterior):
    """Posterior of each link, and of the empty word, for generated word j.

    Links go to their cells of ``posterior`` where it is not empty, else they are counted.
    """
    first, num_generated, num_states = sizes(text, pair)
    generated_step, state_step = cell_steps(text, num_generated, num_states)
    cell = text.cell_offsets[pair] + j * generated_step
    empty = alpha[1, j, num_states] * beta[num_states]
    pair_ids = text.pair_ids
    for i in range(num_states):
        link = alpha[0, j, i] * beta[i]
        if len(posterior):
            posterior[cell] = link
        else:
            counts[pair_ids[cell]] += weight * link
        empty += alpha[1, j, i] * beta[i]
        cell += state_step
    null_counts[text.generated_tokens[first + j]] += weight * empty


@njit(nogil=True, cache=True)
def _backward(text, pair, weight, jumps, passes, totals, start, room, result):
    """Backward pass of one sentence pair that adds its expected counts on the way.

    beta[i] is the future of both word i and its null copy: they remember the same position.
    """
    emission, null_emission, alpha = passes
    counts, null_counts, (jump_counts, start_counts, occupancy, start_occupancy), posterior = result
    num_generated, num_states = emission.shape
    window = (len(jumps.jump) - 3) // 2
    padded, sums = room.padded, (room.after, room.before)
    ahead, mass, beta = room.ahead, room.mass, room.beta
    waiting = mass  # never needed at the same time
    beta[: num_states + 1] = 1.0
    for j in range(num_generated - 1, -1, -1):
        _count_links(text, pair, j, weight, alpha, beta, counts, null_counts, posterior)
        scale = 1.0 / alpha[2, j, 0]
        stay = jumps.null_probability * null_emission[j] * scale
        move = 1.0 - jumps.null_probability
        start_future = 0.0
        for i in range(num_states):
            ahead[i] = emission[j, i] * beta[i] * scale
            start_future += start[i] * ahead[i]
        mass_of_start = 1.0 if j == 0 else alpha[1, j - 1, num_states]
        _count_starts(
            jumps, window, num_states, weight * move * mass_of_start, start, ahead,
            start_counts, start_occupancy,
        )  # fmt: skip
        if j > 0:
            for i in range(num_states):
                waiting[i] = stay * beta[i]
            _jump_back(jumps, window, num_states, ahead, totals, padded, beta, sums)
            for i in range(num_states):
                beta[i] = move * beta[i] + waiting[i]
                mass[i] = (alpha[0, j - 1, i] + alpha[1, j - 1, i]) * (
                    weight * move * (1.0 - jumps.smoothing)
                )
            _count_jumps(
                jumps, window, num_states, mass, padded, totals, sums, jump_counts, occupancy
            )
        beta[num_states] = move * start_future + stay * beta[num_states]
