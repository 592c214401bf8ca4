"""M-steps: normalize expected counts."""

import numpy as np

from ...kernels.lazy import njit

SMALLEST = 1e-9  # keeps a bucket that was never used open for sentences that offer nothing else


@njit(nogil=True, cache=True)
def number_stem_pairs(index, order, row_stems, column_stems, pair, row_stem, column_stem):
    """Number the pairs of stems behind the pairs of words; returns how many there are.

    index: (row_offsets int64[num_row_types + 1], columns int32[num_pairs]), as in ``PairIndex``
    order: int64[num_row_types], the words of one stem one after the other
    row_stems, column_stems: int64[num_types], stem of each word, itself a word
    pair: int32[num_pairs], written: the number of each pair's stems; row_stem, column_stem:
    int32[num_pairs], the front is written: the stems of each number.
    """
    row_offsets, columns = index
    stamp = np.full(len(column_stems), -1, np.int64)
    number = np.zeros(len(stamp), np.int64)
    size = 0
    for word in order:
        stem = row_stems[word]
        for k in range(row_offsets[word], row_offsets[word + 1]):
            other = column_stems[columns[k]]
            if stamp[other] != stem:
                stamp[other] = stem
                number[other] = size
                row_stem[size] = stem
                column_stem[size] = other
                size += 1
            pair[k] = number[other]
    return size


@njit(nogil=True, cache=True)
def sum_domains(links, column, result):
    """Counts of all domains together: float64[num_pairs], written.

    links: float64[num_pairs + 1, D, K], of which [:-1, :, column] is read.
    """
    for k in range(len(result)):
        total = 0.0
        for domain in range(links.shape[1]):
            total += links[k, domain, column]
        result[k] = total


@njit(nogil=True, cache=True)
def sum_by_group(counts, groups, totals):
    """Add counts float64[n] to the totals of their groups int32[n]."""
    for k in range(len(groups)):
        totals[groups[k]] += counts[k]


@njit(nogil=True, cache=True)
def divide_by_group(counts, groups, totals):
    """Replace counts float64[n] by their shares in the totals of their groups int32[n].

    totals: float64[num_groups], zeros, written.
    """
    for k in range(len(groups)):
        totals[groups[k]] += counts[k]
    for k in range(len(groups)):
        counts[k] /= max(totals[groups[k]], 1e-300)


@njit(nogil=True, cache=True)
def back_off(counts, states, totals, stems, strength):
    """Replace the counts c by (c + m * b) / (sum + m), with b the probability by stems.

    counts: float64[num_pairs]; states: int32[num_pairs]; totals: float64[num_state_types]
    stems: (pair int32[num_pairs], probability float64[num_stem_pairs] of the generated stem given
    the state's, generated int32[num_pairs], share float64[num_generated_types] of each word among
    those of its stem); not read where the strength m is 0.
    """
    pair, probability, generated, share = stems
    for k in range(len(states)):
        total = totals[states[k]] + strength
        prior = strength * probability[pair[k]] * share[generated[k]] if strength > 0.0 else 0.0
        counts[k] = (counts[k] + prior) / total if total > 0.0 else 0.0


@njit(nogil=True, cache=True)
def normalize_domain(counts, states, totals, prior, strength, table):
    """t = (count + strength * prior) / (total of the state + strength), of one domain.

    counts: float64[num_pairs]; states: int32[num_pairs]; totals: float64[num_state_types]
    prior: float64[num_pairs]; table: float32[num_pairs], written.
    """
    for k in range(len(states)):
        total = totals[states[k]] + strength
        value = counts[k] + strength * prior[k]
        table[k] = value / total if total > 0.0 else 0.0


@njit(nogil=True, cache=True)
def digamma(x):
    """The logarithmic derivative of the gamma function, for x > 0."""
    result = 0.0
    while x < 6.0:
        result -= 1.0 / x
        x += 1.0
    square = 1.0 / (x * x)
    series = square * (1 / 12 - square * (1 / 120 - square * (1 / 252 - square / 240)))
    return result + np.log(x) - 0.5 / x - series


@njit(nogil=True, cache=True)
def sparsen(table, domain, side, states, totals, concentration):
    """Replace each p = c / sum by exp(psi(c + a)) / exp(psi(sum + a n)), n entries of a row.

    table: float32[num_pairs + 1, D, 2], of which [:-1, domain, side] is changed
    states: int32[num_pairs]; totals: float64[num_state_types], the sums; concentration: a.
    """
    entries = np.zeros(len(totals))
    for k in range(len(states)):
        entries[states[k]] += 1.0
    for state in range(len(totals)):
        if entries[state] > 0.0:
            entries[state] = digamma(totals[state] + concentration * entries[state])
    for k in range(len(states)):
        state = states[k]
        count = table[k, domain, side] * totals[state] + concentration
        table[k, domain, side] = np.exp(digamma(count) - entries[state])


@njit(nogil=True, cache=True)
def keep_pairs(counts, threshold, new_ids):
    """Number the pairs whose count reaches the threshold in one direction; returns how many.

    counts: float64[num_pairs + 1, D, K]; new_ids: int64[num_pairs + 1], written: rising from 0;
    those left out, and the last, get the number returned.
    """
    size = 0
    for k in range(len(new_ids) - 1):
        keep = False
        for column in range(counts.shape[2]):
            total = 0.0
            for domain in range(counts.shape[1]):
                total += counts[k, domain, column]
            keep = keep or total >= threshold
        new_ids[k] = size if keep else -1
        size += keep
    for k in range(len(new_ids)):
        if new_ids[k] < 0:
            new_ids[k] = size
    new_ids[-1] = size
    return size


@njit(nogil=True, cache=True)
def renumber(pair_ids, new_ids, result):
    """result = new_ids[pair_ids]: uint32[num_cells]; may be the same array."""
    for cell in range(len(pair_ids)):
        result[cell] = new_ids[pair_ids[cell]]


@njit(nogil=True, cache=True)
def normalize_jumps(jump, counts, occupancy, rounds):
    """Jump weights that raise sum_b counts_b log c_b - sum_o occupancy_o log Z_o(c).

    jump: float64[2 * window + 3], overwritten; occupancy: float64[window + 2, window + 2], jumps
    seen from origins by the number of open buckets on each side (window + 1 = with its tail).
    Each round divides by the tangent of the log normalizers, which never lowers the bound.
    """
    window = (len(jump) - 3) // 2
    center = window + 1
    for _ in range(rounds):
        offered = np.zeros(len(jump))
        for before in range(window + 2):
            for after in range(window + 2):
                weight = occupancy[before, after]
                if weight > 0.0:
                    total = jump[center - before : center + after + 1].sum()
                    for bucket in range(center - before, center + after + 1):
                        offered[bucket] += weight / total
        for bucket in range(len(jump)):
            if offered[bucket] > 0.0:
                jump[bucket] = counts[bucket] / offered[bucket]
        total = jump.sum()
        for bucket in range(len(jump)):
            jump[bucket] = max(jump[bucket] / total, SMALLEST)
