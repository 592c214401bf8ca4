"""Text to translate while weights are learned, and its references."""

from collections.abc import Sequence
from dataclasses import dataclass

from isogloss.align.errors import (
    DataError,
    WrongTypeError,
    check_argument,
    check_listed,
    check_words,
    pluralize,
)
from isogloss.align.text.corpus import Corpus

from ..references import References, check_references

__all__ = ["TuningText", "listed"]


@dataclass(frozen=True)
class TuningText:
    """Text to translate, and what its translations are measured by.

    sentences: their words

    Raises DataError where sentences and references differ in number, and for no sentence;
    WrongTypeError for a text in place of sentences, or of the words of one.
    """

    sentences: Sequence[Sequence[str]]
    references: References

    def __post_init__(self) -> None:
        _check_text(self.sentences, self.references)
        for words in self.sentences:
            check_words(words)
        if not self.sentences:
            raise DataError("there is no sentence")
        if len(self.sentences) != len(self.references):
            raise DataError(
                f"there are references for {pluralize(len(self.references), 'sentence')}",
                f"{len(self.sentences)}, one per source sentence",
            )

    def __len__(self) -> int:
        return len(self.sentences)


def listed(sentences: Sequence[Sequence[str]] | Corpus) -> Sequence[Sequence[str]]:
    """The words of sentences, of which a corpus holds numbers."""
    return list(sentences) if isinstance(sentences, Corpus) else sentences


def _check_text(sentences: object, references: object) -> None:
    """Raise WrongTypeError for what are no sentences, or no references."""
    if isinstance(sentences, References) and not isinstance(references, References):
        raise WrongTypeError("sentences and references are swapped; pass the sentences first")
    expected = "sentences", "a list of lists of words", "read_sentences(file)"
    check_listed(sentences, *expected)
    check_argument(sentences, Sequence, *expected)
    check_references(references)
