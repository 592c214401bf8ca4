"""M-steps: normalize expected counts."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...kernels.lazy import njit

BLOCK = 128  # pairs of words
DROPPED = 128  # mark of a pair that is left out, beside numbers below BLOCK
SMALLEST = 1e-9  # keeps a bucket that was never used open for sentences that offer nothing else


class Smoothing(NamedTuple):
    """Pseudo-counts of lexical rows.

    stems: of the general table towards stems; domains: of a domain's towards the general table
    sparse: concentration of the Dirichlet prior; 0 leaves out each
    """

    stems: float = 0.0
    domains: float = 0.0
    sparse: float = 0.0


class StemmedWords(NamedTuple):
    """The stem of each word of both sides.

    order: int64[num_source_types], the source words, those of one stem one after the other
    source, target: int32[num_types], number of the stem of each word
    source_share, target_share: float64[num_types], how many of the running words of its stem are
        this word
    num_targets: above the number of each target stem
    """

    order: NDArray[np.int64]
    source: NDArray[np.int32]
    target: NDArray[np.int32]
    source_share: NDArray[np.float64]
    target_share: NDArray[np.float64]
    num_targets: int


class ColumnTotals(NamedTuple):
    """What the counts of P(source | target) are divided by.

    words: float64[D, num_target_types], of each word by domain
    stems: float64[num_targets], of each stem, all domains together
    sizes: int64[num_target_types], how many source words each word meets; read for a sparse prior
    """

    words: NDArray[np.float64]
    stems: NDArray[np.float64]
    sizes: NDArray[np.int64]


@njit(nogil=True, cache=True)
def sum_columns(index, counts, first, last, totals, sizes):
    """Add the counts of P(source | target) in the rows [first, last) to those of their columns.

    index: (row_offsets int64[num_rows + 1], columns int32[num_pairs]), as in ``PairIndex``
    counts: int64[num_pairs + 1, D, K], or float32 of whole numbers; totals: int64[D, num_columns]
    sizes: int64[num_columns], to which the rows are added that have each column
    """
    row_offsets, columns = index
    for k in range(row_offsets[first], row_offsets[last]):
        sizes[columns[k]] += 1
        for domain in range(counts.shape[1]):
            totals[domain, columns[k]] += np.int64(counts[k, domain, 0])


@njit(nogil=True, cache=True)
def estimate_rows(index, words, counts, totals, smoothing, first, last, table):
    """Lexical tables of both directions from the counts of the words ``order[first:last]``.

    They are all words of their stems. A general row is (c + m * b) / (sum + m), where b, the
    probability by stems, is P(generated stem | state's stem) * share of the word; a domain's is
    (c + m * general) / (sum + m). A sparse prior a makes exp(psi(c + a)) / exp(psi(sum + a n)) of
    it, where the state meets n words.

    index: as of :func:`sum_columns`; words: StemmedWords; totals: ColumnTotals
    counts: LinkCounts, whose links may be the table itself
    smoothing: Smoothing; table: float32[num_pairs + 1, D, 2], of which the rows are written
    """
    row_offsets, _ = index
    stamp, number = np.full(words.num_targets, -1, np.int32), np.empty(words.num_targets, np.int32)
    row_totals = np.empty(counts.links.shape[1])
    begin = first
    while begin < last:
        stem, end, size = words.source[words.order[begin]], begin, 0
        while end < last and words.source[words.order[end]] == stem:
            size += row_offsets[words.order[end] + 1] - row_offsets[words.order[end]]
            end += 1
        sums = np.zeros((size if smoothing.stems > 0.0 else 0, 2))
        if len(sums):
            _sum_stems(index, words, counts, begin, end, stamp, number, sums)
        stems, every = (number, sums, sums[:, 1].sum()), (totals, row_totals)
        for place in range(begin, end):
            word = words.order[place]
            _sum_row(counts, row_offsets[word], row_offsets[word + 1], row_totals)
            _estimate_row(index, words, counts, every, smoothing, word, stems, table)
        begin = end


@njit(nogil=True, cache=True)
def _sum_stems(index, words, counts, begin, end, stamp, number, sums):
    """Counts of a source stem with each target stem that it meets, all domains together."""
    row_offsets, columns = index
    links, unit = counts.links, 1.0 / counts.units
    last, stem, size = links.shape[2] - 1, words.source[words.order[begin]], 0
    for place in range(begin, end):
        word = words.order[place]
        for k in range(row_offsets[word], row_offsets[word + 1]):
            other = words.target[columns[k]]
            if stamp[other] != stem:
                stamp[other] = stem
                number[other] = size
                size += 1
            for domain in range(links.shape[1]):
                sums[number[other], 0] += unit * links[k, domain, 0]
                sums[number[other], 1] += unit * links[k, domain, last]


@njit(nogil=True, cache=True)
def _sum_row(counts, begin, end, totals):
    """Counts of P(target | source) of a row, by domain."""
    links, unit, last = counts.links, 1.0 / counts.units, counts.links.shape[2] - 1
    totals[:] = 0.0
    for k in range(begin, end):
        for domain in range(len(totals)):
            totals[domain] += unit * links[k, domain, last]


@njit(nogil=True, cache=True)
def _estimate_row(index, words, counts, totals, smoothing, word, stems, table):
    """The row of a source word, and what stands in the columns of the target words."""
    row_offsets, columns = index
    column_totals, row_totals = totals
    number, sums, below = stems
    links, unit = counts.links, 1.0 / counts.units
    num_domains, last = links.shape[1], links.shape[2] - 1
    size, every = row_offsets[word + 1] - row_offsets[word], row_totals.sum()
    strength = smoothing.stems if len(sums) > 0 else 0.0
    for k in range(row_offsets[word], row_offsets[word + 1]):
        column = columns[k]
        of_source, of_target, above = 0.0, 0.0, 0.0
        for domain in range(num_domains):
            of_source += unit * links[k, domain, 0]
            of_target += unit * links[k, domain, last]
            above += column_totals.words[domain, column]
        if len(sums) > 0:
            other = words.target[column]
            pair = number[other]
            of_source += (
                strength
                * words.source_share[word]
                * (sums[pair, 0] / max(column_totals.stems[other], 1e-300))
            )
            of_target += (
                strength * words.target_share[column] * (sums[pair, 1] / max(below, 1e-300))
            )
        of_source = of_source / (above + strength) if above + strength > 0.0 else 0.0
        of_target = of_target / (every + strength) if every + strength > 0.0 else 0.0
        for domain in range(num_domains):
            source, target, mass = of_source, of_target, strength
            if num_domains > 1:
                mass = smoothing.domains
                source = unit * links[k, domain, 0] + mass * of_source
                target = unit * links[k, domain, last] + mass * of_target
            above, below_it = column_totals.words[domain, column] + mass, row_totals[domain] + mass
            if num_domains > 1:
                source = source / above if above > 0.0 else 0.0
                target = target / below_it if below_it > 0.0 else 0.0
            if smoothing.sparse > 0.0:
                source = _sparse(source, above, column_totals.sizes[column], smoothing.sparse)
                target = _sparse(target, below_it, size, smoothing.sparse)
            table[k, domain, 0] = source
            table[k, domain, 1] = target


@njit(nogil=True, cache=True)
def _sparse(probability, total, size, concentration):
    """What a Dirichlet prior makes of c / sum; size: entries of the row"""
    below = digamma(total + concentration * size)
    return np.exp(digamma(probability * total + concentration) - below)


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
def mark_rare(counts, threshold, marks):
    """Mark the pairs whose count reaches the threshold in no direction.

    counts: int64[num_pairs + 1, D, K] or float32; marks: uint8[num_pairs + 1], DROPPED or 0
    """
    for k in range(len(marks) - 1):
        keep = False
        for column in range(counts.shape[2]):
            total = 0.0
            for domain in range(counts.shape[1]):
                total += counts[k, domain, column]
            keep = keep or total >= threshold
        marks[k] = 0 if keep else DROPPED


@njit(nogil=True, cache=True)
def number_kept(marks, firsts):
    """Add to each mark how many pairs of its block are kept before it; the last one is dropped.

    marks: uint8[num_pairs + 1], DROPPED or 0; firsts: uint32[num_blocks], written: how many are
    kept before each block of BLOCK pairs
    """
    size = 0
    marks[-1] = DROPPED
    for k in range(len(marks)):
        if k % BLOCK == 0:
            firsts[k // BLOCK] = size
        keep = marks[k] < DROPPED
        marks[k] += size - firsts[k // BLOCK]
        size += keep


@njit(nogil=True, cache=True)
def move_kept(marks, firsts, table):
    """Move the rows float32[num_pairs + 1, D, 2] of kept pairs to the front, the last one behind.

    marks: uint8[num_pairs + 1]; firsts: uint32[num_blocks]; both of :func:`number_kept`
    """
    for k in range(len(marks)):
        if marks[k] < DROPPED or k == len(marks) - 1:
            place = firsts[k // BLOCK] + marks[k] % DROPPED
            for domain in range(table.shape[1]):  # a row at once takes a second more to compile
                table[place, domain, 0] = table[k, domain, 0]
                table[place, domain, 1] = table[k, domain, 1]


@njit(nogil=True, cache=True)
def renumber(pair_ids, marks, firsts):
    """Put new ids in the place of the old ones; dropped pairs get the number of pairs kept.

    pair_ids: uint32[num_cells]; marks: uint8[num_pairs + 1]; firsts: uint32[num_blocks]
    """
    last = len(marks) - 1
    size = firsts[last // BLOCK] + marks[last] % DROPPED
    for cell in range(len(pair_ids)):
        pair = pair_ids[cell]
        mark = marks[pair]
        pair_ids[cell] = firsts[pair // BLOCK] + mark if mark < DROPPED else size


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


@njit(nogil=True, cache=True)
def add_rows(ids, counts, sums):
    """Add counts int64[n, D, K] to the rows ids uint32[n] of sums int64[m, D, K]."""
    for k in range(len(ids)):
        for domain in range(counts.shape[1]):
            for column in range(counts.shape[2]):
                sums[ids[k], domain, column] += counts[k, domain, column]
