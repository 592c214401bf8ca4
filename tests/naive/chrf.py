"""chrF by counting n-grams (Popović 2015, 2017)."""

from collections import Counter
from collections.abc import Sequence
from string import punctuation


def parted_words(text: str) -> list[str]:
    """Words; a mark at the end of one, or else at its beginning, is a word of its own."""
    result = []
    for word in text.split():
        if len(word) > 1 and word[-1] in punctuation:
            result += [word[:-1], word[-1]]
        elif len(word) > 1 and word[0] in punctuation:
            result += [word[0], word[1:]]
        else:
            result.append(word)
    return result


def counts(text: str, character_order: int, word_order: int) -> list[Counter[tuple[str, ...]]]:
    result = []
    for units, most in ("".join(text.split()), character_order), (parted_words(text), word_order):
        for order in range(1, most + 1):
            grams = (tuple(units[k : k + order]) for k in range(len(units) - order + 1))
            result.append(Counter(grams))
    return result


def f_score(row: Sequence[float], beta: float = 2.0) -> float:
    """0 to 100, means of precision and recall over the orders that both sides have."""
    triples = [row[k : k + 3] for k in range(0, len(row), 3)]
    present = [triple for triple in triples if triple[0] > 0 and triple[1] > 0]
    if not sum(triple[2] for triple in present):
        return 0.0
    precision = sum(triple[2] / triple[0] for triple in present) / len(present)
    recall = sum(triple[2] / triple[1] for triple in present) / len(present)
    return 100 * (1 + beta**2) * precision * recall / (beta**2 * precision + recall)


def statistics(
    hypothesis: str, references: Sequence[str], character_order: int = 6, word_order: int = 0
) -> list[int]:
    """N-grams of the hypothesis, of the best reference, in common, for each order."""
    candidates = []
    for reference in references:
        result: list[int] = []
        for mine, other in zip(
            counts(hypothesis, character_order, word_order),
            counts(reference, character_order, word_order),
            strict=True,
        ):
            result += [mine.total() if other else 0, other.total(), (mine & other).total()]
        candidates.append(result)
    return max(candidates, key=f_score)
