"""HMM of word links: the E-step, likelihoods and link posteriors of all domains and directions.

The index is looked up once per pair of positions; see ``passes`` for the states and the recursions.
Likelihoods and counts are summed in float64.
"""

import numpy as np

from ...kernels.lazy import borrowing, njit
from ...kernels.simd import padded, prefetch
from .gather import sizes, weigh_domains
from .passes import backward_pass, forward_pass
from .transitions import count_jumps, no_jumps
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
    """Add the posteriors of one pair and domain to its counts.

    links: float64[num_type_pairs + 1, D, K]; K = 1 where the directions agree: products are counted
    """
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


@njit(nogil=True, cache=True)
def link_posteriors(text, lexical, jumps, weights, result):
    """Write P(link | both sentences) of each cell, averaged over domains, in both directions.

    weights: float64[num_pairs, D], rows that sum to 1; result: float32[2, num_cells]
    """
    workspace = allocate(text, jumps, lexical.table.shape[1], 0, len(weights))
    _average_links(text, lexical, jumps, weights, result, workspace, no_jumps(jumps))


@borrowing
def _average_links(text, lexical, jumps, weights, result, workspace, unused):
    link = workspace.link
    reverse = len(link) // 2
    for pair in range(len(weights)):
        num_source, num_target = sizes(text, pair)
        if num_source == 0 or num_target == 0:
            continue
        domains = workspace.domain[: _likely(weights[pair], workspace.domain)]
        _forward_all(text, lexical, pair, domains, jumps, workspace)
        begin, end = text.cell_offsets[pair], text.cell_offsets[pair + 1]
        result[:, begin:end] = 0.0
        for domain in domains:
            _backward_both(text, pair, domain, 0.0, jumps, workspace, unused)
            share = np.float32(weights[pair, domain])
            cell = begin
            for j in range(num_source):
                for i in range(num_target):
                    result[0, cell] += share * link[j * padded(num_target) + i]
                    result[1, cell] += share * link[reverse + i * padded(num_source) + j]
                    cell += 1
        for cell in range(begin, end):
            result[0, cell] = min(result[0, cell], np.float32(1.0))  # or 1 + 1e-6
            result[1, cell] = min(result[1, cell], np.float32(1.0))


@njit(nogil=True, cache=True)
def expectations(text, lexical, jumps, first, last, weights, counts):
    """E-step over the pairs [first, last): P(D | f, e), and expected counts weighted by it.

    weights: DomainWeights
    counts: (links float64[num_type_pairs + 1, D, K], null_source float64[D, num_types + 1],
    null_target the same, JumpCounts), added to; K = 1: both directions count the product of their
    posteriors (Liang, Taskar & Klein 2006), K = 2: each its own
    Returns the log-likelihoods of both directions, weighted by the posterior: float64[2].
    """
    workspace = allocate(text, jumps, lexical.table.shape[1], first, last)
    objective = np.zeros(2)
    objective[0], objective[1] = _expect(
        text, lexical, jumps, first, last, weights, counts, workspace
    )
    return objective


@borrowing
def _expect(text, lexical, jumps, first, last, weights, counts, workspace):
    """The E-step in a workspace; returns the log-likelihoods of both directions."""
    log_weights, temperature, posterior = weights
    links, null_source, null_target, jump_counts = counts
    num_domains, log_likelihoods = lexical.table.shape[1], workspace.log_likelihood
    table, flat = lexical.table.reshape(-1), links.reshape(-1)
    wide = links.shape[1] * links.shape[2]
    forward = reverse = 0.0
    for pair in range(first, last):
        if pair + 1 < last:
            _fetch(text, pair + 1, table, flat, 2 * num_domains, wide)
        num_source, num_target = sizes(text, pair)
        posterior[pair] = 0.0
        domains = workspace.domain[: _candidates(log_weights[:, pair], workspace.domain)]
        if num_source == 0 or num_target == 0 or len(domains) == 0:
            continue
        _forward_all(text, lexical, pair, domains, jumps, workspace)
        weigh_domains(log_weights[:, pair], log_likelihoods, temperature, posterior[pair])
        for domain in domains:
            weight = posterior[pair, domain]
            if weight >= NEGLIGIBLE:
                forward += weight * log_likelihoods[0, domain]
                reverse += weight * log_likelihoods[1, domain]
                _backward_both(text, pair, domain, weight, jumps, workspace, jump_counts)
                _count_links(text, pair, domain, weight, workspace, links, null_source, null_target)
    return forward, reverse
