"""Sentence pairs that hold both phrases of a rule, and Fisher's exact test of their number."""

import numpy as np

from isogloss.align.kernels.lazy import njit

NEGLIGIBLE = 1e-17  # share of a sum below which further terms don't change it
_N = np.arange(1.0, 16.0)
# log n! less Stirling's formula, for 1 to 15
STIRLING_ERRORS = np.cumsum(np.log(_N)) - (_N + 0.5) * np.log(_N) + _N - 0.5 * np.log(2.0 * np.pi)


@njit(nogil=True, cache=True)
def count_cooccurrences(rule_source, rule_target, source, target, texts, result):
    """How many sentence pairs hold the source and the target phrase of each rule.

    rule_source (rules of a phrase are neighbors), rule_target: int64[num_rules], phrase numbers
    source, target: (low, high, lengths: int64[num_phrases]), see `find_phrases`
    texts: `Suffixes` of both sides; result: int64[num_rules]

    Either the places of the target phrase are visited, or the sentences that hold the source
    phrase are searched for one of its places, whatever is less.
    """
    marks = np.full(len(texts[0].offsets) - 1, -1, np.int64)
    held = np.empty(len(marks), np.int32)
    num_held, num_words, current = 0, 0, -1
    for rule in range(len(rule_source)):
        phrase = rule_source[rule]
        if phrase != current:
            current = phrase
            places = (source[0][phrase], source[1][phrase], source[2][phrase])
            num_held, num_words = _mark(places, texts, phrase, marks, held)
        phrase = rule_target[rule]
        low, high, length = target[0][phrase], target[1][phrase], target[2][phrase]
        if high - low <= num_words:
            result[rule] = _count_marked(low, high, length, texts[1], current, marks)
        else:
            result[rule] = _count_held(low, high, texts[1], held[:num_held])


@njit(nogil=True, cache=True)
def _mark(places, texts, mark, marks, held):
    """Mark and list the sentences of the source phrase; their number, and their target words."""
    low, high, length = places
    sentence, shared, offsets = texts[0].sentence, texts[0].shared, texts[1].offsets
    count, words = 0, 0
    for place in range(low, high):
        if shared[place] < length:  # its first one in the sentence
            number = sentence[place]
            marks[number] = mark
            held[count] = number
            count += 1
            words += offsets[number + 1] - offsets[number]
    return count, words


@njit(nogil=True, cache=True)
def _count_marked(low, high, length, text, mark, marks):
    count = 0
    for place in range(low, high):
        count += text.shared[place] < length and marks[text.sentence[place]] == mark
    return count


@njit(nogil=True, cache=True)
def _count_held(low, high, text, held):
    count = 0
    for number in held:
        for position in range(text.offsets[number], text.offsets[number + 1]):
            if low <= text.rank[position] < high:
                count += 1
                break
    return count


@njit(nogil=True, cache=True)
def _stirling_error(n):
    """log n! - log(sqrt(2 pi n) (n / e)^n), n = 1, 2, ...; from 16 on the series is exact."""
    if n < 16.0:
        return STIRLING_ERRORS[int(n) - 1]
    square = n * n
    series = 1 / 1260 - (1 / 1680 - 1 / 1188 / square) / square
    return (1 / 12 - (1 / 360 - series / square) / square) / n


@njit(nogil=True, cache=True)
def _deviance(x, mean):
    """x log(x / mean) + mean - x, without cancellation where x is close to the mean."""
    if abs(x - mean) >= 0.1 * (x + mean):
        return x * np.log(x / mean) + mean - x
    share = (x - mean) / (x + mean)
    total, term = (x - mean) * share, 2.0 * x * share
    for k in range(3, 1000, 2):
        term *= share * share
        if abs(term) <= NEGLIGIBLE * total * k:
            break
        total += term / k
    return total


@njit(nogil=True, cache=True)
def _log_binomial(x, n, p, q):
    """log of C(n, x) p^x q^(n-x) by Loader's (2000) saddle-point expansion; p + q = 1."""
    if x == 0.0:
        return n * (np.log1p(-p) if p < 0.5 else np.log(q)) if n > 0.0 else 0.0
    if x == n:
        return n * (np.log1p(-q) if q < 0.5 else np.log(p))
    return (
        _stirling_error(n)
        - _stirling_error(x)
        - _stirling_error(n - x)
        - _deviance(x, n * p)
        - _deviance(n - x, n * q)
        + 0.5 * np.log(n / (2.0 * np.pi * x * (n - x)))
    )


@njit(nogil=True, cache=True)
def _log_hypergeometric(both, f, e, n):
    """log of C(f, both) C(n - f, e - both) / C(n, e), for 0 < e < n."""
    p, q = e / n, (n - e) / n
    return (
        _log_binomial(both, f, p, q)
        + _log_binomial(e - both, n - f, p, q)
        - _log_binomial(e, n, p, q)
    )


@njit(nogil=True, cache=True)
def _fisher(both, f, e, n):
    """-log P(X >= both) for a hypergeometric X: Fisher's exact test, one-sided; all float64."""
    # Terms are summed away from the mode, so that they fall: upwards, or downwards and what is left
    # to 1 where ``both`` is not above it.
    if both <= max(0.0, f + e - n):
        return 0.0
    rest = n - f - e
    total, term = 1.0, 1.0
    if both > np.floor((f + 1.0) * (e + 1.0) / (n + 2.0)):
        k = both
        while k < min(f, e):
            term *= (f - k) / (k + 1.0) * ((e - k) / (rest + k + 1.0))
            if term < NEGLIGIBLE * total:
                break
            total += term
            k += 1.0
        return -_log_hypergeometric(both, f, e, n) - np.log(total)
    k = both - 1.0
    first = _log_hypergeometric(k, f, e, n)
    while k > 0.0:
        term *= k / (f - k + 1.0) * ((rest + k) / (e - k + 1.0))
        if term < NEGLIGIBLE * total:
            break
        total += term
        k -= 1.0
    return -np.log1p(-np.exp(first) * total)


@njit(nogil=True, cache=True)
def significances(counts, num_pairs, result):
    """-log p of each rule (Johnson et al. 2007): float64[num_rules].

    counts: int64[num_rules, 3], sentence pairs with f, with e, with both; num_pairs: of the text
    """
    for rule in range(len(result)):
        f, e, both = counts[rule]
        result[rule] = _fisher(float(both), float(f), float(e), float(num_pairs))
