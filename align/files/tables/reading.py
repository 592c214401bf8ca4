"""Tables in: the rows of Parquet and Arrow files, some thousand at a time."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from operator import itemgetter
from pathlib import Path
from typing import Any, BinaryIO

from ...errors import DataError, UsageError, shown_file
from ..inputs.opening import open_binary
from .tabular import library

__all__ = ["TABLES", "StoredTable", "table_format", "table_rows"]

TABLES = ("parquet", "arrow")
_MAGIC = {b"PAR1": "parquet", b"ARROW1": "arrow", b"\xff\xff\xff\xff": "arrow"}
_BATCH = 4096  # rows that are read at a time


def table_format(stream: BinaryIO) -> str | None:
    """The format of a table by its first bytes, of which none are taken; None for a text."""
    begin = stream.peek(8)[:8]  # type: ignore[attr-defined]
    return next((name for magic, name in _MAGIC.items() if begin.startswith(magic)), None)


def _is_arrow_file(stream: BinaryIO) -> bool:
    """Whether Arrow is in the form of a file, which is read from its end, rather than a stream."""
    return bool(stream.peek(8).startswith(b"ARROW1"))  # type: ignore[attr-defined]


def table_rows(path: str | Path, columns: Sequence[str]) -> Iterator[tuple[Any, ...]] | None:
    """The rows of some columns, None for a file that is no table.

    A column that the table lacks, but for the first, has None in each row. Raises DataError where
    it lacks the first one, and as :class:`StoredTable` does.
    """
    with open_binary(path, until_damage=True) as stream:
        format = table_format(stream)
        if format is None:
            return None
        table = StoredTable(stream, path, format)
        if columns[0] not in table.columns:
            raise DataError(
                f"the table has the columns {', '.join(table.columns)}",
                f"a column {columns[0]}",
                file=path,
            )
    return _reopened(path, columns)


def _reopened(path: str | Path, columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    with open_binary(path, until_damage=True) as stream:
        table = StoredTable(stream, path, table_format(stream) or "")
        known = [name if name in table.columns else None for name in columns]
        yield from table.rows(known)


class StoredTable:
    """A Parquet or Arrow file that is read once.

    columns: names of all columns; text_columns: of those of text, where those inside a column of
        structures have its name before a dot; other_columns: of the others, with their types
    schema: columns with their types, a ``pyarrow.Schema``

    Raises UsageError without pyarrow, and for what can't be read from its end; DataError for a
    damaged file, and for two columns of one name.
    """

    def __init__(self, stream: BinaryIO, path: str | Path, format: str) -> None:
        self._arrow = library("pyarrow", f"a file in the format {format}")
        library("pyarrow.compute", f"a file in the format {format}")
        self._path, self._format, self._done = path, format, 0
        self._batches: Callable[[list[str]], Iterator[Any]]
        if not stream.seekable() and (format == "parquet" or _is_arrow_file(stream)):
            kind = "Parquet" if format == "parquet" else "an Arrow file"
            raise UsageError(
                f"{shown_file(path)}: {kind} cannot be read from a pipe or a compressed file; pass "
                "the file itself, or an Arrow stream"
            )
        with self._damage_told():
            self.schema = schema = self._open(stream)
        self.columns: list[str] = schema.names
        self.text_columns, self.other_columns = self._names_of(schema)
        name, number = max(Counter(self.columns).items(), key=itemgetter(1), default=("", 0))
        if number > 1:
            raise DataError(
                f"the table has {number} columns named {name}",
                "columns of different names",
                file=path,
                remedy="Rename them",
            )

    def _open(self, stream: BinaryIO) -> Any:
        """Open the file; returns its schema."""
        if self._format == "parquet":
            file = library("pyarrow.parquet", "a file in the format parquet").ParquetFile(stream)
            self._batches = lambda names: file.iter_batches(_BATCH, columns=names)
            return file.schema_arrow
        if _is_arrow_file(stream):
            stored = self._arrow.ipc.open_file(stream)
            self._batches = lambda _: map(stored.get_batch, range(stored.num_record_batches))
            return stored.schema
        reader = self._arrow.ipc.open_stream(stream)
        self._batches = lambda _: iter(reader)
        return reader.schema

    def batches(self) -> Iterator[Any]:
        """All rows, a ``pyarrow.RecordBatch`` at a time.

        Raises DataError where the file is damaged.
        """
        with self._damage_told():
            for batch in self._batches(self.columns):
                yield batch
                self._done += len(batch)

    def rows(self, columns: Sequence[str | None]) -> Iterator[tuple[Any, ...]]:
        """The cells of some columns, row by row; None in place of a name gives None.

        Raises DataError for text that isn't UTF-8, and where the file is damaged.
        """
        with self._damage_told():
            for batch in self._batches([name for name in columns if name is not None]):
                none = [None] * len(batch)
                cells = [none if name is None else self._cells(batch, name) for name in columns]
                yield from zip(*cells, strict=True)
                self._done += len(batch)

    def _cells(self, batch: Any, name: str) -> list[Any]:
        first, *fields = [name] if name in batch.schema.names else name.split(".")
        column = batch.column(first)
        for field in fields:
            column = self._arrow.compute.struct_field(column, field)
        try:
            cells: list[Any] = column.to_pylist()
        except UnicodeDecodeError as error:
            row = next(row for row in range(len(column)) if _is_damaged(column, row))
            raise DataError(
                f"the column {name} in row {self._done + row + 1} is not UTF-8", file=self._path,
                remedy="Write the file again",
            ) from error  # fmt: skip
        return cells

    @contextmanager
    def _damage_told(self) -> Iterator[None]:
        try:
            yield
        except (self._arrow.ArrowException, OSError) as error:
            raise DataError(
                f"the {self._format.capitalize()} file is truncated or damaged after row "
                f"{self._done} ({str(error).splitlines()[0]})",
                file=self._path,
                remedy="Fetch or write it again",
            ) from error

    def _names_of(self, schema: Any) -> tuple[list[str], list[str]]:
        """Names of the columns of text, and those of others with their types."""
        names, others, fields = [], [], [(field.name, field.type) for field in schema]
        while fields:
            name, kind = fields.pop(0)
            if self._arrow.types.is_struct(kind):
                fields[:0] = [(f"{name}.{field.name}", field.type) for field in kind]
            elif self._is_text(kind):
                names.append(name)
            else:
                others.append(f"{name} ({kind})")
        return names, others

    def _is_text(self, kind: Any) -> bool:
        if self._arrow.types.is_dictionary(kind):
            kind = kind.value_type
        return str(kind) in ("string", "large_string", "string_view")


def _is_damaged(column: Any, row: int) -> bool:
    try:
        column[row].as_py()
    except UnicodeDecodeError:
        return True
    return False
