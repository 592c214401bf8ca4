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
from isogloss.align.files.tables.columns import Column
from isogloss.align.files.tables.tabular import Tabular
from isogloss.align.text.string_array import Texts
from isogloss.features.space import FeatureSpace

from ..nbest.lists import hypothesis_columns

__all__ = ["COPIED", "FIXED", "Derivations", "PhraseUse", "Translation"]

# in place of a rule's number: a source word that is copied, a translation that was asked for
COPIED, FIXED = -1, -2
_SHOWN, _SHOWN_TEXT = 3, 60  # translations in a repr, and characters of each


class PhraseUse(NamedTuple):
    """A phrase of a translation.

    Attributes
    ----------
    source_begin, source_end : int
        Source words [begin, end).
    target_begin, target_end : int
        Target words [begin, end), possibly none.
    rule : int
        Number in the phrase table, COPIED or FIXED.
    """

    source_begin: int
    source_end: int
    target_begin: int
    target_end: int
    rule: int


class Translation(NamedTuple):
    """One translation of a sentence.

    Attributes
    ----------
    text : str
        Its words, separated by spaces.
    score : float
        Model score, the weighted sum of the features.
    features : dict of float
        Nonzero values by name, in the order of the decoder's features.
    """

    text: str
    score: float
    features: dict[str, float]

    def __repr__(self) -> str:
        features = pluralize(len(self.features), "feature")
        return f"Translation({_cut(self.text)!r}, score={self.score:.4g}, {features})"


@dataclass(frozen=True, eq=False)
class Derivations(Tabular, ComparedByContent):
    """The n-best translations of a sentence: a sequence of :class:`Translation`.

    The best translation is the first. Programs that read many translations use the arrays.

    Attributes
    ----------
    words : ndarray of int32, shape (n_words,)
        Surface ids, see :meth:`isogloss.tune.Decoder.words`.
    offsets : ndarray of int64, shape (n + 1,)
        Words of each translation.
    rows : Ragged
        Feature vectors over ``space``.
    score : ndarray of float64, shape (n,)
        Model scores.
    unknown : tuple of str
        Words of the surface ids from ``len(vocabulary)`` on.
    uses : ndarray of int64, shape (n_phrases, 5)
        Phrases in target order, with the columns of :class:`PhraseUse`. Target positions count
        through all translations.
    use_offsets : ndarray of int64, shape (n + 1,)
        Phrases of each translation.
    vocabulary : sequence of str
        Words of the surface ids below ``len(vocabulary)``.
    space : FeatureSpace
        Features of the decoder.
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

    def table_columns(self) -> dict[str, Column]:
        """Return rank, text, each dense feature, ``score`` and sparse features by translation."""
        texts = Texts.from_strings([self.text(number) for number in range(len(self))])
        columns = hypothesis_columns(
            np.array([0, len(self)]), None, texts, self.rows, self.space, {"score": self.score}
        )
        del columns["sentence"]
        return columns

    def text(self, number: int) -> str:
        """Return a translation as text.

        Parameters
        ----------
        number : int
            Position in the list; 0 is the best.

        Returns
        -------
        str
            Its words, separated by spaces.
        """
        begin, end = self.offsets[number : number + 2].tolist()
        words, unknown = self.vocabulary, self.unknown
        return " ".join(
            words[k] if k < len(words) else unknown[k - len(words)]
            for k in self.words[begin:end].tolist()
        )

    def phrases(self, number: int) -> list[PhraseUse]:
        """Return the phrases of a translation, in target order.

        Parameters
        ----------
        number : int
            Position in the list; 0 is the best.

        Returns
        -------
        list of PhraseUse
            Positions of target words count from the beginning of the translation.
        """
        begin, end = self.use_offsets[number : number + 2].tolist()
        first = np.array([0, 0, 1, 1, 0]) * self.offsets[number]
        return [PhraseUse(*row) for row in (self.uses[begin:end] - first).tolist()]


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN_TEXT else f"{text[:_SHOWN_TEXT]}..."
