"""Who speaks: the choices behind one sentence, and what is said about a noun phrase."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .dice import Dice
from .fragments import Fragment
from .lexicon import Choice, Entry, Lexicon, lexicon, matching

LONG_WINDED = {"legal": 1.35, "medical": 1.4, "software": 1.45, "everyday": 1.2}
# How much less likely a word is that the sentence already has.
REPEATED = 0.08


class Speaker:
    """Somebody who says one thing in English and in one of several ways in Spanish.

    All that shows in English is decided by the `meaning` dice, all that only shows in Spanish
    by the `style` dice: with another style, the same meaning gives another reference
    translation of the same English sentence.
    """

    def __init__(self, domain: str, meaning: int, style: int) -> None:
        self.domain = domain
        self.lexicon: Lexicon = lexicon(domain)
        self.meaning = Dice(meaning)
        self.style = Dice(style)
        self._said: set[str] = set()

    def entry(self, kind: str, classes: str = "", without: str = "") -> Entry:
        """An entry whose uses have one of the classes and whose flags lack those named."""
        return self.draw(matching(self.domain, kind, classes, without))

    def draw(self, entries: Sequence[Entry]) -> Entry:
        """One of the entries by weight, seldom one that the sentence already has."""
        said = self._said
        entry = self.meaning.weighted(
            entries, lambda e: e.weight * (REPEATED if e.en in said else 1.0)
        )
        said.add(entry.en)
        return entry

    def choose(self, entry: Entry) -> Choice:
        """One of the Spanish renderings; the first is the usual one."""
        first = entry.choices[0]
        return self.style.weighted(entry.choices, lambda c: 2.5 if c is first else 1.0)

    def wordy(self, probability: float) -> bool:
        """A chance that is better in domains fond of long phrases."""
        return self.meaning.chance(probability * LONG_WINDED[self.domain])


@dataclass(frozen=True)
class Nominal:
    """A noun phrase with what others must agree with."""

    words: Fragment
    gender: str = "m"
    plural: bool = False
    person: str = "3"
    classes: str = ""
    # The Spanish determiner is left out here where only the sentence can decide it.
    bare: bool = False
    pronoun: bool = False

    @property
    def key(self) -> str:
        """Person and number, as `morphology.conjugate` names them."""
        return self.person + ("p" if self.plural else "s")

    @property
    def human(self) -> bool:
        """Whether Spanish marks this phrase with "a" as an object."""
        return "P" in self.classes
