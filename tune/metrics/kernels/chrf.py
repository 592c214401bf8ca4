"""Statistics of chrF: character and word n-grams of the best reference (Popović 2015, 2017)."""

import numpy as np

from isogloss.align.kernels.lazy import njit

from ...kernels.reference_ngrams import add_matches, count_ngrams, start_tally


@njit(nogil=True, cache=True)
def f_score(statistics, beta):
    """F score, 0 to 100: precision and recall are means over orders that both sides have.

    statistics: float64[3 * orders], of each order n-grams of hypothesis, of reference, in common.
    """
    precision = recall = 0.0
    orders = 0
    for order in range(len(statistics) // 3):
        num_hypothesis, num_reference = statistics[3 * order], statistics[3 * order + 1]
        if num_hypothesis > 0 and num_reference > 0:
            precision += statistics[3 * order + 2] / num_hypothesis
            recall += statistics[3 * order + 2] / num_reference
            orders += 1
    if precision + recall == 0.0:
        return 0.0
    precision /= orders
    recall /= orders
    factor = beta * beta
    score = (1.0 + factor) * precision * recall
    return 100.0 * (score / (factor * precision + recall))


@njit(nogil=True, cache=True)
def _write_counts(length, reference_length, order, matches, result):
    """Counts of orders 1 to ``order``; of the hypothesis only where the reference has any."""
    for n in range(order):
        other = max(reference_length - n, 0)
        result[3 * n] = max(length - n, 0) if other else 0
        result[3 * n + 1] = other
        result[3 * n + 2] = matches[n]


@njit(nogil=True, cache=True)
def measure_chrf(characters, character_order, words, word_order, beta, result):
    """Write n-grams of hypothesis, of reference and in common of the reference with the best F.

    characters, words: Symbols of the same sentences; result: float64[num_hypotheses, 3 * (orders)],
    orders of characters first. Of equally good references the first counts.
    """
    counts = np.empty(result.shape[1])
    for sentence in range(len(characters.sentences) - 1):
        first = characters.reference_sentences[sentence]
        last = characters.reference_sentences[sentence + 1]
        ngrams = count_ngrams(
            characters.reference_symbols, characters.reference_offsets, first, last, character_order
        )
        tally = start_tally(ngrams)
        word_ngrams = count_ngrams(
            words.reference_symbols, words.reference_offsets, first, last, max(word_order, 1)
        )
        word_tally = start_tally(word_ngrams)
        matches = np.empty((last - first, character_order), np.int64)
        word_matches = np.empty((last - first, max(word_order, 1)), np.int64)
        for row in range(characters.sentences[sentence], characters.sentences[sentence + 1]):
            begin, end = characters.offsets[row], characters.offsets[row + 1]
            word_begin, word_end = words.offsets[row], words.offsets[row + 1]
            matches[:] = 0
            add_matches(
                characters.symbols, begin, end, row, character_order, ngrams, tally, matches
            )
            if word_order:
                word_matches[:] = 0
                add_matches(
                    words.symbols, word_begin, word_end, row, word_order, word_ngrams, word_tally,
                    word_matches,
                )  # fmt: skip
            best = -1.0
            for reference in range(first, last):
                length = (
                    characters.reference_offsets[reference + 1]
                    - characters.reference_offsets[reference]
                )
                _write_counts(
                    end - begin, length, character_order, matches[reference - first], counts
                )
                length = words.reference_offsets[reference + 1] - words.reference_offsets[reference]
                _write_counts(
                    word_end - word_begin, length, word_order, word_matches[reference - first],
                    counts[3 * character_order :],
                )  # fmt: skip
                score = f_score(counts, beta)
                if score > best:
                    best = score
                    result[row] = counts
