"""The files of an extraction: a phrase table with its sidecar, and reordering tables."""

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO

from align.errors import DataError
from align.files.writers import atomic_file

from ..table.phrase_table import columns_file
from ..table.write_blocks import RuleFormatter
from .extract import ExtractedBlock
from .reordering import ReorderingModel

__all__ = ["write_extracted"]


def write_extracted(
    blocks: Iterable[ExtractedBlock],
    path: str | Path,
    models: Sequence[tuple[ReorderingModel, str]] = (),
) -> int:
    """Write a phrase table with its sidecar, and reordering tables: all of them or none.

    On standard output, ``-``, the table has no sidecar. Returns the number of rules.

    Raises DataError where there is no rule, OutputError where they can't be written.
    """
    number, names = 0, []
    with ExitStack() as files:
        table, sidecar = _table_files(path, files)
        others = [files.enter_context(atomic_file(file)) for _, file in models]
        formatter: RuleFormatter | None = None
        for block in blocks:
            formatter = formatter or RuleFormatter.of(block.table)
            _write(table, formatter.rules(block.table))
            for (model, _), file, scores in zip(models, others, block.reordering, strict=True):
                lines = formatter.reordering(
                    block.table, scores, with_target=model.condition == "fe"
                )
                _write(file, lines)
            number += len(block.table)
            names = list(block.table.score_names)
        if not number:
            raise DataError(
                "no phrase pair",
                "links of words, between which there are phrase pairs",
                remedy="Is the text empty, are there no links, or --max-length words too few?",
            )
        if sidecar is not None:
            text = json.dumps({"scores": names}, indent=1, ensure_ascii=False)
            sidecar.write(text.encode() + b"\n")
    return number


def _table_files(path: str | Path, files: ExitStack) -> tuple[BinaryIO, BinaryIO | None]:
    if str(path) == "-":
        return sys.stdout.buffer, None
    return (
        files.enter_context(atomic_file(path)),
        files.enter_context(atomic_file(columns_file(path))),
    )


def _write(file: BinaryIO, lines: Iterator[bytes]) -> None:
    for part in lines:
        file.write(part)
