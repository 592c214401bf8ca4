"""Expected statistics under softmaxes, hypothesis by hypothesis (Smith & Eisner 2006)."""

from collections.abc import Mapping, Sequence
from math import exp, log

Sentence = Sequence[tuple[Mapping[int, float], Sequence[float]]]
"""Features and statistics of the hypotheses of a sentence."""


def expectations(
    sentences: Sequence[Sentence], weights: Sequence[float]
) -> tuple[list[float], float]:
    """Sum of the expected statistics, and the mean entropy of the sentences in nats."""
    sums: list[float] = []
    entropy = 0.0
    for hypotheses in sentences:
        scores = [sum(weights[j] * x for j, x in features.items()) for features, _ in hypotheses]
        total = sum(exp(score) for score in scores)
        for score, (_, statistics) in zip(scores, hypotheses, strict=True):
            probability = exp(score) / total
            entropy -= probability * log(probability)
            sums = sums or [0.0] * len(statistics)
            sums = [old + probability * new for old, new in zip(sums, statistics, strict=True)]
    return sums, entropy / len(sentences)
