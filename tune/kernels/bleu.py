"""Clipped n-gram matches of hypotheses and their reference lengths (Papineni et al. 2002)."""

import numpy as np

from isogloss.align.kernels.lazy import njit

from .reference_ngrams import add_matches, count_ngrams, most_of_any, start_tally

ORDER = 4
COLUMNS = 2 * ORDER + 1  # match and total of each order, then the reference length
CLOSEST, SHORTEST, AVERAGE = 0, 1, 2


@njit(nogil=True, cache=True)
def reference_length(length, lengths, choice):
    """Reference length of a hypothesis; of two equally close ones the shorter.

    length: of the hypothesis; lengths: int64, of the references; choice: CLOSEST, SHORTEST, AVERAGE
    """
    if choice == AVERAGE:
        return lengths.sum() / len(lengths)
    best = lengths[0]
    for other in lengths:
        if choice == SHORTEST:
            best = min(best, other)
        elif (abs(other - length), other) < (abs(best - length), best):
            best = other
    return float(best)


@njit(nogil=True, cache=True)
def measure_bleu(words, choice, result):
    """Write match and total of orders 1 to 4 and the reference length of each hypothesis.

    words: Symbols; result: float64[num_hypotheses, COLUMNS or one more], the last of them the
    length of the shortest reference.
    """
    matches = np.empty((1, ORDER), np.int64)
    for sentence in range(len(words.sentences) - 1):
        first = words.reference_sentences[sentence]
        last = words.reference_sentences[sentence + 1]
        lengths = np.empty(last - first, np.int64)
        for reference in range(first, last):
            begin, end = words.reference_offsets[reference], words.reference_offsets[reference + 1]
            lengths[reference - first] = end - begin
        each = count_ngrams(words.reference_symbols, words.reference_offsets, first, last, ORDER)
        ngrams = most_of_any(each)
        tally = start_tally(ngrams)
        for row in range(words.sentences[sentence], words.sentences[sentence + 1]):
            begin, end = words.offsets[row], words.offsets[row + 1]
            matches[:] = 0
            add_matches(words.symbols, begin, end, row, ORDER, ngrams, tally, matches)
            for n in range(ORDER):
                result[row, 2 * n] = matches[0, n]
                result[row, 2 * n + 1] = max(end - begin - n, 0)
            result[row, COLUMNS - 1] = reference_length(end - begin, lengths, choice)
            if result.shape[1] > COLUMNS:
                result[row, COLUMNS] = lengths.min()
