"""Types with columns become tables of Arrow, and by it of pandas, Polars and others.

The libraries are those of the extra ``tables``, loaded when a table is first asked for.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import UsageError
from .columns import Column, NamedNumbers, StringBlock, ValueLists

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

__all__ = ["Tabular", "library"]


class Tabular:
    """A type that is a table as well; ``table_columns`` says which columns it has.

    Whatever reads Arrow's streams takes it as it is: ``polars.DataFrame(links)``,
    ``pyarrow.table(links)``, DuckDB.
    """

    def table_columns(self) -> Mapping[str, Column]:
        """The columns by name, all of one length."""
        raise NotImplementedError

    def to_arrow(self) -> "pyarrow.Table":
        """Return a table of Arrow; numbers and blocks of text are not copied.

        Returns
        -------
        pyarrow.Table

        Raises
        ------
        UsageError
            If pyarrow isn't installed.
        """
        arrow = library("pyarrow", "an Arrow table")
        columns = self.table_columns()
        arrays = [_array(arrow, column) for column in columns.values()]
        return arrow.table(arrays, names=list(columns))

    def to_pandas(self) -> "pandas.DataFrame":
        """Return a table of pandas; names by number are categorical.

        Returns
        -------
        pandas.DataFrame

        Raises
        ------
        UsageError
            If pandas or pyarrow isn't installed.
        """
        library("pandas", "a table of pandas")
        return self.to_arrow().to_pandas()

    def to_polars(self) -> "polars.DataFrame":
        """Return a table of Polars; names by number are categorical.

        Returns
        -------
        polars.DataFrame

        Raises
        ------
        UsageError
            If Polars or pyarrow isn't installed.
        """
        frame: polars.DataFrame = library("polars", "a table of Polars").from_arrow(self.to_arrow())
        return frame

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The Arrow PyCapsule interface."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)


def library(name: str, what: str, shown: str = "", otherwise: str = "") -> Any:
    """A library of the extra ``tables``, named as ``shown``.

    what: needs it; otherwise: what to do without it

    Raises UsageError where it is not installed.
    """
    try:
        return import_module(name)
    except ImportError as error:
        raise UsageError(
            f"{what} needs {shown or name}; run pip install isogloss[tables]"
            + f", {otherwise}" * bool(otherwise)
        ) from error


def _array(arrow: Any, column: Column) -> Any:
    """A column as an array of Arrow."""
    if isinstance(column, NamedNumbers):
        numbers = arrow.array(column.numbers, mask=column.numbers < 0)
        names = arrow.array(column.names, arrow.large_string())
        return arrow.DictionaryArray.from_arrays(numbers, names)
    if isinstance(column, StringBlock):
        blocks = [np.ascontiguousarray(part) for part in (column.offsets, column.content)]
        buffers = [None, *map(arrow.py_buffer, blocks)]
        size = len(column.offsets) - 1
        return arrow.Array.from_buffers(arrow.large_string(), size, buffers)
    if isinstance(column, ValueLists):
        entries = arrow.StructArray.from_arrays(
            [_array(arrow, column.names), arrow.array(column.values)], names=["name", "value"]
        )
        return arrow.LargeListArray.from_arrays(arrow.array(column.offsets), entries)
    if isinstance(column, np.ndarray):
        return arrow.array(column)
    return arrow.array(column, arrow.large_string())
