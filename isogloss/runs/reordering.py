"""Reordering models of a decoder, as command lines and configurations name them: MODEL=FILE."""

from collections.abc import Iterable
from pathlib import Path

from align.errors import UsageError
from features.extraction.reordering import ReorderingModel
from features.table.phrase_table import PhraseTable
from tune.decoder.reordering import ReorderingTable

__all__ = ["parse_reordering", "read_reordering"]


def parse_reordering(text: str) -> tuple[ReorderingModel, str]:
    """The model and the file of ``MODEL=FILE``.

    Raises UsageError where a part is missing, and as ReorderingModel.parse does.
    """
    name, _, file = text.partition("=")
    if not file:
        raise UsageError(
            f"reordering {text!r}; expected MODEL=FILE, such as "
            "wbe-msd-bidirectional-fe=reordering-table.gz"
        )
    return ReorderingModel.parse(name), file


def read_reordering(
    models: Iterable[tuple[ReorderingModel, str | Path]], table: PhraseTable
) -> list[ReorderingTable]:
    """The rows that the rules of a phrase table have in reordering tables.

    Raises DataError and UsageError as :meth:`tune.decoder.reordering.ReorderingTable.read` does.
    """
    return [ReorderingTable.read(file, model, table) for model, file in models]
