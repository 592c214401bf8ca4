"""From lines to rules: all of a file, or a block of it."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, count
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.ragged import row_numbers
from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.errors import DataError, OptionError, pluralize
from isogloss.align.files.inputs.opening import FileShare
from isogloss.align.files.text_io import LONGEST_LINE, text_blocks

from .columns import RuleFault
from .formats import MOSES, MosesFormat, RuleColumns, TableFormat
from .phrases import PhraseNumbers
from .plain_lines import PlainParser, SourceFilter
from .rules import Origin, Rules, Table, select_rules
from .selections import SourceOrder, limit_rules, order_of
from .sidecar import read_score_names

__all__ = ["RuleBuilder", "no_rule", "read_rules", "wanted_lines"]


# columns, and the numbers of source phrases, target phrases and labels, int64[n] each
_Parsed = tuple[RuleColumns, list[NDArray[np.int64]]]


class RuleBuilder:
    """Builds a table, or a block of one, from the lines of a file."""

    def __init__(self, path: str | Path, format: TableFormat) -> None:
        self._path, self._format = path, format
        self._scale = format.scale if type(format) is MosesFormat else None  # of plain lines
        self._plain = PlainParser()
        # phrases and names are numbered in order of first appearance
        self._sources, self._targets, self._names = (PhraseNumbers() for _ in range(3))
        self._rules: list[NDArray[np.int64]] = []  # line, source, target, label: int64[4, n]
        self._labels: defaultdict[str, int] = defaultdict(count().__next__)
        self._parts: list[RuleColumns] = []
        self._lines: list[Sequence[str]] = []

    def __len__(self) -> int:
        return sum(map(len, self._lines))

    def add(self, lines: Sequence[str], numbers: Sequence[int]) -> None:
        """Parse lines; ``numbers`` are their numbers in the file, from 1.

        Raises DataError for the first line of another format, or with other scores than the
        lines before.
        """
        try:
            part, phrases = self._parse_plain(lines) or self._parse(lines)
            self._check_scores(part)
        except RuleFault as fault:
            raise DataError(
                fault.seen, fault.expected, file=self._path, line=numbers[fault.row],
                remedy=fault.remedy,
            ) from None  # fmt: skip
        self._rules.append(np.stack([np.array(numbers, np.int64), *phrases]))
        self._parts.append(part)
        self._lines.append(lines)

    def _parse_plain(self, lines: Sequence[str]) -> _Parsed | None:
        """What :meth:`_parse` gives, by a kernel; None where that takes a closer look."""
        # Raises RuleFault for a number that stands for no score.
        if self._scale is None or self._sources.has_room(len(lines)):  # few: without a kernel
            return None
        plain = self._plain.parse(lines)
        if plain is None:
            return None
        self._scale.check(plain.numbers)
        names = self._names.number(plain.text, *plain.names).astype(np.int32)
        part = RuleColumns(
            (), (), self._scale.scores(plain.numbers), plain.links, plain.counts,
            Ragged(names, plain.values, plain.value_offsets), (),
        )  # fmt: skip
        source = self._sources.number(plain.text, *plain.source)
        target = self._targets.number(plain.text, *plain.target)
        return part, [source, target, np.zeros(len(lines), np.int64)]

    def _parse(self, lines: Sequence[str]) -> _Parsed:
        """The columns of lines without their phrases; numbers of these, and of labels: int64[n]."""
        # Raises RuleFault as :meth:`TableFormat.parse` does.
        part = self._format.parse(lines)
        labels = part.labels or [""] * len(lines)
        phrases = [
            self._sources.number_texts(part.source),
            self._targets.number_texts(part.target),
            np.fromiter(map(self._labels.__getitem__, labels), np.int64, len(lines)),
        ]
        ids = self._names.number_texts(part.sparse_names).astype(np.int32)
        sparse = replace(part.sparse, ids=ids[part.sparse.ids] if len(ids) else part.sparse.ids)
        # the phrases are numbered now: don't keep their text
        return replace(part, source=(), target=(), labels=None, sparse=sparse), phrases

    def _check_scores(self, part: RuleColumns) -> None:
        if not self._parts:
            return
        first = self._parts[0]
        if part.score_names != first.score_names:
            raise RuleFault(
                0, f"the scores are {', '.join(part.score_names or ())}",
                f"{', '.join(first.score_names or ())}, as in previous lines",
            )  # fmt: skip
        if part.scores.shape[1] != first.scores.shape[1]:
            raise RuleFault(
                0,
                f"the line has {pluralize(part.scores.shape[1], 'score')}",
                f"{first.scores.shape[1]}, as in previous lines",
            )

    def order(self, before: str = "") -> SourceOrder:
        """Whether the lines' source phrases rise from ``before`` on; see :class:`SourceOrder`."""
        rules = np.concatenate([part[1] for part in self._rules])
        return order_of(self._sources.texts(), rules.astype(np.int32), before)

    def line(self, rule: int) -> int:
        """Line number of a rule, in the order in which they were added."""
        return int(np.concatenate([part[0] for part in self._rules])[rule])

    def build(self, kind: type[Table], keep_text: bool = True) -> Table:
        """The table; rules are brought together by source phrase where the file was unsorted.

        Raises DataError for links outside of their phrases and for a rule that comes twice.
        """
        rules = np.hstack(self._rules)
        self._check_repetition(rules)
        parts = self._parts
        scores = np.concatenate([part.scores for part in parts])
        table = kind(
            self._sources.corpus(),
            self._targets.corpus(),
            np.zeros(len(scores), np.int32),  # in order, whatever the lines' order is
            rules[2].astype(np.int32),
            scores,
            parts[0].score_names or read_score_names(self._path, scores.shape[1]),
            Ragged.joined([part.links for part in parts]),
            np.concatenate([part.counts for part in parts]),
            Ragged.joined([part.sparse for part in parts]),
            tuple(self._names.texts()),
            self._properties(),
        )
        rule_source = rules[1].astype(np.int32)
        self._check_links(table, rules)
        lines = np.empty(len(scores), np.object_) if keep_text else None
        if lines is not None:
            lines[:] = list(chain.from_iterable(self._lines))
        if (np.diff(rule_source) < 0).any():
            order = np.argsort(rule_source, kind="stable")
            table, rule_source = select_rules(table, order), rule_source[order]
            lines = lines if lines is None else lines[order]
        table = replace(table, rule_source=rule_source)
        return table if lines is None else replace(table, origin=Origin(self._format, lines, table))

    def _properties(self) -> NDArray[np.object_] | None:
        if all(part.properties is None for part in self._parts):
            return None
        result = np.full(len(self), "", np.object_)
        begin = 0
        for part, lines in zip(self._parts, self._lines, strict=True):
            if part.properties is not None:
                result[begin : begin + len(lines)] = np.array(part.properties, np.object_)
            begin += len(lines)
        return result

    def _check_repetition(self, rules: NDArray[np.int64]) -> None:
        keys = (rules[1] * len(self._targets) + rules[2]) * max(len(self._labels), 1) + rules[3]
        order = np.argsort(keys, kind="stable")
        twice = np.flatnonzero(np.diff(keys[order]) == 0)
        if not len(twice):
            return
        later = int(order[twice + 1].min())
        earlier = int(np.argmax(keys == keys[later]))
        source = self._sources.texts()[rules[1, later]]
        target = self._targets.texts()[rules[2, later]]
        raise DataError(
            f"the rule {source[:60]!r} ||| {target[:60]!r} repeats line {rules[0, earlier]}",
            "unique rules",
            file=self._path,
            line=int(rules[0, later]),
            remedy="Remove one of the two lines",
        )

    def _check_links(self, table: Rules, rules: NDArray[np.int64]) -> None:
        rule = row_numbers(table.links.offsets)
        sizes = table.source.lengths[rules[1]], table.target.lengths[rules[2]]
        bad = (table.links.ids >> 8 >= sizes[0][rule]) | (table.links.ids & 255 >= sizes[1][rule])
        if bad.any():
            entry = int(np.argmax(bad))
            link, row = int(table.links.ids[entry]), rule[entry]
            raise DataError(
                f"link {link >> 8}-{link & 255} is out of range: the rule has "
                f"{pluralize(sizes[0][row], 'source word')} and "
                f"{pluralize(sizes[1][row], 'target word')}",
                file=self._path,
                line=int(rules[0, row]),
            )


def read_rules(
    kind: type[Table],
    path: str | Path,
    *,
    sources: frozenset[str] | None = None,
    table_limit: int = 0,
    format: TableFormat = MOSES,
    keep_text: bool = True,
) -> Table:
    """Read a whole table of this kind; see :meth:`PhraseTable.load`.

    With ``sources`` only rules whose source phrase is in it are kept (see :func:`phrases_of`);
    with ``table_limit`` at most so many per source phrase, the highest p(e|f) first (third score).
    ``keep_text`` keeps the lines, so that what isn't changed is written as it stands: some 200
    bytes per rule.

    Raises DataError naming the line for a wrong number of fields or scores, a bad number, a score
    that has no logarithm, a link outside of the phrases, a rule that comes twice, a line of more
    than 16 MiB; UsageError for one below 0.
    """
    if table_limit < 0:
        raise OptionError("table_limit", "at least 0", table_limit)
    builder = RuleBuilder(path, format)
    for numbers, lines in wanted_lines(path, format, sources):
        builder.add(lines, numbers)
    if not len(builder):
        raise no_rule(path)
    table = builder.build(kind, keep_text)
    return limit_rules(table, table_limit) if table_limit else table


def wanted_lines(
    path: str | Path,
    format: TableFormat = MOSES,
    sources: frozenset[str] | None = None,
    longest: int = LONGEST_LINE,
    share: FileShare | None = None,
) -> Iterator[tuple[Sequence[int], list[str]]]:
    """Lines of a table, of these source phrases only where given, and their numbers from 1.

    An empty line, which is an error, is never left out. share: of the file, kept up to date

    Raises DataError as :func:`isogloss.align.files.text_io.text_blocks` does.
    """
    done = 0
    wanted = None if sources is None else SourceFilter(sources, format)
    for block in text_blocks(path, longest=longest, share=share):
        first, size = done + 1, block.count(b"\n") + 1
        done += size
        if wanted is None:
            yield range(first, first + size), block.decode().split("\n")
            continue
        empty = _first_empty(block)
        if empty is not None:
            size = block.count(b"\n", 0, empty)
            block = block[: max(empty - 1, 0)]
        rows, lines = wanted.choose(block, size) if size else ([], [])
        if lines:
            yield [first + row for row in rows], lines
        if empty is not None:
            yield [first + size], [""]


def _first_empty(block: bytes) -> int | None:
    """Where the first empty line of a block begins, None where all hold something."""
    if block[:1] in (b"", b"\n"):
        return 0
    at = block.find(b"\n\n")
    if at >= 0:
        return at + 1
    return len(block) if block.endswith(b"\n") else None


def no_rule(path: str | Path) -> DataError:
    """The error for a table without rules, or without those that an input needs."""
    return DataError(
        "the table has no rules for the input",
        file=path,
        remedy="Check that it is the right table",
    )
