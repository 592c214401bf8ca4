"""Best alignment under a geometric average of domains (Cuong & Sima'an 2015, eq. 5)."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...kernels.lazy import borrowing, njit
from ...kernels.simd import clear, keep_larger, padded, zeros
from .external_links import apply_external_links, has_external_links
from .gather import sizes, state_classes
from .jump_vectors import jump_maxima
from .step_vectors import best_step
from .transitions import band_places, fill_band, margin, row_shares, table_of, window_of

IGNORED = 1e-6  # the power of a domain's model that changes no path


class Workspace(NamedTuple):
    """Buffers for the largest sentence pair of a call; smaller ones use the front.

    emission, word: float32[cells], rows of padded(I)
    mass: float32[...], the same with zeros beside each row, a row more
    null_emission, of_start: float32[longest]; work: float32[padded(I)], a row
    band: float32[...], what ``fill_band`` writes, averaged over domains
    domain_band: float32[...], that of one domain
    shares: float64[...], of ``row_shares``; classes: int32[longest], of the states
    domains: int64[D], those that count for a sentence pair
    """

    emission: NDArray[np.float32]
    word: NDArray[np.float32]
    mass: NDArray[np.float32]
    null_emission: NDArray[np.float32]
    of_start: NDArray[np.float32]
    work: NDArray[np.float32]
    band: NDArray[np.float32]
    domain_band: NDArray[np.float32]
    shares: NDArray[np.float64]
    classes: NDArray[np.int32]
    domains: NDArray[np.int64]


@njit(nogil=True, cache=True)
def _allocate(text, side, jumps, num_pairs, num_domains):
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
    return Workspace(
        zeros(cells), zeros(cells), zeros(rows + beside), zeros(generated), zeros(generated + 1),
        zeros(width), zeros(band), zeros(band), row_shares(jumps),
        np.zeros(width, np.int32), np.zeros(num_domains, np.int64),
    )  # fmt: skip


@borrowing
def _counting_domains(weights, domains):
    """Write the domains whose weight is not ignored to ``domains``; returns how many there are."""
    size = 0
    for domain in range(len(weights)):
        if weights[domain] > IGNORED:
            domains[size] = domain
            size += 1
    return size


@borrowing
def _average_emissions(text, lexical, weights, domains, pair, side, workspace):
    """Geometric average of t over domains, to workspace.emission and workspace.null_emission."""
    size = sizes(text, pair)
    num_generated, num_states = size[side], size[1 - side]
    begin = text.source_offsets[pair] if side == 0 else text.target_offsets[pair]
    tokens = text.source_tokens if side == 0 else text.target_tokens
    nulls = lexical.null_source if side == 0 else lexical.null_target
    generated_step, state_step = (num_states, 1) if side == 0 else (1, num_generated)
    table, pair_ids, floor = lexical.table.reshape(-1), text.pair_ids, np.float32(lexical.floor)
    emission, null_emission = workspace.emission, workspace.null_emission
    num_domains, width = lexical.table.shape[1], padded(num_states)
    several = len(domains) > 1
    for number in range(len(domains)):
        domain = domains[number]
        weight = np.float32(weights[domain])
        for j in range(num_generated):
            cell = text.cell_offsets[pair] + j * generated_step
            row = j * width
            null = max(nulls[domain, tokens[begin + j]], floor)
            if number == 0:
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
    if has_external_links(text, pair):
        apply_external_links(text, pair, side, emission, width, 1, null_emission)


@borrowing
def _average_jumps(jumps, weights, domains, side, num_states, workspace):
    """Geometric average of the transition probabilities over domains, to workspace.band."""
    band, domain_band, shares = workspace.band, workspace.domain_band, workspace.shares
    if jumps.jump.shape[1] == 1 or len(domains) == 1:
        table = table_of(jumps, domains[0])
        fill_band(jumps, shares, side, table, num_states, workspace.classes, band, 0)
        return
    places = band_places(0, window_of(jumps.jump), padded(num_states))
    first, last = places[1], places[-1]  # nothing is read by origin
    clear((band, first), last - first)
    for table in domains:
        fill_band(jumps, shares, side, table, num_states, workspace.classes, domain_band, 0)
        weight = np.float32(weights[table])
        for k in range(first, last):
            band[k] += weight * np.log(domain_band[k])  # -inf where there is no such jump
    for k in range(first, last):
        band[k] = np.exp(band[k])


@borrowing
def _best_masses(num_generated, num_states, window, null_probability, workspace):
    """Scaled scores of the best paths to word i (word) and to it or its null copy (mass)."""
    emission, word, mass = workspace.emission, workspace.word, workspace.mass
    work, band = workspace.work, workspace.band
    width, beside = padded(num_states), margin(window)
    step = width + beside
    _, by_position, right, left, starts, _, _ = band_places(0, window, width)
    far = num_states > window + 1
    jumps = band, by_position + window * width, right + 2 * width, left + 2 * width
    clear((work, 0), width)
    clear((mass, 0), step + beside)
    stay_probability = np.float32(null_probability)
    move = np.float32(1.0) - stay_probability
    inverse = workspace.of_start[0] = np.float32(1.0)
    for j in range(num_generated):
        row, old = j * width, beside + j * step
        new = old + step
        if j > 0:
            jump_maxima((work, 0), (mass, old), jumps, (window, far), width)
        keep_larger((work, 0), (band, starts), workspace.of_start[j], width)
        stay = stay_probability * workspace.null_emission[j] * inverse
        total = best_step(
            (work, 0), (emission, row), (mass, old), (word, row), (mass, new),
            (move * inverse, stay), width,
        )  # fmt: skip
        clear((mass, new + width), beside)
        workspace.of_start[j + 1] = workspace.of_start[j] * stay
        inverse = np.float32(1.0) / (total + workspace.of_start[j + 1])


@borrowing
def _origin(state, before, of_start, num_states, window, workspace):
    """Where the best path to a word came from; num_states stands for the start."""
    # before: where the masses before this step begin
    mass, band, width = workspace.mass, workspace.band, padded(num_states)
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
def _trace_back(num_generated, num_states, window, workspace, path):
    """Write the best path, int32[J], -1 for the empty word."""
    width, beside = padded(num_states), margin(window)
    step = width + beside
    mass, word = workspace.mass, workspace.word
    ends = band_places(0, window, width)[5]
    last = beside + num_generated * step
    best = np.float32(-1.0)
    memory = num_states
    for state in range(num_states):
        value = mass[last + state] * workspace.band[ends + state]
        if value > best:
            best, memory = value, state
    if workspace.of_start[num_generated] * workspace.band[ends + num_states] > best:
        memory = num_states
    for j in range(num_generated - 1, -1, -1):
        path[j] = -1
        if memory == num_states:
            continue
        before = beside + j * step
        if mass[before + step + memory] > word[j * width + memory]:
            continue  # the null copy
        path[j] = memory
        memory = (
            num_states
            if j == 0
            else _origin(memory, before, workspace.of_start[j], num_states, window, workspace)
        )


@borrowing
def _best_path(text, pair, side, lexical, jumps, weights, workspace, path):
    """Write the best path of a sentence pair, int32[J]."""
    size = sizes(text, pair)
    num_generated, num_states = size[side], size[1 - side]
    if num_states == 0:
        path[:] = -1
    if num_states == 0 or num_generated == 0:
        return
    domains = workspace.domains[: _counting_domains(weights, workspace.domains)]
    window, null_probability = window_of(jumps.jump), jumps.null_probability
    if null_probability == 0.0:
        null_probability = 1.0 / (num_states + 1)
    _average_emissions(text, lexical, weights, domains, pair, side, workspace)
    state_classes(text, pair, side, jumps.source_class, jumps.target_class, workspace.classes)
    _average_jumps(jumps, weights, domains, side, num_states, workspace)
    _best_masses(num_generated, num_states, window, null_probability, workspace)
    _trace_back(num_generated, num_states, window, workspace, path)


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
    workspace = _allocate(text, side, jumps, *weights.shape)
    for pair in range(len(weights)):
        path = result[offsets[pair] : offsets[pair + 1]]
        _best_path(text, pair, side, lexical, jumps, weights[pair], workspace, path)
