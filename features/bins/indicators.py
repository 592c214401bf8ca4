"""The features that bins fire: their own, or those of windows of neighboring bins."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.ragged import span_entries
from isogloss.align.arrays.sparse_rows import Ragged

from ..space import bin_feature_name
from .specs import BinSpec

__all__ = ["Indicators", "indicators_of"]


@dataclass(frozen=True)
class Indicators:
    """Features of one kind: plain bins, or windows of one width.

    lower, upper: int64[num_bins], first and last feature that a value of a bin fires
    """

    names: tuple[str, ...]
    lower: NDArray[np.int64]
    upper: NDArray[np.int64]

    def rows(self, bins: NDArray[np.int64]) -> Ragged:
        """The features of rules whose scores are in the given bins: one row each.

        bins: int64[num_rules]
        """
        ids, offsets = span_entries(self.lower[bins], (self.upper - self.lower + 1)[bins])
        return Ragged(ids.astype(np.int32), np.ones(len(ids), np.float32), offsets)

    def means(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The mean value of the bins that fire each feature: float64[num_names].

        values: float64[num_bins]
        """
        numbers = np.arange(len(self.names))
        first = np.searchsorted(self.upper, numbers)
        behind = np.searchsorted(self.lower, numbers, side="right")
        bounds = np.column_stack([first, behind]).reshape(-1)
        sums = np.add.reduceat(np.append(values, 0.0), bounds)[::2]
        return np.asarray(sums / (behind - first))


def indicators_of(spec: BinSpec, num_bins: int) -> Iterator[Indicators]:
    """Features of a score; where each window would hold all bins, the bins themselves."""
    numbers = np.arange(num_bins)
    overlaps = [overlap for overlap in spec.overlaps if overlap < max(num_bins - 1, 1)]
    extend = spec.extend if spec.extend < num_bins - 1 else 0
    if extend:
        yield Indicators(
            tuple(bin_feature_name(spec.name, k, num_bins, extend=extend) for k in range(num_bins)),
            np.maximum(numbers - extend, 0),
            np.minimum(numbers + extend, num_bins - 1),
        )
        return
    for overlap in overlaps or [0]:
        count = num_bins - overlap
        yield Indicators(
            tuple(bin_feature_name(spec.name, k, num_bins, overlap=overlap) for k in range(count)),
            np.maximum(numbers - overlap, 0),
            np.minimum(numbers, count - 1),
        )
