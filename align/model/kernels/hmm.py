"""HMM of word links: scaled forward and backward passes of both directions and all domains.

States are the words 0..I-1 and, for each, a null copy that remembers it (Och & Ney 2003), and a
null state that remembers the start. The index is looked up once per pair of positions; the passes
work on float32 rows of padded(I) states. A jump within the window is an entry of a band, longer
ones are running sums, so that a step takes time in proportion to the number of states. Likelihoods
and counts are summed in float64.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...kernels.lazy import njit
from ...kernels.simd import (
    add_scaled,
    backward_step,
    band_products,
    clear,
    forward_step,
    jump_sums,
    jump_sums_back,
    padded,
    prefetch,
    product_sum,
    turn_step,
    zeros,
)
from .gather import sizes, state_classes, weigh_domains
from .supervision import favour_hand_links, is_supervised
from .transitions import (
    Bands,
    allocate_bands,
    band_at,
    band_places,
    borrowing,
    count_jumps,
    margin,
    no_jumps,
    num_groups,
    provide_band,
    table_of,
    window_of,
)

NEGLIGIBLE = 1e-6  # P(D | f, e) below this adds nothing that is worth a backward pass
PATIENCE = 4  # masses are scaled every so many steps,
SMALL = 1e-12  # and where they sum to less than this
LEAST = 1e-32  # what a float32 still holds to several digits
FORGOTTEN = np.float32(1e-12)  # a chance of standing at the start below this is taken for 0


class Room(NamedTuple):
    """Buffers for the largest sentence pair of a call, float32; smaller ones use the front.

    emission, word: per domain and direction, rows of padded(I)
    mass: the same, with zeros beside each row (see ``margin``) and a row more
    ahead: such rows of one direction; factor: a number for each of them
    null_emission: [D, 2, longest]; scale: [D, 2, longest, 2], 1 / sum and mass of the start
    link: [2, cells]; null_link: [2, longest]
    work: rows of padded(I), see ``_WORK``
    ratio: what ``count_jumps`` is given
    bands: of both directions and all jump tables; classes: int32[2, longest], of the states
    log_likelihood: float64[2, D], of a pair; inverse_end: [2, D], 1 / P of its end
    domain: int64[D], those that a pair can be of
    """

    emission: NDArray[np.float32]
    word: NDArray[np.float32]
    mass: NDArray[np.float32]
    ahead: NDArray[np.float32]
    factor: NDArray[np.float32]
    null_emission: NDArray[np.float32]
    scale: NDArray[np.float32]
    link: NDArray[np.float32]
    null_link: NDArray[np.float32]
    work: NDArray[np.float32]
    ratio: NDArray[np.float32]
    bands: Bands
    classes: NDArray[np.int32]
    log_likelihood: NDArray[np.float64]
    inverse_end: NDArray[np.float32]
    domain: NDArray[np.int64]


_WORK = 4  # rows: what jumps lead to, what lies beyond the window on either side, the future


@borrowing
def _stride(num_source, num_target):
    """Room of one direction and domain."""
    return max(padded(num_target) * num_source, padded(num_source) * num_target)


@borrowing
def _mass_stride(num_source, num_target, beside):
    """The same for rows with zeros beside them, a row more than there are words."""
    return beside + max(
        (padded(num_target) + beside) * (num_source + 1),
        (padded(num_source) + beside) * (num_target + 1),
    )


@njit(nogil=True, cache=True)
def allocate(text, jumps, num_domains, first, last):
    """Room for the largest sentence pair in [first, last)."""
    window = window_of(jumps.jump)
    beside = margin(window)
    cells, rows, longest = 1, 1, 1
    for pair in range(first, last):
        num_source, num_target = sizes(text, pair)
        if num_source > 0 and num_target > 0:
            cells = max(cells, _stride(num_source, num_target))
            rows = max(rows, _mass_stride(num_source, num_target, beside))
            longest = max(longest, num_source, num_target)
    width = padded(longest)
    occurs = np.zeros(longest + 1, np.bool_)
    for pair in range(first, last):
        num_source, num_target = sizes(text, pair)
        if num_source > 0 and num_target > 0:
            occurs[num_source] = occurs[num_target] = True
    return Room(
        zeros(2 * num_domains * cells), zeros(2 * num_domains * cells),
        zeros(2 * num_domains * rows), zeros(rows), zeros(width),
        zeros(2 * num_domains * width), zeros(4 * num_domains * width),
        zeros(2 * cells), zeros(2 * width), zeros(_WORK * width),
        zeros(band_places(0, window, width)[-1]), allocate_bands(jumps, occurs),
        np.zeros((2, width), np.int32), np.zeros((2, num_domains)),
        np.zeros((2, num_domains), np.float32), np.arange(num_domains),
    )  # fmt: skip


@borrowing
def _gather(text, lexical, pair, domains, room):
    """Look up t of each cell and of the empty word, for the given domains."""
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
    if is_supervised(text, pair):
        _supervise(text, pair, domains, room)


@borrowing
def _supervise(text, pair, domains, room):
    """Favour the hand links of a pair."""
    emission, null_emission = room.emission, room.null_emission
    num_source, num_target = sizes(text, pair)
    stride, longest = _stride(num_source, num_target), len(room.null_link) // 2
    for domain in domains:
        for side in range(2):
            slot, width = 2 * domain + side, padded(num_source if side else num_target)
            favour_hand_links(
                text, pair, side, emission[slot * stride :], width, 1,
                null_emission[slot * longest :],
            )  # fmt: skip


@borrowing
def _fill_bands(text, pair, domains, jumps, room):
    """Transition probabilities of a sentence pair under the given domains, in both directions."""
    for side in range(2):
        num_states = sizes(text, pair)[1 - side]
        classes = room.classes[side]
        if jumps.jump.shape[2] > 1:  # else all are 0
            state_classes(text, pair, side, jumps.source_class, jumps.target_class, classes)
        for domain in domains[: jumps.jump.shape[1]]:  # the first alone, where all share a table
            table = table_of(jumps, domain)
            provide_band(jumps, side, table, num_states, classes, room.bands)


class _Shape(NamedTuple):
    """One direction and domain of a sentence pair: its sizes, and where its numbers stand.

    width: of a row; step: of a row with the zeros beside it
    base, mass_base, nulls, scales: its part of emission and word, mass, null_emission, scale
    table: of jumps; band: where its band begins
    """

    num_generated: int
    num_states: int
    side: int
    window: int
    width: int
    step: int
    base: int
    mass_base: int
    nulls: int
    scales: int
    table: int
    band: int


@borrowing
def _shape(text, pair, side, domain, jumps, room):
    num_source, num_target = sizes(text, pair)
    num_generated, num_states = (num_source, num_target)
    if side == 1:
        num_generated, num_states = (num_target, num_source)
    window, table = window_of(jumps.jump), table_of(jumps, domain)
    beside = margin(window)
    slot = 2 * domain + side
    longest = len(room.null_link) // 2
    return _Shape(
        num_generated, num_states, side, window, padded(num_states), padded(num_states) + beside,
        slot * _stride(num_source, num_target),
        slot * _mass_stride(num_source, num_target, beside) + beside, slot * longest,
        2 * slot * longest, table, band_at(room.bands, side, table, num_states),
    )  # fmt: skip


@borrowing
def _forward(shape, null_probability, small, room):
    """Scaled forward pass; returns log P(generated | states) and 1 / P of the end.

    Masses are scaled now and then, and when their sum falls below ``small``.

    word: float32[J, P], word i at step j; mass: float32[J + 1, P], word i or its null copy before
    step j. Both lack the scale of their own step.
    """
    emission, word, mass, scale = room.emission, room.word, room.mass, room.scale
    null_emission, work, band = room.null_emission, room.work, room.bands.numbers
    width, step, window = shape.width, shape.step, shape.window
    _, by_position, right, left, starts, ends, _ = band_places(shape.band, window, width)
    beside, far = step - width, shape.num_states > window + 1
    stay_probability = np.float32(null_probability)
    move = np.float32(1.0) - stay_probability
    clear(work, 0, width)
    clear(mass, shape.mass_base - beside, beside + step)
    of_start = np.float32(1.0)
    inverse = np.float32(1.0)
    product, log_likelihood = 1.0, 0.0
    for j in range(shape.num_generated):
        row = shape.base + j * width
        own = shape.mass_base + j * step
        if j > 0:
            jump_sums(
                work, 0, mass, own, band, by_position + window * width, right + 2 * width,
                left + 2 * width, window, far, width,
            )  # fmt: skip
        if of_start > 0.0:
            add_scaled(work, 0, band, starts, of_start, width)
        stay = stay_probability * null_emission[shape.nulls + j] * inverse
        total = forward_step(
            work, 0, emission, row, mass, own, word, row, mass, own + step,
            move * inverse, stay, width,
        )  # fmt: skip
        clear(mass, own + step + width, beside)
        of_start *= stay
        inverse = np.float32(1.0)
        if of_start < FORGOTTEN * total:
            of_start = np.float32(0.0)
        total += of_start
        if j % PATIENCE == PATIENCE - 1 or total < small:
            # not in every step: the next one would have to wait for the sum and the division
            inverse /= total
            product *= total
            if product < 1e-200:
                log_likelihood += np.log(product)
                product = 1.0
        scale[shape.scales + 2 * j] = inverse
        scale[shape.scales + 2 * j + 1] = of_start
    own = shape.mass_base + shape.num_generated * step
    total = of_start * band[ends + shape.num_states] + product_sum(mass, own, band, ends, width)
    total *= inverse
    return log_likelihood + np.log(product) + np.log(np.float64(total)), np.float32(1.0) / total


@borrowing
def _backward(shape, null_probability, weight, inverse_end, room):
    """Backward pass: link posteriors to ``room.link[side]``, expected jumps to ``room.ratio``.

    The future of a word is that of its null copy: they remember the same position. The jumps lack
    their probability; see ``count_jumps``.
    """
    emission, word, mass, scale = room.emission, room.word, room.mass, room.scale
    null_emission, work, link = room.null_emission, room.work, room.link
    ahead, factor, ratio, band = room.ahead, room.factor, room.ratio, room.bands.numbers
    width, step, window = shape.width, shape.step, shape.window
    by_origin, _, right, left, starts, ends, _ = band_places(shape.band, window, width)
    _, _, rightwards, leftwards, first, last, all_of_it = band_places(0, window, width)
    groups, beside = num_groups(window), step - width
    far = shape.num_states > window + 1
    jumped, before, behind, future = 0, width, 2 * width, 3 * width
    stay_probability, weight = np.float32(null_probability), np.float32(weight)
    move = np.float32(1.0) - stay_probability
    links = shape.side * (len(link) // 2)
    nulls = shape.side * (len(room.null_link) // 2)
    clear(work, 0, _WORK * width)
    clear(ahead, shape.num_generated * step, beside)
    clear(ratio, rightwards, all_of_it - rightwards)
    own = shape.mass_base + shape.num_generated * step
    inverse = scale[shape.scales + 2 * shape.num_generated - 2]
    of_start = scale[shape.scales + 2 * shape.num_generated - 1]
    add_scaled(work, future, band, ends, inverse_end, width)
    add_scaled(ratio, last, mass, own, weight * inverse * inverse_end, width)
    ratio[last + shape.num_states] = weight * of_start * inverse * inverse_end
    future_of_start = band[ends + shape.num_states] * inverse_end
    for j in range(shape.num_generated - 1, -1, -1):
        row = shape.base + j * width
        own = shape.mass_base + j * step
        next_to = beside + j * step
        inverse = scale[shape.scales + 2 * j]
        null = scale[shape.scales + 2 * j + 1] * future_of_start
        null += backward_step(
            work, future, word, row, mass, own + step, emission, row, link, links + j * width,
            ahead, next_to, inverse, inverse * move, width,
        )  # fmt: skip
        clear(ahead, next_to - beside, beside)
        room.null_link[nulls + j] = null * inverse
        stay = stay_probability * null_emission[shape.nulls + j] * inverse
        earlier, of_start = np.float32(0.0), np.float32(1.0)
        if j > 0:
            earlier = scale[shape.scales + 2 * j - 2]
            of_start = scale[shape.scales + 2 * j - 1] * earlier
        factor[j] = weight * earlier
        if of_start > 0.0:
            future_of_start *= stay
            future_of_start += product_sum(band, starts, ahead, next_to, width)
            add_scaled(ratio, first, ahead, next_to, weight * of_start, width)
        if j > 0:
            jump_sums_back(
                work, jumped, ahead, next_to, band, by_origin + window * width, left, right,
                window, far, width, work, before, behind,
            )  # fmt: skip
            turn_step(
                work, jumped, work, future, mass, own, work, behind, work, before,
                ratio, rightwards, ratio, leftwards, stay, weight * earlier, width,
            )  # fmt: skip
    if weight > 0.0:
        band_products(
            ratio, 0, factor, 1, mass, shape.mass_base + step, step,
            ahead, beside + step - window, step, shape.num_generated - 1, groups, width,
        )  # fmt: skip


@borrowing
def _forward_both(text, pair, domain, jumps, floor, room):
    small = np.float32(max(SMALL, min(1.0, LEAST / floor)))
    for side in range(2):
        shape = _shape(text, pair, side, domain, jumps, room)
        room.log_likelihood[side, domain], room.inverse_end[side, domain] = _forward(
            shape, jumps.null_probability, small, room
        )


@borrowing
def _forward_all(text, lexical, pair, domains, jumps, room):
    """Forward passes of both directions under the given domains."""
    _gather(text, lexical, pair, domains, room)
    _fill_bands(text, pair, domains, jumps, room)
    for domain in domains:
        _forward_both(text, pair, domain, jumps, lexical.floor, room)


@borrowing
def _backward_both(text, pair, domain, weight, jumps, room, counts):
    """Link posteriors of both directions; expected jumps to the counts, where weight is above 0."""
    for side in range(2):
        shape = _shape(text, pair, side, domain, jumps, room)
        _backward(shape, jumps.null_probability, weight, room.inverse_end[side, domain], room)
        if weight > 0.0:
            table = shape.table
            count_jumps(
                room.bands.numbers, shape.band, room.ratio, 0, jumps.smoothing, jumps.final,
                shape.num_states, room.classes[side],
                (counts.jump[side, table], counts.start[side, table],
                 counts.occupancy[side, table], counts.start_occupancy[side, table]),
            )  # fmt: skip


@borrowing
def _candidates(log_weights, domains):
    """Write the domains that have a chance to ``domains``; returns how many there are."""
    size = 0
    for domain in range(log_weights.shape[1]):
        if log_weights[0, domain] > -np.inf or log_weights[1, domain] > -np.inf:
            domains[size] = domain
            size += 1
    return size


@borrowing
def _likely(weights, domains):
    """Write the domains that are not negligible to ``domains``; returns how many there are."""
    size = 0
    for domain in range(len(weights)):
        if weights[domain] >= NEGLIGIBLE:
            domains[size] = domain
            size += 1
    return size


@borrowing
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


@borrowing
def _fetch(text, pair, table, links, step, wide):
    """Ask for the entries of a sentence pair before they are needed."""
    pair_ids = text.pair_ids
    for cell in range(text.cell_offsets[pair], text.cell_offsets[pair + 1]):
        place = np.int64(pair_ids[cell])
        prefetch(table, place * step)
        if step > 2:  # of several domains: an entry may lie across two cache lines
            prefetch(table, (place + 1) * step - 1)
        if wide > 0:
            prefetch(links, place * wide)


@njit(nogil=True, cache=True)
def log_likelihoods(text, lexical, jumps, first, last, result):
    """Write log P(f | e, D) and log P(e | f, D) of the pairs [first, last) to float64[2, n, D]."""
    room = allocate(text, jumps, lexical.table.shape[1], first, last)
    _evaluate(text, lexical, jumps, first, last, result, room)


@borrowing
def _evaluate(text, lexical, jumps, first, last, result, room):
    for pair in range(first, last):
        num_source, num_target = sizes(text, pair)
        if num_source == 0 or num_target == 0:
            result[:, pair - first] = 0.0
            continue
        _forward_all(text, lexical, pair, room.domain, jumps, room)
        for side, domain in np.ndindex(room.log_likelihood.shape):
            result[side, pair - first, domain] = room.log_likelihood[side, domain]


@njit(nogil=True, cache=True)
def link_posteriors(text, lexical, jumps, weights, result):
    """Write P(link | both sentences) of each cell, averaged over domains, in both directions.

    weights: float64[num_pairs, D], rows that sum to 1; result: float32[2, num_cells]
    """
    room = allocate(text, jumps, lexical.table.shape[1], 0, len(weights))
    _average_links(text, lexical, jumps, weights, result, room, no_jumps(jumps))


@borrowing
def _average_links(text, lexical, jumps, weights, result, room, unused):
    link = room.link
    reverse = len(link) // 2
    for pair in range(len(weights)):
        num_source, num_target = sizes(text, pair)
        if num_source == 0 or num_target == 0:
            continue
        domains = room.domain[: _likely(weights[pair], room.domain)]
        _forward_all(text, lexical, pair, domains, jumps, room)
        begin, end = text.cell_offsets[pair], text.cell_offsets[pair + 1]
        result[:, begin:end] = 0.0
        for domain in domains:
            _backward_both(text, pair, domain, 0.0, jumps, room, unused)
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
def expectations(text, lexical, jumps, first, last, log_weights, temperature, posterior, counts):
    """E-step over the pairs [first, last): P(D | f, e), and expected counts weighted by it.

    log_weights: float64[2, num_pairs, D], what stands beside log P(f | e, D) and log P(e | f, D);
    -inf in both for a domain that a pair can't be of
    posterior: float64[num_pairs, D], written, and 0 for pairs with an empty side
    counts: (links float64[num_type_pairs + 1, D, K], null_source float64[D, num_types + 1],
    null_target the same, JumpCounts), added to; K = 1: both directions count the product of their
    posteriors (Liang, Taskar & Klein 2006), K = 2: each its own
    Returns the log-likelihoods of both directions, weighted by the posterior: float64[2].
    """
    room = allocate(text, jumps, lexical.table.shape[1], first, last)
    objective = np.zeros(2)
    _expect(
        text, lexical, jumps, first, last, log_weights, temperature, posterior, counts, room,
        objective,
    )  # fmt: skip
    return objective


@borrowing
def _expect(
    text, lexical, jumps, first, last, log_weights, temperature, posterior, counts, room, objective
):
    links, null_source, null_target, jump_counts = counts
    num_domains, log_likelihoods = lexical.table.shape[1], room.log_likelihood
    table, flat = lexical.table.reshape(-1), links.reshape(-1)
    wide = links.shape[1] * links.shape[2]
    for pair in range(first, last):
        if pair + 1 < last:
            _fetch(text, pair + 1, table, flat, 2 * num_domains, wide)
        num_source, num_target = sizes(text, pair)
        posterior[pair] = 0.0
        domains = room.domain[: _candidates(log_weights[:, pair], room.domain)]
        if num_source == 0 or num_target == 0 or len(domains) == 0:
            continue
        _forward_all(text, lexical, pair, domains, jumps, room)
        weigh_domains(log_weights[:, pair], log_likelihoods, temperature, posterior[pair])
        for domain in domains:
            weight = posterior[pair, domain]
            if weight >= NEGLIGIBLE:
                for side in range(2):
                    objective[side] += weight * log_likelihoods[side, domain]
                _backward_both(text, pair, domain, weight, jumps, room, jump_counts)
                _count_links(text, pair, domain, weight, room, links, null_source, null_target)
