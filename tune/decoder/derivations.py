"""What a decoder finds: the n-best translations of a sentence, and the phrases they are made of."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from isogloss.align.sparse_rows import Ragged

__all__ = ["COPIED", "FIXED", "Derivations", "PhraseUse"]

# in place of a rule's number: a source word that is copied, a translation that was asked for
COPIED, FIXED = -1, -2


class PhraseUse(NamedTuple):
    """A phrase of a translation.

    source_begin, source_end: its source words, [begin, end); target_begin, target_end: its target
    words, which may be none; rule: its number in the phrase table, COPIED or FIXED
    """

    source_begin: int
    source_end: int
    target_begin: int
    target_end: int
    rule: int


@dataclass(frozen=True)
class Derivations:
    """The n-best translations of one sentence, best first.

    words: int32[total], surface ids (see ``Decoder.text``); offsets: int64[n + 1]
    rows: feature vectors over the decoder's space
    score: float64[n], model scores
    unknown: surface of the ids from the size of the target vocabulary on
    uses: int64[num_phrases, 5], phrases in the order of the target, a row as :class:`PhraseUse`;
        target words are counted through all translations
    use_offsets: int64[n + 1]
    """

    words: NDArray[np.int32]
    offsets: NDArray[np.int64]
    rows: Ragged
    score: NDArray[np.float64]
    unknown: tuple[str, ...]
    uses: NDArray[np.int64]
    use_offsets: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.score)

    def phrases(self, number: int) -> list[PhraseUse]:
        """The phrases of one of the translations, in the order of the target."""
        begin, end = self.use_offsets[number : number + 2].tolist()
        first = np.array([0, 0, 1, 1, 0]) * self.offsets[number]
        return [PhraseUse(*row) for row in (self.uses[begin:end] - first).tolist()]
