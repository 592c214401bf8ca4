"""Tables as TSV, CSV and XLSX."""

import csv
import re
import sys
import zipfile
from pathlib import Path

import pytest
from lxml import etree

from isogloss.align import UsageError
from isogloss.align.files.tables import sheets
from isogloss.align.files.tables.sheets import Numeral, csv_lines, tsv_lines, write_sheet

WHY = "xlsx needs pip install isogloss[tables]"
ROWS = [
    ["word", "score", "note"],
    ["=1+1", Numeral("-2.50"), "a,b"],
    ["-x", 3, None],
    ["ñ\ud800", 0.25, "d\te"],
]
MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


def cells(file: Path) -> list[tuple[str, str, str]]:
    """Place, type (n = number) and content of each cell."""
    with zipfile.ZipFile(file) as archive:
        sheet = etree.fromstring(archive.read("xl/worksheets/sheet1.xml"))
    assert sheet.find(f".//{MAIN}pane").get("state") == "frozen"
    return [
        (cell.get("r"), cell.get("t", "n"), "".join(cell.itertext()))
        for cell in sheet.iter(f"{MAIN}c")
    ]


def test_text_and_numbers() -> None:
    assert list(tsv_lines(ROWS)) == [
        "word\tscore\tnote", "=1+1\t-2.50\ta,b", "-x\t3\t", "ñ\ud800\t0.25\td e",
    ]  # fmt: skip
    found = list(csv.reader(f"{line}\n" for line in csv_lines(ROWS)))
    assert found[1:3] == [["'=1+1", "-2.50", "a,b"], ["'-x", "3", ""]]
    raw = list(csv.reader(f"{line}\n" for line in csv_lines(ROWS, raw_cells=True, bom=True)))
    assert raw[0][0] == "\ufeffword"
    assert [row[0] for row in raw[1:3]] == ["=1+1", "-x"]


def test_xlsx(tmp_path: Path) -> None:
    pytest.importorskip("xlsxwriter", reason=WHY)
    for name in ("a.xlsx", "b.xlsx"):
        write_sheet(ROWS, str(tmp_path / name), "xlsx")
    assert (tmp_path / "a.xlsx").read_bytes() == (tmp_path / "b.xlsx").read_bytes()
    found = cells(tmp_path / "a.xlsx")
    assert ("B2", "n", "-2.5") in found
    assert ("A2", "inlineStr", "=1+1") in found
    assert ("A4", "inlineStr", "ñ\\ud800") in found
    assert "C3" not in {place for place, _, _ in found}


def test_what_a_sheet_does_not_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("xlsxwriter", reason=WHY)
    file = str(tmp_path / "x.xlsx")
    message = (
        r"x\.xlsx: row 1, column 2 has 32,768 characters; a cell of .xlsx must have at most 32"
    )
    with pytest.raises(UsageError, match=message):
        write_sheet([["a", "b" * 32_768]], file, "xlsx")
    monkeypatch.setattr(sheets, "_MOST_ROWS", 2)
    with pytest.raises(
        UsageError, match=r"x\.xlsx: the table must have at most 2 rows; write .csv"
    ):
        write_sheet(ROWS, file, "xlsx")
    assert not Path(file).exists()


def test_without_a_file_or_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="xlsx output must be a file; pass its name, such as -o x"):
        write_sheet(ROWS, None, "xlsx")
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    message = "x.xlsx needs XlsxWriter; run pip install isogloss[tables], or write .csv"
    with pytest.raises(UsageError, match=re.escape(message)):
        write_sheet(ROWS, "x.xlsx", "xlsx")
