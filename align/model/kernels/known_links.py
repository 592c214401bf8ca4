"""Known links: what speaks against known links counts less."""

import numpy as np

from ...kernels.lazy import njit
from .gather import sizes


@njit(nogil=True, cache=True)
def is_supervised(text, pair):
    """Whether links of a sentence pair are known."""
    return text.known_offsets[pair] < text.known_offsets[pair + 1]


@njit(nogil=True, cache=True)
def favor_known_links(text, pair, side, emission, row, step, null_emission):
    """Multiply what explains a word with known links otherwise by ``text.known_factor``.

    That is each cell of the word that is no known link, and NULL; other words are left free. As the
    known links keep their emissions, no text becomes impossible.
    side: 0 where source words are generated, 1 where target words are
    emission: float32[:], that of generated word g by state s at g * row + s * step, above 0
    null_emission: float[:], that of generated word g by NULL at g; both are changed
    """
    num_source, num_target = sizes(text, pair)
    num_states = num_source if side else num_target
    factor, known_cells = text.known_factor, text.known_cells
    links = range(text.known_offsets[pair], text.known_offsets[pair + 1])
    for link in links:
        generated, state = _word_and_state(known_cells[link], num_target, side)
        emission[generated * row + state * step] *= np.float32(-1.0)  # a mark, taken off below
    for link in links:
        generated, state = _word_and_state(known_cells[link], num_target, side)
        begin = generated * row
        if emission[begin + state * step] > 0.0:
            continue  # the word was met before
        for entry in range(begin, begin + num_states * step, step):
            if emission[entry] < 0.0:
                emission[entry] *= np.float32(-1.0)
            else:
                emission[entry] *= factor
        null_emission[generated] *= factor


@njit(nogil=True, cache=True)
def _word_and_state(cell, num_target, side):
    source, target = cell // num_target, cell % num_target
    return (target, source) if side else (source, target)
