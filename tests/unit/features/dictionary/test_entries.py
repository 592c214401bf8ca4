"""Lists of a dictionary, their examples and what they are written as."""

import csv
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from isogloss.align import Bitext, Links, ModelError, UsageError
from isogloss.align.errors import WrongTypeError
from isogloss.align.text.corpus import Corpus
from isogloss.align.text.vocabulary import Vocabulary
from isogloss.features import Dictionary, DictionaryOptions
from isogloss.features.dictionary.entries import Entry
from isogloss.features.dictionary.extract import label_weights, link_dictionary
from isogloss.features.dictionary.spelling import commonest_spellings
from isogloss.features.dictionary.tbx import tbx_lines
from isogloss.features.dictionary.words import folded
from isogloss.features.dictionary.writing import COLUMNS, dictionary_format, format_dictionary
from isogloss.features.extraction.phrases import Phrases, Side
from tests.naive import dictionary as naive
from tests.naive.phrase_pairs import spans

TBX = "{urn:iso:std:iso:30042:ed-2}"
LANG = "{http://www.w3.org/XML/1998/namespace}lang"
LINES = [
    ("a", "the file", "el archivo"),
    ("a", "the file", "el archivo"),
    ("a", "open the file of the disk now or in an hour , please", "abra el archivo"),
    ("a", "close the file", "cierre el archivo"),
    ("b", "the lord", "el señor"),
    ("b", 'the lord , "his"', "el señor"),
    ("b", "file", "lima"),
    ("b", "the lord file", "el señor lima"),
]
LINKS = {"file": ("archivo", "lima"), "the": ("el",), "lord": ("señor",)}


@pytest.fixture
def bitext() -> Bitext:
    sides = [[line[side].split() for line in LINES] for side in (1, 2)]
    labels = np.array([int(line[0] == "b") for line in LINES], np.int16)
    return Bitext(*map(Corpus.from_sentences, sides), labels, ("a", "b"))


@pytest.fixture
def dictionary(bitext: Bitext) -> Dictionary:
    links = [
        [
            (j, i)
            for j, word in enumerate(pair.source)
            for i, other in enumerate(pair.target)
            if other in LINKS.get(word, ()) and j == pair.source.index(word)
        ]
        for pair in bitext
    ]
    options = DictionaryOptions(min_count=1, min_pmi=99.0)
    return link_dictionary(bitext, Links.from_pairs(links), options, label_weights(bitext))


def shown(dictionary: Dictionary, *arguments: str, **more: object) -> list[str]:
    entries = dictionary.entries(*arguments, **more)  # type: ignore[arg-type]
    return [f"{entry.source} {entry.target} {entry.count:.0f}" for entry in entries]


def test_lists_of_domains(dictionary: Dictionary) -> None:
    assert shown(dictionary, "a", sort="count") == ["file archivo 4", "the el 4"]
    assert shown(dictionary, "b", sort="special", top=2) == ["lord señor 3", "file lima 2"]
    assert shown(dictionary, "b", sort="count", min_count=2) == [
        "the el 3", "lord señor 3", "file lima 2",
    ]  # fmt: skip
    many = replace(
        dictionary,
        **{name: getattr(dictionary, name) * 100.0
           for name in ("counts", "source_counts", "target_counts", "sizes")},
    )  # fmt: skip
    for domain, rare in (("a", "the el 400"), ("b", "file archivo 0")):
        all_pairs = shown(many, domain, sort="count", rarer=True)
        kept = shown(many, domain, sort="count")
        assert kept == [pair for pair in all_pairs if pair != rare]
    blurred = replace(dictionary, counts=dictionary.counts * (1.0 - 1e-5))  # P(D) below 1
    assert shown(blurred, "b", sort="special", min_count=3)[0] == "lord señor 3"
    assert shown(dictionary)[0] == "the el 7"
    assert shown(dictionary, min_confidence=0.999) == []
    entry = dictionary.entries("b", sort="special")[1]
    assert (entry.source_count, entry.target_count, entry.total) == (2.0, 2.0, 2)
    assert (entry.target_probability, entry.source_probability) == (1.0, 1.0)
    assert entry.llr is not None
    assert entry.llr > 0.0
    the = dictionary.entries("a", sort="count")[1]
    assert the.target_probability == pytest.approx(4 / 5)
    assert repr(dictionary.entries("b", sort="special", top=1)) == "Entries(1 of b: lord = señor)"
    assert repr(dictionary) == "Dictionary(4 pairs; domains: a, b)"
    with pytest.raises(UsageError, match=r"top must be at least 0, got -1"):
        dictionary.entries(top=-1)
    with pytest.raises(IndexError, match="entry 9 is out of range: the list has 4 entries"):
        dictionary.entries()[9]


def test_examples_are_short_and_sure_and_not_twice_the_same(dictionary: Dictionary) -> None:
    entries = dictionary.entries("a", sort="count")
    lines = [[example.line for example in row] for row in dictionary.examples(entries, 3)]
    assert lines == [[3, 4, 1], [3, 4, 1]]  # 13, 3 and 2 words; the second line is the first again
    first = dictionary.examples(entries, 3)[0][1]
    assert first[1:] == ("close the file", "cierre el archivo")
    lords = dictionary.examples(dictionary.entries("b", sort="special", top=1), 9)[0]
    assert [example.line for example in lords] == [6, 8, 5]
    # those of other domains come last
    the = dictionary.examples(dictionary.entries("b", sort="count", top=1), 9)[0]
    assert [example.line for example in the] == [6, 8, 5, 3, 4, 1]


def test_a_table(dictionary: Dictionary) -> None:
    columns = dictionary.table_columns()
    assert list(columns) == [
        "source", "target", "confidence", "count", "source_count", "target_count",
        "count.a", "special.a", "count.b", "special.b",
    ]  # fmt: skip
    pytest.importorskip("pandas", reason="tables need pip install isogloss[tables]")
    table = dictionary.to_pandas()
    assert len(table) == len(dictionary)
    assert table["source"].tolist()[0] == " ".join(dictionary.source.words(0))
    assert table["special.b"].tolist() == dictionary.specificity(1).tolist()


def test_wrong_questions(dictionary: Dictionary) -> None:
    with pytest.raises(UsageError, match="unknown domain 'c'; expected one of a, b, all"):
        dictionary.entries("c")
    with pytest.raises(
        UsageError, match="sort must be one of best, confidence, special, count, got 'size'"
    ):
        dictionary.entries(sort="size")
    with pytest.raises(
        UsageError, match="domain specificity is undefined for the whole text; choose a domain"
    ):
        dictionary.entries(sort="special")
    with pytest.raises(UsageError, match="the dictionary has no text; only a newly extracted"):
        replace(dictionary, origin=None).examples(dictionary.entries(), 1)
    with pytest.raises(UsageError, match="format 'xls'; expected one of tsv, csv, tbx"):
        format_dictionary(dictionary, [], "xls")
    with pytest.raises(UsageError, match="TBX needs the languages of the terms; pass them,"):
        format_dictionary(dictionary, [], "tbx")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sizes": np.zeros(2)}, "there must be one confidence per pair, and one size for all"),
        ({"counts": np.zeros((4, 2))}, "counts must have one row per pair and one column for all"),
        ({"counts": np.full((4, 3), np.nan)}, "counts must be finite and at least 0"),
        ({"counts": np.ones((4, 3))}, "the counts of the domains must not exceed the total"),
        ({"domains": ("a", "all")}, "domain names must be unique and different from 'all'"),
        ({"certainty": np.full(4, 2.0)}, "confidences must be probabilities"),
    ],
)
def test_columns_that_do_not_fit(
    dictionary: Dictionary, change: dict[str, object], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        replace(dictionary, **change)  # type: ignore[arg-type]


def test_a_domain_called_all(bitext: Bitext, dictionary: Dictionary) -> None:
    assert dictionary.origin is not None
    links = dictionary.origin.linked.text.links
    labeled = bitext.with_numbered_labels(bitext.label_ids, ("a", "all"))
    with pytest.raises(UsageError, match="the domain name 'all' is reserved for the whole text;"):
        link_dictionary(labeled, links, None, label_weights(labeled))


def lists(dictionary: Dictionary) -> list[object]:
    return [dictionary.entries(name, sort="count") for name in dictionary.domains]


def test_tsv_and_csv(dictionary: Dictionary) -> None:
    header, *rows = format_dictionary(dictionary, lists(dictionary), examples=2)  # type: ignore[arg-type]
    assert header.split("\t") == [
        *COLUMNS,
        *("example1.line", "example1.source", "example1.target"),
        *("example2.line", "example2.source", "example2.target"),
    ]
    cells = rows[0].split("\t")
    assert cells[:3] == ["a", "file", "archivo"]
    assert cells[6:12] == ["4.0", "1.0000", "1.0000", "4.0", "4.0", "4"]
    assert cells[12:] == [
        *("3", "open the file of the disk now or in an hour , please", "abra el archivo"),
        *("4", "close the file", "cierre el archivo"),
    ]
    lines = list(format_dictionary(dictionary, [dictionary.entries()], "csv"))
    assert all(line.endswith("\r") and "\n" not in line for line in lines)
    first = next(csv.DictReader(line + "\n" for line in lines))
    assert (first["domain"], first["special"], first["llr"]) == ("all", "", "")
    assert float(first["p(target|source)"]) == pytest.approx(7 / 8)


def test_cells_of_odd_words(dictionary: Dictionary) -> None:
    words = Vocabulary(["a,b", '"c"', "d\te", "f\ng"])  # which no text has
    odd = Corpus(np.arange(1, 5, dtype=np.int32), np.arange(5), words)
    odd_dictionary = replace(dictionary, source=odd)
    rows = list(format_dictionary(odd_dictionary, [odd_dictionary.entries()]))
    assert {len(row.split("\t")) for row in rows} == {len(COLUMNS)}
    text = "".join(
        f"{row}\n" for row in format_dictionary(odd_dictionary, [odd_dictionary.entries()], "csv")
    )
    found = {row["source"] for row in csv.DictReader(text.splitlines(keepends=True))}
    assert {"a,b", '"c"', "d\te"} <= found


def test_no_word_is_a_formula(dictionary: Dictionary) -> None:
    """Spreadsheets run cells that begin so; numbers below 0 stay numbers."""
    odd = replace(
        dictionary,
        source=Corpus.from_sentences([["=cmd|'/c_calc'!A1"], ["@SUM(A1:A9)"], ["+1+1"], ["-2"]]),
        domains=("=cmd|x", *dictionary.domains[1:]),
    )

    def cells(raw: bool) -> list[dict[str, str]]:
        entries = [odd.entries("=cmd|x", sort="count")]
        lines = format_dictionary(odd, entries, "csv", raw_cells=raw)
        return list(csv.DictReader(f"{line}\n" for line in lines))

    found, raw = cells(False), cells(True)
    assert {row["domain"] for row in found} == {"'=cmd|x"}
    assert [row["source"].removeprefix("'") for row in found] == [row["source"] for row in raw]
    assert all(row["source"][0] == "'" for row in found)
    for name in COLUMNS[3:]:
        assert [row[name] for row in found] == [row[name] for row in raw]


def test_tbx(dictionary: Dictionary) -> None:
    text = "\n".join(
        format_dictionary(
            dictionary, lists(dictionary), "tbx", examples=2, languages=("en", "es-419")
        )  # type: ignore[arg-type]
    )
    root = etree.fromstring(text.encode())
    assert root.tag == f"{TBX}tbx"
    assert dict(root.attrib) == {"type": "TBX-Basic", "style": "dca", LANG: "en"}
    assert [child.tag for child in root] == [f"{TBX}tbxHeader", f"{TBX}text"]
    assert root[0].findtext(f"{TBX}fileDesc/{TBX}sourceDesc/{TBX}p")
    concepts = root.findall(f"{TBX}text/{TBX}body/{TBX}conceptEntry")
    assert [concept.get("id") for concept in concepts] == [f"c{k}" for k in range(1, 6)]
    first = concepts[0]
    assert [child.tag.removeprefix(TBX) for child in first] == [
        "descrip", "note", "langSec", "langSec",
    ]  # fmt: skip
    assert (first[0].get("type"), first[0].text) == ("subjectField", "a")
    assert first[1].text.startswith("confidence 0.8897; special -1.84; ")
    assert [section.get(LANG) for section in first[2:]] == ["en", "es-419"]
    assert [section.findtext(f"{TBX}termSec/{TBX}term") for section in first[2:]] == [
        "file", "archivo",
    ]  # fmt: skip
    groups = first[3].findall(f"{TBX}termSec/{TBX}descripGrp")
    assert [[child.get("type") for child in group] for group in groups] == [
        ["context", "source"]
    ] * 2
    assert [group[0].text for group in groups] == ["abra el archivo", "cierre el archivo"]
    assert [group[1].text for group in groups] == ["line 3", "line 4"]


def test_tbx_of_odd_words() -> None:
    entry = Entry("all", "<a> & \x01", "b\ud800", 0.5, None, None, 3.0, 3.0, 3.0, 3)
    root = etree.fromstring("\n".join(tbx_lines([(entry, [])], ("en", "es"))).encode())
    assert [term.text for term in root.iter(f"{TBX}term")] == ["<a> & \ufffd", "b\ufffd"]
    assert root.find(f".//{TBX}descrip") is None  # no domain


@pytest.mark.parametrize(
    ("name", "format"),
    [(None, "tsv"), ("x.csv", "csv"), ("x.CSV.gz", "csv"), ("a.tbx.zst", "tbx"), ("tbx", "tbx"),
     ("x.txt", "tsv"), ("x.XLSX", "xlsx")],
)  # fmt: skip
def test_formats_by_name(name: str | None, format: str) -> None:
    assert dictionary_format(name) == format


def phrases_of(side: Side, size: int) -> Phrases:
    """Where all phrases of a length stand."""
    positions = [
        place
        for begin, end in pairwise(side.corpus.offsets.tolist())
        for place in range(begin, end - size + 1)
    ]
    return Phrases(np.array(positions, np.int32), np.full(len(positions), size, np.int8))


@settings(deadline=None)
@given(st.lists(st.lists(st.sampled_from(["A", "a", "b", "B", "ß"]), max_size=6), max_size=5))
def test_commonest_spellings(sentences: list[list[str]]) -> None:
    corpus = Corpus.from_sentences(sentences)
    side, written = Side.of(folded(corpus)), Side.of(corpus)
    texts: dict[str, list[str]] = {}
    for words in sentences:
        for here in sorted(spans(len(words), 2), key=lambda here: (here[0], len(here))):
            text = " ".join(words[k] for k in here)
            texts.setdefault(text.lower(), []).append(text)
    for phrases in [phrases_of(side, size) for size in (1, 2)]:
        keys, first = np.unique(side.keys(phrases), return_index=True)
        found = written.texts(
            replace(phrases.select(first), positions=commonest_spellings(side, written, keys))
        )
        lowered = side.texts(phrases.select(first))
        for row in range(len(keys)):
            expected = naive.commonest(texts[" ".join(lowered.words(row))])
            assert " ".join(found.words(row)) == expected


def test_a_stored_dictionary(dictionary: Dictionary, tmp_path: Path) -> None:
    dictionary.save(tmp_path / "stored")
    again = Dictionary.load(tmp_path / "stored")
    assert again == dictionary
    assert again != replace(dictionary, counts=dictionary.counts * 0.5)
    assert list(again.entries("a")) == list(dictionary.entries("a"))
    assert again.entries("a") == dictionary.entries("a")
    with pytest.raises(UsageError, match="the dictionary has no text"):
        again.examples(again.entries("a"), 1)
    with pytest.raises(ModelError, match="stored exists"):
        dictionary.save(tmp_path / "stored")
    dictionary.save(tmp_path / "stored", overwrite=True)
    with pytest.raises(ModelError, match="is not a dictionary folder"):
        Dictionary.load(tmp_path)
    with pytest.raises(WrongTypeError, match="path must be a path, not 7"):
        Dictionary.load(7)  # type: ignore[arg-type]
    np.save(tmp_path / "stored" / "counts.npy", dictionary.counts[:, :1])
    with pytest.raises(ModelError, match=r"counts.npy.* Extract the dictionary again"):
        Dictionary.load(tmp_path / "stored")
