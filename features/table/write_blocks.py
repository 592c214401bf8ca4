"""The lines of rules, and files of them: blocks of a table, written one after the other."""

import json
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from align.errors import DataError
from align.files.writers import atomic_file, write_lines
from align.kernels.simd import BLOCK
from align.ragged import offsets_of
from align.text.vocabulary import Vocabulary

from .formats import MOSES, TableFormat
from .kernels.formatting import rule_sizes, write_rules
from .phrases import phrase_texts
from .rule_texts import rule_texts
from .rules import Rules, select_rules
from .selections import source_order
from .sidecar import columns_file

__all__ = ["RuleFormatter", "format_blocks", "format_rules", "write_blocks"]

_RULES_OF_TEXT = 1 << 16  # rules put together at a time as text, and by the kernel: bounds memory
_RULES = 1 << 14
_LINES = 1 << 12  # lines of text written at a time


def format_rules(table: Rules, format: TableFormat = MOSES) -> Iterator[str]:
    """The lines of a table in a format.

    What was read from a file of the same format and has not changed since has the file's digits,
    and an unchanged rule its line. A score of 0 is written as e^-100, which is what decoders take
    its logarithm for.

    Raises DataError for a score below 0, or where there is none.
    """
    origin = table.origin
    if origin is not None and origin.format == format and origin.still_holds(table):
        yield from origin.lines
        return
    _check_scores(table)
    source, target = phrase_texts(table.source), phrase_texts(table.target)
    for begin in range(0, len(table), _RULES_OF_TEXT):
        rows = np.arange(begin, min(begin + _RULES_OF_TEXT, len(table)))
        block = table if len(rows) == len(table) else select_rules(table, rows)
        yield from format.join(rule_texts(block, format, source, target))


def _check_scores(table: Rules) -> None:
    if not table.score_names:
        raise DataError("no score is left", "one score or more per rule")
    if (table.scores < 0.0).any():
        rule, column = np.argwhere(table.scores < 0.0)[0].tolist()
        raise DataError(
            f"{table.score_names[column]} = {table.scores[rule, column]:g} in rule {rule + 1}",
            "scores above 0: decoders take their logarithm",
        )


class _Fields(NamedTuple):
    """What follows the phrases; see ``write_rules``."""

    scores: NDArray[np.float64]
    links: tuple[NDArray[np.int32], NDArray[np.int64]]
    counts: NDArray[np.float64]
    whole: bool


def _word_bytes(vocabulary: Vocabulary) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """The words' bytes one after the other, and where each begins."""
    texts = [word.encode(errors="backslashreplace") for word in vocabulary.words]
    bounds = offsets_of([len(text) for text in texts])
    return np.frombuffer(b"".join([*texts, bytes(BLOCK)]), np.uint8), bounds


class RuleFormatter:
    """Formats rules by a kernel, ten times as fast as :func:`format_rules`, as the same bytes.

    source, target: the vocabularies of their phrases
    """

    def __init__(self, source: Vocabulary, target: Vocabulary) -> None:
        self._vocabularies = source, target
        self._words = _word_bytes(source), _word_bytes(target)

    @classmethod
    def of(cls, table: Rules) -> "RuleFormatter":
        """For a table, and others of the same vocabularies."""
        return cls(table.source.vocabulary, table.target.vocabulary)

    def suits(self, table: Rules) -> bool:
        """Whether the table has the vocabularies of this formatter."""
        source, target = self._vocabularies
        return table.source.vocabulary is source and table.target.vocabulary is target

    @staticmethod
    def takes(table: Rules, format: TableFormat) -> bool:
        """Whether the kernel can write the table: as Moses' text, nothing sparse, no old lines."""
        plain = not table.sparse_names and table.properties is None and table.origin is None
        return plain and format == MOSES

    def rules(self, table: Rules) -> Iterator[bytes]:
        """``source ||| target ||| scores ||| links ||| counts ||| |||``, whole lines.

        Numbers have six significant digits, as in Moses. Raises DataError as
        :func:`format_rules` does.
        """
        _check_scores(table)
        links = table.links.ids, table.links.offsets
        rules = table.rule_source, table.rule_target
        scores = np.ascontiguousarray(MOSES.scale.numbers(table.scores))
        return self._lines(table, rules, _Fields(scores, links, table.counts, True))

    def reordering(
        self, table: Rules, scores: NDArray[np.float64], *, with_target: bool = True
    ) -> Iterator[bytes]:
        """Lines of a reordering table: ``source ||| target ||| scores``, or ``source ||| scores``.

        scores: float64[num_rules, k]; without target float64[num_source_phrases, k]
        """
        rules = table.rule_source, table.rule_target
        if not with_target:
            rules = np.arange(len(table.source), dtype=np.int32), np.zeros(0, np.int32)
        number = len(rules[0])
        links = np.zeros(0, np.int32), np.zeros(number + 1, np.int64)
        scores = np.ascontiguousarray(scores)
        return self._lines(table, rules, _Fields(scores, links, np.zeros((number, 0)), False))

    def _lines(
        self,
        table: Rules,
        rules: tuple[NDArray[np.int32], NDArray[np.int32]],
        fields: _Fields,
    ) -> Iterator[bytes]:
        source, target = ((side.tokens, side.offsets) for side in (table.source, table.target))
        sizes = np.empty(len(rules[0]), np.int64)
        rule_sizes(rules, source, target, self._words, tuple(fields), sizes)
        for first in range(0, len(sizes), _RULES):
            last = min(first + _RULES, len(sizes))
            out = np.empty(sizes[first:last].sum() + BLOCK, np.uint8)
            size = write_rules(rules, first, last, source, target, self._words, tuple(fields), out)
            yield out[:size].tobytes()


def write_blocks(
    blocks: Iterable[Rules],
    path: str | Path,
    *,
    format: TableFormat = MOSES,
    advance: Callable[[int], None] = lambda count: None,
    in_order: bool = False,
) -> int:
    """Write the blocks of a table, and the sidecar with the names of the scores.

    The file (compressed by its suffix) appears under its name when it is complete; ``-`` is
    standard output, where there is no sidecar. Lines are those of :func:`format_rules`; new rules
    without sparse features are put together by a kernel. ``advance`` is told the number of rules
    of each block that is done. ``in_order``: the source phrases are known to rise, and aren't
    looked at.

    Returns the number of rules.

    Raises DataError for no block, blocks of different scores, source phrases out of the C locale's
    order (:func:`sort_rules` helps), a score below 0; OutputError where it can't be written.
    """
    rest = iter(blocks)
    first = next(rest, None)
    if first is None:
        raise DataError("no rule", "rules to write", file=path)
    checked = _CheckedBlocks(chain([first], rest), path, in_order)
    parts = format_blocks(checked, format, advance)
    if str(path) == "-":
        write_lines((part.decode().removesuffix("\n") for part in parts), path)
        return checked.num_rules
    with atomic_file(path) as table, atomic_file(columns_file(path)) as sidecar:
        for part in parts:
            table.write(part)
        names = {"scores": list(first.score_names)}
        text = json.dumps(names, indent=1, ensure_ascii=False)
        sidecar.write(text.encode(errors="backslashreplace") + b"\n")
    return checked.num_rules


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
                    f"a block with the scores {', '.join(table.score_names)}",
                    f"{', '.join(names)} as in the blocks before",
                    file=self._path,
                )
            names = table.score_names
            if not self._in_order:
                last_phrase = self._check_order(table, last_phrase)
            yield table
            self.num_rules += len(table)
        if not self.num_rules:
            raise DataError("no rule is left", "rules to write", file=self._path)

    def _check_order(self, table: Rules, last_phrase: str) -> str:
        order = source_order(table, last_phrase)
        if order.fall is not None:
            raise DataError(
                f"source phrase {order.phrase!r} after {order.previous!r}",
                "the C locale's order of `source |||`",
                file=self._path,
                remedy="Sort the rules first (features.table.selections.sort_rules)",
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
    formatter: RuleFormatter | None = None
    for table in blocks:
        if RuleFormatter.takes(table, format):
            if formatter is None or not formatter.suits(table):
                formatter = RuleFormatter.of(table)
            yield from formatter.rules(table)
        else:
            lines = format_rules(table, format)
            while part := list(islice(lines, _LINES)):
                yield "\n".join([*part, ""]).encode(errors="backslashreplace")
        advance(len(table))
