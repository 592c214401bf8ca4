"""HMM of word links: the E-step, likelihoods and link posteriors of all domains and directions.

The index is looked up once per pair of positions; see ``passes`` for the states and the recursions.
Likelihoods and counts are summed in float64.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...kernels.lazy import borrowing, njit
from ...kernels.simd import padded, prefetch
from .external_links import forget_expected, has_external_links, sum_expected
from .gather import DomainWeights, Lexical, PairedText, sizes, weigh_domains
from .passes import backward_pass, forward_pass
from .transitions import JumpCounts, Jumps, count_jumps
from .workspace import allocate, fill_bands, gather, shape_of

NEGLIGIBLE = 1e-6  # P(D | f, e) below this adds nothing that is worth a backward pass
SMALL = 1e-12  # and where they sum to less than this
LEAST = 1e-32  # what a float32 still holds to several digits


@borrowing
def _forward_both(text, pair, domain, jumps, floor, workspace):
    small = np.float32(max(SMALL, min(1.0, LEAST / floor)))
    for side in range(2):
        shape = shape_of(text, pair, side, domain, jumps, workspace)
        workspace.log_likelihood[side, domain], workspace.inverse_end[side, domain] = forward_pass(
            shape, jumps.null_probability, small, workspace
        )


@borrowing
def _forward_all(text, lexical, pair, domains, jumps, workspace):
    """Forward passes of both directions under the given domains."""
    gather(text, lexical, pair, domains, workspace)
    fill_bands(text, pair, domains, jumps, workspace)
    for domain in domains:
        _forward_both(text, pair, domain, jumps, lexical.floor, workspace)


@borrowing
def _backward_both(text, pair, domain, weight, jumps, workspace, counts):
    """Link posteriors of both directions; expected jumps to the counts, where weight is above 0."""
    for side in range(2):
        shape = shape_of(text, pair, side, domain, jumps, workspace)
        inverse_end = workspace.inverse_end[side, domain]
        backward_pass(shape, jumps.null_probability, weight, inverse_end, workspace)
        if weight > 0.0:
            table = shape.table
            count_jumps(
                (workspace.bands.numbers, shape.band), workspace.ratio, jumps.smoothing,
                jumps.final, shape.num_states, workspace.classes[side],
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
def _count_links(text, pair, domain, weight, workspace, links, null_source, null_target):
    """Add the posteriors of one pair and domain to its counts."""
    # links: float64[num_type_pairs + 1, D, K]; K = 1 where the directions agree: products are
    #   counted
    pair_ids, link, null_link = text.pair_ids, workspace.link, workspace.null_link
    source_tokens, target_tokens = text.source_tokens, text.target_tokens
    num_source, num_target = sizes(text, pair)
    wide, high = padded(num_target), padded(num_source)
    reverse, longest = len(link) // 2, len(null_link) // 2
    cell = text.cell_offsets[pair]
    step = links.shape[1] * links.shape[2]
    column = domain * links.shape[2]
    flat = links.reshape(-1)
    agree = links.shape[2] == 1
    for j in range(num_source):
        for i in range(num_target):
            entry = np.int64(pair_ids[cell]) * step + column
            of_source, of_target = link[j * wide + i], link[reverse + i * high + j]
            if agree:
                flat[entry] += weight * of_source * of_target
            else:
                flat[entry] += weight * of_source
                flat[entry + 1] += weight * of_target
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
        number = np.int64(pair_ids[cell])
        prefetch(table, number * step)
        if step > 2:  # of several domains: an entry may lie across two cache lines
            prefetch(table, (number + 1) * step - 1)
        if wide > 0:
            prefetch(links, number * wide)


@njit(nogil=True, cache=True)
def log_likelihoods(text, lexical, jumps, first, last, result):
    """Write log P(f | e, D) and log P(e | f, D) of the pairs [first, last) to float64[2, n, D]."""
    workspace = allocate(text, jumps, lexical.table.shape[1], first, last)
    _evaluate(text, lexical, jumps, first, last, result, workspace)


@borrowing
def _evaluate(text, lexical, jumps, first, last, result, workspace):
    for pair in range(first, last):
        num_source, num_target = sizes(text, pair)
        if num_source == 0 or num_target == 0:
            result[:, pair - first] = 0.0
            continue
        _forward_all(text, lexical, pair, workspace.domain, jumps, workspace)
        for side, domain in np.ndindex(workspace.log_likelihood.shape):
            result[side, pair - first, domain] = workspace.log_likelihood[side, domain]


def expectations(
    text: PairedText, lexical: Lexical, jumps: Jumps, first: int, last: int,
    weights: DomainWeights, counts: tuple[Any, Any, Any, JumpCounts],
) -> NDArray[np.float64]:  # fmt: skip
    """E-step over the pairs [first, last): P(D | f, e), and expected counts weighted by it.

    weights: DomainWeights
    counts: (links float64[num_type_pairs + 1, D, K], null_source float64[D, num_types + 1],
    null_target the same, JumpCounts), added to; K = 1: both directions count the product of their
    posteriors (Liang, Taskar & Klein 2006), K = 2: each its own
    Returns the log-likelihoods of both directions, weighted by the posterior: float64[2].
    """
    unwritten = np.zeros((2, 0), np.float32)
    sums = (*counts, unwritten)
    return np.asarray(_run(text, lexical, jumps, first, last, weights, sums))


def link_posteriors(
    text: PairedText, lexical: Lexical, jumps: Jumps,
    weights: NDArray[np.float64], result: NDArray[np.float32],
) -> None:  # fmt: skip
    """Write P(link | both sentences) of each cell, averaged over domains, in both directions.

    weights: float64[num_pairs, D], rows that sum to 1; result: float32[2, num_cells]
    """
    if result.shape[1] == 0:
        return
    nulls, no_table = np.zeros((1, 1)), np.zeros((2, 0, 0))
    unused = JumpCounts(np.zeros((2, 0, 0, 0)), no_table, np.zeros((2, 0, 0, 0, 0)), no_table)
    sums = (np.zeros((1, 1, 1)), nulls, nulls, unused, result)
    _run(text, lexical, jumps, 0, len(weights), DomainWeights(no_table, 1.0, weights), sums)


@njit(nogil=True, cache=True)
def _run(text, lexical, jumps, first, last, weights, sums):
    """One kernel for both, since compiling the passes is what takes long."""
    workspace = allocate(text, jumps, lexical.table.shape[1], first, last)
    objective = np.zeros(2)
    objective[0], objective[1] = _expect(
        text, lexical, jumps, first, last, weights, sums, workspace
    )
    return objective


@borrowing
def _expect(text, lexical, jumps, first, last, weights, sums, workspace):
    """The E-step in a workspace; returns the log-likelihoods of both directions."""
    # Where there is room for link posteriors these are written in place of counts, and P(D | f, e)
    # is given.
    log_weights, temperature, posterior = weights
    links, null_source, null_target, jump_counts, written = sums
    num_domains, log_likelihoods = lexical.table.shape[1], workspace.log_likelihood
    table, flat = lexical.table.reshape(-1), links.reshape(-1)
    counting = written.shape[1] == 0
    wide = links.shape[1] * links.shape[2] if counting else 0
    forward = reverse = 0.0
    for pair in range(first, last):
        if pair + 1 < last:
            _fetch(text, pair + 1, table, flat, 2 * num_domains, wide)
        num_source, num_target = sizes(text, pair)
        if counting:
            posterior[pair] = 0.0
            size = _candidates(log_weights[:, pair], workspace.domain)
        else:
            size = _likely(posterior[pair], workspace.domain)
        domains = workspace.domain[:size]
        forget_expected(text, pair)
        if num_source == 0 or num_target == 0 or size == 0:
            continue
        _forward_all(text, lexical, pair, domains, jumps, workspace)
        if counting:
            weigh_domains(log_weights[:, pair], log_likelihoods, temperature, posterior[pair])
        else:
            written[:, text.cell_offsets[pair] : text.cell_offsets[pair + 1]] = 0.0
        for domain in domains:
            weight = posterior[pair, domain]
            if weight < NEGLIGIBLE:
                continue
            forward += weight * log_likelihoods[0, domain]
            reverse += weight * log_likelihoods[1, domain]
            share = weight if counting else 0.0
            _backward_both(text, pair, domain, share, jumps, workspace, jump_counts)
            if counting:
                _count_links(text, pair, domain, weight, workspace, links, null_source, null_target)
            else:
                _add_links(text, pair, np.float32(weight), workspace, written)
            if has_external_links(text, pair):
                _sum_external(text, pair, np.float32(weight), workspace)
    return forward, reverse


@borrowing
def _sum_external(text, pair, weight, workspace):
    """Add the link posteriors of one pair under a domain to the external links' expected counts."""
    link, null_link = workspace.link, workspace.null_link
    num_source, num_target = sizes(text, pair)
    sum_expected(text, pair, 0, weight, link, padded(num_target), null_link)
    reverse, longest = link[len(link) // 2 :], null_link[len(null_link) // 2 :]
    sum_expected(text, pair, 1, weight, reverse, padded(num_source), longest)


@borrowing
def _add_links(text, pair, weight, workspace, written):
    """Add the link posteriors of one pair under a domain, float32[2, num_cells], at most to 1."""
    link, reverse = workspace.link, len(workspace.link) // 2
    num_source, num_target = sizes(text, pair)
    cell, most = text.cell_offsets[pair], np.float32(1.0)  # or 1 + 1e-6
    for j in range(num_source):
        for i in range(num_target):
            of_source = weight * link[j * padded(num_target) + i]
            of_target = weight * link[reverse + i * padded(num_source) + j]
            written[0, cell] = min(written[0, cell] + of_source, most)
            written[1, cell] = min(written[1, cell] + of_target, most)
            cell += 1
