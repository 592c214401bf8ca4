"""A sentence pair as a file has it, and what of a file is asked for."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from ...errors import DataError, shown_file, warn
from ...files.text_io import ArrivingLines
from .languages import Languages

__all__ = ["Asked", "Files", "Forgive", "Pair", "PairStream"]

DOMAIN = "domain"  # the property or key that is taken to name the domain of a pair

Files = Sequence[tuple[str | Path, str | Path | None]]
Forgive = Callable[[int, DataError], None]  # told of the number of a line, and what is wrong


class Pair(NamedTuple):
    """A sentence pair as it stands in a file.

    source, target: text of the sides; links: Pharaoh text of a TSV's third column, else None;
    number: 1-based line of its file, or number of the unit in TMX, segment in XLIFF, row in a table
    label: the property of a TMX unit, key of a JSON line or column of a table that was asked for;
        None = none
    rest: text of a TSV's columns behind the third, which nothing reads; None = none
    file: number of its file, where the bitext has several
    """

    source: str
    target: str
    links: str | None
    number: int
    label: str | None = None
    rest: str | None = None
    file: int = 0


class PairStream(NamedTuple):
    """An open bitext: its pairs, read as they are asked for, and what numbers them.

    counted: "line", or "unit" in TMX, "segment" in XLIFF and WMT's XML and "row" in a table.
    files: the source and the target file, which is None where one holds both sides, in order
    arriving: the lines of a file that is read as it comes in
    """

    counted: str
    pairs: Iterator[Pair]
    files: Files
    arriving: ArrivingLines | None = None


class Asked(NamedTuple):
    """What is read of a pair where a file has more.

    languages: of the sides; prop: what labels the pair
    columns: names of the sides in JSON Lines and tables
    """

    languages: Languages | None = None
    prop: str | None = None
    columns: tuple[str, str] | None = None

    @property
    def key(self) -> str:
        """What is taken to name the domain of a pair."""
        return DOMAIN if self.prop is None else self.prop

    def labeled(self, pairs: Iterator[Pair], path: str | Path) -> Iterator[Pair]:
        """Pairs with the labels that were asked for; warns of domains that nobody asked for."""
        passed_over = ""
        for pair in pairs:
            if self.prop is None and pair.label is not None:
                passed_over = passed_over or pair.label
                pair = pair._replace(label=None)
            yield pair
        if passed_over:
            warn(
                f"{shown_file(path)}: the property {self.key!r}, such as {passed_over!r}, is "
                f'ignored; to use it as domain label, pass `labels="prop:{self.key}"` to '
                "`isogloss align`",
            )
