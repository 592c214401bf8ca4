"""The words of the sample, read from tables that are easy to extend."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from .spanish import PREPOSITIONS
from .tables import everyday, general, legal, medical, software

TABLES = {
    "legal": legal.TEXT,
    "medical": medical.TEXT,
    "software": software.TEXT,
    "everyday": everyday.TEXT,
}
DOMAINS = tuple(TABLES)
# Shared words start as far down a domain's list as this.
GENERAL_RANK = 25
# Zipf's law, flattened at the head: a sentence needs more than the commonest words.
HEAD = 9
RARE = 0.04
# The connector of a compound that has no translation word by word.
UNITED = "-"
GENDERED = ("nouns", "modifiers", "compounds")


@dataclass(frozen=True)
class Choice:
    """One Spanish rendering; `links` overrides the links `fragments.unit` would make."""

    text: str
    gender: str = ""
    links: str = ""

    @property
    def governs(self) -> bool:
        """Whether a verb brings the preposition of its object ("renunciar a")."""
        return self.text.split()[-1] in PREPOSITIONS


@dataclass(frozen=True)
class Entry:
    """An English expression with its Spanish choices.

    `uses` names the classes of a noun, of the nouns an adjective describes, of a verb's subjects
    or of the objects of verbs that an adverb suits; `objects` those of a verb's objects.
    """

    en: str
    choices: tuple[Choice, ...]
    uses: str = ""
    objects: str = ""
    flags: frozenset[str] = frozenset()
    weight: float = 1.0

    @property
    def plain(self) -> bool:
        """Whether the verb has single words on both sides, free to become a passive."""
        return " " not in self.en and not any(
            " " in choice.text or choice.text.endswith("se") for choice in self.choices
        )

    def suits(self, classes: str) -> bool:
        """Whether one of the classes is among the uses."""
        return any(map(self.uses.__contains__, classes))


@dataclass(frozen=True)
class Compound:
    """A noun before a noun: how Spanish joins them, or single words for the whole."""

    modifier: str
    head: str
    connector: str
    choices: tuple[Choice, ...] = ()


@dataclass(frozen=True)
class Lexicon:
    """All the entries of one domain, shared ones included, by kind."""

    domain: str
    entries: dict[str, tuple[Entry, ...]]
    compounds: dict[str, tuple[Compound, ...]]

    def __getitem__(self, kind: str) -> tuple[Entry, ...]:
        return self.entries.get(kind, ())

    def noun(self, en: str) -> Entry:
        """The entry of a compound's first noun."""
        return next(e for e in self["modifiers"] + self["nouns"] if e.en == en)


@cache
def lexicon(domain: str) -> Lexicon:
    """The lexicon of a domain."""
    special, shared = parse(TABLES[domain], 0), parse(general.TEXT, GENERAL_RANK)
    kinds = {**special, **shared}
    entries = {kind: tuple(special.get(kind, []) + shared.get(kind, [])) for kind in kinds}
    return Lexicon(domain, entries, _compounds(TABLES[domain]))


@cache
def matching(domain: str, kind: str, classes: str, without: str) -> tuple[Entry, ...]:
    """The entries whose uses have one of the classes (if any) and that lack those flags."""
    banned = set(without.split())
    return tuple(
        entry
        for entry in lexicon(domain)[kind]
        if (not classes or entry.suits(classes)) and not banned & entry.flags
    )


def _sections(text: str) -> dict[str, list[str]]:
    """The lines of each [section]."""
    sections: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in text.strip().splitlines():
        if line.startswith("["):
            lines = sections.setdefault(line.strip("[]"), [])
        elif line:
            lines.append(line)
    return sections


def parse(text: str, rank: int) -> dict[str, list[Entry]]:
    """Read tables: "english = spanish / other ; classes [> object classes] ; flags".

    The flags of nouns and times follow their classes without a semicolon.  A Spanish choice may
    end in "@" and its links; a noun ends in its gender.  A word's weight falls with its place
    in the table, as in Zipf's law.
    """
    return {
        kind: [_entry(kind, line, rank + i) for i, line in enumerate(lines)]
        for kind, lines in _sections(text).items()
        if kind != "compounds"
    }


def _entry(kind: str, line: str, rank: int) -> Entry:
    left, _, right = line.partition(" = ")
    spanish, *fields = [field.strip() for field in right.split(" ; ")]
    if kind == "attachments":
        # "D | against = contra | P": nouns of class D may be followed by "against" and a P.
        uses, _, left = left.partition(" | ")
        spanish, _, objects = spanish.partition(" | ")
        return Entry(left, (Choice(spanish),), uses, objects)
    if kind in ("nouns", "times"):
        fields = fields[0].split(" ", 1)
    elif kind in ("manners", "connectors") and not (fields and fields[0].isupper()):
        fields = ["", *fields]
    uses, _, objects = (fields[0] if fields else "").partition(" > ")
    flags = frozenset(" ".join(fields[1:]).split())
    weight = (RARE if "rare" in flags else 1.0) / (rank + HEAD)
    choices = tuple(_choice(kind, text.strip()) for text in spanish.split(" / "))
    return Entry(left, choices, uses, objects, flags, weight)


def _choice(kind: str, text: str) -> Choice:
    text, _, links = text.partition(" @")
    gender = ""
    if kind in GENDERED:
        text, _, gender = text.rpartition(" ")
    return Choice(text, gender, links)


def _compounds(text: str) -> dict[str, tuple[Compound, ...]]:
    """The compounds of a domain by their head noun: "court + order = del|orden judicial f"."""
    compounds: dict[str, tuple[Compound, ...]] = {}
    for line in _sections(text)["compounds"]:
        left, _, right = line.partition(" = ")
        modifier, _, head = left.partition(" + ")
        connector, *units = right.split("|")
        choices = tuple(_choice("compounds", unit) for unit in units)
        item = Compound(modifier, head, connector, choices)
        compounds[head] = (*compounds.get(head, ()), item)
    return compounds
