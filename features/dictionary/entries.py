"""Entries of a dictionary, as one domain or the whole text has them, in some order."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.equality import ComparedByContent
from isogloss.align.errors import (
    OptionError,
    UnknownNameError,
    UsageError,
    check_argument,
    pluralize,
)
from isogloss.align.files.tables.columns import Column
from isogloss.align.files.tables.tabular import Tabular
from isogloss.align.text.corpus import Corpus

from ..table.phrases import phrase_texts

__all__ = ["ALL", "ORDERS", "Entries", "Entry", "Lookup", "check_list"]

ORDERS = ("best", "confidence", "special", "count")
ALL = "all"  # the whole text, where a domain is named


@dataclass(frozen=True)
class Entry:
    """A translation pair.

    domain: that it is listed for, ``all`` for the whole text; source, target: its sides
    confidence: chance that it is a translation
    special: doublings of its rate in the domain over that in the rest, at least; llr: signed
        log-likelihood ratio; both None for the whole text
    count: linked occurrences, in a domain expected ones; source_count, target_count: those of the
        sides, linked or not
    total: linked occurrences in the whole text
    """

    domain: str
    source: str
    target: str
    confidence: float
    special: float | None
    llr: float | None
    count: float
    source_count: float
    target_count: float
    total: int

    @property
    def target_probability(self) -> float:
        """p(target | source)."""
        return min(self.count / self.source_count, 1.0) if self.source_count else 0.0

    @property
    def source_probability(self) -> float:
        """p(source | target)."""
        return min(self.count / self.target_count, 1.0) if self.target_count else 0.0


@dataclass(frozen=True, eq=False, repr=False)
class Entries(ComparedByContent, Tabular):
    """Some pairs of a dictionary in the order of a list, with what a domain says of them.

    domain: number of it, -1 for the whole text; name: of it
    rows: int64[n], of the dictionary; source, target: Corpus of all its phrases
    confidence, count, source_count, target_count, total: float64[n], see Entry
    special, llr: float64[n], or none for the whole text
    """

    domain: int
    name: str
    rows: NDArray[np.int64]
    source: Corpus
    target: Corpus
    confidence: NDArray[np.float64]
    special: NDArray[np.float64] | None
    llr: NDArray[np.float64] | None
    count: NDArray[np.float64]
    source_count: NDArray[np.float64]
    target_count: NDArray[np.float64]
    total: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, number: int) -> Entry:
        if not -len(self) <= number < len(self):
            raise IndexError(
                f"entry {number} is out of range: the list has {pluralize(len(self), 'entry')}"
            )
        row = int(self.rows[number])
        return Entry(
            self.name,
            " ".join(self.source.words(row)),
            " ".join(self.target.words(row)),
            float(self.confidence[number]),
            None if self.special is None else float(self.special[number]),
            None if self.llr is None else float(self.llr[number]),
            float(self.count[number]),
            float(self.source_count[number]),
            float(self.target_count[number]),
            int(self.total[number]),
        )

    def __iter__(self) -> Iterator[Entry]:
        return (self[number] for number in range(len(self)))

    def by_phrase(self) -> dict[str, list[int]]:
        """The places of the entries of each source phrase, in their order."""
        texts, places = phrase_texts(self.source), defaultdict[str, list[int]](list)
        for place, row in enumerate(self.rows.tolist()):
            places[texts[row]].append(place)
        return dict(places)

    def at(self, places: Sequence[int]) -> "Entries":
        """Some entries, by their places."""
        names = ("rows", "confidence", "special", "llr", "count", "source_count", "target_count")
        columns: dict[str, Any] = {name: getattr(self, name) for name in (*names, "total")}
        chosen: dict[str, Any] = {
            name: None if one is None else one[list(places)] for name, one in columns.items()
        }
        return replace(self, **chosen)

    def table_columns(self) -> dict[str, Column]:
        """One row per entry, with the fields of :class:`Entry` except its domain."""
        names = ("confidence", "special", "llr", "count", "source_count", "target_count", "total")
        values = {name: getattr(self, name) for name in names}
        return {
            "source": [entry.source for entry in self],
            "target": [entry.target for entry in self],
            **{name: column for name, column in values.items() if column is not None},
        }

    def __repr__(self) -> str:
        first = "; ".join(f"{entry.source} = {entry.target}" for entry in self._first(3))
        return f"Entries({len(self):,} of {self.name}{': ' if first else ''}{first})"

    def _first(self, number: int) -> list[Entry]:
        return [self[k] for k in range(min(number, len(self)))]


class Lookup:
    """Base of what has entries: iterates over the best, and finds those of a source phrase."""

    def entries(self) -> Entries:
        """The entries, best first."""
        raise NotImplementedError

    @cached_property
    def _looked_up(self) -> tuple[Entries, dict[str, list[int]]]:
        """The entries, and the places of those of each source phrase."""
        entries = self.entries()
        return entries, entries.by_phrase()

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries())

    def __contains__(self, phrase: object) -> bool:
        return isinstance(phrase, str) and phrase in self._looked_up[1]

    def __getitem__(self, phrase: str) -> Entries:
        """The entries of a source phrase, best first. Raises UnknownNameError without any."""
        check_argument(phrase, str, "phrase", "a string", "dictionary.entries()[number]")
        entries, places = self._looked_up
        if phrase not in places:
            raise UnknownNameError(
                f"the dictionary has no source phrase {phrase!r}; use dictionary.entries() for all"
            )
        return entries.at(places[phrase])


def check_list(sort: str, top: int, domain: int) -> None:
    """Raise UsageError for a list that can't be made. domain: its number, -1 for the whole text"""
    if top < 0:
        raise OptionError("top", "at least 0", top)
    if sort not in ORDERS:
        raise OptionError("sort", f"one of {', '.join(ORDERS)}", sort)
    if sort == "special" and domain < 0:
        raise UsageError("domain specificity is undefined for the whole text; choose a domain")
