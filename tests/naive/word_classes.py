"""Word classes by the definition: every exchange is judged by counting the whole text again.

Classes are a dictionary from words to 0..K-1. What has none - a sentence boundary, an unknown word
- is None, a class to itself.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

Sentences = Iterable[Sequence[str | None]]


def log_likelihood(sentences: Sentences, classes: Mapping[str | None, int]) -> float:
    """Sum of log P(class | class before) P(word | class) over all pairs of neighbors, in nats.

    Pairs of two boundaries or unknown words are passed over.
    """
    pairs: list[tuple[str | None, str | None]] = []
    for sentence in sentences:
        marked = [None, *(word if word in classes else None for word in sentence), None]
        pairs += [pair for pair in pairwise(marked) if pair != (None, None)]
    number = [(classes.get(first), classes.get(second)) for first, second in pairs]
    together, words = Counter(number), Counter(second for _, second in pairs)
    before = Counter(first for first, _ in number)
    after = Counter(second for _, second in number)
    return sum(
        math.log(together[old, new] / before[old]) + math.log(words[word] / after[new])
        for (old, new), (_, word) in zip(number, pairs, strict=True)
    )


def exchange(
    sentences: Sentences, classes: Mapping[str, int], order: Iterable[str], num_classes: int
) -> dict[str, int]:
    """One sweep: each word in its turn goes where the text is likeliest, also one without a class.

    Among classes that are equally good its own comes first, then the one of lowest number.
    """
    result = dict(classes)
    for word in order:
        values = [
            log_likelihood(sentences, result | {word: number}) for number in range(num_classes)
        ]
        best = result.get(word, 0)
        for number, value in enumerate(values):
            if value > values[best] + 1e-9:
                best = number
        result[word] = best
    return result
