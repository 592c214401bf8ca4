"""Learning what links are: cross-fitted, so that no sentence is judged by what it has taught."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...errors import DataError, pluralize
from .candidates import Candidates
from .classifier import LinkClassifier
from .trees import Trees, learn_trees

__all__ = ["FEWEST", "GoldCells", "learn_classifier"]

FEWEST = 10  # sentences with gold links that anything is learned from
_FOLDS = 5
_SIZES = (20, 50, 100, 200, 500, 1000)  # sentences of the learning curve


class GoldCells(NamedTuple):
    """What gold links say of candidates.

    kind: int8[n], 0 = no link, 1 = sure, 2 = possible, which nothing is learned from
    sure: int64[num_pairs], sure links of each pair, those that are no candidates, too
    """

    kind: NDArray[np.int8]
    sure: NDArray[np.int64]


def learn_classifier(
    candidates: Candidates,
    gold: GoldCells,
    words: tuple[NDArray[np.float32], NDArray[np.float32]],
    before: float,
) -> LinkClassifier:
    """Learn from sentence pairs with gold links.

    words: float32[num_words + 1, 3] for each side, features of the model's words
    before: AER of the links that the model chooses itself

    Raises UsageError without LightGBM, and DataError for fewer than FEWEST pairs or links.
    """
    pairs = np.flatnonzero(gold.sure)
    if len(pairs) < FEWEST:
        raise DataError(
            f"{pluralize(len(pairs), 'sentence pair', 'has')} gold links",
            f"at least {FEWEST}",
            remedy="Link more sentences by hand, such as with `isogloss view --edit`",
        )
    num_pairs = candidates.sizes.shape[1]
    everything = np.arange(num_pairs)
    first, second, chances = _two_passes(candidates, gold, everything)
    threshold, after = _best_threshold(chances, gold, everything, candidates)
    sizes = (size for size in _SIZES if size < num_pairs * (_FOLDS - 1) // _FOLDS)
    curve = tuple((size, _error_from(candidates, gold, size)) for size in sizes)
    return LinkClassifier(first, second, threshold, *words, num_pairs, before, after, curve)


def _two_passes(
    candidates: Candidates, gold: GoldCells, pairs: NDArray[np.int64]
) -> tuple[Trees, Trees, NDArray[np.float32]]:
    """Trees of both passes, learned from some pairs, and cross-fitted chances of their cells."""
    first, chances = _fitted(candidates.features, candidates, gold, pairs)
    features = candidates.with_choice(chances)
    second, chances = _fitted(features, candidates, gold, pairs)
    return first, second, chances


def _fitted(
    features: NDArray[np.float32],
    candidates: Candidates,
    gold: GoldCells,
    pairs: NDArray[np.int64],
) -> tuple[Trees, NDArray[np.float32]]:
    """Trees learned from some pairs, and chances of their cells by trees of the other folds."""
    fold = np.full(candidates.sizes.shape[1], -1)
    fold[pairs] = np.arange(len(pairs)) % _FOLDS
    own = fold[candidates.places[:, 1]]
    chances = np.zeros(len(own), np.float32)
    certain = gold.kind != 2
    for number in range(_FOLDS):
        learned, judged = (own >= 0) & (own != number) & certain, own == number
        trees = learn_trees(features[learned], gold.kind[learned] == 1)
        chances[judged] = trees.chances(features[judged])
    learned = (own >= 0) & certain
    return learn_trees(features[learned], gold.kind[learned] == 1), chances


def _best_threshold(
    chances: NDArray[np.float32],
    gold: GoldCells,
    pairs: NDArray[np.int64],
    candidates: Candidates,
) -> tuple[float, float]:
    """The chance from which links have the lowest AER on some pairs, and that AER."""
    inside = np.isin(candidates.places[:, 1], pairs)
    values, kind = chances[inside], gold.kind[inside]
    order = np.argsort(-values, kind="stable")
    values, kind = values[order], kind[order]
    right = np.cumsum((kind == 1).astype(np.int64) + (kind > 0))
    error = 1.0 - right / (np.arange(1, len(values) + 1) + gold.sure[pairs].sum())
    error[:-1][values[1:] == values[:-1]] = np.inf  # equal chances are links together
    best = int(error.argmin())
    return float(values[best]), float(error[best])


def _error(chosen: NDArray[np.bool_], gold: GoldCells) -> float:
    """The AER of some candidates as links, 0 to 1."""
    kind = gold.kind[chosen]
    right = int((kind == 1).sum() + (kind > 0).sum())
    return 1.0 - right / float(len(kind) + gold.sure.sum())


def _error_from(candidates: Candidates, gold: GoldCells, size: int) -> float:
    """The AER of all pairs by classifiers that learned from so many others each."""
    num_pairs = candidates.sizes.shape[1]
    chosen = np.zeros(len(gold.kind), np.bool_)
    for number in range(_FOLDS):
        judged = np.arange(number, num_pairs, _FOLDS)
        others = np.setdiff1d(np.arange(num_pairs), judged)
        pairs = others[np.linspace(0, len(others) - 1, size).astype(np.int64)]
        first, second, chances = _two_passes(candidates, gold, pairs)
        threshold, _ = _best_threshold(chances, gold, pairs, candidates)
        features = candidates.with_choice(first.chances(candidates.features))
        inside = candidates.places[:, 1] % _FOLDS == number
        chosen[inside] = second.chances(features[inside]) >= threshold
    return _error(chosen, gold)
