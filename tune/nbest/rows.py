"""Hypotheses as they are read, in the order of their lists, and which of them are repeated."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.text.string_array import Texts

from .kernels.duplicates import HypothesisColumns, first_of_equals, hash_rows

__all__ = ["HypothesisRows"]


@dataclass(frozen=True)
class HypothesisRows:
    """Hypotheses in any order.

    sentences: int64[n], the sentence of each
    texts: the hypotheses
    rows: features, by number
    columns: float64[n, num_columns], further numbers
    hashes: uint64[n], of text and features
    originals: what each was in a record of JSON; empty texts where that isn't kept
    """

    sentences: NDArray[np.int64]
    texts: Texts
    rows: Ragged
    columns: NDArray[np.float64]
    hashes: NDArray[np.uint64]
    originals: Texts

    @classmethod
    def of(
        cls,
        sentences: NDArray[np.int64],
        texts: Texts,
        rows: Ragged,
        columns: NDArray[np.float64] | None = None,
        originals: Texts | None = None,
    ) -> "HypothesisRows":
        """Hypotheses with their hashes.

        sentences: int64[num_rows]; columns: float64[num_rows, num_columns], None = no column
        originals: None = not kept
        """
        hashes = np.empty(len(sentences), np.uint64)
        hash_rows(_columns(texts, rows), hashes)
        if columns is None:
            columns = np.empty((len(sentences), 0))
        originals = originals or Texts(
            np.empty(0, np.uint8), np.zeros(len(sentences) + 1, np.int64)
        )
        return cls(sentences, texts, rows, columns, hashes, originals)

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
            Texts.joined([part.originals for part in parts]),
        )

    def distinct(
        self, chosen: NDArray[np.int64], *, keep_repeats: bool = False
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Of some hypotheses those to keep, by sentence, and their places among those of it.

        chosen: int64[n], numbers of hypotheses, rising; both results: int64[num_kept]
        keep_repeats: keep all that were in records of JSON and are kept as these were

        Of several with the same text and the same features the first is kept. Features are the
        same where names and values are (in single precision), in whatever order. Those of a
        sentence stay in the order in which they were read.
        """
        sentences = self.sentences[chosen]
        if (sentences[1:] < sentences[:-1]).any():
            order = np.argsort(sentences, kind="stable")
            chosen, sentences = chosen[order], sentences[order]
        places = np.arange(len(chosen)) - np.searchsorted(sentences, sentences)
        keep = np.empty(len(chosen), np.bool_)
        columns = _columns(self.texts, self.rows)
        first_of_equals(chosen, self.sentences, self.hashes, columns, keep)
        if keep_repeats:
            keep |= np.diff(self.originals.offsets)[chosen] > 0
        return chosen[keep], places[keep]


def _columns(texts: Texts, rows: Ragged) -> HypothesisColumns:
    """Texts and features, as kernels take them."""
    bits = rows.values.view(np.uint32)
    return HypothesisColumns(texts.content, texts.offsets, rows.ids, bits, rows.offsets)
