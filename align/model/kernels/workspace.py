"""The workspace of the HMM's passes: what is looked up of a sentence pair, and where it stands."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...kernels.lazy import borrowing, njit
from ...kernels.simd import padded, zeros
from .external_links import apply_external_links, has_external_links
from .gather import sizes, state_classes
from .known_links import favor_known_links, is_supervised
from .transitions import (
    Bands,
    allocate_bands,
    band_at,
    band_places,
    margin,
    provide_band,
    table_of,
    window_of,
)

WORK_ROWS = 4  # rows: what jumps lead to, what lies beyond the window on either side, the future


class Workspace(NamedTuple):
    """Buffers for the largest sentence pair of a call; smaller ones use the front.

    emission, word: float32[...], per domain and direction, rows of padded(I)
    mass: float32[...], the same, with zeros beside each row (see ``margin``) and a row more
    ahead: float32[...], such rows of one direction; factor: float32[...], a number for each of them
    null_emission: float32[D, 2, longest]
    scale: float32[D, 2, longest, 2], 1 / sum and mass of the start
    link: float32[2, cells]; null_link: float32[2, longest]
    work: float32[...], rows of padded(I), see ``WORK_ROWS``
    ratio: float32[...], what ``count_jumps`` is given
    bands: of both directions and all jump tables; classes: int32[2, longest], of the states
    log_likelihood: float64[2, D], of a pair; inverse_end: float32[2, D], 1 / P of its end
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


@borrowing
def _stride(num_source, num_target):
    """Numbers of one direction and domain."""
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
    """A workspace for the largest sentence pair in [first, last)."""
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
    return Workspace(
        zeros(2 * num_domains * cells), zeros(2 * num_domains * cells),
        zeros(2 * num_domains * rows), zeros(rows), zeros(width),
        zeros(2 * num_domains * width), zeros(4 * num_domains * width),
        zeros(2 * cells), zeros(2 * width), zeros(WORK_ROWS * width),
        zeros(band_places(0, window, width)[-1]), allocate_bands(jumps, occurs),
        np.zeros((2, width), np.int32), np.zeros((2, num_domains)),
        np.zeros((2, num_domains), np.float32), np.arange(num_domains),
    )  # fmt: skip


@borrowing
def gather(text, lexical, pair, domains, workspace):
    """Look up t of each cell and of the empty word, for the given domains."""
    pair_ids, floor = text.pair_ids, np.float32(lexical.floor)
    table = lexical.table.reshape(-1)
    emission, null_emission = workspace.emission, workspace.null_emission
    null_source, null_target = lexical.null_source, lexical.null_target
    source_tokens, target_tokens = text.source_tokens, text.target_tokens
    num_domains = lexical.table.shape[1]
    num_source, num_target = sizes(text, pair)
    wide, high = padded(num_target), padded(num_source)
    stride, longest = _stride(num_source, num_target), len(workspace.null_link) // 2
    cell = text.cell_offsets[pair]
    for domain in domains:
        forward, reverse = 2 * domain * stride, (2 * domain + 1) * stride
        for j in range(num_source):
            row = forward + j * wide
            entry = cell + j * num_target
            for i in range(num_target):
                address = (np.int64(pair_ids[entry + i]) * num_domains + domain) * 2
                emission[row + i] = max(table[address], floor)
                emission[reverse + i * high + j] = max(table[address + 1], floor)
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
    if is_supervised(text, pair) or has_external_links(text, pair):
        _supervise(text, pair, domains, workspace)


@borrowing
def _supervise(text, pair, domains, workspace):
    """Favor the known links of a pair, and what external links speaks for."""
    emission, null_emission = workspace.emission, workspace.null_emission
    num_source, num_target = sizes(text, pair)
    stride, longest = _stride(num_source, num_target), len(workspace.null_link) // 2
    for domain in domains:
        for side in range(2):
            slot, width = 2 * domain + side, padded(num_source if side else num_target)
            favor_known_links(
                text, pair, side, emission[slot * stride :], width, 1,
                null_emission[slot * longest :],
            )  # fmt: skip
            apply_external_links(
                text, pair, side, emission[slot * stride :], width, 1,
                null_emission[slot * longest :],
            )  # fmt: skip


@borrowing
def fill_bands(text, pair, domains, jumps, workspace):
    """Transition probabilities of a sentence pair under the given domains, in both directions."""
    for side in range(2):
        num_states = sizes(text, pair)[1 - side]
        classes = workspace.classes[side]
        if jumps.jump.shape[2] > 1:  # else all are 0
            state_classes(text, pair, side, jumps.source_class, jumps.target_class, classes)
        for domain in domains[: jumps.jump.shape[1]]:  # the first alone, where all share a table
            table = table_of(jumps, domain)
            provide_band(jumps, side, table, num_states, classes, workspace.bands)


class Shape(NamedTuple):
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
def shape_of(text, pair, side, domain, jumps, workspace):
    """The :class:`Shape` of one direction and domain of a sentence pair."""
    num_source, num_target = sizes(text, pair)
    num_generated, num_states = (num_source, num_target)
    if side == 1:
        num_generated, num_states = (num_target, num_source)
    window, table = window_of(jumps.jump), table_of(jumps, domain)
    beside = margin(window)
    slot = 2 * domain + side
    longest = len(workspace.null_link) // 2
    return Shape(
        num_generated, num_states, side, window, padded(num_states), padded(num_states) + beside,
        slot * _stride(num_source, num_target),
        slot * _mass_stride(num_source, num_target, beside) + beside, slot * longest,
        2 * slot * longest, table, band_at(workspace.bands, side, table, num_states),
    )  # fmt: skip
