"""Bitexts in Parquet and Arrow files."""

import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from isogloss.align import read_bitext
from isogloss.align.errors import DataError, DataWarning, UsageError
from isogloss.align.text.bitext import Bitext
from isogloss.align.text.readers import iter_pairs, read_linked_bitext

pyarrow = pytest.importorskip("pyarrow", reason="tables need pyarrow")
from pyarrow import parquet  # noqa: E402

SOURCE, TARGET = ["the house", "", "a table"], ["la casa", "nada", None]
ROWS = [(["the", "house"], ["la", "casa"]), ([], ["nada"]), (["a", "table"], [])]


def sides(bitext: Bitext) -> list[tuple[list[str], list[str]]]:
    return [(pair.source, pair.target) for pair in bitext]


def as_parquet(table: Any, path: Path) -> Path:
    parquet.write_table(table, path, row_group_size=2)
    return path


def as_file(table: Any, path: Path) -> Path:
    with pyarrow.OSFile(str(path), "wb") as file, pyarrow.ipc.new_file(file, table.schema) as out:
        out.write_table(table, 2)
    return path


def as_stream(table: Any, path: Path) -> Path:
    with pyarrow.OSFile(str(path), "wb") as file, pyarrow.ipc.new_stream(file, table.schema) as out:
        out.write_table(table, 2)
    return path


WRITERS = pytest.mark.parametrize("write", [as_parquet, as_file, as_stream])
Write = Callable[[Any, Path], Path]


@WRITERS
@pytest.mark.parametrize(
    ("names", "options"),
    [
        (("source", "target"), {}),
        (("src", "trg"), {}),
        (("en", "es"), {}),  # the only two of text
        (("en_US", "es"), {"languages": ("en", "es")}),
        (("left", "right"), {"columns": ("left", "right")}),
        (("src", "x"), {"columns": ("src", "x")}),
    ],
)
@pytest.mark.filterwarnings("ignore:.*empty side")
def test_columns(
    tmp_path: Path, write: Write, names: tuple[str, str], options: dict[str, Any]
) -> None:
    columns = {"id": [1, 2, 3], names[0]: SOURCE, names[1]: TARGET}
    path = write(pyarrow.table(columns), tmp_path / "table")
    assert sides(read_bitext(path, **options)) == ROWS


@WRITERS
@pytest.mark.parametrize("kind", ["large_string", "string_view", "dictionary"])
@pytest.mark.filterwarnings("ignore:.*empty side")
def test_kinds_of_text(tmp_path: Path, write: Write, kind: str) -> None:
    if kind == "string_view" and write is as_parquet:
        pytest.skip("Parquet has no such type")
    column = pyarrow.array(SOURCE)
    column = (
        column.dictionary_encode()
        if kind == "dictionary"
        else column.cast(getattr(pyarrow, kind)())
    )
    table = pyarrow.table({"source": column, "target": pyarrow.array(TARGET)})
    assert sides(read_bitext(write(table, tmp_path / "table"))) == ROWS


@WRITERS
@pytest.mark.parametrize(
    "options", [{"languages": ("en", "es")}, {"columns": ("translation.en", "translation.es")}]
)
def test_sides_inside_a_column(tmp_path: Path, write: Write, options: dict[str, Any]) -> None:
    pairs = [{"de": "x", "en": "the house", "es": "la casa"}, None]
    path = write(pyarrow.table({"translation": pairs}), tmp_path / "table")
    with pytest.warns(DataWarning, match=r"1 pair has an empty side \(first: row 2\)"):
        bitext = read_bitext(path, **options)
    assert sides(bitext) == [(["the", "house"], ["la", "casa"]), ([], [])]


@WRITERS
def test_labels_and_links(tmp_path: Path, write: Write) -> None:
    columns = {
        "source": ["a b", "c", "d"], "target": ["x y", "z", "w"], "links": ["0-1 1-0", None, "0-0"],
        "field": ["law", None, "law"],
    }  # fmt: skip
    path = write(pyarrow.table(columns), tmp_path / "table")
    bitext = read_bitext(path, labels="prop:field")
    assert bitext.domains == ("law",)
    assert bitext.label_ids.tolist() == [0, -1, 0]
    _, links = read_linked_bitext(path)
    assert links is not None
    assert [*links] == [[(0, 1), (1, 0)], [], [(0, 0)]]


@WRITERS
def test_line_breaks_become_blanks(tmp_path: Path, write: Write) -> None:
    path = write(pyarrow.table({"source": ["a\nb"], "target": ["x\r\ny"]}), tmp_path / "table")
    assert [pair[:2] for pair in iter_pairs(path)] == [("a b", "x  y")]


@WRITERS
@pytest.mark.parametrize(
    ("columns", "options", "message"),
    [
        ({"a": ["x"], "b": ["y"], "c": ["z"]}, {},
         r"table: the columns of text are a, b, c; expected two columns of text. Pass both, source "
         r'first: `columns=\("en", "fr"\)`'),
        ({"a": ["x"], "b": [1]}, {"columns": ("a", "b")},
         r"text are a, and no text is b \(int64\); expected a and b"),
        ({"b": [1]}, {}, r"text are \(none\), and no text is b \(int64\); expected two"),
        ({"source": ["x"], "target": ["y"], "domain": [1]}, {"labels": "prop:domain"},
         r"no text is domain \(int64\); expected a column domain of text. Write the labels as"),
        ({"en": ["x"], "fr": ["y"]}, {"languages": ("en", "es")}, "expected en and es"),
        ({"source": ["x |||"], "target": ["y"]}, {},
         r"table: the text contains \|\|\| as a token in row 1;"),
        ({"source": ["x"], "target": ["y"], "domain": ["l w"]}, {"labels": "prop:domain"},
         "the domain is 'l w' in row 1;"),
        ({"source": ["x"], "target": ["y"]}, {"labels": "prop:domain"},
         "of text are source, target; expected a column domain of text. Write the labels as text"),
    ],
)  # fmt: skip
def test_bad_tables(
    tmp_path: Path, write: Write, columns: dict[str, Any], options: dict[str, Any], message: str
) -> None:
    path = write(pyarrow.table(columns), tmp_path / "table")
    with pytest.raises(DataError, match=message):
        read_bitext(path, **options)


@WRITERS
def test_two_columns_of_one_name(tmp_path: Path, write: Write) -> None:
    both = [pyarrow.array(["x"]), pyarrow.array(["y"])]
    path = write(pyarrow.table(both, ["source", "source"]), tmp_path / "table")
    with pytest.raises(DataError, match="table: the table has 2 columns named source; expected"):
        read_bitext(path)


@WRITERS
def test_each_part_of_tables_is_a_table(tmp_path: Path, write: Write) -> None:
    write(pyarrow.table({"source": ["x"], "target": ["y"]}), tmp_path / "2")
    for empty in ("1", "3"):
        (tmp_path / empty).touch()
        with pytest.raises(
            DataError, match=r"[23]: the file is (no|a) table, but the first one is"
        ):
            read_bitext(tmp_path / "*")
        (tmp_path / empty).unlink()


@WRITERS
def test_a_damaged_table(tmp_path: Path, write: Write) -> None:
    many = {"source": ["a" * 1000] * 99, "target": ["b"] * 99}
    path = write(pyarrow.table(many), tmp_path / "table")
    path.write_bytes(path.read_bytes()[:-500])
    with pytest.raises(DataError, match=r"table: the (Parquet|Arrow) file is truncated or damaged"):
        read_bitext(path)


def test_text_that_is_not_utf8(tmp_path: Path) -> None:
    bytes_ = pyarrow.array([b"a", b"\xff"])
    text = pyarrow.StringArray.from_buffers(2, bytes_.buffers()[1], bytes_.buffers()[2])
    table = pyarrow.table({"source": text, "target": ["x", "y"]})
    with pytest.raises(DataError, match="table: the column source in row 2 is not UTF-8"):
        read_bitext(as_file(table, tmp_path / "table"))


class _Pipe(io.RawIOBase):
    """Bytes that can be read once, in order."""

    def __init__(self, content: bytes) -> None:
        self._rest = io.BytesIO(content)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return self._rest.readinto(buffer)


def stdin_holds(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    raw: Any = _Pipe(path.read_bytes())
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(raw)))


@pytest.mark.filterwarnings("ignore:.*empty side")
def test_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = pyarrow.table({"source": SOURCE, "target": TARGET})
    stdin_holds(as_stream(table, tmp_path / "stream"), monkeypatch)
    assert sides(read_bitext("-")) == ROWS
    stdin_holds(as_parquet(table, tmp_path / "parquet"), monkeypatch)
    with pytest.raises(UsageError, match="Parquet cannot be read from a pipe"):
        read_bitext("-")


def test_without_the_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = as_parquet(pyarrow.table({"source": ["a"], "target": ["b"]}), tmp_path / "table")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    message = r"a file in the format parquet needs pyarrow; run pip install isogloss\[tables\]"
    with pytest.raises(UsageError, match=message):
        read_bitext(path)


def test_columns_of_json_lines(tmp_path: Path) -> None:
    (tmp_path / "x").write_text('{"a": "the", "b": {"es": "la"}}\n{"a": "house", "b": {}}\n')
    pairs = iter_pairs(tmp_path / "x", columns=("a", "b.es"))
    assert next(pairs)[:2] == ("the", "la")
    with pytest.raises(
        DataError, match=r"x, line 2: the record has the keys a, b; expected .*b\.es"
    ):
        next(pairs)
