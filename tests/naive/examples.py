"""Tuning examples made up for tests, and a metric whose corpus score is a mean."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.features.space import FeatureSpace
from isogloss.tune.examples import Examples
from isogloss.tune.metrics.protocol import Metric
from isogloss.tune.nbest.types import NBest
from isogloss.tune.references import References


@dataclass(frozen=True)
class Mean:
    """Mean of a number, times 100; two statistics: the number and 1."""

    name: str = "mean"
    sign: int = 1
    num_statistics: int = 2

    def statistics(
        self, lists: NBest, references: References | None, *, threads: int = 1
    ) -> NDArray[np.float64]:
        raise NotImplementedError

    def score(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(100.0 * sums[..., 0] / sums[..., 1])

    def gains(self, statistics: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(self.sign * statistics[:, 0])

    def gains_in(
        self, background: NDArray[np.float64], statistics: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        return self.gains(statistics)


def mean_examples(
    numbers: Sequence[Sequence[float]],
    features: Sequence[Sequence[Sequence[float]]],
    names: Sequence[str] | None = None,
    sign: int = 1,
) -> Examples:
    """numbers[s][h]: what is averaged; features[s][h]: dense feature vector."""
    rows = np.array([vector for own in features for vector in own], np.float32)
    values = np.array([number for own in numbers for number in own])
    num_features = rows.shape[1]
    return Examples(
        np.arange(len(numbers)),
        np.cumsum([0, *map(len, numbers)]).astype(np.int64),
        Ragged(
            np.tile(np.arange(num_features, dtype=np.int32), len(rows)),
            rows.ravel(),
            np.arange(len(rows) + 1) * num_features,
        ),
        FeatureSpace(names or [f"F{k}" for k in range(num_features)]),
        np.column_stack([values, np.ones(len(values))]),
        Mean(sign=sign),
    )


def random_examples(
    rng: np.random.Generator, num_sentences: int, num_hypotheses: int, num_features: int
) -> Examples:
    """Lists of up to so many hypotheses; numbers that go with the first feature, and noise."""
    sizes = rng.integers(1, num_hypotheses + 1, num_sentences).tolist()
    features = [rng.normal(size=(size, num_features)).round(3).tolist() for size in sizes]
    numbers = [[vector[0] + rng.normal() for vector in own] for own in features]
    return mean_examples(numbers, features)


def bleu_rows(rng: np.random.Generator, number: int) -> NDArray[np.float64]:
    """Statistics that hypotheses of 3 to 12 words may have."""
    length = rng.integers(3, 13, number)
    columns = []
    matches = rng.integers(0, length + 1)
    for order in range(4):
        total = np.maximum(length - order, 0)
        matches = np.minimum(rng.integers(0, matches + 1), total)
        columns += [matches, total]
    return np.stack([*columns, rng.integers(3, 13, number)], 1).astype(float)


def random_bleu_examples(
    seed: int, metric: Metric, space: FeatureSpace, sentences: int = 30
) -> Examples:
    """One to nine hypotheses for each sentence; a feature may stand twice in a row."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(1, 10, sentences)
    rows = [
        list(zip(rng.integers(0, 4, size).tolist(), rng.normal(size=size).tolist(), strict=True))
        for size in rng.integers(0, 6, counts.sum())
    ]
    statistics = bleu_rows(rng, counts.sum())
    offsets = np.append(0, np.cumsum(counts))
    return Examples(
        np.arange(sentences), offsets, Ragged.from_rows(rows), space, statistics, metric
    )


def not_finite(examples: Examples, where: str) -> Examples:
    """Infinite features, or else NaN as statistics. where: features or another word"""
    rows, statistics = examples.rows, examples.statistics
    if where == "features":
        rows = replace(rows, values=np.full_like(rows.values, np.inf))
    else:
        statistics = np.full_like(statistics, np.nan)
    return replace(examples, rows=rows, statistics=statistics)
