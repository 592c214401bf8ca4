"""Learning what links are: cross-fitted, so that no sentence is judged by what it has taught."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...errors import DataError, pluralize
from .candidates import Candidates
from .classifier import LinkClassifier
from .learning_curve import JudgedSentences, learning_curve
from .thresholds import Aim, JudgedCells, logistic_map, reliability
from .trees import Trees, chances_of, learn_trees, load_lightgbm

__all__ = ["FEWEST", "GoldCells", "check_enough", "learn_classifier"]

FEWEST = 10  # sentences with gold links that anything is learned from
_FOLDS = 5
_SIZES = (10, 20, 50, 100, 200, 500, 1000)  # sentences of the learning curve


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
    most = num_pairs * (_FOLDS - 1) / _FOLDS
    sizes = [size for size in _SIZES if size < 0.9 * most]
    sizes = sizes[1:] if len(sizes) > 1 else sizes  # too few to learn much from
    judged = [*_from_fewer(candidates, gold, sizes, aim)]
    judged.append(JudgedSentences(most, _counts(candidates, gold, learned.chosen)))
    right = gold.kind > 0
    return LinkClassifier(
        learned.first, learned.second, learned.threshold, *words, gold.aer,
        learning_curve(judged, num_pairs), reliability(gold.before, right),
        reliability(learned.chances, right),
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

    @property
    def chosen(self) -> NDArray[np.bool_]:
        """Whether candidates are links: bool[n]."""
        return self.chances >= np.float32(self.threshold)


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
    threshold = float(chances_of(np.array([judged.threshold(aim)]))[0])
    second = second.mapped(slope, offset)
    return _Learned(first, second, threshold, chances_of(odds))


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


def _from_fewer(
    candidates: Candidates, gold: GoldCells, sizes: Sequence[int], aim: Aim
) -> Iterator[JudgedSentences]:
    """All pairs, judged by what some numbers of others teach; those that teach nothing are not."""
    # sizes: these numbers
    num_pairs = candidates.sizes.shape[1]
    for size in sizes:
        folds = 2 if 2 * size <= num_pairs else _FOLDS  # as few as leave enough to learn from
        chosen = np.zeros(len(gold.kind), np.bool_)
        try:
            for number in range(folds):
                others = np.setdiff1d(np.arange(num_pairs), np.arange(number, num_pairs, folds))
                pairs = others[np.linspace(0, len(others) - 1, size).astype(np.int64)]
                learned = _learned(candidates, gold, pairs, aim)
                inside = candidates.places[:, 1] % folds == number
                features = candidates.with_choice(learned.first.chances(candidates.features))
                chances = learned.second.chances(features[inside])
                chosen[inside] = chances >= np.float32(learned.threshold)
        except DataError:
            continue
        yield JudgedSentences(size, _counts(candidates, gold, chosen))


def _counts(
    candidates: Candidates, gold: GoldCells, chosen: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Counts of chosen candidates, as JudgedSentences has them. chosen: bool[n]"""
    pair, kind = candidates.places[chosen, 1], gold.kind[chosen]
    counts = [
        np.bincount(pair[held], minlength=len(gold.sure))
        for held in (kind >= 0, kind > 0, kind == 1)
    ]
    return np.stack([counts[0], counts[1] + counts[2], gold.sure], axis=1).astype(np.int64)
