"""Tables as a stream of blocks: files of any size in bounded memory."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from isogloss.align.arrays.ragged import run_starts
from isogloss.align.errors import DataError, OptionError
from isogloss.align.files.inputs.opening import FileShare
from isogloss.align.files.text_io import LONGEST_LINE

from .formats import MOSES, TableFormat
from .phrase_table import PhraseTable
from .reading import RuleBuilder, no_rule, wanted_lines
from .rules import select_rules
from .selections import sort_rules

__all__ = ["RULES_PER_BLOCK", "TableFile", "read_blocks"]

RULES_PER_BLOCK = 1 << 16
_AT_ONCE = 1 << 13  # lines taken apart together: what is in work stays near the processor


def read_blocks(
    path: str | Path,
    *,
    rules: int = RULES_PER_BLOCK,
    format: TableFormat = MOSES,
    sources: frozenset[str] | None = None,
    unsorted: bool = False,
    longest: int = LONGEST_LINE,
    share: FileShare | None = None,
) -> Iterator[PhraseTable]:
    """Read a table as blocks of about ``rules`` rules that never split a source phrase.

    A block holds fewer rules, or, where a single source phrase has more, all of that phrase's. Each
    has phrases and sparse names of its own, and the lines it was read from. With ``sources`` only
    rules of these source phrases are read.

    The source phrases must rise in the C locale's order of ``source |||``, so that a phrase that
    comes back is noticed without remembering all. With ``unsorted`` the table is read whole,
    sorted in memory and handed out in blocks. ``share`` of the file is kept up to date.

    Raises DataError as :meth:`PhraseTable.load` does, and naming the
    line where the order falls or a source phrase comes back; UsageError for ``rules`` below 1.
    """
    if rules < 1:
        raise OptionError("rules", "at least 1", rules)
    if unsorted:
        whole = sort_rules(PhraseTable.load(path, sources=sources, format=format))
        yield from _blocks_of(whole, rules)
        return
    last = ""
    for numbers, lines in _groups(
        wanted_lines(path, format, sources, longest, share), rules, format
    ):
        builder = RuleBuilder(path, format)
        for begin in range(0, len(lines), _AT_ONCE):
            part = slice(begin, begin + _AT_ONCE)
            builder.add(lines[part], numbers[part])
        order = builder.order(last)
        if order.fall is not None:
            raise DataError(
                f"the source phrase {order.phrase[:60]!r} follows {order.previous[:60]!r}",
                "the order of `source |||` in the C locale",
                file=path,
                line=builder.line(order.fall),
                remedy="Sort the table (LC_ALL=C sort), or pass `unsorted=True` to sort it in "
                "memory",
            )
        last = order.phrase
        yield builder.build(PhraseTable)
    if not last:
        raise no_rule(path)


def _groups(
    batches: Iterable[tuple[Sequence[int], list[str]]], rules: int, format: TableFormat
) -> Iterator[tuple[list[int], list[str]]]:
    """Line numbers and lines, at most ``rules`` where that doesn't split a source phrase."""
    numbers: list[int] = []
    lines: list[str] = []
    for more_numbers, more in batches:
        looked = len(lines)  # those that are left over are of one source phrase
        numbers += more_numbers
        lines += more
        begin = 0
        while (cut := _cut(lines, begin, looked, rules, format)) is not None:
            yield numbers[begin:cut], lines[begin:cut]
            begin = looked = cut
        numbers, lines = numbers[begin:], lines[begin:]
    if lines:
        yield numbers, lines


def _cut(lines: list[str], begin: int, looked: int, rules: int, format: TableFormat) -> int | None:
    """Where a block that begins at ``begin`` is to end; None = more lines are needed to tell."""
    # looked: lines that have been looked at before
    if len(lines) - begin <= rules:
        return None
    phrase = format.source(lines[begin + rules])
    if not phrase:  # an error, which is not to wait for the next phrase
        return begin + rules
    cut = begin + rules
    while cut > begin and format.source(lines[cut - 1]) == phrase:
        cut -= 1
    if cut > begin:
        return cut
    following = range(max(begin + rules, looked), len(lines))
    return next((k for k in following if format.source(lines[k]) != phrase), None)


def _blocks_of(table: PhraseTable, rules: int) -> Iterator[PhraseTable]:
    """Parts of a table that don't split a source phrase."""
    starts = run_starts(table.rule_source)
    bounds = [*starts.tolist(), len(table)]
    begin = 0
    for end, following in zip(bounds[1:], [*bounds[2:], None], strict=True):
        if following is None or following - begin > rules:
            yield select_rules(table, np.arange(begin, end))
            begin = end


@dataclass(frozen=True)
class TableFile:
    """A table on disk that can be gone through more than once; see :func:`read_blocks`.

    share: how much of it has been read, each time anew
    """

    path: str | Path
    rules: int = RULES_PER_BLOCK
    format: TableFormat = MOSES
    sources: frozenset[str] | None = None
    unsorted: bool = False
    share: FileShare = field(default_factory=FileShare, compare=False)

    def __iter__(self) -> Iterator[PhraseTable]:
        return read_blocks(
            self.path,
            rules=self.rules,
            format=self.format,
            sources=self.sources,
            unsorted=self.unsorted,
            share=self.share,
        )
