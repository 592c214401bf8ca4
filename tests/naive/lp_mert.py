"""LP-MERT by all combinations, each with the whole linear program (Galley & Quirk 2011, eq. 4)."""

from dataclasses import replace
from itertools import product

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.features.space import FeatureSpace
from isogloss.tune.examples import Examples
from isogloss.tune.metrics.column import Column
from isogloss.tune.metrics.error_rates import Cer, Ter, Wer


def examples_of(lists: list[list[list[float]]], gains: list[list[float]] | None = None) -> Examples:
    """Sentences of hypotheses with the given feature vectors; the metric is the mean gain."""
    flat = [vector for vectors in lists for vector in vectors]
    offsets = np.cumsum([0, *(len(vectors) for vectors in lists)])
    value = np.arange(len(flat)) / 10 if gains is None else np.concatenate(gains)
    return Examples(
        np.arange(len(lists)),
        offsets,
        Ragged.from_rows([list(enumerate(vector)) for vector in flat]),
        FeatureSpace([f"f{k}" for k in range(len(flat[0]))]),
        np.column_stack([value, np.ones(len(flat))]),
        Column("gain"),
    )


def edit_examples(
    lists: list[list[list[float]]],
    edits: list[list[int]],
    words: list[int],
    metric: Ter | Wer | Cer,
) -> Examples:
    """Hypotheses with so many edits of so many words of the sentence's reference."""
    lengths = np.repeat(words, [len(own) for own in edits])
    statistics = np.column_stack([np.concatenate(edits), lengths]).astype(float)
    return replace(examples_of(lists), statistics=statistics, metric=metric)


def margin(differences: NDArray[np.float64]) -> float:
    """max t subject to differences . w >= t, -1 <= w <= 1; infinity without differences."""
    if not len(differences):
        return np.inf
    dimensions = differences.shape[1]
    constraints = np.hstack([-differences, np.ones((len(differences), 1))])
    cost = np.append(np.zeros(dimensions), -1.0)
    bounds = [(-1.0, 1.0)] * dimensions + [(None, None)]
    solution = linprog(cost, A_ub=constraints, b_ub=np.zeros(len(differences)), bounds=bounds)
    return float(-solution.fun)


def achievable(lists: list[NDArray[np.float64]], chosen: tuple[int, ...]) -> bool:
    """Whether weights choose these hypotheses: the first of equal vectors, above all others."""
    differences = []
    for vectors, vector in zip(lists, chosen, strict=True):
        for other in range(len(vectors)):
            if not np.array_equal(vectors[other], vectors[vector]):
                differences.append(vectors[vector] - vectors[other])
            elif other < vector:
                return False
    return margin(np.array(differences)) > 1e-7


def best_loss(
    lists: list[NDArray[np.float64]], losses: list[list[float]]
) -> tuple[float, set[tuple[int, ...]]]:
    """Least sum of losses that linear models reach, and all combinations that have it."""
    least, winners = np.inf, set()
    for chosen in product(*(range(len(vectors)) for vectors in lists)):
        loss = sum(losses_of_list[k] for losses_of_list, k in zip(losses, chosen, strict=True))
        if loss <= least + 1e-12 and achievable(lists, chosen):
            winners = {chosen} if loss < least - 1e-12 else winners | {chosen}
            least = min(least, loss)
    return least, winners
