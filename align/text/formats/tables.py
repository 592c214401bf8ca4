"""Pairs in tables: Parquet and Arrow files, the sides in two columns of text."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple

from ...errors import DataError
from ...files.tables.reading import StoredTable
from ...files.text_io import on_one_line
from .languages import is_language
from .lines import SIDES
from .pair import Asked, Pair

__all__ = ["read_rows"]

_LINKS = "links"  # the column that is taken for links
_SHOWN = 12  # columns that an error lists


class _Columns(NamedTuple):
    """Names of the columns that are read; None = there is none."""

    source: str
    target: str
    links: str | None
    label: str | None


def read_rows(stream: BinaryIO, path: str | Path, format: str, asked: Asked) -> Iterator[Pair]:
    """The rows of a Parquet or Arrow file; an empty cell is an empty sentence.

    The columns are those asked for, else source and target, src and tgt or src and trg, else those
    named by the languages, also inside a column (``translation.en``), else the only two of text.

    Raises UsageError and DataError as :class:`StoredTable` does, and DataError where the columns
    can't be told.
    """
    table = StoredTable(stream, path, format)
    columns = _chosen(table, asked, path)
    for number, (source, target, links, label) in enumerate(table.rows(columns), start=1):
        if columns.links is not None:
            links = links or ""
        yield Pair(on_one_line(source or ""), on_one_line(target or ""), links, number, label)


def _chosen(table: StoredTable, asked: Asked, path: str | Path) -> _Columns:
    """The columns that are read. Raises DataError where that can't be told."""
    names = table.text_columns
    links = _LINKS if _LINKS in names else None
    label = asked.key if asked.key in names else None
    if asked.prop is not None and label is None:
        raise _unknown(table, f"a column {asked.prop} of text", path, "Write the labels as text")
    if asked.columns is not None:
        sides = asked.columns
        if not set(sides) <= set(names):
            raise _unknown(table, " and ".join(sides), path)
        return _Columns(*sides, links, label)
    for sides in SIDES:
        if set(sides) <= set(names):
            return _Columns(*sides, links, label)
    if asked.languages is not None:
        found = [
            next((name for name in names if is_language(name.rpartition(".")[2], code)), "")
            for code in asked.languages
        ]
        if not all(found):
            raise _unknown(table, " and ".join(asked.languages), path)
        return _Columns(found[0], found[1], links, label)
    others = [name for name in names if name not in (links, label)]
    if len(others) != 2:
        raise _unknown(table, "two columns of text", path)
    return _Columns(others[0], others[1], links, label)


def _unknown(
    table: StoredTable,
    expected: str,
    path: str | Path,
    remedy: str = 'Pass both, source first: `columns=("en", "fr")`',
) -> DataError:
    listed, others = map(_listed, (table.text_columns, table.other_columns))
    return DataError(
        f"the columns of text are {listed or '(none)'}"
        + f", and no text is {others}" * bool(others),
        expected,
        file=path,
        remedy=remedy,
    )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:_SHOWN]) + ", ..." * (len(names) > _SHOWN)
