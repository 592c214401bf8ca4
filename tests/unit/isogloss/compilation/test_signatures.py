"""The list of kernels and types: what it says, and what it can't be."""

import numba
import pytest
from numba import types

from isogloss.align.errors import DataError
from isogloss.align.kernels.cooccurrence import Sentences
from isogloss.align.kernels.ragged import copy_spans
from isogloss.compilation.signatures import kernel_line, parse_line, read_list

INT64, FLOAT32 = types.int64, types.float32
READ = types.Array(INT64, 1, "C", readonly=True)
WRITTEN = types.Array(types.int32, 2, "A")
NAME = "isogloss.align.kernels.ragged.copy_spans"


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (FLOAT32, "float32"),
        (types.boolean, "boolean"),
        (types.none, "none"),
        (READ, "int64[C1, readonly]"),
        (WRITTEN, "int32[A2]"),
        (types.UniTuple(INT64, 2), "(int64, int64,)"),
        (types.Tuple((WRITTEN,)), "(int32[A2],)"),
        (
            types.NamedTuple((READ, READ, INT64), Sentences),
            "isogloss.align.kernels.cooccurrence.Sentences"
            "(int64[C1, readonly], int64[C1, readonly], int64)",
        ),
    ],
)
def test_types_are_written_and_read(kind: types.Type, text: str) -> None:
    line = kernel_line(copy_spans, [kind, INT64])
    assert line == f"{NAME}({text}, int64)"
    assert parse_line(line) == (copy_spans, (kind, INT64))


def test_all_lines_are_those_of_kernels() -> None:
    lines = read_list()
    assert len(lines) > 90
    assert lines == sorted(set(lines))
    for number, line in enumerate(lines, 1):
        entry = parse_line(line, number)
        assert kernel_line(*entry) == line
        assert entry.kernel.py_func.__code__.co_argcount >= len(entry.signature)


@pytest.mark.parametrize(
    ("line", "seen"),
    [
        ("isogloss.align.kernels.ragged.copy_spans", "Attribute in place of Call"),
        ("isogloss.align.kernels.ragged.copy_spans(", "'\\(' was never closed"),
        ("isogloss.align.kernels.ragged.nothing(int64)", "has no attribute 'nothing'"),
        ("align.nowhere.copy_spans(int64)", "No module named 'align.nowhere'"),
        ("isogloss.align.kernel_cache.drop_outdated(int64)", "function in place of Kernel"),
        (f"{NAME}(int65)", "no attribute 'int65'"),
        (f"{NAME}(int64[C1, torn])", "an array that is torn"),
        (f"{NAME}(7)", "Constant in place of Call"),
    ],
)
def test_other_lines_are_refused(line: str, seen: str) -> None:
    with pytest.raises(DataError, match=f"signatures.txt, line 3: .*{seen}.*; expected a kernel"):
        parse_line(line, 3)


def test_a_type_that_can_not_be_written() -> None:
    with pytest.raises(ValueError, match="the type unicode_type cannot be written"):
        kernel_line(copy_spans, [numba.typeof("text")])
