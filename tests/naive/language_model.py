"""Slow twin of isogloss.align.language_model: the formulae of Chen & Goodman as they stand.

An n-gram is a tuple of words, oldest first. Every count is found by walking over the text.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from isogloss.align.language_model.ngrams import NgramModel

Ngram = tuple[str, ...]


@dataclass
class Model:
    """Probabilities and backoff weights (neither is a logarithm) of all n-grams seen."""

    order: int
    probability: dict[Ngram, float]
    backoff: dict[Ngram, float]

    def log_probability(self, word: str, history: Sequence[str]) -> float:
        """Natural log of p(word | history), by backing off."""
        context = tuple(history)[-(self.order - 1) :] if self.order > 1 else ()
        weight = 0.0
        while (*context, word) not in self.probability:
            if not context:
                return weight + math.log(self.probability[("<unk>",)])
            weight += math.log(self.backoff.get(context, 1.0))
            context = context[1:]
        return weight + math.log(self.probability[*context, word])

    def score(self, words: Sequence[str]) -> float:
        """Natural log probability of a sentence with its end."""
        known = [word if (word,) in self.probability else "<unk>" for word in map(plain, words)]
        sentence = ["<s>", *known, "</s>"]
        return sum(self.log_probability(sentence[i], sentence[:i]) for i in range(1, len(sentence)))


def plain(word: str) -> str:
    """The word, or <unk> for what an ARPA file cannot hold."""
    odd = word in ("", "<s>", "</s>", "<unk>", "<UNK>") or any(c in word for c in "\0\t\n\v\f\r ")
    return "<unk>" if odd else word


def adjusted_counts(sentences: Iterable[Sequence[str]], order: int) -> list[Counter[Ngram]]:
    """Counts of orders 1, 2, ..., the lower ones counting distinct words to the left."""
    raw: list[Counter[Ngram]] = [Counter() for _ in range(order)]
    for words in sentences:
        if words:
            text = ("<s>", *map(plain, words), "</s>")
            for k in range(1, order + 1):
                raw[k - 1].update(text[i : i + k] for i in range(len(text) - k + 1))
    counts = []
    for k in range(1, order):
        left = Counter(ngram[1:] for ngram in raw[k])
        counts.append(Counter({g: raw[k - 1][g] if g[0] == "<s>" else left[g] for g in raw[k - 1]}))
    counts.append(raw[-1])
    counts[0].pop(("<s>",))
    counts[0].setdefault(("<unk>",), 0)
    return counts


def discounts(counts: Counter[Ngram]) -> list[float] | None:
    """0, D1, D2, D3+, or None where they are not defined or not positive."""
    n = [sum(count == r for count in counts.values()) for r in range(5)]
    if 0 in n[1:4]:
        return None
    y = Fraction(n[1], n[1] + 2 * n[2])
    values = [r - (r + 1) * y * n[r + 1] / n[r] for r in (1, 2, 3)]
    return [0.0, *map(float, values)] if min(values) > 0 else None


def estimate(
    sentences: Iterable[Sequence[str]], order: int, vocabulary_size: int | None = None
) -> Model:
    """Interpolated modified Kneser-Ney."""
    counts = adjusted_counts(sentences, order)
    uniform = 1 / (vocabulary_size or len(counts[0]))
    probability: dict[Ngram, float] = {(): uniform}
    backoff: dict[Ngram, float] = {}
    for level in counts:
        discount = discounts(level) or [0.0, 0.5, 1.0, 1.5]
        followers: dict[Ngram, list[int]] = defaultdict(list)
        for ngram, count in level.items():
            followers[ngram[:-1]].append(count)
        for history, seen in followers.items():
            backoff[history] = sum(discount[min(count, 3)] for count in seen) / sum(seen)
        for ngram, count in level.items():
            kept = (count - discount[min(count, 3)]) / sum(followers[ngram[:-1]])
            probability[ngram] = kept + backoff[ngram[:-1]] * probability[ngram[1:]]
    del probability[()], backoff[()]
    probability[("<s>",)] = 1.0
    return Model(order, probability, backoff)


def as_dictionaries(model: NgramModel) -> Model:
    """The content of a fast model in the form of the slow one."""
    probability: dict[Ngram, float] = {}
    backoff: dict[Ngram, float] = {}
    for rows, log_probability, log_backoff in zip(
        model.ngrams, model.log_probability, model.log_backoff, strict=True
    ):
        for row, p, b in zip(
            rows.tolist(), log_probability.tolist(), log_backoff.tolist(), strict=True
        ):
            ngram = tuple(model.words[number] for number in row)
            probability[ngram] = 10.0**p
            backoff[ngram] = 10.0**b
    return Model(model.order, probability, backoff)
