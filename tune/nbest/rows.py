"""Hypotheses as they are read, in the order of their lists; those that come twice are told."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from align.sparse_rows import Ragged
from align.text.string_array import Texts

from .kernels.text import first_of_equals, hash_rows

__all__ = ["HypothesisRows"]


@dataclass(frozen=True)
class HypothesisRows:
    """Hypotheses in any order.

    sentences: int64[n], the sentence of each
    texts: the hypotheses
    rows: features, by number
    columns: float64[n, num_columns], further numbers
    hashes: uint64[n], of text and features
    """

    sentences: NDArray[np.int64]
    texts: Texts
    rows: Ragged
    columns: NDArray[np.float64]
    hashes: NDArray[np.uint64]

    @classmethod
    def of(
        cls,
        sentences: NDArray[np.int64],
        texts: Texts,
        rows: Ragged,
        columns: NDArray[np.float64] | None = None,
    ) -> "HypothesisRows":
        """Hypotheses with their hashes.

        sentences: int64[num_rows]; columns: float64[num_rows, num_columns], None = no column
        """
        hashes = np.empty(len(sentences), np.uint64)
        bits = rows.values.view(np.uint32)
        hash_rows(texts.content, texts.offsets, rows.ids, bits, rows.offsets, hashes)
        if columns is None:
            columns = np.empty((len(sentences), 0))
        return cls(sentences, texts, rows, columns, hashes)

    def __len__(self) -> int:
        return len(self.sentences)

    @classmethod
    def joined(cls, parts: Sequence["HypothesisRows"]) -> "HypothesisRows":
        """The hypotheses of several, one after the other."""
        return cls(
            np.concatenate([part.sentences for part in parts]),
            Texts.joined([part.texts for part in parts]),
            Ragged.joined([part.rows for part in parts]),
            np.concatenate([part.columns for part in parts]),
            np.concatenate([part.hashes for part in parts]),
        )

    def distinct(self, chosen: NDArray[np.int64]) -> NDArray[np.int64]:
        """Of some hypotheses those to keep, by sentence: int64[num_kept].

        chosen: int64[n], numbers of hypotheses, rising

        Of several with the same text and the same features the first is kept. Features are the
        same where names and values are (in single precision), in whatever order. Those of a
        sentence stay in the order in which they were read.
        """
        own = self.sentences[chosen]
        if (own[1:] < own[:-1]).any():
            chosen = chosen[np.argsort(own, kind="stable")]
        keep = np.empty(len(chosen), np.bool_)
        first_of_equals(
            chosen, self.sentences, self.hashes, self.texts.content, self.texts.offsets,
            self.rows.ids, self.rows.values.view(np.uint32), self.rows.offsets, keep,
        )  # fmt: skip
        return chosen[keep]
