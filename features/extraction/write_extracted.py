"""The files of an extraction: a phrase table with its sidecar, and reordering tables."""

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
from pathlib import Path

from isogloss.align.errors import DataError
from isogloss.align.files.writers import atomic_files

from ..table.phrase_table import PhraseTable
from ..table.rule_formatter import RuleFormatter
from ..table.write_blocks import write_blocks
from .extract import ExtractedBlock
from .reordering import ReorderingModel

__all__ = ["write_extracted"]


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
    with closing(_with_reordering(blocks, models)) as tables:
        return write_blocks(tables, path, in_order=True, advance=advance)


def _with_reordering(
    blocks: Iterable[ExtractedBlock], models: Sequence[tuple[ReorderingModel, str]]
) -> Generator[PhraseTable, None, None]:
    """The tables of the blocks; files of reordering tables are written on the way."""
    formatter: RuleFormatter | None = None
    with atomic_files(*(file for _, file in models)) as outputs:
        for block in blocks:
            formatter = formatter or RuleFormatter.of(block.table)
            for (model, _), output, scores in zip(models, outputs, block.reordering, strict=True):
                for part in formatter.reordering(
                    block.table, scores, with_target=model.condition == "fe"
                ):
                    output.write(part)
            yield block.table
        if formatter is None:
            raise DataError(
                "no phrase pairs were extracted",
                remedy="Check that the text and the links are not empty, or raise the limit "
                "(`max_phrase_length=...`)",
            )
