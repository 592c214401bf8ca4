"""IBM Model 1 (Brown et al. 1993), both directions and all domains."""

import numpy as np

from ...kernels.lazy import njit
from ...kernels.simd import prefetch
from .external_links import KINDS, apply_external_links, forget_expected, has_external_links
from .gather import sizes, weigh_domains
from .supervision import favor_known_links, is_supervised

NEGLIGIBLE = 1e-6  # P(D | f, e) below this adds nothing that counts could hold


@njit(nogil=True, cache=True)
def _gather(text, lexical, pair, domain, cells, totals, nulls):
    """Look up t of each cell of a domain and sum it, NULL included, by generated word."""
    # cells: float32[2, num_cells]; totals, nulls: float64[2, longest]; all written.
    # Returns log P(f | e) and log P(e | f), uniform over the I + 1 or J + 1 states.
    # an array taken out of a tuple inside a loop costs Numba two atomic counts
    table, floor, pair_ids = lexical.table.reshape(-1), np.float32(lexical.floor), text.pair_ids
    null_source, null_target = lexical.null_source, lexical.null_target
    source_tokens, target_tokens = text.source_tokens, text.target_tokens
    num_domains = lexical.table.shape[1]
    num_source, num_target = sizes(text, pair)
    begin = text.target_offsets[pair]
    for i in range(num_target):
        nulls[1, i] = max(null_target[domain, target_tokens[begin + i]], floor)
        totals[1, i] = nulls[1, i]
    begin = text.source_offsets[pair]
    cell, offset = 0, text.cell_offsets[pair]
    for j in range(num_source):
        nulls[0, j] = max(null_source[domain, source_tokens[begin + j]], floor)
        total = nulls[0, j]
        for i in range(num_target):
            entry = (np.int64(pair_ids[offset + cell]) * num_domains + domain) * 2
            of_source, of_target = max(table[entry], floor), max(table[entry + 1], floor)
            cells[0, cell] = of_source
            cells[1, cell] = of_target
            total += of_source
            totals[1, i] += of_target
            cell += 1
        totals[0, j] = total
    if is_supervised(text, pair) or has_external_links(text, pair):
        _supervise(text, pair, cells, totals, nulls)
    forward, product = 0.0, 1.0
    for j in range(num_source):
        product *= totals[0, j]
        if product < 1e-200 or product > 1e200:
            forward += np.log(product)
            product = 1.0
    forward += np.log(product) - num_source * np.log(num_target + 1)
    reverse = -num_target * np.log(num_source + 1)
    for i in range(num_target):
        reverse += np.log(totals[1, i])
    return forward, reverse


@njit(nogil=True, cache=True)
def _supervise(text, pair, cells, totals, nulls):
    """Favor the known links of a pair and what external links speaks for, and sum again."""
    num_source, num_target = sizes(text, pair)
    favor_known_links(text, pair, 0, cells[0], num_target, 1, nulls[0])
    favor_known_links(text, pair, 1, cells[1], 1, num_target, nulls[1])
    apply_external_links(text, pair, 0, cells[0], num_target, 1, nulls[0])
    apply_external_links(text, pair, 1, cells[1], 1, num_target, nulls[1])
    for i in range(num_target):
        totals[1, i] = nulls[1, i]
    cell = 0
    for j in range(num_source):
        totals[0, j] = nulls[0, j]
        for i in range(num_target):
            totals[0, j] += cells[0, cell]
            totals[1, i] += cells[1, cell]
            cell += 1


@njit(nogil=True, cache=True)
def _count(text, pair, domain, weight, cells, totals, nulls, counts):
    """Add the expected links of one pair and domain."""
    links, null_source, null_target = counts
    flat, pair_ids = links.reshape(-1), text.pair_ids
    source_tokens, target_tokens = text.source_tokens, text.target_tokens
    num_source, num_target = sizes(text, pair)
    begin = text.source_offsets[pair]
    for j in range(num_source):
        totals[0, j] = weight / totals[0, j]
        null_source[domain, source_tokens[begin + j]] += totals[0, j] * nulls[0, j]
    begin = text.target_offsets[pair]
    for i in range(num_target):
        totals[1, i] = weight / totals[1, i]
        null_target[domain, target_tokens[begin + i]] += totals[1, i] * nulls[1, i]
    cell, offset, step = 0, text.cell_offsets[pair], 2 * links.shape[1]
    for j in range(num_source):
        share = totals[0, j]
        for i in range(num_target):
            entry = np.int64(pair_ids[offset + cell]) * step + 2 * domain
            flat[entry] += share * cells[0, cell]
            flat[entry + 1] += totals[1, i] * cells[1, cell]
            cell += 1
    if has_external_links(text, pair):
        _sum_expected(text, pair, weight, cells, totals, nulls)


@njit(nogil=True, cache=True)
def _sum_expected(text, pair, weight, cells, shares, nulls):
    """As ``sum_expected`` of the external links; shares: float64[2, longest], factors of cells."""
    size = sizes(text, pair)
    num_target = size[1]
    linked, kinds, expected = text.external_cells, text.external_kinds, text.external_expected
    for entry in range(text.external_offsets[pair], text.external_offsets[pair + 1]):
        for side in range(2):
            if kinds[entry] % KINDS == 0:
                for word in range(size[side]):
                    expected[entry, side] += weight - shares[side, word] * nulls[side, word]
            else:
                cell = np.int64(linked[entry])
                word = cell % num_target if side else cell // num_target
                expected[entry, side] += shares[side, word] * cells[side, cell]


@njit(nogil=True, cache=True)
def _allocate(text, num_domains, first, last):
    """Buffers of the largest pair in [first, last): cells, totals, nulls by domain."""
    cells, longest = 1, 1
    for pair in range(first, last):
        num_source, num_target = sizes(text, pair)
        cells = max(cells, num_source * num_target)
        longest = max(longest, num_source, num_target)
    return (
        np.empty((num_domains, 2, cells), np.float32),
        np.empty((num_domains, 2, longest)),
        np.empty((num_domains, 2, longest)),
    )


@njit(nogil=True, cache=True)
def log_likelihoods(text, lexical, first, last, result):
    """Write log P(f | e, D) and log P(e | f, D) of the pairs [first, last) to float64[2, n, D]."""
    num_domains = lexical.table.shape[1]
    cells, totals, nulls = _allocate(text, 1, first, last)
    for pair in range(first, last):
        num_source, num_target = sizes(text, pair)
        result[:, pair - first] = 0.0
        if num_source > 0 and num_target > 0:
            for domain in range(num_domains):
                values = _gather(text, lexical, pair, domain, cells[0], totals[0], nulls[0])
                result[0, pair - first, domain] = values[0]
                result[1, pair - first, domain] = values[1]


@njit(nogil=True, cache=True)
def expectations(text, lexical, first, last, weights, counts):
    """E-step over the pairs [first, last), as :func:`.hmm.expectations`.

    weights: DomainWeights
    counts: (links float64[num_type_pairs + 1, D, 2], null_source float64[D, num_types + 1],
    null_target the same), added to.
    """
    log_weights, temperature, posterior = weights
    num_domains = lexical.table.shape[1]
    cells, totals, nulls = _allocate(text, num_domains, first, last)
    values = np.zeros((2, num_domains))
    objective = np.zeros(2)
    table, flat, pair_ids = lexical.table.reshape(-1), counts[0].reshape(-1), text.pair_ids
    for pair in range(first, last):
        if pair + 1 < last:
            for cell in range(text.cell_offsets[pair + 1], text.cell_offsets[pair + 2]):
                prefetch(table, 2 * num_domains * np.int64(pair_ids[cell]))
                prefetch(flat, 2 * num_domains * np.int64(pair_ids[cell]))
        num_source, num_target = sizes(text, pair)
        posterior[pair] = 0.0
        forget_expected(text, pair)
        if num_source == 0 or num_target == 0:
            continue
        possible = False
        for domain in range(num_domains):
            values[:, domain] = -np.inf
            if log_weights[0, pair, domain] > -np.inf or log_weights[1, pair, domain] > -np.inf:
                possible = True
                values[0, domain], values[1, domain] = _gather(
                    text, lexical, pair, domain, cells[domain], totals[domain], nulls[domain]
                )
        if not possible:
            continue
        weigh_domains(log_weights[:, pair], values, temperature, posterior[pair])
        for domain in range(num_domains):
            weight = posterior[pair, domain]
            if weight >= NEGLIGIBLE:
                objective += weight * values[:, domain]
                _count(
                    text, pair, domain, weight, cells[domain], totals[domain], nulls[domain],
                    counts,
                )  # fmt: skip
    return objective
