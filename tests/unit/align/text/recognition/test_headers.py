"""A first line that names columns or sides, and numbers in more than one column."""

import subprocess
import warnings
from pathlib import Path

import pytest

from isogloss.align.errors import DataError, DataWarning
from isogloss.align.text.readers import read_bitext
from isogloss.align.text.recognition.recognition import explained, forms_of
from isogloss.align.text.recognition.sample import TextSample
from tests.unit.align.text.recognition.inputs import TEXT, each


def told(*paths: Path) -> list[str]:
    """What is warned of, without the names of files."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        read_bitext(*paths)
    return [str(one.message).partition(": ")[2] for one in caught]


@pytest.mark.parametrize(
    ("first", "is_header"),
    [
        ("English\tFrançais", True),
        ("Deutsch\tEnglisch", True),
        ("Quelle\tZiel", True),
        ("inglés\tespañol", True),
        ("английский\tрусский", True),
        ("0\t1", True),
        ("source\ttarget\tlinks", True),
        ("sentence_en\tsentence_fr", True),
        ("German\tDeutsch", False),  # a translation
        ("the garden\tder Garten", False),
        ("0\t0", False),
        ("en-GB\tfr-FR", True),
        ("EN\tFR", True),
        ("Yes\tOui", False),
    ],
)
def test_headers_of_tsv(tmp_path: Path, first: str, is_header: bool) -> None:
    cells = "\tTEXT" * first.count("\t")
    (tmp_path / "x.tsv").write_text(first + "\n" + each(f"TEXT{cells}"))
    header = [one for one in told(tmp_path / "x.tsv") if one.startswith("line 1 is a header")]
    assert len(header) == is_header


def test_a_header_behind_row_numbers() -> None:
    sample = TextSample.of_lines(("\t0\t1\n" + each("*\tTEXT\tTEXT")).splitlines())
    assert "header" in [form.kind for form in forms_of(sample)]


@pytest.mark.parametrize("names", [("sentence", "phrase"), ("sentence_en", "sentence_fr")])
@pytest.mark.parametrize("lines", [6, 40])
def test_a_header_above_quotes(tmp_path: Path, names: tuple[str, str], lines: int) -> None:
    paths = tmp_path / "x.a", tmp_path / "x.b"
    for path, name in zip(paths, names, strict=True):
        path.write_text(f"{name}\n" + "".join(f'"{line}"\n' for line in TEXT[:lines]))
    seen = told(*paths)
    assert sum(one.startswith("line 1 is a header") for one in seen) == 1
    assert sum(one.startswith("the lines stand in quotes") for one in seen) == 2


@pytest.mark.parametrize(
    ("form", "seen"),
    [
        ("{0}\t{2}\t{1}\tla {2}", "the columns 1 and 3 are numbers"),
        ("{0}\teng\t{2}\t{1}\tspa\tla {2}", "the columns 1, 2, 4 and 5 are numbers and languages"),
    ],
)
def test_numbers_of_both_sides(tmp_path: Path, form: str, seen: str) -> None:
    """The command takes the sentences of both, as from the pairs of Tatoeba."""
    path = tmp_path / "x.tsv"
    lines = [form.format(9 * n, 5600 - n, line) for n, line in enumerate(TEXT)]
    path.write_text("\n".join(lines) + "\n")
    one = told(path)[0]
    assert one.startswith(seen)
    assert not any("word 0" in other for other in told(path))
    assert sentences(one) == [f"{line}\tla {line}" for line in TEXT]


def test_numbers_and_a_language(tmp_path: Path) -> None:
    paths = tmp_path / "x", tmp_path / "y"
    for path in paths:
        path.write_text(each("*\teng\tTEXT"))
    seen = told(*paths)
    assert len(seen) == 2 and all("the sentences are in column 3" in one for one in seen)
    assert sentences(seen[0]) == TEXT


def sentences(warning: str) -> list[str]:
    """What the command of a warning writes."""
    command = warning.split("`")[1]
    out = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True)
    return out.stdout.splitlines()


@pytest.mark.parametrize("form", ["menu.item*=Yesterday we TEXT", 'key_*: "TEXT"'])
def test_keys_with_numbers_are_no_identifiers(form: str) -> None:
    sample = TextSample.of_lines(each(form).splitlines())
    assert [found.kind for found in forms_of(sample)] == ["properties"]


@pytest.mark.parametrize(
    "text",
    [
        each("1\tthe\tthe\tDET\n2\tdog\tdog\tNOUN\n"),
        "".join(f"{n // 4}\t{t}\n" for n, t in enumerate(TEXT)),
        each("*\tTEXT\t-1.5"),
    ],
)
def test_columns_that_begin_with_a_number(tmp_path: Path, text: str) -> None:
    """CoNLL-U and lists of hypotheses need their numbers."""
    (tmp_path / "x").write_text(text)
    assert explained(DataError("a line is malformed", file=tmp_path / "x")) == ""


def test_numbers_before_links(tmp_path: Path) -> None:
    (tmp_path / "x").write_text(each("*\t0-0 1-1"))
    seen = explained(DataError("a link is malformed", file=tmp_path / "x"))
    assert seen.startswith("The lines begin with a number and a tab (line 1 begins")
    assert seen.endswith(f"Remove the number: `cut -f2- {tmp_path / 'x'}`")


def test_a_header_is_a_warning(tmp_path: Path) -> None:
    (tmp_path / "x.tsv").write_text("English\tFrançais\n" + each("TEXT\tTEXT"))
    with pytest.warns(DataWarning, match=r"line 1 is a header.*`tail -n \+2 .*x\.tsv`"):
        read_bitext(tmp_path / "x.tsv")
