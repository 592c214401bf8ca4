"""HMM of word links: scaled forward and backward passes of both directions and all domains.

States are the words 0..I-1 and, for each, a null copy that remembers it (Och & Ney 2003), and a
null state that remembers the start. The index is looked up once per pair of positions; the passes
work on float32 rows of padded(I) states. Likelihoods and counts are summed in float64.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from .simd import (
    add_outer,
    backward_step,
    forward_step,
    padded,
    prefetch,
    turn_step,
    weighted_rows,
    zeros,
)
from .text import sizes, weigh_domains
from .transitions import LONGEST, count_jumps, fill_matrix, no_jumps

NEGLIGIBLE = 1e-6  # P(D | f, e) below this adds nothing that is worth a backward pass
FORGOTTEN = np.float32(1e-12)  # a chance of standing at the start below this is passed over


class Room(NamedTuple):
    """Buffers for the largest sentence pair of a call, float32; smaller ones use the front.

    emission, word, mass: per domain and direction, rows of padded(I); mass has one row more
    null_emission: [D, 2, longest]; scale: [D, 2, longest, 2], 1 / sum and mass of the start
    link: [2, cells]; null_link: [2, longest]; work: three rows
    matrix, transposed, edges, rows: for sentences longer than LONGEST
    """

    emission: NDArray[np.float32]
    word: NDArray[np.float32]
    mass: NDArray[np.float32]
    null_emission: NDArray[np.float32]
    scale: NDArray[np.float32]
    link: NDArray[np.float32]
    null_link: NDArray[np.float32]
    work: NDArray[np.float32]
    matrix: NDArray[np.float32]
    transposed: NDArray[np.float32]
    edges: NDArray[np.float32]
    rows: NDArray[np.float64]


class Sums(NamedTuple):
    """What :func:`align.kernels.transitions.count_jumps` turns into counts, float32.

    outer: as Transitions.matrix; start, end: as Transitions.start
    touched: bool[2, K, LONGEST + 1], the sizes that hold something
    long_outer, long_edges: the same for one longer sentence
    """

    outer: NDArray[np.float32]
    start: NDArray[np.float32]
    end: NDArray[np.float32]
    touched: NDArray[np.bool_]
    long_outer: NDArray[np.float32]
    long_edges: NDArray[np.float32]


@njit(nogil=True, cache=True)
def _stride(num_source, num_target):
    """Room of one direction and domain, a row more than there are words."""
    return max(
        padded(num_target) * (num_source + 1), padded(num_source) * (num_target + 1)
    )


@njit(nogil=True, cache=True)
def allocate(text, num_domains, first, last):
    """Room for the largest sentence pair in [first, last)."""
    cells, longest = 1, 1
    for pair in range(first, last):
        num_source, num_target = sizes(text, pair)
        if num_source > 0 and num_target > 0:
            cells = max(cells, _stride(num_source, num_target))
            longest = max(longest, num_source, num_target)
    width = padded(longest + 1)
    square = padded(longest) ** 2 if longest > LONGEST else 0
    return Room(
        zeros(2 * num_domains * cells), zeros(2 * num_domains * cells),
        zeros(2 * num_domains * cells), zeros(2 * num_domains * width),
        zeros(4 * num_domains * width), zeros(2 * cells), zeros(2 * width), zeros(3 * width),
        zeros(square), zeros(square), zeros(2 * width), np.empty((4, width)),
    )  # fmt: skip


@njit(nogil=True, cache=True)
def _sums(transitions, room):
    return Sums(
        zeros(transitions.matrix.size).reshape(transitions.matrix.shape),
        zeros(transitions.start.size).reshape(transitions.start.shape),
        zeros(transitions.end.size).reshape(transitions.end.shape),
        np.zeros((*transitions.matrix.shape[:2], LONGEST + 1), np.bool_),
        zeros(room.matrix.size), zeros(room.edges.size),
    )  # fmt: skip


@njit(nogil=True, cache=True)
def _gather(text, lexical, pair, domains, room):
    """Look up t of each cell and of the empty word, for the given domains."""
    # an array taken out of a tuple inside a loop costs Numba two atomic counts
    pair_ids, floor = text.pair_ids, np.float32(lexical.floor)
    table, emission, null_emission = lexical.table.reshape(-1), room.emission, room.null_emission
    null_source, null_target = lexical.null_source, lexical.null_target
    source_tokens, target_tokens = text.source_tokens, text.target_tokens
    num_domains = lexical.table.shape[1]
    num_source, num_target = sizes(text, pair)
    wide, high = padded(num_target), padded(num_source)
    stride, longest = _stride(num_source, num_target), len(room.null_link) // 2
    cell = text.cell_offsets[pair]
    for domain in domains:
        forward, reverse = 2 * domain * stride, (2 * domain + 1) * stride
        for j in range(num_source):
            row = forward + j * wide
            entry = cell + j * num_target
            for i in range(num_target):
                place = (np.int64(pair_ids[entry + i]) * num_domains + domain) * 2
                emission[row + i] = max(table[place], floor)
                emission[reverse + i * high + j] = max(table[place + 1], floor)
            for i in range(num_target, wide):
                emission[row + i] = 0.0
        for i in range(num_target):
            for j in range(num_source, high):
                emission[reverse + i * high + j] = 0.0
        begin = text.source_offsets[pair]
        for j in range(num_source):
            null = null_source[domain, source_tokens[begin + j]]
            null_emission[2 * domain * longest + j] = max(null, floor)
        begin = text.target_offsets[pair]
        for i in range(num_target):
            null = null_target[domain, target_tokens[begin + i]]
            null_emission[(2 * domain + 1) * longest + i] = max(null, floor)


@njit(nogil=True, cache=True)
def _matrices(jumps, transitions, side, table, num_states, room):
    """(matrix, transposed, at, starts, ends, at of these two) for a number of states."""
    if num_states <= LONGEST:
        edge = num_states * padded(LONGEST + 1)
        return (
            transitions.matrix[side, table], transitions.transposed[side, table],
            transitions.offsets[num_states], transitions.start[side, table],
            transitions.end[side, table], edge,
        )  # fmt: skip
    half = len(room.edges) // 2
    out = (room.matrix, room.transposed, 0, room.edges[:half], room.edges[half:], 0)
    matrix, transposed, _, starts, ends, _ = out
    cells = padded(num_states) ** 2
    matrix[:cells] = 0.0
    transposed[:cells] = 0.0
    starts[:] = 0.0
    ends[:] = 0.0
    fill_matrix(
        jumps.jump[side, table], jumps.start[side, table], jumps.smoothing, jumps.final,
        num_states, room.rows[:, : num_states + 1], out,
    )  # fmt: skip
    return out


@njit(nogil=True, cache=True)
def _forward(num_generated, num_states, slot, stride, null_probability, matrices, room):
    """Scaled forward pass; returns log P(generated | states) and 1 / P of the end.

    word: float32[J, P], word i at step j; mass: float32[J + 1, P], word i or its null copy before
    step j. Both lack the scale of their own step.
    """
    emission, word, mass, scale = room.emission, room.word, room.mass, room.scale
    null_emission, work = room.null_emission, room.work
    matrix, _, at, starts, ends, edge = matrices
    longest = len(room.null_link) // 2
    width = padded(num_states)
    stay_probability = np.float32(null_probability)
    move = np.float32(1.0) - stay_probability
    base, nulls, scales = slot * stride, slot * longest, 2 * slot * longest
    for i in range(width):
        mass[base + i] = 0.0
        work[i] = 0.0
    of_start = np.float32(1.0)
    inverse = np.float32(1.0)
    product, log_likelihood = 1.0, 0.0
    for j in range(num_generated):
        row = base + j * width
        if j > 0:
            weighted_rows(work, 0, mass, row, matrix, at, num_states, width)
        if of_start * inverse > FORGOTTEN:
            for i in range(num_states):
                work[i] += of_start * starts[edge + i]
        stay = stay_probability * null_emission[nulls + j] * inverse
        total = forward_step(
            work, 0, emission, row, mass, row, word, row, mass, row + width,
            move * inverse, stay, width,
        )  # fmt: skip
        of_start *= stay
        total += of_start
        inverse = np.float32(1.0) / total
        scale[scales + 2 * j] = inverse
        scale[scales + 2 * j + 1] = of_start
        product *= total
        if product < 1e-200:
            log_likelihood += np.log(product)
            product = 1.0
    row = base + num_generated * width
    total = of_start * ends[edge + num_states]
    for i in range(num_states):
        total += mass[row + i] * ends[edge + i]
    total *= inverse
    return log_likelihood + np.log(product) + np.log(np.float64(total)), np.float32(1.0) / total


@njit(nogil=True, cache=True)
def _backward(
    num_generated, num_states, side, slot, stride, null_probability, weight, inverse_end, matrices,
    room, sums,
):  # fmt: skip
    """Backward pass: link posteriors to ``room.link[side]``, expected jumps to ``sums``.

    The future of a word is that of its null copy: they remember the same position.
    """
    emission, word, mass, scale = room.emission, room.word, room.mass, room.scale
    null_emission, work, link, null_link = (
        room.null_emission, room.work, room.link, room.null_link,
    )  # fmt: skip
    _, transposed, at, starts, ends, edge = matrices
    outer, start_sums, end_sums = sums
    longest = len(null_link) // 2
    width = padded(num_states)
    stay_probability, weight = np.float32(null_probability), np.float32(weight)
    move = np.float32(1.0) - stay_probability
    base, nulls, scales = slot * stride, slot * longest, 2 * slot * longest
    links = side * (len(link) // 2)
    future, ahead = width, 2 * width
    last = base + num_generated * width
    inverse = scale[scales + 2 * (num_generated - 1)]
    of_start = scale[scales + 2 * num_generated - 1]
    for i in range(width):
        end_sums[edge + i] += weight * mass[last + i] * inverse * inverse_end
        work[future + i] = ends[edge + i] * inverse_end
    end_sums[edge + num_states] += weight * of_start * inverse * inverse_end
    future_of_start = ends[edge + num_states] * inverse_end
    for j in range(num_generated - 1, -1, -1):
        row = base + j * width
        inverse = scale[scales + 2 * j]
        null = scale[scales + 2 * j + 1] * future_of_start
        null += backward_step(
            work, future, word, row, mass, row + width, emission, row, link, links + j * width,
            work, ahead, inverse, inverse * move, width,
        )  # fmt: skip
        null_link[side * longest + j] = null * inverse
        stay = stay_probability * null_emission[nulls + j] * inverse
        before = np.float32(0.0)
        of_start = np.float32(1.0)
        if j > 0:
            before = scale[scales + 2 * j - 2]
            of_start = scale[scales + 2 * j - 1] * before
        if of_start > FORGOTTEN:
            jumped = np.float32(0.0)
            share = weight * of_start
            for i in range(num_states):
                jumped += starts[edge + i] * work[ahead + i]
                start_sums[edge + i] += share * work[ahead + i]
            future_of_start = jumped + stay * future_of_start
        if j > 0:
            weighted_rows(work, 0, work, ahead, transposed, at, num_states, width)
            turn_step(work, 0, work, future, mass, row, stay, weight * before, width)
            add_outer(outer, at, work, 0, work, ahead, num_states, width)


@njit(nogil=True, cache=True)
def _candidates(log_weights, domains):
    """Write the domains that have a chance to ``domains``; returns how many there are."""
    size = 0
    for domain in range(log_weights.shape[1]):
        if log_weights[0, domain] > -np.inf or log_weights[1, domain] > -np.inf:
            domains[size] = domain
            size += 1
    return size


@njit(nogil=True, cache=True)
def _forward_both(text, pair, domain, jumps, transitions, room, log_likelihoods, inverse_ends):
    num_source, num_target = sizes(text, pair)
    stride = _stride(num_source, num_target)
    table = domain if jumps.jump.shape[1] > 1 else 0
    for side in range(2):
        num_generated, num_states = (num_source, num_target)
        if side == 1:
            num_generated, num_states = (num_target, num_source)
        matrices = _matrices(jumps, transitions, side, table, num_states, room)
        log_likelihoods[side, domain], inverse_ends[side, domain] = _forward(
            num_generated, num_states, 2 * domain + side, stride, jumps.null_probability,
            matrices, room,
        )  # fmt: skip


@njit(nogil=True, cache=True)
def _backward_both(
    text, pair, domain, weight, jumps, transitions, inverse_ends, room, sums, counts
):
    num_source, num_target = sizes(text, pair)
    stride = _stride(num_source, num_target)
    table = domain if jumps.jump.shape[1] > 1 else 0
    half = len(sums.long_edges) // 2
    for side in range(2):
        num_generated, num_states = (num_source, num_target)
        if side == 1:
            num_generated, num_states = (num_target, num_source)
        matrices = _matrices(jumps, transitions, side, table, num_states, room)
        own = (sums.outer[side, table], sums.start[side, table], sums.end[side, table])
        if num_states > LONGEST:
            own = (sums.long_outer, sums.long_edges[:half], sums.long_edges[half:])
        else:
            sums.touched[side, table, num_states] = True
        _backward(
            num_generated, num_states, side, 2 * domain + side, stride, jumps.null_probability,
            weight, inverse_ends[side, domain], matrices, room, own,
        )  # fmt: skip
        if num_states > LONGEST:
            _count(matrices, own, jumps, side, table, num_states, counts)


@njit(nogil=True, cache=True)
def _count(matrices, own, jumps, side, table, num_states, counts):
    matrix, _, at, starts, ends, edge = matrices
    count_jumps(
        (matrix, at, starts, ends, edge), own, (jumps.smoothing, jumps.final), num_states,
        (counts.jump[side, table], counts.start[side, table], counts.occupancy[side, table],
         counts.start_occupancy[side, table]),
    )  # fmt: skip


@njit(nogil=True, cache=True)
def _count_all(jumps, transitions, room, sums, counts):
    for side in range(2):
        for table in range(jumps.jump.shape[1]):
            own = (sums.outer[side, table], sums.start[side, table], sums.end[side, table])
            for num_states in range(1, LONGEST + 1):
                if sums.touched[side, table, num_states]:
                    matrices = _matrices(jumps, transitions, side, table, num_states, room)
                    _count(matrices, own, jumps, side, table, num_states, counts)


@njit(nogil=True, cache=True)
def _count_links(text, pair, domain, weight, room, links, null_source, null_target):
    """Add the posteriors of one pair and domain to its counts.

    links: float64[num_type_pairs + 1, D, K]; K = 1 where the directions agree: products are counted
    """
    pair_ids, link, null_link = text.pair_ids, room.link, room.null_link
    source_tokens, target_tokens = text.source_tokens, text.target_tokens
    num_source, num_target = sizes(text, pair)
    wide, high = padded(num_target), padded(num_source)
    reverse, longest = len(link) // 2, len(null_link) // 2
    cell = text.cell_offsets[pair]
    step = links.shape[1] * links.shape[2]
    own = domain * links.shape[2]
    flat = links.reshape(-1)
    agree = links.shape[2] == 1
    for j in range(num_source):
        for i in range(num_target):
            place = np.int64(pair_ids[cell]) * step + own
            one, other = link[j * wide + i], link[reverse + i * high + j]
            if agree:
                flat[place] += weight * one * other
            else:
                flat[place] += weight * one
                flat[place + 1] += weight * other
            cell += 1
    begin = text.source_offsets[pair]
    for j in range(num_source):
        null_source[domain, source_tokens[begin + j]] += weight * null_link[j]
    begin = text.target_offsets[pair]
    for i in range(num_target):
        null_target[domain, target_tokens[begin + i]] += weight * null_link[longest + i]


@njit(nogil=True, cache=True)
def _fetch(text, pair, table, links, step, wide):
    """Ask for the entries of a sentence pair before they are needed."""
    pair_ids = text.pair_ids
    for cell in range(text.cell_offsets[pair], text.cell_offsets[pair + 1]):
        place = np.int64(pair_ids[cell])
        prefetch(table, place * step)
        if wide > 0:
            prefetch(links, place * wide)


@njit(nogil=True, cache=True)
def log_likelihoods(text, lexical, jumps, transitions, first, last, result):
    """Write log P(f | e, D) and log P(e | f, D) of the pairs [first, last) to float64[2, n, D]."""
    num_domains = lexical.table.shape[1]
    room = allocate(text, num_domains, first, last)
    domains = np.arange(num_domains)
    values, inverse_ends = np.zeros((2, num_domains)), np.zeros((2, num_domains), np.float32)
    for pair in range(first, last):
        num_source, num_target = sizes(text, pair)
        if num_source == 0 or num_target == 0:
            result[:, pair - first] = 0.0
            continue
        _gather(text, lexical, pair, domains, room)
        for domain in domains:
            _forward_both(text, pair, domain, jumps, transitions, room, values, inverse_ends)
        result[:, pair - first] = values


@njit(nogil=True, cache=True)
def link_posteriors(text, lexical, jumps, transitions, weights, result):
    """Write P(link | both sentences) of each cell, averaged over domains, in both directions.

    weights: float64[num_pairs, D], rows that sum to 1; result: float32[2, num_cells]
    """
    num_domains = lexical.table.shape[1]
    room = allocate(text, num_domains, 0, len(weights))
    sums = _sums(transitions, room)
    unused = no_jumps(jumps)  # jumps share the pass, with weight 0
    values, inverse_ends = np.zeros((2, num_domains)), np.zeros((2, num_domains), np.float32)
    link = room.link
    reverse = len(link) // 2
    for pair in range(len(weights)):
        num_source, num_target = sizes(text, pair)
        if num_source == 0 or num_target == 0:
            continue
        domains = np.flatnonzero(weights[pair] >= NEGLIGIBLE)
        _gather(text, lexical, pair, domains, room)
        begin, end = text.cell_offsets[pair], text.cell_offsets[pair + 1]
        result[:, begin:end] = 0.0
        for domain in domains:
            _forward_both(text, pair, domain, jumps, transitions, room, values, inverse_ends)
            _backward_both(
                text, pair, domain, 0.0, jumps, transitions, inverse_ends, room, sums, unused
            )
            share = np.float32(weights[pair, domain])
            cell = begin
            for j in range(num_source):
                for i in range(num_target):
                    result[0, cell] += share * link[j * padded(num_target) + i]
                    result[1, cell] += share * link[reverse + i * padded(num_source) + j]
                    cell += 1
        for cell in range(begin, end):
            result[0, cell] = min(result[0, cell], np.float32(1.0))  # or 1 + 1e-6
            result[1, cell] = min(result[1, cell], np.float32(1.0))


@njit(nogil=True, cache=True)
def expectations(
    text, lexical, jumps, transitions, first, last, log_weights, temperature, posterior, counts
):
    """E-step over the pairs [first, last): P(D | f, e), and expected counts weighted by it.

    log_weights: float64[2, num_pairs, D], what stands beside log P(f | e, D) and log P(e | f, D);
    -inf in both for a domain that a pair can't be of
    posterior: float64[num_pairs, D], written, and 0 for pairs with an empty side
    counts: (links float64[num_type_pairs + 1, D, K], null_source float64[D, num_types + 1],
    null_target the same, JumpCounts), added to; K = 1: both directions count the product of their
    posteriors (Liang, Taskar & Klein 2006), K = 2: each its own
    Returns the log-likelihoods of both directions, weighted by the posterior: float64[2].
    """
    links, null_source, null_target, jump_counts = counts
    num_domains = lexical.table.shape[1]
    table, flat = lexical.table.reshape(-1), links.reshape(-1)
    wide = links.shape[1] * links.shape[2]
    room = allocate(text, num_domains, first, last)
    sums = _sums(transitions, room)
    values, inverse_ends = np.zeros((2, num_domains)), np.zeros((2, num_domains), np.float32)
    domains = np.zeros(num_domains, np.int64)
    objective = np.zeros(2)
    for pair in range(first, last):
        if pair + 1 < last:
            _fetch(text, pair + 1, table, flat, 2 * num_domains, wide)
        num_source, num_target = sizes(text, pair)
        posterior[pair] = 0.0
        size = _candidates(log_weights[:, pair], domains)
        if num_source == 0 or num_target == 0 or size == 0:
            continue
        _gather(text, lexical, pair, domains[:size], room)
        for domain in domains[:size]:
            _forward_both(text, pair, domain, jumps, transitions, room, values, inverse_ends)
        weigh_domains(log_weights[:, pair], values, temperature, posterior[pair])
        for domain in domains[:size]:
            weight = posterior[pair, domain]
            if weight >= NEGLIGIBLE:
                objective += weight * values[:, domain]
                _backward_both(
                    text, pair, domain, weight, jumps, transitions, inverse_ends, room, sums,
                    jump_counts,
                )  # fmt: skip
                _count_links(
                    text, pair, domain, weight, room, links, null_source, null_target
                )
    _count_all(jumps, transitions, room, sums, jump_counts)
    return objective
