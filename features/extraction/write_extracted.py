"""The files of an extraction: a phrase table with its sidecar, and reordering tables."""

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from isogloss.align.errors import DataError
from isogloss.align.files.writers import atomic_files

from ..table.rule_formatter import RuleFormatter
from ..table.write_blocks import BlockFormatter, write_table_lines
from .extract import ExtractedBlock
from .reordering import ReorderingModel

__all__ = ["ExtractedFormatter", "FormattedBlock", "write_extracted", "write_formatted"]


class FormattedBlock(NamedTuple):
    """The lines of consecutive rules.

    size: how many rules they are; num_rules: of all blocks
    table: lines of the phrase table, some at a time; reordering: those of each reordering table
    """

    score_names: tuple[str, ...]
    size: int
    num_rules: int
    table: Iterable[bytes]
    reordering: tuple[Iterable[bytes], ...]


class ExtractedFormatter:
    """Formats extracted blocks one by one. models: the reordering models of the blocks"""

    def __init__(self, models: Sequence[ReorderingModel]) -> None:
        self._models, self._rules = models, BlockFormatter()
        self._reordering: RuleFormatter | None = None  # once there is a block

    def block(self, block: ExtractedBlock) -> FormattedBlock:
        """The lines of a block, which are made as they are asked for."""
        table, lines = block.table, self._rules.lines(block.table)
        return FormattedBlock(
            table.score_names, len(table), block.num_rules, lines, self._reordering_lines(block)
        )

    def _reordering_lines(self, block: ExtractedBlock) -> tuple[Iterable[bytes], ...]:
        if not self._models:
            return ()
        formatter = self._reordering = self._reordering or RuleFormatter.of(block.table)
        return tuple(
            formatter.reordering(block.table, scores, with_target=model.condition == "fe")
            for model, scores in zip(self._models, block.reordering, strict=True)
        )


def write_extracted(
    blocks: Iterable[ExtractedBlock],
    path: str | Path,
    models: Sequence[tuple[ReorderingModel, str]] = (),
    advance: Callable[[int], None] = lambda count: None,
) -> int:
    """Write a phrase table with its sidecar, and reordering tables: all of them or none.

    On standard output, ``-``, the table has no sidecar. ``models``: the reordering models of the
    blocks, in their order, and the file of each; ``advance`` is told the number of rules of each
    block that is done. Returns the number of rules.

    Raises DataError where there is no rule, OutputError where they can't be written.
    """
    formatter = ExtractedFormatter([model for model, _ in models])
    return write_formatted(
        map(formatter.block, blocks), path, [file for _, file in models], advance
    )


def write_formatted(
    blocks: Iterable[FormattedBlock],
    path: str | Path,
    files: Sequence[str] = (),
    advance: Callable[[int], None] = lambda count: None,
) -> int:
    """Write blocks that are lines already, as :func:`write_extracted` does.

    files: of the reordering tables
    """
    rest = iter(blocks)
    first = next(rest, None)
    if first is None:
        raise DataError(
            "no phrase pairs were extracted",
            remedy="Check that the text and the links are not empty, or raise the limit "
            "(`max_phrase_length=...`)",
        )
    sizes = []

    def done(size: int) -> None:
        sizes.append(size)
        advance(size)

    with closing(_table_lines(chain([first], rest), files, done)) as lines:
        write_table_lines(lines, path, first.score_names)
    return sum(sizes)


def _table_lines(
    blocks: Iterable[FormattedBlock], files: Sequence[str], advance: Callable[[int], None]
) -> Generator[bytes, None, None]:
    """The lines of the phrase table; files of reordering tables are written on the way."""
    with atomic_files(*files) as outputs:
        for block in blocks:
            for output, lines in zip(outputs, block.reordering, strict=True):
                for part in lines:
                    output.write(part)
            yield from block.table
            advance(block.size)
