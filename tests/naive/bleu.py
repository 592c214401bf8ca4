"""BLEU by counting n-grams (Papineni et al. 2002), and its smoothed forms for one sentence."""

from collections import Counter
from collections.abc import Sequence
from math import exp, prod

Words = Sequence[str]


def ngrams(words: Words, order: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(words[k : k + order]) for k in range(len(words) - order + 1))


def statistics(
    hypothesis: Words, references: Sequence[Words], reference_length: str = "closest"
) -> list[float]:
    """Clipped matches and n-grams of orders 1 to 4, reference length."""
    result: list[float] = []
    for order in range(1, 5):
        counts = ngrams(hypothesis, order)
        most: Counter[tuple[str, ...]] = Counter()
        for reference in references:
            most |= ngrams(reference, order)
        result += [(counts & most).total(), counts.total()]
    lengths = [len(one) for one in references]
    if reference_length == "closest":
        return [*result, min(lengths, key=lambda one: (abs(one - len(hypothesis)), one))]
    return [
        *result,
        min(lengths) if reference_length == "shortest" else sum(lengths) / len(lengths),
    ]


def sentence_bleu(row: Sequence[float], smoothing: str) -> float:
    """Smoothed BLEU of nine statistics; ``scaled`` without the scale."""
    matches, totals, length = row[0:8:2], row[1:8:2], row[8]
    if not totals[0]:
        return 0.0
    brevity = min(1.0, exp(1 - (length + (smoothing == "nakov")) / totals[0]))
    if smoothing == "floor":
        parts = [max(m, 0.01) / t for m, t in zip(matches, totals, strict=True) if t]
    else:
        first = 1 if smoothing == "all-orders" else 0
        added = [first, 1, 1, 1]
        parts = [(m + a) / (t + a) for m, t, a in zip(matches, totals, added, strict=True)]
    return brevity * prod(parts) ** (1 / len(parts))
