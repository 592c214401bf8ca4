"""What is known of n-best lists when they have been read."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isogloss.align.text.string_array import Texts
from isogloss.features.space import FeatureSpace

from ..references import References

__all__ = ["ListFacts", "sentence_numbers"]


@dataclass(frozen=True)
class ListFacts:
    """What is known of lists when they have been read.

    records: int64[num_records], sentence of each record's id, by the number it had while reading
    sizes: bytes that it takes to bring the hypotheses of each sentence in order
    ids: int32[num_names], ids in ``space`` of the numbers that names had while reading
    columns: names of the columns; names, references, sources: as in NBest
    frames, score: as in `Originals`; no frames where records aren't kept
    """

    num_sentences: int
    records: NDArray[np.int64]
    sizes: dict[int, int]
    space: FeatureSpace
    ids: NDArray[np.int32]
    columns: tuple[str, ...]
    names: tuple[str, ...] | None
    references: References | None
    sources: Texts | None
    frames: Texts | None
    score: str

    def sentences(self, read: NDArray[np.int64]) -> NDArray[np.int64]:
        """Sentence of each hypothesis, int64[num_rows].

        read: int64[num_rows], what its block says
        """
        return sentence_numbers(read, self.records)


def sentence_numbers(read: NDArray[np.int64], records: NDArray[np.int64]) -> NDArray[np.int64]:
    """Sentence of each hypothesis, int64[num_rows].

    read: int64[num_rows], what its block says: those of records stand as -1, -2, ...
    records: int64[num_records], the numbers that these have
    """
    if not len(records):
        return read
    return np.where(read < 0, records.take(~read, mode="clip"), read)
