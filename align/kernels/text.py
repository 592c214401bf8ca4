"""What a kernel is given: named tuples of arrays, built once per batch."""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray


class DirectedText(NamedTuple):
    """A bitext read in one direction: generated words are explained by state words.

    generated_tokens: int32[num_generated_tokens]
    generated_offsets, state_offsets: int64[num_pairs + 1]
    pair_ids: uint32[num_cells], cell_offsets: int64[num_pairs + 1], as in ``Cells``
    source_generated: True where source words are generated from target words, as in P(f | e)
    """

    generated_tokens: NDArray[np.int32]
    generated_offsets: NDArray[np.int64]
    state_offsets: NDArray[np.int64]
    pair_ids: NDArray[np.uint32]
    cell_offsets: NDArray[np.int64]
    source_generated: bool


class LexicalColumns(NamedTuple):
    """t(generated | state) of one domain.

    table: float32[num_type_pairs + 1], the last entry stands for a pair never seen (0)
    null: float32[num_generated_types], t(generated | NULL)
    floor: the least value a look-up gives
    """

    table: NDArray[np.float32]
    null: NDArray[np.float32]
    floor: float


class JumpColumns(NamedTuple):
    """Jumps of one domain; bucket b holds the distance b - window - 1, the ends are tails.

    jump: float64[2 * window + 3], between words; start: the same from before the first word
    null_probability: chance of the empty word; smoothing: share of the uniform distribution
    """

    jump: NDArray[np.float64]
    start: NDArray[np.float64]
    null_probability: float
    smoothing: float


@njit(nogil=True, cache=True)
def sizes(text, pair):
    """First generated token, number of generated and of state words of a sentence pair."""
    first = text.generated_offsets[pair]
    num_generated = text.generated_offsets[pair + 1] - first
    num_states = text.state_offsets[pair + 1] - text.state_offsets[pair]
    return first, num_generated, num_states


@njit(nogil=True, cache=True)
def cell_steps(text, num_generated, num_states):
    """How far apart neighbouring generated and state positions stand in the cells."""
    if text.source_generated:
        return num_states, 1
    return 1, num_generated
