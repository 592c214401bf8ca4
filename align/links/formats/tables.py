"""Lines of files of links. In a table, a column ``links`` is Pharaoh text, perhaps with one of
probabilities beside it.
"""

from codecs import BOM_UTF8
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

from ...errors import DataError, check_path, pluralize
from ...files.inputs.shards import files_of
from ...files.outputs import is_stream
from ...files.records import LARGEST_FILE
from ...files.tables.reading import table_rows
from ...files.text_io import LONGEST_LINE, text_blocks

__all__ = ["lines_of_links"]

_COLUMNS = ("links", "probabilities")


def lines_of_links(path: str | Path) -> Iterator[str]:
    """The lines of a file of links, or Pharaoh text of the rows of a Parquet or Arrow file.

    JSON may be all on one line.

    Raises DataError as :func:`isogloss.align.files.text_io.text_blocks` and :func:`table_rows` do.
    """
    check_path(path)
    if is_stream(path):
        return _text_lines(path)
    return chain.from_iterable(_lines_of(file) for file in files_of(path))


def _text_lines(path: str | Path) -> Iterator[str]:
    for block in text_blocks(path, longest=_longest):
        yield from block.decode().split("\n")


def _longest(head: bytes) -> int:
    """Bytes of a line at most, by how a file begins."""
    is_json = head.removeprefix(BOM_UTF8).lstrip().startswith(b"{")
    return LARGEST_FILE if is_json else LONGEST_LINE


def _lines_of(file: str | Path) -> Iterator[str]:
    rows = table_rows(file, _COLUMNS)
    if rows is None:
        return _text_lines(file)
    return (_text(cells, file, number) for number, cells in enumerate(rows, start=1))


def _text(cells: tuple[Any, ...], file: str | Path, number: int) -> str:
    """The text of a row, each link with its probability."""
    links, scores = cells
    text = links or ""
    if not isinstance(text, str):
        raise DataError(f"the links in row {number} are {text!r:.40}", "text", file=file)
    if scores is None:
        return text
    tokens = text.split()
    if len(tokens) != len(scores):
        raise DataError(
            f"row {number} has {pluralize(len(tokens), 'link')}, but "
            f"{pluralize(len(scores), 'probability')}",
            "a probability for each link",
            file=file,
        )
    return " ".join(f"{link}:{score}" for link, score in zip(tokens, scores, strict=True))
