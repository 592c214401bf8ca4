"""The templates that docs/reference/templates.md writes."""

import re
from pathlib import Path

import pytest

from isogloss.align.errors import UsageError
from isogloss.features.table.phrase_table import PhraseTable
from isogloss.features.templates.apply import add_templates, parse_templates
from isogloss.features.templates.plugins import load_templates
from tests.naive import templates as naive
from tests.unit.features.templates.test_apply import BIBLE, LAW, classes_of


@pytest.fixture
def examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The template that the page writes to my_templates.py, and its Python."""
    docs = Path(__file__).resolve().parents[4] / "docs" / "reference" / "templates.md"
    text = docs.read_text("utf-8")
    (lines,) = re.findall(r"^\$ cat > my_templates.py.*\n((?:>.*\n)*?)> END", text, re.MULTILINE)
    own = re.sub(r"^> ?", "", lines, flags=re.MULTILINE)
    (tmp_path / "my_templates.py").write_text(own, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    return [own, *re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)]


@pytest.fixture
def questions() -> PhraseTable:
    return naive.table_of(
        [
            naive.Rule(("?",), (".",), (), 1.0, LAW),
            naive.Rule(("?",), ("?",), (), 1.0, LAW),
            naive.Rule(("ya", "."), ("already",), (), 5.0, BIBLE),
        ]
    )


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("", [["Punctuation_?_", "Punctuation__."], [], ["Punctuation_._"]]),
        (":marks=?", [["Punctuation_?_"], [], []]),
        (":min=2", [[], [], ["Punctuation_._"]]),
        (":domain", [["Punctuation@law_?_", "Punctuation@law__."], [], ["Punctuation@bible_._"]]),
        (":classes=source:marks=34", [["Punctuation.source-classes_3_"],
                                      ["Punctuation.source-classes_3_"],
                                      ["Punctuation.source-classes_4_"]]),
    ],
)  # fmt: skip
def test_template_of_the_docs(
    examples: list[str],
    questions: PhraseTable,
    options: str,
    expected: list[list[str]],
    tmp_path: Path,
) -> None:
    assert len(examples[0].splitlines()) <= 20
    classes = {"source": classes_of(**{"ya": 0, "?": 1, ".": 2})}
    own = load_templates(str(tmp_path / "my_templates.py"))
    found = add_templates(questions, [f"LonePunctuation{options}"], classes=classes, plugins=own)
    assert expected == [list(row) for row in naive.rows_of(found)]


def test_objects_of_the_docs(examples: list[str], questions: PhraseTable) -> None:
    scope: dict[str, object] = {"table": questions}
    exec(examples[2], scope)
    table = scope["table"]
    assert isinstance(table, PhraseTable)
    assert naive.rows_of(table) == [
        {"Punctuation_?_": 1.0, "Punctuation__.": 1.0, "AL_?_": 1.0},
        {"AL_?_": 1.0},
        {"Punctuation_._": 1.0, "AL_ya_": 1.0, "AL_._": 1.0},
    ]


def test_state_template_of_the_docs(examples: list[str]) -> None:
    scope: dict[str, object] = {}
    exec(examples[3], scope)
    assert scope["values"] == {
        "PT_verde_green": 1.0,
        "PT_casa_house": 1.0,
        "Jump_+1": 1.0,
        "Jump_-2": 1.0,
        "LO_discontinuous-previous_verde_green": 1.0,
        "LO_nonmonotone-previous_verde_green": 1.0,
        "LO_swap-previous_casa_house": 1.0,
        "LO_nonmonotone-previous_casa_house": 1.0,
    }


def test_entry_point(examples: list[str], questions: PhraseTable, tmp_path: Path) -> None:
    folder = tmp_path / "my_templates-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Name: my-templates\nVersion: 1.0\n", encoding="utf-8")
    points = "[isogloss.templates]\npunctuation = my_templates:LonePunctuation\n"
    (folder / "entry_points.txt").write_text(points, encoding="utf-8")
    found = add_templates(questions, ["punctuation:marks=?"], plugins=load_templates("punctuation"))
    assert ("Punctuation_?_",) == found.sparse_names
    with pytest.raises(UsageError, match="template 'punctuation'; expected one of pt, al"):
        parse_templates(["punctuation"])
    with pytest.raises(
        UsageError, match=r"plugin 'xx' was not found; .*isogloss\.templates \(punctuation\)"
    ):
        load_templates("xx")
