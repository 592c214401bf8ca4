"""Hand links as partial supervision: what speaks against them counts less."""

import numpy as np

from ...kernels.lazy import njit
from .gather import sizes


@njit(nogil=True, cache=True)
def is_supervised(text, pair):
    """Whether a sentence pair has hand links."""
    return text.hand_offsets[pair] < text.hand_offsets[pair + 1]


@njit(nogil=True, cache=True)
def favour_hand_links(text, pair, side, emission, row, step, null_emission):
    """Multiply what explains a word with hand links otherwise by ``text.hand_factor``.

    That is each cell of the word that is no hand link, and NULL; other words are left free. As the
    hand links keep their emissions, no text becomes impossible.
    side: 0 where source words are generated, 1 where target words are
    emission: float32[:], that of generated word g by state s at g * row + s * step, above 0
    null_emission: float[:], that of generated word g by NULL at g; both are changed
    """
    num_source, num_target = sizes(text, pair)
    num_states = num_source if side else num_target
    factor, hand_cells = text.hand_factor, text.hand_cells
    links = range(text.hand_offsets[pair], text.hand_offsets[pair + 1])
    for link in links:
        generated, state = _word_and_state(hand_cells[link], num_target, side)
        emission[generated * row + state * step] *= np.float32(-1.0)  # a mark, taken off below
    for link in links:
        generated, state = _word_and_state(hand_cells[link], num_target, side)
        own = generated * row
        if emission[own + state * step] > 0.0:
            continue  # the word was met before
        for place in range(own, own + num_states * step, step):
            if emission[place] < 0.0:
                emission[place] *= np.float32(-1.0)
            else:
                emission[place] *= factor
        null_emission[generated] *= factor


@njit(nogil=True, cache=True)
def _word_and_state(cell, num_target, side):
    source, target = cell // num_target, cell % num_target
    return (target, source) if side else (source, target)
