"""Learning what links are: cross-fitted, so that no sentence is judged by what it has taught."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...errors import DataError, pluralize
from .candidates import Candidates
from .classifier import LinkClassifier
from .thresholds import Aim, JudgedCells, error_rate, logistic_map, reliability
from .trees import Trees, chances_of, learn_trees, load_lightgbm

__all__ = ["FEWEST", "GoldCells", "check_enough", "learn_classifier"]

FEWEST = 10  # sentences with gold links that anything is learned from
_FOLDS = 5
_SIZES = (20, 50, 100, 200, 500, 1000)  # sentences of the learning curve


class GoldCells(NamedTuple):
    """What gold links, and the model itself, say of candidates.

    kind: int8[n], 0 = no link, 1 = sure, 2 = possible, which nothing is learned from
    sure: int64[num_pairs], sure links of each pair, those that are no candidates, too
    before: float32[n], probability that the model gives them; aer: of the links it chooses
    """

    kind: NDArray[np.int8]
    sure: NDArray[np.int64]
    before: NDArray[np.float32]
    aer: float


def learn_classifier(
    candidates: Candidates,
    gold: GoldCells,
    words: tuple[NDArray[np.float32], NDArray[np.float32]],
    aim: Aim,
) -> LinkClassifier:
    """Learn from sentence pairs with gold links.

    words: float32[num_words + 1, 3] for each side, features of the model's words
    aim: that the threshold is best for

    Raises UsageError without LightGBM, and DataError for fewer than FEWEST pairs with links, for
    links that teach nothing, and for a precision that no links have.
    """
    check_enough(gold.sure)
    num_pairs = candidates.sizes.shape[1]
    learned = _learned(candidates, gold, np.arange(num_pairs), aim)
    sizes = (size for size in _SIZES if size < num_pairs * (_FOLDS - 1) // _FOLDS)
    curve = tuple((size, _error_from(candidates, gold, size, aim)) for size in sizes)
    right = gold.kind > 0
    return LinkClassifier(
        learned.first, learned.second, learned.threshold, *words, num_pairs, gold.aer, learned.aer,
        curve, reliability(gold.before, right), reliability(learned.chances, right),
    )  # fmt: skip


def check_enough(sure: NDArray[np.int64], file: str | Path | None = None) -> None:
    """Raise DataError for gold links of fewer than FEWEST pairs, and UsageError without LightGBM.

    sure: int64[num_pairs], sure links of each pair
    """
    number = int(np.count_nonzero(sure))
    if number < FEWEST:
        raise DataError(
            f"{pluralize(number, 'sentence pair', 'has')} sure gold links", f"at least {FEWEST}",
            file=file,
            remedy="Link more sentences by hand, such as with `isogloss view --edit`",
        )  # fmt: skip
    load_lightgbm()


class _Learned(NamedTuple):
    """Trees of both passes, and what they say of the pairs they learned from, cross-fitted."""

    first: Trees
    second: Trees
    threshold: float
    chances: NDArray[np.float32]  # of candidates of these pairs, 0 of others
    aer: float  # of links from the threshold on


def _learned(
    candidates: Candidates, gold: GoldCells, pairs: NDArray[np.int64], aim: Aim
) -> _Learned:
    """What some pairs teach. pairs: int64[m]"""
    first, odds = _fitted(candidates.features, candidates, gold, pairs)
    features = candidates.with_choice(chances_of(odds))
    second, odds = _fitted(features, candidates, gold, pairs)
    inside = np.isin(candidates.places[:, 1], pairs)
    slope, offset = logistic_map(odds[inside], gold.kind[inside] > 0)
    if slope <= 0.0:
        raise DataError(
            "what most of the gold links teach doesn't hold for the others",
            remedy="Check that they are links of these sentence pairs, line by line",
        )
    odds = np.where(inside, slope * odds + offset, -np.inf)
    judged = JudgedCells(odds[inside], gold.kind[inside], int(gold.sure[pairs].sum()))
    least = judged.threshold(aim)
    threshold = float(chances_of(np.array([least]))[0])
    second = second.mapped(slope, offset)
    return _Learned(first, second, threshold, chances_of(odds), judged.error(least))


def _fitted(
    features: NDArray[np.float32],
    candidates: Candidates,
    gold: GoldCells,
    pairs: NDArray[np.int64],
) -> tuple[Trees, NDArray[np.float64]]:
    """Trees learned from some pairs, and log odds of their cells by trees of the other folds."""
    fold = np.full(candidates.sizes.shape[1], -1)
    fold[pairs] = np.arange(len(pairs)) % _FOLDS
    own = fold[candidates.places[:, 1]]
    odds = np.zeros(len(own))
    certain = gold.kind != 2
    for number in range(_FOLDS):
        learned, judged = (own >= 0) & (own != number) & certain, own == number
        trees = learn_trees(features[learned], gold.kind[learned] == 1)
        odds[judged] = trees.odds(features[judged])
    learned = (own >= 0) & certain
    return learn_trees(features[learned], gold.kind[learned] == 1), odds


def _error_from(candidates: Candidates, gold: GoldCells, size: int, aim: Aim) -> float:
    """The AER of all pairs by classifiers that learned from so many others each."""
    num_pairs = candidates.sizes.shape[1]
    chosen = np.zeros(len(gold.kind), np.bool_)
    folds = 2 if 2 * size <= num_pairs else _FOLDS  # as few as leave enough to learn from
    for number in range(folds):
        judged = np.arange(number, num_pairs, folds)
        others = np.setdiff1d(np.arange(num_pairs), judged)
        pairs = others[np.linspace(0, len(others) - 1, size).astype(np.int64)]
        learned = _learned(candidates, gold, pairs, aim)
        features = candidates.with_choice(learned.first.chances(candidates.features))
        inside = candidates.places[:, 1] % folds == number
        chosen[inside] = learned.second.chances(features[inside]) >= learned.threshold
    return error_rate(gold.kind[chosen], int(gold.sure.sum()))
