"""What templates see instead of words: their classes, or UNK for rare ones."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from isogloss.align.errors import UsageError
from isogloss.align.lexicon.word_classes import FIRST_NUMBER, WordClasses
from isogloss.align.text.bitext import Bitext
from isogloss.align.text.corpus import Corpus

from ..feature_names import UNKNOWN
from ..table.phrase_table import PhraseTable
from .blocks import WordMap
from .protocol import Rule

__all__ = [
    "ClassNumbers",
    "Frequencies",
    "FrequentWords",
    "WordMaps",
    "bitext_frequencies",
    "corpus_frequencies",
    "needed_counts",
]

Frequencies = Mapping[str, Mapping[str, float]]  # "source", "target": how often each word occurs


@dataclass(frozen=True, eq=False)
class ClassNumbers:
    """Words become the numbers that their classes have in a file of mkcls, or UNKNOWN."""

    classes: WordClasses

    def __call__(self, words: Sequence[str]) -> list[str]:
        """A class for each word."""
        numbers = self.classes.of(self.classes.vocabulary.encode(words)).tolist()
        none = self.classes.num_classes
        return [UNKNOWN if k == none else str(k + FIRST_NUMBER) for k in numbers]


@dataclass(frozen=True, eq=False)
class FrequentWords:
    """Words that are not ``kept`` become UNKNOWN."""

    kept: frozenset[str]

    @classmethod
    def above(cls, frequencies: Mapping[str, float], least: float) -> "FrequentWords":
        """Keep words that occur ``least`` times or more (Chiang 2012, section 7)."""
        # sums of fractions may fall short of a whole number by rounding
        return cls(frozenset(word for word, n in frequencies.items() if round(n, 6) >= least))

    def __call__(self, words: Sequence[str]) -> list[str]:
        """Each word, or UNKNOWN."""
        return [word if word in self.kept else UNKNOWN for word in words]


@dataclass(frozen=True)
class WordMaps:
    """What the words of both sides are written as; None = as themselves.

    suffix: what the template's name gets for it, ``.classes``
    """

    source: WordMap | None = None
    target: WordMap | None = None
    suffix: str = ""

    def __bool__(self) -> bool:
        return self.source is not None or self.target is not None

    def with_unknown(self, frequencies: Frequencies, least: float) -> "WordMaps":
        """Words rarer than ``least`` become UNKNOWN, on sides that have no map yet.

        Raises UsageError where nothing is known of the words of such a side.
        """

        def frequent(side: str) -> FrequentWords:
            if side not in frequencies:
                raise UsageError(
                    f"needs {side} word frequencies for unk=; pass --{side}-words FILE, as written "
                    "by `isogloss extract`"
                )
            return FrequentWords.above(frequencies[side], least)

        source = self.source or frequent("source")
        return replace(self, source=source, target=self.target or frequent("target"))

    def of(self, rule: Rule) -> Rule:
        """The rule with mapped words."""
        if self.source:
            rule = replace(rule, source=tuple(self.source(rule.source)))
        if self.target:
            rule = replace(rule, target=tuple(self.target(rule.target)))
        return rule


def corpus_frequencies(corpus: Corpus) -> dict[str, float]:
    """How often each word occurs in a text."""
    counts = np.bincount(corpus.tokens[corpus.tokens > 0], minlength=len(corpus.vocabulary))
    return dict(zip(corpus.vocabulary.words[1:], counts[1:].tolist(), strict=True))


def bitext_frequencies(bitext: Bitext) -> dict[str, dict[str, float]]:
    """How often each word of both sides occurs in a bitext."""
    return {
        "source": corpus_frequencies(bitext.source),
        "target": corpus_frequencies(bitext.target),
    }


def needed_counts(table: PhraseTable) -> NDArray[np.float64]:
    """c(f, e) of each rule: float64[num_rules]. Raises DataError where a rule has none."""
    return table.rule_counts("Omit min=")
