"""What a kernel is given: named tuples of arrays, built once per batch."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...kernels.lazy import njit


class PairedText(NamedTuple):
    """Sentence pairs, the cells of each, and hand links of some.

    source_tokens, target_tokens: int32[num_tokens], -1 = unknown word
    source_offsets, target_offsets: int64[num_pairs + 1]
    pair_ids: uint32[num_cells], cell_offsets: int64[num_pairs + 1], as in ``Cells``
    hand_cells: int64[num_hand_links], j * I + i within the pair, rising
    hand_offsets: int64[num_pairs + 1], those of each pair
    hand_factor: what speaks against a hand link is multiplied by this
    """

    source_tokens: NDArray[np.int32]
    source_offsets: NDArray[np.int64]
    target_tokens: NDArray[np.int32]
    target_offsets: NDArray[np.int64]
    pair_ids: NDArray[np.uint32]
    cell_offsets: NDArray[np.int64]
    hand_cells: NDArray[np.int64]
    hand_offsets: NDArray[np.int64]
    hand_factor: float


class Lexical(NamedTuple):
    """Lexical tables of all domains and both directions, side by side for each pair of types.

    table: float32[num_type_pairs + 1, D, 2], t(source | target) and t(target | source); the last
    entry stands for a pair never seen (0)
    null_source, null_target: float32[D, num_types + 1], t(word | NULL); the last is of unknown
    words
    floor: the least value a look-up gives
    """

    table: NDArray[np.float32]
    null_source: NDArray[np.float32]
    null_target: NDArray[np.float32]
    floor: float


@njit(nogil=True, cache=True)
def sizes(text, pair):
    """Number of source and of target words of a sentence pair."""
    return (
        text.source_offsets[pair + 1] - text.source_offsets[pair],
        text.target_offsets[pair + 1] - text.target_offsets[pair],
    )


@njit(nogil=True, cache=True)
def state_classes(text, pair, side, source_class, target_class, result):
    """Classes of the words that are states: the target words on side 0, the source words on side 1.

    source_class, target_class: int32[num_types + 1]; result: int32, the front is written.
    """
    offsets, tokens, classes = text.target_offsets, text.target_tokens, target_class
    if side == 1:
        offsets, tokens, classes = text.source_offsets, text.source_tokens, source_class
    begin = offsets[pair]
    for place in range(begin, offsets[pair + 1]):
        result[place - begin] = classes[tokens[place]]


@njit(nogil=True, cache=True)
def weigh_domains(log_weights, log_likelihoods, temperature, result):
    """P(D | f, e) of one pair; section 3.1, tempered.

    log_weights, log_likelihoods: float64[2, D], of P(f | e, D) and of P(e | f, D); -inf leaves a
    summand out; result: float64[D], written.
    """
    best = -np.inf
    for domain in range(len(result)):
        one = log_weights[0, domain] + log_likelihoods[0, domain]
        other = log_weights[1, domain] + log_likelihoods[1, domain]
        high, low = max(one, other), min(one, other)
        if high > -np.inf:
            high = (high + np.log1p(np.exp(low - high))) / temperature
        result[domain] = high
        best = max(best, high)
    total = 0.0
    for domain in range(len(result)):
        result[domain] = np.exp(result[domain] - best)
        total += result[domain]
    for domain in range(len(result)):
        result[domain] /= total


@njit(nogil=True, cache=True)
def weigh_all_domains(log_weights, log_likelihoods, temperature, result):
    """P(D | f, e) of all pairs, see :func:`weigh_domains`: float64[num_pairs, D], written."""
    for pair in range(len(result)):
        weigh_domains(log_weights[:, pair], log_likelihoods[:, pair], temperature, result[pair])
