"""Tables as a stream of blocks: files of any size in bounded memory."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from align.errors import DataError, UsageError
from align.ragged import run_starts

from .phrase_table import (
    LONGEST_LINE,
    PhraseTable,
    RuleBuilder,
    no_rule,
    read_phrase_table,
    select_rules,
    sort_rules,
    wanted_lines,
    write_tables,
)
from .text import MOSES, TableForm

__all__ = ["RULES_PER_BLOCK", "TableFile", "read_blocks", "write_blocks"]

RULES_PER_BLOCK = 1 << 16
_AT_ONCE = 1 << 13  # lines taken apart together: what is in work stays near the processor


def read_blocks(
    path: str | Path,
    *,
    rules: int = RULES_PER_BLOCK,
    form: TableForm = MOSES,
    sources: frozenset[str] | None = None,
    unsorted: bool = False,
    longest: int = LONGEST_LINE,
) -> Iterator[PhraseTable]:
    """Read a table as blocks of about ``rules`` rules that never split a source phrase.

    A block holds fewer rules, or, where a single source phrase has more, all of that phrase's. Each
    has phrases and sparse names of its own, and the lines it was read from. With ``sources`` only
    rules of these source phrases are read.

    The source phrases must rise in the C locale's order of ``source |||``, so that a phrase that
    comes back is noticed without remembering all. With ``unsorted`` the table is read whole,
    sorted in memory and handed out in blocks.

    Raises DataError as :func:`features.table.phrase_table.read_phrase_table` does, and naming the
    line where the order falls or a source phrase comes back; UsageError for ``rules`` below 1.
    """
    if rules < 1:
        raise UsageError(f"{rules} rules per block; expected 1 or more")
    if unsorted:
        whole = sort_rules(read_phrase_table(path, sources=sources, form=form))
        yield from _blocks_of(whole, rules)
        return
    last = ""
    for numbers, lines in _groups(wanted_lines(path, form, sources, longest), rules, form):
        builder = RuleBuilder(path, form)
        for begin in range(0, len(lines), _AT_ONCE):
            part = slice(begin, begin + _AT_ONCE)
            builder.add(lines[part], numbers[part])
        order = builder.order(last)
        if order.fall is not None:
            raise DataError(
                f"source phrase {order.phrase[:60]!r} after {order.previous[:60]!r}",
                "the C locale's order of `source |||`",
                file=path,
                line=builder.line(order.fall),
                remedy="Sort the table (LC_ALL=C sort), or ask for it to be sorted in memory "
                "(--unsorted)",
            )
        last = order.phrase
        yield builder.build()
    if not last:
        raise no_rule(path)


def _groups(
    batches: Iterable[tuple[Sequence[int], list[str]]], rules: int, form: TableForm
) -> Iterator[tuple[list[int], list[str]]]:
    """Line numbers and lines, at most ``rules`` where that doesn't split a source phrase."""
    numbers: list[int] = []
    lines: list[str] = []
    for more_numbers, more in batches:
        numbers += more_numbers
        lines += more
        begin = 0
        while (cut := _cut(lines, begin, rules, form)) is not None:
            yield numbers[begin:cut], lines[begin:cut]
            begin = cut
        numbers, lines = numbers[begin:], lines[begin:]
    if lines:
        yield numbers, lines


def _cut(lines: list[str], begin: int, rules: int, form: TableForm) -> int | None:
    """Where a block that begins at ``begin`` is to end; None = more lines are needed to tell."""
    if len(lines) - begin <= rules:
        return None
    phrase = form.source(lines[begin + rules])
    cut = begin + rules
    while cut > begin and form.source(lines[cut - 1]) == phrase:
        cut -= 1
    if cut > begin:
        return cut
    following = range(begin + rules, len(lines))
    return next((k for k in following if form.source(lines[k]) != phrase), None)


def _blocks_of(table: PhraseTable, rules: int) -> Iterator[PhraseTable]:
    """Parts of a table that don't split a source phrase."""
    starts = run_starts(table.rule_source)
    bounds = [*starts.tolist(), len(table)]
    begin = 0
    for end, following in zip(bounds[1:], [*bounds[2:], None], strict=True):
        if following is None or following - begin > rules:
            yield select_rules(table, np.arange(begin, end))
            begin = end


def write_blocks(
    blocks: Iterable[PhraseTable],
    path: str | Path,
    *,
    form: TableForm = MOSES,
    advance: Callable[[int], None] = lambda count: None,
) -> None:
    """Write blocks one after the other, and the sidecar with the column names; ``-`` is stdout.

    The file (compressed by its suffix) appears under its name when it is complete. What was read
    from a table of the same form and has not changed is written as it stood there. ``advance`` is
    told the number of rules of each block that is done.

    Raises DataError for no block, blocks of different scores, source phrases out of the C locale's
    order, a score below 0; OutputError where it can't be written.
    """
    write_tables(blocks, path, form, advance)


@dataclass(frozen=True)
class TableFile:
    """A table on disk that can be gone through more than once; see :func:`read_blocks`."""

    path: str | Path
    rules: int = RULES_PER_BLOCK
    form: TableForm = MOSES
    sources: frozenset[str] | None = None
    unsorted: bool = False

    def __iter__(self) -> Iterator[PhraseTable]:
        return read_blocks(
            self.path,
            rules=self.rules,
            form=self.form,
            sources=self.sources,
            unsorted=self.unsorted,
        )
