"""Domains that stand beside the pairs of a bitext in one file."""

import json
import warnings
from pathlib import Path

import pytest

from isogloss.align import Bitext, DataError, DataWarning, UsageError, read_bitext
from isogloss.align.text.formats.languages import Languages
from isogloss.align.text.formats.opening import iter_pairs

PAIRS = [("a", "x", "law"), ("b", "y", "med"), ("c", "z", "law"), ("d", "w", "med"), ("e", "v", "")]
EXPECTED = ["law", "med", "law", "med", None]
LANGUAGES: Languages = ("en", "es")


def texts(prop: str = "domain") -> dict[str, str]:
    """The pairs as TSV, JSON lines and TMX."""
    units = (
        f"<tu><prop type='note'>n</prop>{f'<prop type={prop!r}>{name}</prop>' if name else ''}"
        f"<tuv xml:lang='en'><seg>{source}</seg></tuv>"
        f"<tuv xml:lang='es'><seg>{target}</seg></tuv></tu>"
        for source, target, name in PAIRS
    )
    records = (
        {"source": source, "target": target} | ({prop: name} if name else {})
        for source, target, name in PAIRS
    )
    return {
        "tsv": "".join("\t".join(pair) + "\n" for pair in PAIRS),
        "jsonl": "".join(f"{json.dumps(record)}\n" for record in records),
        "tmx": f"<tmx version='1.4'><body>{''.join(units)}</body></tmx>",
    }


def read(folder: Path, text: str, labels: str | None) -> Bitext:
    (folder / "bitext").write_text(text)
    return read_bitext(folder / "bitext", labels=labels, languages=LANGUAGES)


@pytest.mark.parametrize(
    ("form", "labels"), [("tsv", "column"), ("jsonl", "prop:domain"), ("tmx", "prop:domain")]
)
def test_labels_stand_beside_the_pairs(tmp_path: Path, form: str, labels: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bitext = read(tmp_path, texts()[form], labels)
    assert [pair.label for pair in bitext] == EXPECTED
    assert bitext.domains == ("law", "med")
    assert bitext.source.words(4) == ["e"]


def test_a_property_of_the_sides(tmp_path: Path) -> None:
    """TMX allows it there, too; what the unit itself says comes first, others must agree."""
    said = [
        ("law", "law", ""), ("med", "", ""), ("", "med", ""), ("law", "med", ""),
        ("law", "law", "med"), ("", "", ""), ("med", "law", ""), ("law", "law", ""),
    ]  # fmt: skip
    units = []
    for source, target, own in said:
        props = [
            f"<prop type='domain'>{name}</prop>" if name else "" for name in (source, target, own)
        ]
        units.append(
            f"<tu>{props[2]}"
            f"<tuv xml:lang='en'>{props[0]}<seg>a</seg></tuv>"
            f"<tuv xml:lang='fr'><prop type='domain'>other</prop><seg>a</seg></tuv>"
            f"<tuv xml:lang='es'>{props[1]}<seg>x</seg></tuv></tu>"
        )
    text = f"<tmx version='1.4'><body>{''.join(units)}</body></tmx>"
    told = r"the labels of both sides differ in 2 of 8 units \(first: unit 4, 'law' and 'med'\)"
    with pytest.warns(DataWarning, match=told):
        bitext = read(tmp_path, text, "prop:domain")
    assert [pair.label for pair in bitext] == ["law", "med", "med", None, "med", None, None, "law"]


@pytest.mark.parametrize("form", ["jsonl", "tmx"])
def test_a_property_of_any_name(tmp_path: Path, form: str) -> None:
    bitext = read(tmp_path, texts("x-field")[form], "prop:x-field")
    assert [pair.label for pair in bitext] == EXPECTED


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ("tsv", "the third column, such as 'law', is ignored; to use it as domain label, pass "
         '`labels="column"` to `isogloss align`'),
        ("jsonl", "the property 'domain', such as 'law', is ignored; to use it as domain label, "
         'pass `labels="prop:domain"` to `isogloss align`'),
        ("tmx", "the property 'domain', such as 'law', is ignored; to use it as domain label, "
         'pass `labels="prop:domain"` to `isogloss align`'),
    ],
)  # fmt: skip
def test_domains_that_nobody_asked_for_are_told_of(tmp_path: Path, form: str, said: str) -> None:
    with pytest.warns(DataWarning, match=f"bitext: {said}$"):
        bitext = read(tmp_path, texts()[form], None)
    assert bitext.domains == ()


def test_links_in_the_third_column_are_no_domains(tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read(tmp_path, "a b\tx y\t\nc\tz\t0-0\n", None)


@pytest.mark.parametrize(
    ("text", "labels", "said"),
    [
        ("a\tx\tlaw of nations\n", "column", "bitext, line 1: the domain is 'law of nations'; "
         "expected one name without spaces, or -"),
        ("a\tx\nb\ty\n", "column", "bitext: no pair has a third column; expected a domain for at"),
        (texts("other")["tmx"], "prop:domain",
         "bitext: no pair has a <prop type='domain'> in TMX, or key or column of that name;"),
        (texts()["tmx"].replace(">law<", ">l w<"), "prop:domain", "the domain is 'l w' in unit 1;"),
        ("a\tx\tlaw\nb\ty\t-\n", "column", "bitext, line 1: the domain 'law' has 1 seed pair;"),
        ('{"source": "a", "target": "x", "domain": 7}\n', "prop:domain",
         "bitext, line 1: domain is 7; expected the name of a domain"),
    ],
)  # fmt: skip
def test_bad_labels(tmp_path: Path, text: str, labels: str, said: str) -> None:
    with pytest.raises(DataError, match=said):
        read(tmp_path, text, labels)


def test_a_bitext_in_two_files_has_no_labels_inside(tmp_path: Path) -> None:
    for name in ("en", "es"):
        (tmp_path / name).write_text("a\n")
    said = '`labels="column"` needs a bitext in one file that contains labels; for a bitext in two'
    with pytest.raises(UsageError, match=said):
        read_bitext(tmp_path / "en", tmp_path / "es", labels="column")


def test_pairs_have_no_label_unless_asked_for(tmp_path: Path) -> None:
    (tmp_path / "bitext").write_text(texts()["jsonl"])
    with pytest.warns(DataWarning, match="the property 'domain', such as 'law', is ignored;"):
        assert {pair.label for pair in iter_pairs(tmp_path / "bitext")} == {None}
