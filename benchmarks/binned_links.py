"""Link classifiers of bins and crosses, learned by AdaGrad with L1, to compare with trees.

Each feature gets bins of the same population; a cross has an indicator for each pair of bins. The
learner is regularized dual averaging with AdaGrad's step sizes (Duchi, Hazan and Singer 2011).
"""

from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import Any, Self

import numpy as np
from numba import njit

from isogloss.align.links.classifier.candidates import FIRST
from isogloss.align.links.classifier.trees import chances_of
from isogloss.features.bins.uniform import uniform_population_bins

_EPOCHS = 20
_POSTERIORS = (2, 3, 6, 7, 8, 9)  # mean, product, margins and best others of row and column
_CONTEXT = (10, 11, 17, 18, 19, 20, 21, 22, 25, 28, 31, 30, 33, 36)  # sums, neighbors, words
_CHOICE = (0, 1, 2, 3, 6, 7, 10, 11, 12, 14)  # of the second pass

# crosses: rate, L1 of each row, bits of bins, and of those in crosses
CROSSES = {
    "none": (0.05, 2e-4, 3, 2), "posteriors": (0.02, 1e-3, 4, 3), "all": (0.01, 5e-4, 4, 3),
}  # fmt: skip


@dataclass(frozen=True)
class BinnedLinks:
    """Indicators of bins and of pairs of bins, whose weights add up to log odds.

    bins: of each feature; coarse: fewer of each, for crosses
    crosses: pairs of features; begins: first indicator of each feature and cross
    """

    bins: tuple[Any, ...]
    coarse: tuple[Any, ...]
    crosses: tuple[tuple[int, int], ...]
    begins: np.ndarray
    weights: np.ndarray
    scale: tuple[float, float] = (1.0, 0.0)

    def check(self, num_features: int) -> None:
        """Raise ValueError for another number of features."""
        if len(self.bins) != num_features:
            raise ValueError("the bins are of other features")

    def mapped(self, slope: float, offset: float) -> Self:
        """The classifier whose log odds are those of this one times a slope, and an offset."""
        old_slope, old_offset = self.scale
        return replace(self, scale=(slope * old_slope, slope * old_offset + offset))

    def odds(self, features: np.ndarray) -> np.ndarray:
        """The log odds of links: float64[n]."""
        slope, offset = self.scale
        found = self.weights[_indicators(self, features)].sum(axis=1) + self.weights[-1]
        return slope * found + offset

    def chances(self, features: np.ndarray) -> np.ndarray:
        """The probabilities of links: float32[n]."""
        return chances_of(self.odds(features))


def binned_learner(crosses: str) -> Any:
    """A learner to use in place of ``learn_trees``. crosses: one of CROSSES"""
    rate, l1, bits, coarse_bits = CROSSES[crosses]

    def learn(features: np.ndarray, is_link: np.ndarray) -> BinnedLinks:
        columns = range(features.shape[1])
        fine, coarse = (
            tuple(uniform_population_bins(features[:, column], number) for column in columns)
            for number in (bits, coarse_bits)
        )
        pairs = tuple(_crosses(crosses, features.shape[1]))
        sizes = [len(each) for each in fine]
        sizes += [len(coarse[one]) * len(coarse[other]) for one, other in pairs]
        begins = np.cumsum([0, *sizes])
        empty = BinnedLinks(fine, coarse, pairs, begins, np.zeros(begins[-1] + 1))
        order = np.random.default_rng(1)
        rows = np.concatenate([order.permutation(len(features)) for _ in range(_EPOCHS)])
        weights = _learn(_indicators(empty, features), is_link, rows, begins[-1], rate, l1)
        return replace(empty, weights=weights)

    return learn


def _crosses(name: str, num_features: int) -> list[tuple[int, int]]:
    """The pairs of features of a set of crosses."""
    if name == "none":
        return []
    if name == "all":
        return list(combinations(range(num_features), 2))
    choice = [FIRST + number for number in _CHOICE] if num_features > FIRST else []
    strong = [*_POSTERIORS, *choice[:3]]
    weak = [*_CONTEXT, *choice[3:]]
    return [*combinations(strong, 2), *product(strong, weak)]


def _indicators(links: BinnedLinks, features: np.ndarray) -> np.ndarray:
    """The indicators that are 1: int32[n, number of features and crosses]."""
    fine, coarse = (
        [each.assign(features[:, column].astype(np.float64)) for column, each in enumerate(bins)]
        for bins in (links.bins, links.coarse)
    )
    columns = [*fine]
    for one, other in links.crosses:
        columns.append(coarse[one] * len(links.coarse[other]) + coarse[other])
    return np.stack(columns, axis=1).astype(np.int32) + links.begins[:-1].astype(np.int32)


@njit(cache=False)
def _learn(indicators, is_link, rows, size, rate, l1):  # type: ignore[no-untyped-def]
    """Weights of indicators, and of the constant: float64[size + 1]."""
    total = np.zeros(size + 1)
    squares = np.full(size + 1, 1e-8)
    weights = np.zeros(size + 1)
    for step in range(len(rows)):
        row = rows[step]
        odds = weights[size]
        for number in indicators[row]:
            weight = abs(total[number]) - l1 * step
            weights[number] = 0.0
            if weight > 0.0:
                weights[number] = -np.sign(total[number]) * rate * weight / squares[number] ** 0.5
            odds += weights[number]
        slope = 1.0 / (1.0 + np.exp(-odds)) - is_link[row]
        for number in indicators[row]:
            total[number] += slope
            squares[number] += slope * slope
        total[size] += slope
        squares[size] += slope * slope
        weights[size] = -rate * total[size] / squares[size] ** 0.5
    for number in range(size):
        weight = abs(total[number]) - l1 * len(rows)
        weights[number] = 0.0
        if weight > 0.0:
            weights[number] = -np.sign(total[number]) * rate * weight / squares[number] ** 0.5
    return weights
