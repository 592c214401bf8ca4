"""What a learner may ask of a sentence, whether it has an n-best list or a forest."""

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.ragged import (
    distinct_sums,
    joined_offsets,
    offsets_of,
    per_entry,
    row_numbers,
)
from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.features.space import FeatureSpace

from ...kernels.rows import Rows
from ...metrics.protocol import Metric

__all__ = ["Example", "ExampleSource", "Expected", "Hypotheses"]


@dataclass(frozen=True)
class Hypotheses:
    """Translations that a sentence's example has found, n of them.

    rows: features of each: int32 ids, increasing, each once; float64 values
    statistics: float64[n, K], those of the metric, measured on the text, never apportioned
    """

    rows: Rows
    statistics: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.statistics)

    @classmethod
    def of(cls, features: Ragged, statistics: NDArray[np.float64]) -> "Hypotheses":
        """With entries of one feature added up.

        features: a row for each of n hypotheses; statistics: float64[n, K]
        """
        row = row_numbers(features.offsets)
        keys = row << 32 | features.ids
        entries, values = distinct_sums(keys, features.values.astype(np.float64))
        counts = np.bincount(entries >> 32, minlength=len(features))
        ids = (entries & 0xFFFFFFFF).astype(np.int32)
        return cls(Rows(ids, values, offsets_of(counts)), statistics)

    def scores(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Model scores: float64[n]. weights: float64[num_features]"""
        ids, values, offsets = self.rows
        products = np.append(weights[ids] * values, 0.0)
        return np.where(np.diff(offsets) > 0, np.add.reduceat(products, offsets[:-1]), 0.0)

    def single(self, number: int) -> "Hypotheses":
        """One of them."""
        begin, end = self.rows.offsets[number : number + 2].tolist()
        rows = Rows(
            self.rows.ids[begin:end], self.rows.values[begin:end], np.array([0, end - begin])
        )
        return Hypotheses(rows, self.statistics[number : number + 1])

    def and_then(self, others: "Hypotheses") -> "Hypotheses":
        """These, then others."""
        return Hypotheses(
            Rows(
                np.concatenate([self.rows.ids, others.rows.ids]),
                np.concatenate([self.rows.values, others.rows.values]),
                joined_offsets([self.rows.offsets, others.rows.offsets]),
            ),
            np.concatenate([self.statistics, others.statistics]),
        )


ROUNDING = 1e-13  # of a number in sums of products, as a share of what it is made of


class Expected(NamedTuple):
    """An expected gain and its gradient.

    gain: of the derivations, as likely as exp(score / temperature)
    ids: int32[k], features that have a slope, increasing, each once; slopes: float64[k]
    """

    gain: float
    ids: NDArray[np.int32]
    slopes: NDArray[np.float64]

    @classmethod
    def of(
        cls,
        gain: float,
        features: Ragged,
        worth: NDArray[np.float64],
        sizes: NDArray[np.float64],
    ) -> "Expected":
        """From the derivatives by the scores of what has the features.

        A slope that is nothing but rounding, as that of a feature that all derivations share, is
        left out: AdaGrad would make a whole step of it.

        features: a row each; worth: float64[n], the derivatives
        sizes: float64[n], of the numbers whose sums and differences the derivatives are
        """
        ids = features.ids.astype(np.int64)
        slopes = per_entry(worth, features.offsets) * features.values
        most = per_entry(sizes, features.offsets) * np.abs(features.values)
        distinct, sums = distinct_sums(ids, slopes)
        rounding = ROUNDING * distinct_sums(ids, most)[1]
        real = ~(np.abs(sums) <= rounding)  # what is no number stays, and is told
        return cls(gain, distinct[real].astype(np.int32), sums[real])


class Example(Protocol):
    """A sentence with all that is known of its translations.

    Weights are over the source's space; a document has the metric's statistics of an oracle
    document, in which a gain is what a translation does for the document.
    """

    def best(self, weights: NDArray[np.float64]) -> Hypotheses:
        """The one with the best score. weights: float64[num_features]"""
        ...

    def n_best(self, weights: NDArray[np.float64], size: int) -> Hypotheses:
        """At most so many with the best scores, best first; of forests, texts that differ.

        weights: float64[num_features]
        """
        ...

    def hope(
        self, weights: NDArray[np.float64], document: NDArray[np.float64], mu: float = -1.0
    ) -> Hypotheses:
        """The one that model and metric like: the most of score - mu gain (Chiang 2012, eq. 12).

        weights: float64[num_features]; document: float64[K]; mu: below 0
        """
        ...

    def fear(self, weights: NDArray[np.float64], document: NDArray[np.float64]) -> Hypotheses:
        """The one that the model likes and the metric does not: the most of score - gain.

        weights: float64[num_features]; document: float64[K]
        """
        ...

    def expectation(
        self, weights: NDArray[np.float64], document: NDArray[np.float64], temperature: float
    ) -> Expected:
        """The expected gain and its gradient by the weights (Chiang 2012, eq. 22).

        weights: float64[num_features]; document: float64[K]; temperature: above 0
        """
        ...

    def secant(
        self,
        weights: NDArray[np.float64],
        document: NDArray[np.float64],
        temperature: float,
        mu: float,
    ) -> Expected:
        """What leads from fear to hope, which is `expectation` where mu -> 0 (Chiang 2012, A.2).

        Slopes are (E[h] where the model likes gains - E[h] where it does not) / 2 mu, the models
        being P(d) ~ exp((w h(d) +- mu gain) / T). They are the gradient of what stands as the gain,
        T / 2 mu times the log of the ratio of these models' sums.

        weights: float64[num_features]; document: float64[K]; temperature, mu: above 0
        """
        ...

    def envelope(
        self, weights: NDArray[np.float64], direction: NDArray[np.float64]
    ) -> tuple[Hypotheses, NDArray[np.float64]]:
        """Those that are best for some x, of weights + x direction, by rising x (Och 2003).

        weights, direction: float64[num_features]
        Returns float64[n - 1], too, the x at which each gives way to the next: finite, rising.
        """
        ...


class ExampleSource(Protocol):
    """Sentences to learn from: lists or forests that are there, or a decoder that makes them."""

    @property
    def space(self) -> FeatureSpace:
        """The features."""
        ...

    @property
    def metric(self) -> Metric:
        """What gains are of."""
        ...

    def __len__(self) -> int: ...

    def example(self, number: int, weights: NDArray[np.float64]) -> Example:
        """What is known of a sentence. weights: float64[num_features], of a search, if need be"""
        ...

    def score(self, weights: NDArray[np.float64]) -> float:
        """Metric of the best translations of all sentences, in the reported unit.

        weights: float64[num_features]
        """
        ...
