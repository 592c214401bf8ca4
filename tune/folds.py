"""Folds of sentences: what is learned from, what chooses the weights, what judges the gain."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.equality import ComparedByContent
from isogloss.align.errors import OptionError, UsageError, pluralize

__all__ = ["MINIMUM_FOLDS", "USUAL_FOLDS", "Split", "check_folds", "split_sentences"]

MINIMUM_FOLDS = 3  # one to judge by, one to choose by, one to learn from
USUAL_FOLDS = 5


@dataclass(frozen=True, eq=False)
class Split(ComparedByContent):
    """Parts of the sentences 0..n-1 that have no sentence in common.

    train: int64[t], to learn from
    choose: int64[c], to choose the best epoch by; may be empty
    test: int64[j], to judge the gain by, which is done once; may be empty
    """

    train: NDArray[np.int64]
    choose: NDArray[np.int64]
    test: NDArray[np.int64]


def check_folds(folds: int) -> None:
    """Raises UsageError for fewer than three folds, but for none."""
    if folds and folds < MINIMUM_FOLDS:
        raise OptionError("folds", f"0 (none) or at least {MINIMUM_FOLDS}", folds)


def split_sentences(num_sentences: int, folds: int, fold: int | None, seed: int) -> Split:
    """The split of one fold, or, with None, the split that the weights to keep are learned with.

    Sentences are dealt at random to ``folds`` folds of nearly equal size, the same ones for every
    fold and run of a seed. Fold k is tested with what the folds but k and its follower taught and
    the follower chose, so that nothing is chosen by what it is judged by. For the weights to keep,
    the first fold chooses and all others teach; without folds all teach and none chooses.

    Raises UsageError for fewer than three folds, or fewer sentences than folds.
    """
    everything, nothing = np.arange(num_sentences), np.zeros(0, np.int64)
    if folds == 0:
        return Split(everything, nothing, nothing)
    check_folds(folds)
    if num_sentences < folds:
        raise UsageError(
            f"{pluralize(num_sentences, 'sentence')} cannot be divided into {folds} folds; pass "
            "more sentences or fewer folds"
        )
    fold_of = np.random.default_rng([seed, folds]).permutation(everything) % folds
    choosing = 0 if fold is None else (fold + 1) % folds
    tested = fold_of == (-1 if fold is None else fold)
    chosen = fold_of == choosing
    return Split(np.flatnonzero(~(tested | chosen)), np.flatnonzero(chosen), np.flatnonzero(tested))
