"""What a kernel is given: named tuples of arrays, built once per batch."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...kernels.lazy import njit


class PairedText(NamedTuple):
    """Sentence pairs, the cells of each, known links of some, and external links of links.

    source_tokens, target_tokens: int32[num_tokens], -1 = unknown word
    source_offsets, target_offsets: int64[num_pairs + 1]
    pair_ids: uint32[num_cells], cell_offsets: int64[num_pairs + 1], as in ``Cells``
    known_cells: int64[num_known_links], j * I + i within the pair, rising
    known_offsets: int64[num_pairs + 1], where those of each pair begin
    known_factor: what speaks against a known link is multiplied by this
    external_cells: uint32[num_entries], j * I + i within the pair, of kinds other than KINDS * k
    external_kinds: uint8[num_entries], KINDS * k + what file k says of the cell; KINDS * k stands
        for all that it does not link in a pair of which it says something
    external_offsets: int64[num_pairs + 1], where those of each pair begin
    external_factors: float32[num_kinds, 2], what the emission of each direction is multiplied by
    external_expected: float32[num_entries, 2], written: how much of a link it is in each direction;
        of KINDS * k, how many links the pair has
    """

    source_tokens: NDArray[np.int32]
    source_offsets: NDArray[np.int64]
    target_tokens: NDArray[np.int32]
    target_offsets: NDArray[np.int64]
    pair_ids: NDArray[np.uint32]
    cell_offsets: NDArray[np.int64]
    known_cells: NDArray[np.int64]
    known_offsets: NDArray[np.int64]
    known_factor: float
    external_cells: NDArray[np.uint32]
    external_kinds: NDArray[np.uint8]
    external_offsets: NDArray[np.int64]
    external_factors: NDArray[np.float32]
    external_expected: NDArray[np.float32]


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


class DomainWeights(NamedTuple):
    """What P(D | f, e) is made of besides the likelihoods, and where it goes.

    log_weights: float64[2, num_pairs, D], log P of a domain that is added to log P(f | e, D) and to
    log P(e | f, D); -inf in both for a domain that a pair can't be of
    temperature: what the log scores are divided by
    posterior: float64[num_pairs, D], written, and 0 for pairs with an empty side
    """

    log_weights: NDArray[np.float64]
    temperature: float
    posterior: NDArray[np.float64]


class LinkCounts(NamedTuple):
    """Expected links, in whole numbers of very small units: they add up in any order.

    links: int64[num_type_pairs + 1, D, K]; K = 2: one column per direction, K = 1: one for both.
        Those of Model 1 are float32: they stand in the lexical table, in place of probabilities
    null_source, null_target: int64[D, num_types + 1]
    units: how many of them a link is, a power of 2
    """

    links: NDArray[np.int64] | NDArray[np.float32]
    null_source: NDArray[np.int64]
    null_target: NDArray[np.int64]
    units: float


@njit(nogil=True, cache=True)
def in_units(links, units):
    """The nearest whole number of units; links: 0 or more of them."""
    return np.int64(links * units + 0.5)


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
    for position in range(begin, offsets[pair + 1]):
        result[position - begin] = classes[tokens[position]]


@njit(nogil=True, cache=True)
def weigh_domains(log_weights, log_likelihoods, temperature, result):
    """P(D | f, e) of one pair; section 3.1, tempered.

    log_weights, log_likelihoods: float64[2, D], of P(f | e, D) and of P(e | f, D); -inf leaves a
    summand out; result: float64[D], written.
    """
    best = -np.inf
    for domain in range(len(result)):
        forward = log_weights[0, domain] + log_likelihoods[0, domain]
        reverse = log_weights[1, domain] + log_likelihoods[1, domain]
        high, low = max(forward, reverse), min(forward, reverse)
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
