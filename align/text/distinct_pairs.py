"""How many different pairs of word types meet in a text, estimated in one pass.

The number decides the size of the aligner's tables
(``isogloss.align.model.cooccurrence.PairIndex``), and counting it would take most of the memory
that they do. Instead the pairs whose hash ends in k zero bits are collected, k growing as they
become many: 2^k times their number is an unbiased estimate (distinct sampling, Gibbons 2001,
"Distinct sampling for highly-accurate answers").
"""

import numpy as np
from numpy.typing import NDArray

from ..arrays.ragged import offsets_of, run_starts
from .kernels.sampling import sample_cells

__all__ = ["DistinctPairs"]

_SAMPLE = 1 << 16  # pairs kept; the standard error is below 1 / sqrt(_SAMPLE / 2), 0.6 %
_ODD = np.uint64(1)
_CAPACITY = 1 << 18  # cells between two clean-ups


class DistinctPairs:
    """A running estimate of how many different pairs of types meet."""

    def __init__(self) -> None:
        self._bits = 0
        self._sample = np.empty(0, np.uint64)

    def __len__(self) -> int:
        """The estimate; exact up to 65,536 pairs."""
        return len(self._sample) << self._bits

    def add(
        self,
        source: NDArray[np.int32],
        source_lengths: NDArray[np.int32],
        target: NDArray[np.int32],
        target_lengths: NDArray[np.int32],
    ) -> None:
        """Count the pairs of more sentences.

        source, target: int32[num_tokens], type ids
        source_lengths, target_lengths: int32[num_pairs], tokens per sentence
        """
        offsets = [offsets_of(lengths) for lengths in (source_lengths, target_lengths)]
        # even and odd: the sides have different hashes for one id
        hashes = _mix(2 * source.astype(np.uint64)), _mix(2 * target.astype(np.uint64) + _ODD)
        hits = np.empty(_CAPACITY, np.uint64)
        pair = 0
        while pair < len(source_lengths):
            mask = np.uint64((1 << self._bits) - 1)
            following, size = sample_cells(
                hashes[0], offsets[0], hashes[1], offsets[1], pair, mask, hits
            )
            if following == pair:  # this sentence pair alone has too many
                self._thin()
            self._sample = _distinct(np.concatenate((self._sample, hits[:size])))
            while len(self._sample) > _SAMPLE:
                self._thin()
            pair = following

    def _thin(self) -> None:
        self._bits += 1
        mask = np.uint64((1 << self._bits) - 1)
        self._sample = self._sample[self._sample & mask == 0]


def _distinct(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    values = np.sort(values)
    return values[run_starts(values)]


def _mix(value: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Spread ids over 64 bits (the finalizer of splitmix64); products wrap."""
    value = (value + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return value ^ (value >> np.uint64(31))
