"""IBM Model 1 (Brown et al. 1993), both directions and all domains.

The expected links of a source and a target word are t times a sum over the cells where they meet:
of 1 / sum of t over the states of the generated word, times P(D | f, e). So an E-step first writes
these shares for each word of the text, then adds up the links of each source word, and puts counts
in the table where t stood. That takes no table of counts. External links have no part: what is
known of them is learned with the HMM.
"""

import numpy as np

from ...kernels.lazy import njit
from ...kernels.simd import prefetch
from .gather import in_units, sizes, weigh_domains
from .known_links import favor_known_links, is_supervised

AHEAD = 8  # sentences that are asked for before they are needed
LINE = 16  # numbers of a cache line
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
    if is_supervised(text, pair):
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
    """Favor the known links of a pair, and sum again."""
    num_source, num_target = sizes(text, pair)
    favor_known_links(text, pair, 0, cells[0], num_target, 1, nulls[0])
    favor_known_links(text, pair, 1, cells[1], 1, num_target, nulls[1])
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
def share_out(text, lexical, first, last, weights, shares):
    """First part of the E-step, over the pairs [first, last): posteriors and shares.

    weights: DomainWeights
    shares: (float32[num_source_tokens, D], float32[num_target_tokens, D]), written: for each word
    P(D | f, e) over the sum of t of its states, 0 where that is negligible
    Returns the log-likelihoods of both directions, weighted by the posterior: float64[2].
    """
    log_weights, temperature, posterior = weights
    num_domains = lexical.table.shape[1]
    cells, totals, nulls = _allocate(text, num_domains, first, last)
    values = np.zeros((2, num_domains))
    objective = np.zeros(2)
    table, pair_ids = lexical.table.reshape(-1), text.pair_ids
    for pair in range(first, last):
        if pair + 1 < last:
            for cell in range(text.cell_offsets[pair + 1], text.cell_offsets[pair + 2]):
                prefetch(table, 2 * num_domains * np.int64(pair_ids[cell]))
        num_source, num_target = sizes(text, pair)
        posterior[pair] = 0.0
        possible = False
        for domain in range(num_domains if num_source > 0 and num_target > 0 else 0):
            values[:, domain] = -np.inf
            if log_weights[0, pair, domain] > -np.inf or log_weights[1, pair, domain] > -np.inf:
                possible = True
                values[0, domain], values[1, domain] = _gather(
                    text, lexical, pair, domain, cells[domain], totals[domain], nulls[domain]
                )
        if possible:
            weigh_domains(log_weights[:, pair], values, temperature, posterior[pair])
        for domain in range(num_domains):
            weight = posterior[pair, domain]
            if weight >= NEGLIGIBLE:
                objective += weight * values[:, domain]
            else:
                weight = 0.0
            _write_shares(text, pair, domain, weight, totals[domain], shares)
    return objective


@njit(nogil=True, cache=True)
def _write_shares(text, pair, domain, weight, totals, shares):
    """The weight over the totals float64[2, longest], of each word of a pair; 0 where it is 0."""
    source_shares, target_shares = shares
    num_source, num_target = sizes(text, pair)
    begin = text.source_offsets[pair]
    for j in range(num_source):
        source_shares[begin + j, domain] = weight / totals[0, j] if weight > 0.0 else 0.0
    begin = text.target_offsets[pair]
    for i in range(num_target):
        target_shares[begin + i, domain] = weight / totals[1, i] if weight > 0.0 else 0.0


@njit(nogil=True, cache=True)
def count_rows(text, lexical, shares, index, occurrences, counts, first, last):
    """Second part of the E-step: expected links of the source words [first, last).

    index: (row_offsets int64[num_source_types + 1], columns int32[num_type_pairs]), as in
    ``PairIndex``; occurrences: Occurrences of the source words
    counts: LinkCounts, whose links are written; they may be the table itself
    """
    row_offsets, columns = index
    table, floor, links = lexical.table, np.float32(lexical.floor), counts.links
    longest = np.int64(0)
    for word in range(first, last):
        longest = max(longest, row_offsets[word + 1] - row_offsets[word])
    sums = np.empty((longest, table.shape[1], 2), np.int64)
    scaled = np.empty((longest, table.shape[1], 2))
    places = np.full(lexical.null_target.shape[1], -1, np.int32)
    for word in range(first, last):
        begin, end = row_offsets[word], row_offsets[word + 1]
        if begin == end:
            continue
        for k in range(begin, end):
            places[columns[k]] = k - begin
            for domain in range(table.shape[1]):
                for side in range(2):
                    t = max(table[k, domain, side], floor)
                    scaled[k - begin, domain, side] = t * counts.units
        sums[: end - begin] = 0
        _add_up(text, shares, word, occurrences, places, scaled, sums)
        for k in range(begin, end):
            places[columns[k]] = -1
            for domain in range(table.shape[1]):
                for side in range(2):
                    links[k, domain, side] = sums[k - begin, domain, side]


@njit(nogil=True, cache=True)
def _add_up(text, shares, word, occurrences, places, scaled, sums):
    """Expected links of all cells of a source word, by target word."""
    # places: int32[num_target_types + 1], where the sums of each target word stand, -1 nowhere
    # scaled: float64[:, D, 2], t in units; sums: int64[:, D, 2], added to
    sentences, offsets = occurrences
    source_tokens, target_tokens = text.source_tokens, text.target_tokens
    source_offsets, target_offsets = text.source_offsets, text.target_offsets
    source_shares, target_shares = shares[0].reshape(-1), shares[1].reshape(-1)
    num_domains, table, flat = sums.shape[1], scaled.reshape(-1), sums.reshape(-1)
    own = np.empty(num_domains)
    before = -1
    for entry in range(offsets[word], offsets[word + 1]):
        if entry + AHEAD < offsets[word + 1]:
            begin = target_offsets[sentences[entry + AHEAD]]
            prefetch(target_tokens, begin)
            prefetch(target_tokens, begin + LINE)
            prefetch(target_shares, begin * num_domains)
            prefetch(target_shares, begin * num_domains + LINE)
            begin = source_offsets[sentences[entry + AHEAD]]
            prefetch(source_tokens, begin)
            prefetch(source_tokens, begin + LINE)
        pair = sentences[entry]
        if pair == before:
            continue
        before = pair
        if is_supervised(text, pair):
            _add_supervised(text, pair, shares, word, places, scaled, sums)
            continue
        times, own[:] = 0.0, 0.0
        for position in range(source_offsets[pair], source_offsets[pair + 1]):
            if source_tokens[position] == word:
                times += 1.0
                for domain in range(num_domains):
                    own[domain] += source_shares[position * num_domains + domain]
        for position in range(target_offsets[pair], target_offsets[pair + 1]):
            place = places[target_tokens[position]]
            if place >= 0:
                entry = 2 * num_domains * np.int64(place)
                for domain in range(num_domains):
                    other = times * target_shares[position * num_domains + domain]
                    flat[entry] += np.int64(table[entry] * own[domain] + 0.5)
                    flat[entry + 1] += np.int64(table[entry + 1] * other + 0.5)
                    entry += 2


@njit(nogil=True, cache=True)
def _add_supervised(text, pair, shares, word, places, scaled, sums):
    """The same of one pair of which links are known."""
    source_shares, target_shares = shares
    num_source, num_target = sizes(text, pair)
    source_begin, target_begin = text.source_offsets[pair], text.target_offsets[pair]
    factors = np.empty((2, num_target))
    for j in range(num_source):
        if text.source_tokens[source_begin + j] != word:
            continue
        _known_factors(text, pair, j, factors)
        for i in range(num_target):
            place = places[text.target_tokens[target_begin + i]]
            if place >= 0:
                for domain in range(sums.shape[1]):
                    source, target = (
                        source_shares[source_begin + j, domain],
                        target_shares[target_begin + i, domain],
                    )
                    source, target = factors[0, i] * source, factors[1, i] * target
                    sums[place, domain, 0] += np.int64(scaled[place, domain, 0] * source + 0.5)
                    sums[place, domain, 1] += np.int64(scaled[place, domain, 1] * target + 0.5)


@njit(nogil=True, cache=True)
def _known_factors(text, pair, j, factors):
    """What known links multiply the cells of a source word by: float64[2, num_target], written."""
    _, num_target = sizes(text, pair)
    links = range(text.known_offsets[pair], text.known_offsets[pair + 1])
    factors[:] = 1.0
    for link in links:
        factors[1, text.known_cells[link] % num_target] = text.known_factor
        if text.known_cells[link] // num_target == j:
            factors[0] = text.known_factor
    for link in links:
        if text.known_cells[link] // num_target == j:
            factors[:, text.known_cells[link] % num_target] = 1.0


@njit(nogil=True, cache=True)
def count_nulls(text, lexical, shares, counts):
    """Expected links of the words of a text to NULL. counts: LinkCounts, added to"""
    for pair in range(len(text.source_offsets) - 1):
        _count_nulls_of(text, lexical, shares[0], pair, 0, (counts.null_source, counts.units))
        _count_nulls_of(text, lexical, shares[1], pair, 1, (counts.null_target, counts.units))


@njit(nogil=True, cache=True)
def _count_nulls_of(text, lexical, shares, pair, side, nulls):
    """The same of one side of a pair; nulls: (int64[D, num_types + 1], units)"""
    counts, units = nulls
    floor = np.float32(lexical.floor)
    offsets, tokens, table = text.source_offsets, text.source_tokens, lexical.null_source
    if side == 1:
        offsets, tokens, table = text.target_offsets, text.target_tokens, lexical.null_target
    num_target = sizes(text, pair)[1]
    for position in range(offsets[pair], offsets[pair + 1]):
        factor = 1.0
        for link in range(text.known_offsets[pair], text.known_offsets[pair + 1]):
            source, target = divmod(text.known_cells[link], num_target)
            if (target if side else source) == position - offsets[pair]:
                factor = text.known_factor
        word = tokens[position]
        for domain in range(len(counts)):
            null = max(table[domain, word], floor)
            counts[domain, word] += in_units(factor * null * shares[position, domain], units)
