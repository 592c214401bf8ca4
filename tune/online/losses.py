"""Losses of online optimizers: what a mini-batch says about the weights of its features."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.ragged import per_entry, select_rows
from isogloss.align.arrays.sparse_rows import Ragged

from ..kernels.differences import row_differences, sentence_counts
from ..kernels.rows import Rows
from ..nbest.hypothesis_pairs import sample_pairs
from .kernels import losses as kernels
from .options import PAIRWISE, OnlineOptions

__all__ = ["Differences", "Gradient"]

_PAIRWISE = {
    "logistic": kernels.LOGISTIC,
    "hinge": kernels.HINGE,
    "pairwise-perceptron": kernels.PERCEPTRON,
}
_HOPE_FEAR = {
    "perceptron": kernels.ORACLE,
    "ramp": kernels.RAMP,
}


@dataclass(frozen=True)
class Gradient:
    """Gradient of the loss of a mini-batch.

    ids: int32[c], the features it speaks of; slopes: float64[c]
    counts: int64[c], sentences of the mini-batch that have the feature
    """

    ids: NDArray[np.int32]
    slopes: NDArray[np.float64]
    counts: NDArray[np.int64]
    loss: float


@dataclass(frozen=True)
class Differences:
    """What a mini-batch shows, whatever the weights: D_t of Algorithm 1 (Green et al. 2013).

    Each row is a difference of two feature vectors: for losses of pairs, the better minus the worse
    one of a pair; for losses of lists, a hypothesis minus the first one of its sentence.

    ids: int32[c], the features in which any of them differ, one per column
    columns: int32[e], values: float64[e], offsets: int64[n + 1], the rows
    bounds: int64[num_sentences + 1], rows of each sentence
    gains: float64[n], sentence metric of the hypotheses; empty for losses of pairs
    """

    ids: NDArray[np.int32]
    columns: NDArray[np.int32]
    values: NDArray[np.float64]
    offsets: NDArray[np.int64]
    bounds: NDArray[np.int64]
    gains: NDArray[np.float64]

    @classmethod
    def draw(
        cls,
        rows: Ragged,
        gains: NDArray[np.float64],
        sentence_offsets: NDArray[np.int64],
        sentences: NDArray[np.int64],
        num_features: int,
        options: OnlineOptions,
        key: int,
    ) -> "Differences":
        """The differences of some sentences; reads no other rows, which may be memory-mapped.

        rows, gains float64[num_hypotheses], sentence_offsets int64[num_sentences + 1]: all
        hypotheses; sentences: int64[s]; key: of the random numbers, see :func:`sample_pairs`
        """
        if options.loss in PAIRWISE:
            pairs, bounds = sample_pairs(
                gains,
                sentence_offsets,
                sentences,
                key,
                gamma=options.gamma,
                kept=options.pairs,
                threshold=options.threshold,
            )
            shown = np.zeros(0)
        else:
            pairs, bounds = _against_first(sentence_offsets, sentences)
            shown = gains[pairs[:, 0]]
        ids, columns, values, offsets = row_differences(
            np.asarray(rows.ids), np.asarray(rows.values), np.asarray(rows.offsets), pairs,
            num_features,
        )  # fmt: skip
        return cls(ids, columns, values, offsets, bounds, shown)

    def gradient(self, weights: NDArray[np.float64], options: OnlineOptions) -> Gradient:
        """Loss and gradient. weights: float64[c], of the features of the columns."""
        slopes = np.zeros(len(self.ids))
        rows = Rows(self.columns, self.values, self.offsets)
        lists = rows, self.bounds, self.gains, weights
        if options.loss in _PAIRWISE:
            kind = _PAIRWISE[options.loss]
            loss = kernels.pairwise_loss(rows, weights, kind, slopes)
        elif options.loss in _HOPE_FEAR:
            kind = _HOPE_FEAR[options.loss]
            loss = kernels.hope_fear_loss(*lists, kind, options.gain_scale, slopes)
        else:
            loss = kernels.expected_loss(*lists, options.score_scale, slopes)
        counts = np.zeros(0, np.int64)
        if options.min_feature_count > 1:
            counts = sentence_counts(self.columns, self.offsets, self.bounds, len(self.ids))
        return Gradient(self.ids, slopes, counts, loss)


def _against_first(
    sentence_offsets: NDArray[np.int64], sentences: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Each hypothesis of some sentences with the first one of its sentence: int64[n, 2]."""
    hypotheses, bounds = select_rows(sentence_offsets, sentences)
    firsts = per_entry(sentence_offsets[sentences], bounds)
    return np.stack([hypotheses, firsts], axis=1), bounds
