"""Best alignment under a geometric average of domains (Cuong & Sima'an 2015, eq. 5)."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...kernels.lazy import njit
from ...kernels.simd import best_step, clear, jump_maxima, keep_larger, padded, zeros
from .gather import sizes, state_classes
from .transitions import band_places, borrowing, fill_band, margin, row_shares, table_of, window_of

IGNORED = 1e-6  # the power of a domain's model that changes no path


class Room(NamedTuple):
    """Buffers for the largest sentence pair of a call, float32; smaller ones use the front.

    emission, word: rows of padded(I); mass: the same with zeros beside each row, a row more
    null_emission, of_start: [longest]; work: a row
    band: what ``fill_band`` writes, averaged over domains; own: the same for one domain
    shares: float64, of ``row_shares``; classes: int32[longest], of the states
    """

    emission: NDArray[np.float32]
    word: NDArray[np.float32]
    mass: NDArray[np.float32]
    null_emission: NDArray[np.float32]
    of_start: NDArray[np.float32]
    work: NDArray[np.float32]
    band: NDArray[np.float32]
    own: NDArray[np.float32]
    shares: NDArray[np.float64]
    classes: NDArray[np.int32]


@njit(nogil=True, cache=True)
def _allocate(text, side, jumps, num_pairs):
    window = window_of(jumps.jump)
    beside = margin(window)
    cells, rows, generated, states = 1, 1, 1, 1
    for pair in range(num_pairs):
        size = sizes(text, pair)
        num_generated, num_states = size[side], size[1 - side]
        cells = max(cells, num_generated * padded(num_states))
        rows = max(rows, (num_generated + 1) * (padded(num_states) + beside))
        generated, states = max(generated, num_generated), max(states, num_states)
    width = padded(states)
    band = band_places(0, window, width)[-1]
    return Room(
        zeros(cells), zeros(cells), zeros(rows + beside), zeros(generated), zeros(generated + 1),
        zeros(width), zeros(band), zeros(band), row_shares(jumps),
        np.zeros(width, np.int32),
    )  # fmt: skip


@borrowing
def _average_emissions(text, lexical, weights, domains, pair, side, room):
    """Geometric average of t over domains, to room.emission and room.null_emission."""
    size = sizes(text, pair)
    num_generated, num_states = size[side], size[1 - side]
    begin = text.source_offsets[pair] if side == 0 else text.target_offsets[pair]
    tokens = text.source_tokens if side == 0 else text.target_tokens
    nulls = lexical.null_source if side == 0 else lexical.null_target
    generated_step, state_step = (num_states, 1) if side == 0 else (1, num_generated)
    table, pair_ids, floor = lexical.table.reshape(-1), text.pair_ids, np.float32(lexical.floor)
    emission, null_emission = room.emission, room.null_emission
    num_domains, width = lexical.table.shape[1], padded(num_states)
    several = len(domains) > 1
    for place in range(len(domains)):
        domain = domains[place]
        weight = np.float32(weights[domain])
        for j in range(num_generated):
            cell = text.cell_offsets[pair] + j * generated_step
            row = j * width
            null = max(nulls[domain, tokens[begin + j]], floor)
            if place == 0:
                emission[row : row + width] = 0.0
                null_emission[j] = 0.0
            null_emission[j] += weight * np.log(null) if several else null
            for i in range(num_states):
                entry = (np.int64(pair_ids[cell]) * num_domains + domain) * 2 + side
                value = max(table[entry], floor)
                emission[row + i] += weight * np.log(value) if several else value
                cell += state_step
    if several:
        for j in range(num_generated):
            null_emission[j] = np.exp(null_emission[j])
            for cell in range(j * width, j * width + num_states):
                emission[cell] = np.exp(emission[cell])


@borrowing
def _average_jumps(jumps, weights, domains, side, num_states, room):
    """Geometric average of the transition probabilities over domains, to room.band."""
    band, own, shares = room.band, room.own, room.shares
    if jumps.jump.shape[1] == 1 or len(domains) == 1:
        table = table_of(jumps, domains[0])
        fill_band(jumps, shares, side, table, num_states, room.classes, band, 0)
        return
    places = band_places(0, window_of(jumps.jump), padded(num_states))
    first, last = places[1], places[-1]  # nothing is read by origin
    clear(band, first, last - first)
    for table in domains:
        fill_band(jumps, shares, side, table, num_states, room.classes, own, 0)
        weight = np.float32(weights[table])
        for place in range(first, last):
            band[place] += weight * np.log(own[place])  # -inf where there is no such jump
    for place in range(first, last):
        band[place] = np.exp(band[place])


@borrowing
def _best_masses(num_generated, num_states, window, null_probability, room):
    """Scaled scores of the best paths to word i (word) and to it or its null copy (mass)."""
    emission, word, mass, work, band = room.emission, room.word, room.mass, room.work, room.band
    width, beside = padded(num_states), margin(window)
    step = width + beside
    _, by_position, right, left, starts, _, _ = band_places(0, window, width)
    far = num_states > window + 1
    clear(work, 0, width)
    clear(mass, 0, step + beside)
    stay_probability = np.float32(null_probability)
    move = np.float32(1.0) - stay_probability
    inverse = room.of_start[0] = np.float32(1.0)
    for j in range(num_generated):
        row, own = j * width, beside + j * step
        if j > 0:
            jump_maxima(
                work, 0, mass, own, band, by_position + window * width, right + 2 * width,
                left + 2 * width, window, far, width,
            )  # fmt: skip
        keep_larger(work, 0, band, starts, room.of_start[j], width)
        stay = stay_probability * room.null_emission[j] * inverse
        total = best_step(
            work, 0, emission, row, mass, own, word, row, mass, own + step,
            move * inverse, stay, width,
        )  # fmt: skip
        clear(mass, own + step + width, beside)
        room.of_start[j + 1] = room.of_start[j] * stay
        inverse = np.float32(1.0) / (total + room.of_start[j + 1])


@borrowing
def _origin(state, before, of_start, num_states, window, room):
    """Where the best path to a word came from; num_states stands for the start.

    before: where the masses before this step begin
    """
    mass, band, width = room.mass, room.band, padded(num_states)
    _, by_position, right, left, starts, _, _ = band_places(0, window, width)
    best, origin = np.float32(-1.0), 0
    for other in range(num_states):
        distance = state - other
        if distance > window:
            value = mass[before + other] * band[right + other]
        elif distance < -window:
            value = mass[before + other] * band[left + other]
        else:
            row = by_position + (distance + window) * width
            value = mass[before + other] * band[row + state]
        if value > best:
            best, origin = value, other
    return num_states if of_start * band[starts + state] > best else origin


@borrowing
def _trace_back(num_generated, num_states, window, room, path):
    """Write the best path, int32[J], -1 for the empty word."""
    width, beside = padded(num_states), margin(window)
    step = width + beside
    mass, word = room.mass, room.word
    ends = band_places(0, window, width)[5]
    last = beside + num_generated * step
    best = np.float32(-1.0)
    memory = num_states
    for state in range(num_states):
        value = mass[last + state] * room.band[ends + state]
        if value > best:
            best, memory = value, state
    if room.of_start[num_generated] * room.band[ends + num_states] > best:
        memory = num_states
    for j in range(num_generated - 1, -1, -1):
        path[j] = -1
        if memory == num_states:
            continue
        own = beside + j * step
        if mass[own + step + memory] > word[j * width + memory]:
            continue  # the null copy
        path[j] = memory
        memory = (
            num_states
            if j == 0
            else _origin(memory, own, room.of_start[j], num_states, window, room)
        )


@borrowing
def _best_path(text, pair, side, lexical, jumps, weights, domains, room, path):
    """Write the best path of a sentence pair, int32[J]."""
    size = sizes(text, pair)
    num_generated, num_states = size[side], size[1 - side]
    if num_states == 0:
        path[:] = -1
    if num_states == 0 or num_generated == 0:
        return
    window, null_probability = window_of(jumps.jump), jumps.null_probability
    if null_probability == 0.0:
        null_probability = 1.0 / (num_states + 1)
    _average_emissions(text, lexical, weights, domains, pair, side, room)
    state_classes(text, pair, side, jumps.source_class, jumps.target_class, room.classes)
    _average_jumps(jumps, weights, domains, side, num_states, room)
    _best_masses(num_generated, num_states, window, null_probability, room)
    _trace_back(num_generated, num_states, window, room, path)


@njit(nogil=True, cache=True)
def viterbi(text, side, lexical, jumps, weights, result):
    """Best state of each generated word, or -1 for the empty word.

    Scores are scaled float32 products: of paths that are equal to their precision either may win.

    side: 0 where target words explain source words, 1 the other way
    jumps: a null probability of 0 stands for 1 / (I + 1), as in Model 1
    weights: float64[num_pairs, D], each row sums to 1
    result: int32[num_generated_tokens], written.
    """
    offsets = text.source_offsets if side == 0 else text.target_offsets
    room = _allocate(text, side, jumps, len(weights))
    for pair in range(len(weights)):
        domains = np.flatnonzero(weights[pair] > IGNORED)
        path = result[offsets[pair] : offsets[pair + 1]]
        _best_path(text, pair, side, lexical, jumps, weights[pair], domains, room, path)
