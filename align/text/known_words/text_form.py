"""How a text is written, as far as its words tell: in lower case, tokenised."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..corpus import Corpus
from ..vocabulary import Vocabulary

__all__ = ["UNKNOWN", "TextForm", "type_counts", "untokenised_example"]

_MARKS = ",;:!?\u060c\u061b\u061f"  # a full stop is a part of abbreviations, too
_FEW = 20  # marks that stick to words, below which a text counts as tokenised


@dataclass(frozen=True)
class TextForm:
    """How the text was written that a model was trained on.

    lowercase: no word changes in lower case, so that lowercasing loses no word that is known
    tokenised: punctuation stands alone; None = not known
    """

    lowercase: bool = False
    tokenised: bool | None = None

    @classmethod
    def of(cls, corpus: Corpus) -> "TextForm":
        """That of one side of a text."""
        return cls(_is_lowercase(corpus.vocabulary), not untokenised_example(corpus))

    @classmethod
    def of_words(cls, vocabulary: Vocabulary) -> "TextForm":
        """That of a text of which the words alone are left."""
        return cls(_is_lowercase(vocabulary))


UNKNOWN = TextForm()


def _is_lowercase(vocabulary: Vocabulary) -> bool:
    return all(word == word.lower() for word in vocabulary.words[1:])


def type_counts(corpus: Corpus) -> NDArray[np.int64]:
    """How often each word stands in a text: int64[types], 0 for NULL and for words not held."""
    counts = np.bincount(corpus.tokens[corpus.tokens > 0], minlength=len(corpus.vocabulary))
    return counts.astype(np.int64)


def untokenised_example(corpus: Corpus) -> str:
    """The most frequent word to which a mark sticks, where most marks do so; else nothing.

    Of the marks ``, ; : ! ?`` none sticks to a word in tokenised text, 92 % or more do in text that
    isn't (38 texts: English, Spanish, French, German and Czech of seven domains).
    """
    glued = alone = most = 0
    example = ""
    counts = type_counts(corpus).tolist()
    for word, count in zip(corpus.vocabulary.words[1:], counts[1:], strict=True):
        if not word or word[-1] not in _MARKS:
            continue
        if any(map(str.isalnum, word)):
            glued += count
            if count > most:
                most, example = count, word
        else:
            alone += count
    return example if glued > max(alone, _FEW) else ""
