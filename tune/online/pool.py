"""Hypotheses that the decoder gave in the epochs so far, to learn from all of them."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.ragged import offsets_of
from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.text.string_array import Texts

from ..nbest.rows import HypothesisRows
from ..nbest.types import NBest

__all__ = ["HypothesisPool"]


class HypothesisPool:
    """The different hypotheses of each sentence, in the order in which they came.

    Several threads may add those of different sentences at a time.
    """

    def __init__(self) -> None:
        self._lists: dict[int, NBest] = {}

    def merged(self, sentences: NDArray[np.int64], lists: NBest) -> NBest:
        """Lists of some sentences with what came before, which is then kept for the next time.

        Of hypotheses with the same text and the same features the first is kept.

        sentences: int64[s], the number of the sentence of each list, none of them twice
        """
        parts = []
        for number, sentence in enumerate(sentences.tolist()):
            earlier = self._lists.get(sentence)
            new = lists.part(number, number + 1)
            parts += [_rows(number, part) for part in (earlier, new) if part is not None]
        rows = HypothesisRows.joined(parts)
        kept, _ = rows.distinct(np.arange(len(rows)))
        counts = np.bincount(rows.sentences[kept], minlength=len(sentences))
        result = NBest(
            offsets_of(counts), rows.texts.select(kept), rows.rows.select(kept), lists.space
        )
        for number, sentence in enumerate(sentences.tolist()):
            self._lists[sentence] = result.part(number, number + 1)
        return result

    def lists(self) -> NBest:
        """The hypotheses of all sentences, of which each must have been added once."""
        parts: Sequence[NBest] = [self._lists[k] for k in range(len(self._lists))]
        return NBest(
            offsets_of([len(part.texts) for part in parts]),
            Texts.joined([part.texts for part in parts]),
            Ragged.joined([part.rows for part in parts]),
            parts[0].space,
        )


def _rows(number: int, lists: NBest) -> HypothesisRows:
    return HypothesisRows.of(np.full(len(lists.texts), number), lists.texts, lists.rows)
