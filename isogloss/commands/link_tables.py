"""Links as tables: a row per sentence pair in a Parquet or Arrow file."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from isogloss.align.files.tables.reading import TABLES
from isogloss.align.files.tables.tabular import library
from isogloss.align.files.writers import atomic_file, write_lines

__all__ = [
    "ROWS",
    "LinkTable",
    "TableColumns",
    "is_table",
    "link_table",
    "table_writer",
    "with_domains",
    "write_links",
]

ROWS = 1 << 16  # rows of a group, which is written at once


class TableColumns(NamedTuple):
    """Columns that a table has beside the links.

    scores: a list with the probability of each link
    domains: the most probable domain of each pair, and its probability
    """

    scores: bool = False
    domains: bool = False


def is_table(output: str | None) -> bool:
    """Whether an output of links is a table, by its suffix."""
    return output is not None and Path(output).suffix.lower().removeprefix(".") in TABLES


def with_domains(
    lines: Iterable[str], domains: Sequence[str], posterior: NDArray[np.float64]
) -> Iterator[str]:
    """Lines of links, each with the most probable domain of its pair.

    posterior: float64[num_pairs, num_domains]
    """
    best = posterior.argmax(1)
    values = posterior[np.arange(len(best)), best].tolist()
    for line, number, value in zip(lines, best.tolist(), values, strict=True):
        yield f"{line}\t{domains[number]}\t{value:.6f}"


def write_links(lines: Iterable[str], output: str | None, columns: TableColumns) -> None:
    """Write lines of links: as text, or as a table where the suffix of the output says so.

    Raises UsageError for a table without pyarrow, and OutputError where it can't be written.
    """
    if not is_table(output):
        write_lines(lines, output)
        return
    assert output is not None
    with atomic_file(output) as stream, link_table(stream, output, columns) as table:
        table.add(lines)


@contextmanager
def link_table(stream: BinaryIO, name: str, columns: TableColumns) -> Iterator["LinkTable"]:
    """A table that is written to a stream. name: of the output, whose suffix says the format"""
    arrow = library("pyarrow", "an output with the suffix " + Path(name).suffix)
    fields = {"links": arrow.string()}
    if columns.scores:
        fields["probabilities"] = arrow.list_(arrow.float32())
    if columns.domains:
        fields |= {"domain": arrow.string(), "domain_probability": arrow.float32()}
    schema = arrow.schema(list(fields.items()))
    with table_writer(stream, name, schema) as writer:
        table = LinkTable(writer, schema, columns)
        yield table
        table.flush()


def table_writer(stream: BinaryIO, name: str, schema: Any) -> Any:
    """What writes tables of Arrow to a stream. name: of the output, whose suffix says the format"""
    if Path(name).suffix.lower() == ".parquet":
        parquet = library("pyarrow.parquet", "Parquet")
        return parquet.ParquetWriter(stream, schema, compression="zstd")
    return library("pyarrow", "an Arrow file").ipc.new_file(stream, schema)


class LinkTable:
    """Rows of links, which come as lines: links, and perhaps a domain and its probability."""

    def __init__(self, writer: Any, schema: Any, columns: TableColumns) -> None:
        self._writer, self._schema, self._columns = writer, schema, columns
        self._cells: Mapping[str, list[Any]] = {name: [] for name in schema.names}

    def add(self, lines: Iterable[str]) -> None:
        """Add a row for each line."""
        cells, links = self._cells, self._cells["links"]
        for line in lines:
            text, *domain = line.split("\t")
            if self._columns.scores:
                parts = [link.partition(":") for link in text.split()]
                text = " ".join(link for link, _, _ in parts)
                cells["probabilities"].append([float(score) for _, _, score in parts])
            if self._columns.domains:
                cells["domain"].append(domain[0])
                cells["domain_probability"].append(float(domain[1]))
            links.append(text)
            if len(links) == ROWS:
                self.flush()

    def flush(self) -> None:
        """Write the rows that were added."""
        if not self._cells["links"]:
            return
        arrow = library("pyarrow", "a table")
        self._writer.write_table(arrow.table(dict(self._cells), self._schema))
        for cells in self._cells.values():
            cells.clear()
