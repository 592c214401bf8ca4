"""BLEU statistics by counting n-grams (Papineni et al. 2002)."""

from collections import Counter
from collections.abc import Sequence

Words = Sequence[str]


def ngrams(words: Words, order: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(words[k : k + order]) for k in range(len(words) - order + 1))


def statistics(hypothesis: Words, references: Sequence[Words]) -> list[int]:
    """Clipped matches and n-grams of orders 1 to 4, length of the closest reference."""
    result = []
    for order in range(1, 5):
        own = ngrams(hypothesis, order)
        most: Counter[tuple[str, ...]] = Counter()
        for reference in references:
            most |= ngrams(reference, order)
        result += [(own & most).total(), own.total()]
    length = len(hypothesis)
    closest = min(map(len, references), key=lambda other: (abs(other - length), other))
    return [*result, closest]
