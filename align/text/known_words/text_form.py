"""How a text is written, as far as its words tell: in lower case, tokenized."""

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from operator import mul

import numpy as np
from numpy.typing import NDArray

from ...arrays.id_counts import id_counts
from ..corpus import Corpus
from ..vocabulary import NULL, Vocabulary

__all__ = [
    "ENTITY",
    "UNKNOWN",
    "TextForm",
    "is_unsegmented",
    "script_shares",
    "term_width",
    "type_counts",
    "unsegmented_length",
    "untokenized_example",
]

ENTITY = re.compile(r"&(?:[A-Za-z]{2,8}|#[0-9]{1,7});")
"""A character that is written as an entity, whose semicolon is no punctuation."""

_PIECES = "\u0120\u010a\u2581"  # where pieces of byte-level BPE and SentencePiece begin words
_MARKS = ",;:!?\u060c\u061b\u061f"  # a full stop is a part of abbreviations, too
_UNSEGMENTED = 6.0  # characters per token in scripts that set no blanks between words
_NO_BLANKS = ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN")
_TYPES = 10_000  # whose letters tell the script of a text
_TOKENS = 100  # of a text, below which it isn't judged
_FEW = 20  # marks that stick to words, below which a text counts as tokenized


@dataclass(frozen=True)
class TextForm:
    """How the text was written that a model was trained on.

    lowercase: no word changes in lower case, so that lowercasing loses no word that is known
    tokenized: punctuation stands alone; None = not known
    """

    lowercase: bool = False
    tokenized: bool | None = None

    @classmethod
    def of(cls, corpus: Corpus) -> "TextForm":
        """That of one side of a text."""
        return cls(_is_lowercase(corpus.vocabulary), not untokenized_example(corpus))

    @classmethod
    def of_words(cls, vocabulary: Vocabulary) -> "TextForm":
        """That of a text of which the words alone are left."""
        return cls(_is_lowercase(vocabulary))


UNKNOWN = TextForm()


def _is_lowercase(vocabulary: Vocabulary) -> bool:
    return all(word == word.lower() for word in vocabulary.words[1:])


def type_counts(corpus: Corpus) -> NDArray[np.int64]:
    """How often each word stands in a text: int64[types], 0 for NULL and for words not held."""
    counts = id_counts(corpus.tokens, len(corpus.vocabulary))
    counts[NULL] = 0
    return counts


def script_shares(letters: Mapping[str, int]) -> dict[str, float]:
    """Share of each script among the letters, the largest first.

    letters: how often each character stands in a text; only letters count
    """
    counts = Counter[str]()
    for letter, number in letters.items():
        if letter.isalpha():
            counts[unicodedata.name(letter, "OTHER").split()[0].split("-")[0]] += number
    whole = max(counts.total(), 1)
    return {script: number / whole for script, number in counts.most_common()}


def term_width(text: str) -> int:
    """Characters of a term, those of scripts without blanks twice: one may be a whole word."""
    return sum(1 + unicodedata.name(letter, "").startswith(_NO_BLANKS) for letter in text)


def is_unsegmented(characters: int, tokens: int, scripts: Mapping[str, float]) -> bool:
    """Whether a text in a script without blanks isn't split into words.

    scripts: share of each among the letters
    """
    share = sum(share for script, share in scripts.items() if script in _NO_BLANKS)
    return share > 0.5 and characters > _UNSEGMENTED * max(tokens, 1)


def unsegmented_length(corpus: Corpus) -> float:
    """Characters per token of a text that isn't split into words; 0 for any other."""
    counts, words = type_counts(corpus).tolist()[1:], corpus.vocabulary.words[1:]
    tokens, characters = sum(counts), sum(map(mul, counts, map(len, words)))
    if tokens < _TOKENS or characters <= _UNSEGMENTED * tokens:
        return 0.0
    letters = Counter[str]()
    for word, count in islice(zip(words, counts, strict=True), _TYPES):
        for letter in word:
            letters[letter] += count
    found = is_unsegmented(characters, tokens, script_shares(letters))
    return characters / tokens if found else 0.0


def untokenized_example(corpus: Corpus) -> str:
    """The most frequent word to which a mark sticks, where most marks do so; else nothing.

    Of the marks ``, ; : ! ?`` none sticks to a word in tokenized text, 92 % or more do in text that
    isn't (38 texts: English, Spanish, French, German and Czech of seven domains).
    """
    glued = alone = most = 0
    example = ""
    counts = type_counts(corpus).tolist()
    for word, count in zip(corpus.vocabulary.words[1:], counts[1:], strict=True):
        if not word or word[-1] not in _MARKS:
            continue
        if "&" in word and ENTITY.fullmatch(word, word.rfind("&")):
            continue  # an escaped character
        if any(map(str.isalnum, word.strip(_PIECES))):
            glued += count
            if count > most:
                most, example = count, word
        else:
            alone += count
    return example if glued > max(alone, _FEW) else ""
