"""The lines of rules, and files of them: blocks of a table, written one after the other."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

from isogloss.align.errors import DataError
from isogloss.align.files.outputs import is_stream
from isogloss.align.files.writers import atomic_files, write_lines

from .formats import MOSES, TableFormat
from .rule_texts import format_rules
from .rules import Rules
from .selections import source_order
from .sidecar import (
    bins_file,
    check_own_sidecar,
    check_score_names,
    columns_file,
)

if TYPE_CHECKING:
    from .rule_formatter import RuleFormatter

__all__ = ["BlockFormatter", "format_blocks", "write_blocks", "write_table_lines"]

_LINES = 1 << 12  # lines of text written at a time


def write_blocks(
    blocks: Iterable[Rules],
    path: str | Path,
    *,
    format: TableFormat = MOSES,
    advance: Callable[[int], None] = lambda count: None,
    in_order: bool = False,
    filtered: bool = False,
    bins: Sequence[str] | None = None,
) -> int:
    """Write the blocks of a table, and the sidecar with the names of the scores.

    The file (compressed by its suffix) appears under its name when it is complete; ``-`` is
    standard output, where there is no sidecar, nor is there for a pipe or device. Lines are those
    of :func:`format_rules`; new rules without sparse features are put together by a kernel.
    ``advance`` is told the number of rules of each block that is done. ``in_order``: the source
    phrases are known to rise, so their order isn't checked. ``filtered``: the rules are those of
    one text alone, which the sidecar then tells. ``bins``: the lines of the file of bins that
    goes with it; without them, the bins of an older table of this name go with that.

    Returns the number of rules.

    Raises DataError for no block, blocks of different scores, source phrases out of the C locale's
    order (:func:`sort_rules` helps), a score below 0, and for names of scores that the sidecar
    can't hold, or that belongs to another table; OutputError where it can't be written.
    """
    rest = iter(blocks)
    first = next(rest, None)
    if first is None:
        raise DataError("the phrase table is empty", file=path)
    checked = _CheckedBlocks(chain([first], rest), path, in_order)
    parts = format_blocks(checked, format, advance)
    write_table_lines(parts, path, first.score_names, filtered=filtered, bins=bins)
    return checked.num_rules


def write_table_lines(
    parts: Iterable[bytes],
    path: str | Path,
    score_names: Sequence[str],
    *,
    filtered: bool = False,
    bins: Sequence[str] | None = None,
) -> None:
    """Write the lines of a table, some at a time, and the sidecar; see :func:`write_blocks`.

    Raises DataError for names of scores as there, OutputError where it can't be written.
    """
    if is_stream(path):
        write_lines((part.decode().removesuffix("\n") for part in parts), path)
        return
    check_score_names(score_names, path)
    check_own_sidecar(path, score_names, bins)
    files, gone = [path, columns_file(path)], [bins_file(path)]
    if bins is not None:
        files, gone = [*files, bins_file(path)], []
    with atomic_files(*files, gone=gone) as (table, sidecar, *beside):
        for part in parts:
            table.write(part)
        for file in beside:
            file.write("".join(f"{line}\n" for line in bins or ()).encode())
        names = {"scores": list(score_names)} | ({"filtered": True} if filtered else {})
        text = json.dumps(names, indent=1, ensure_ascii=False)
        sidecar.write(text.encode(errors="backslashreplace") + b"\n")


class _CheckedBlocks:
    """Blocks of one table: they have the same scores, source phrases rise, there is a rule."""

    def __init__(self, blocks: Iterable[Rules], path: str | Path, in_order: bool) -> None:
        self._blocks, self._path, self._in_order = blocks, path, in_order
        self.num_rules = 0

    def __iter__(self) -> Iterator[Rules]:
        names: tuple[str, ...] | None = None
        last_phrase = ""
        for table in self._blocks:
            if names is not None and table.score_names != names:
                raise DataError(
                    f"the scores of a block are {', '.join(table.score_names)}",
                    f"{', '.join(names)}, as in previous blocks",
                    file=self._path,
                )
            names = table.score_names
            if not self._in_order:
                last_phrase = self._check_order(table, last_phrase)
            yield table
            self.num_rules += len(table)
        if not self.num_rules:
            raise DataError("no rule remains", file=self._path)

    def _check_order(self, table: Rules, last_phrase: str) -> str:
        order = source_order(table, last_phrase)
        if order.fall is not None:
            raise DataError(
                f"the source phrase {order.phrase!r} follows {order.previous!r}",
                "the order of `source |||` in the C locale",
                file=self._path,
                remedy="Sort the rules first (isogloss.features.table.selections.sort_rules)",
            )
        return order.phrase


def format_blocks(
    blocks: Iterable[Rules],
    format: TableFormat = MOSES,
    advance: Callable[[int], None] = lambda count: None,
) -> Iterator[bytes]:
    """The lines of blocks in a format, some thousands at a time; see :func:`write_blocks`.

    Raises DataError as :func:`format_rules` does.
    """
    formatter = BlockFormatter(format)
    for table in blocks:
        yield from formatter.lines(table)
        advance(len(table))


class BlockFormatter:
    """Formats the blocks of a table one by one, as :func:`format_blocks` does all of them."""

    def __init__(self, format: TableFormat = MOSES) -> None:
        self._format = format
        self._formatter: RuleFormatter | None = None  # which knows the words of blocks before

    def lines(self, table: Rules) -> Iterator[bytes]:
        """The lines of a block, some thousands at a time. Raises as :func:`format_rules` does."""
        if self._format == MOSES and _is_plain(table):
            if self._formatter is None or not self._formatter.suits(table):
                self._formatter = _formatter_of(table)
            yield from self._formatter.rules(table)
        else:
            lines = format_rules(table, self._format)
            while part := list(islice(lines, _LINES)):
                yield "\n".join([*part, ""]).encode(errors="backslashreplace")


def _is_plain(table: Rules) -> bool:
    """Whether there are no old lines, no sparse features and no properties to write."""
    return table.origin is None and not table.sparse_names and table.properties is None


def _formatter_of(table: Rules) -> "RuleFormatter":
    from .rule_formatter import RuleFormatter  # with Numba, which lines that are kept don't need

    return RuleFormatter.of(table)
