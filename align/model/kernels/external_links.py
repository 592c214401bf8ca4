"""External links: what files say of cells multiplies emissions; what comes of it is summed."""

import numpy as np

from ...kernels.lazy import njit
from .gather import sizes

KINDS = 16  # of cells, by file: kind 0 is a cell that the file does not link


@njit(nogil=True, cache=True)
def has_external_links(text, pair):
    """Whether a file says anything of a sentence pair."""
    return text.external_offsets[pair] < text.external_offsets[pair + 1]


@njit(nogil=True, cache=True)
def apply_external_links(text, pair, side, emission, row, step, null_emission):
    """Multiply emissions by the factors of the external links, those of NULL by that of each file.

    Cells that a file doesn't link keep their emissions; NULL and the others are held against them.
    side: 0 where source words are generated, 1 where target words are
    emission: float32[:], that of generated word g by state s at g * row + s * step
    null_emission: float[:], that of generated word g by NULL at g; both are changed
    """
    num_source, num_target = sizes(text, pair)
    num_generated = num_target if side else num_source
    cells, kinds, factors = text.external_cells, text.external_kinds, text.external_factors
    for entry in range(text.external_offsets[pair], text.external_offsets[pair + 1]):
        factor = factors[kinds[entry], side]
        if kinds[entry] % KINDS == 0:
            for generated in range(num_generated):
                null_emission[generated] *= factor
        else:
            source, target = divmod(np.int64(cells[entry]), num_target)
            generated, state = (target, source) if side else (source, target)
            emission[generated * row + state * step] *= factor


@njit(nogil=True, cache=True)
def forget_expected(text, pair):
    """Nothing is expected of the external links of a sentence pair yet."""
    expected = text.external_expected
    for entry in range(text.external_offsets[pair], text.external_offsets[pair + 1]):
        expected[entry, 0] = expected[entry, 1] = 0.0


@njit(nogil=True, cache=True)
def sum_expected(text, pair, side, weight, link, row, null_link):
    """Add the posteriors of linked cells, and for each file those of all links of the pair.

    link: float32[:], P(state s | generated word g) at g * row + s; null_link: float32[:], of NULL
    """
    num_source, num_target = sizes(text, pair)
    num_generated = num_target if side else num_source
    cells, kinds, expected = text.external_cells, text.external_kinds, text.external_expected
    total = 0.0
    for generated in range(num_generated):
        total += 1.0 - null_link[generated]
    for entry in range(text.external_offsets[pair], text.external_offsets[pair + 1]):
        if kinds[entry] % KINDS == 0:
            expected[entry, side] += weight * total
        else:
            source, target = divmod(np.int64(cells[entry]), num_target)
            generated, state = (target, source) if side else (source, target)
            expected[entry, side] += weight * link[generated * row + state]
