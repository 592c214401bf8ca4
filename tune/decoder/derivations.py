"""What a decoder finds: the n-best translations of a sentence, and the phrases they are made of."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import index
from typing import NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.equality import ComparedByContent
from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.errors import WrongTypeError, pluralize
from isogloss.features.space import FeatureSpace

__all__ = ["COPIED", "FIXED", "Derivations", "PhraseUse", "Translation"]

# in place of a rule's number: a source word that is copied, a translation that was asked for
COPIED, FIXED = -1, -2
_SHOWN, _SHOWN_TEXT = 3, 60  # translations in a repr, and characters of each


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


class Translation(NamedTuple):
    """One translation of a sentence.

    text: its words, a space between them
    score: of the model, the sum of features times weights
    features: values by name in the order of the decoder's features, without those of 0
    """

    text: str
    score: float
    features: dict[str, float]

    def __repr__(self) -> str:
        features = pluralize(len(self.features), "feature")
        return f"Translation({_cut(self.text)!r}, score={self.score:.4g}, {features})"


@dataclass(frozen=True, eq=False)
class Derivations(ComparedByContent):
    """The n-best translations of one sentence, best first: a sequence of :class:`Translation`.

    Its arrays are for programs that look at many.

    words: int32[total], surface ids (see ``Decoder.text``); offsets: int64[n + 1]
    rows: feature vectors over the decoder's space
    score: float64[n], model scores
    unknown: surface of the ids from the size of the target vocabulary on
    uses: int64[num_phrases, 5], phrases in the order of the target, a row as :class:`PhraseUse`;
        target words are counted through all translations
    use_offsets: int64[n + 1]
    vocabulary: words of the surface ids below ``unknown``
    space: the decoder's features
    """

    words: NDArray[np.int32]
    offsets: NDArray[np.int64]
    rows: Ragged
    score: NDArray[np.float64]
    unknown: tuple[str, ...]
    uses: NDArray[np.int64]
    use_offsets: NDArray[np.int64]
    vocabulary: Sequence[str]
    space: FeatureSpace

    def __len__(self) -> int:
        return len(self.score)

    @overload
    def __getitem__(self, number: int) -> Translation: ...

    @overload
    def __getitem__(self, number: slice) -> list[Translation]: ...

    def __getitem__(self, number: int | slice) -> Translation | list[Translation]:
        """One of the translations, or a list of some; 0 is the best.

        Raises IndexError where there are not so many, WrongTypeError for what is no number.
        """
        if isinstance(number, slice):
            return [self[k] for k in range(*number.indices(len(self)))]
        if not hasattr(number, "__index__"):
            raise WrongTypeError(f"the number of a translation must be an integer, got {number!r}")
        if not -len(self) <= number < len(self):
            raise IndexError(
                f"translation {number} is out of range for {pluralize(len(self), 'translation')}"
            )
        number = index(number) % len(self)
        begin, end = self.rows.offsets[number : number + 2].tolist()
        features: dict[str, float] = {}
        for k, value in zip(
            self.rows.ids[begin:end].tolist(), self.rows.values[begin:end].tolist(), strict=True
        ):
            features[self.space.names[k]] = features.get(self.space.names[k], 0.0) + value
        named = {name: value for name, value in features.items() if value}
        return Translation(self.text(number), float(self.score[number]), named)

    def __iter__(self) -> Iterator[Translation]:
        return (self[number] for number in range(len(self)))

    def __repr__(self) -> str:
        shown = [f"\n  {self.score[k]:.4g} {_cut(self.text(k))}" for k in range(len(self))[:_SHOWN]]
        shown += ["\n  ..."] * (len(self) > _SHOWN)
        return (
            f"Derivations({pluralize(len(self), 'translation')}{':' * bool(shown)}{''.join(shown)})"
        )

    def text(self, number: int) -> str:
        """The words of one of the translations, a space between them."""
        begin, end = self.offsets[number : number + 2].tolist()
        words, unknown = self.vocabulary, self.unknown
        return " ".join(
            words[k] if k < len(words) else unknown[k - len(words)]
            for k in self.words[begin:end].tolist()
        )

    def phrases(self, number: int) -> list[PhraseUse]:
        """The phrases of one of the translations, in the order of the target."""
        begin, end = self.use_offsets[number : number + 2].tolist()
        first = np.array([0, 0, 1, 1, 0]) * self.offsets[number]
        return [PhraseUse(*row) for row in (self.uses[begin:end] - first).tolist()]


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN_TEXT else f"{text[:_SHOWN_TEXT]}..."
