"""Arguments of another type, or exchanged, in functions of isogloss.features."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from isogloss.align import Bitext, Links, read_bitext, read_links, train
from isogloss.align.errors import UsageError, WrongTypeError
from isogloss.features import (
    DictionaryOptions,
    ExtractionOptions,
    PhraseTable,
    Pruning,
    add_templates,
    extract,
    extract_dictionary,
    prune,
)
from isogloss.features.extraction.smoothing import Smoothing


@pytest.fixture
def text(tmp_path: Path) -> tuple[Bitext, Links]:
    for name, content in (("en", "the house\n"), ("es", "la casa\n"), ("links", "0-0 1-1\n")):
        (tmp_path / name).write_text(content)
    return read_bitext(tmp_path / "en", tmp_path / "es"), read_links(tmp_path / "links")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda bitext, links: extract(links, bitext), "bitext and links are swapped; use"),
        (
            lambda bitext, links: extract("en", links),
            "bitext must be a Bitext, not 'en'; use read_b",
        ),
        (
            lambda bitext, links: extract(bitext, "x"),
            "links must be Links, not 'x'; use read_links",
        ),
        (
            lambda bitext, links: extract(bitext, links, {"a": 1}),
            "options must be ExtractionOptions, n",
        ),
        (
            lambda bitext, links: add_templates(bitext),
            "table must be a PhraseTable, not .*; use Phr",
        ),
        (lambda bitext, links: PhraseTable.load(bitext), "path must be a path, not "),
        (
            lambda bitext, links: prune("table", Pruning(table_limit=1)),
            "table must be a PhraseTable, not ",
        ),
        (
            lambda bitext, links: prune(extract(bitext, links), 20),
            "options must be Pruning, not 20; use keywords, such as table_limit=20",
        ),
        (
            lambda bitext, links: extract_dictionary("m", bitext),
            "model must be an AlignmentModel, ",
        ),
    ],
)
def test_other_types(
    text: tuple[Bitext, Links], call: Callable[[Bitext, Links], object], message: str
) -> None:
    with pytest.raises(WrongTypeError, match=message):
        call(*text)


def test_options_as_keywords(text: tuple[Bitext, Links]) -> None:
    short = extract(*text, max_phrase_length=1)
    assert short == extract(*text, ExtractionOptions(max_phrase_length=1))
    assert (len(short), len(extract(*text))) == (2, 3)
    with pytest.raises(UsageError, match="option 'max_length'; did you mean max_phrase_length"):
        extract(*text, max_length=1)
    with pytest.raises(UsageError, match="max_phrase_length must be an integer, not '1'"):
        extract(*text, max_phrase_length="1")
    with pytest.raises(WrongTypeError, match=r"Options, not \{'a': 1\}; use keywords, such"):
        extract(*text, {"a": 1})  # type: ignore[arg-type]
    assert ExtractionOptions(smoothing="good-turing").smoothing is Smoothing.GOOD_TURING  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=r"smoothing must be one of none, good-t.*got 'good'"):
        extract(*text, smoothing="good")


def test_pruning_by_keywords(text: tuple[Bitext, Links]) -> None:
    table = extract(*text)
    assert len(prune(table, table_limit=1, significance="a-e", text=text[0])) == len(table)
    assert len(prune(table, significance="a+e", text=text[0])) == 0
    by_keyword = prune(table, min_score={"lex(e|f)": 2.0})
    assert by_keyword == prune(table, Pruning(min_score={"lex(e|f)": 2.0}))
    assert len(by_keyword) == 0
    assert prune(table, Pruning(min_count=5), min_count=0) == table
    for wrong, said in (
        ({}, "pass at least one pruning criterion, such as table_limit=20"),
        ({"limit": 3}, r"unknown option 'limit'; did you mean table_limit\?"),
        ({"table_limit": "3"}, "table_limit must be an integer up to 2147483647, got '3'"),
        ({"rank_by": 3}, "rank_by must be a string or a Mapping, got 3"),
        ({"significance": 2}, "significance must be a string or None, got 2"),
    ):
        with pytest.raises(UsageError, match=said):
            prune(table, **wrong)


def test_a_dictionary_by_keywords(text: tuple[Bitext, Links]) -> None:
    bitext = Bitext.from_sentences(["the house", "a house"] * 3, ["la casa", "una casa"] * 3)
    model = train(bitext, hmm_iterations=1)
    found = extract_dictionary(model, bitext, min_count=2, min_pmi=0.0)
    assert found == extract_dictionary(model, bitext, DictionaryOptions(min_count=2, min_pmi=0.0))
    assert len(found) > len(extract_dictionary(model, bitext, min_count=5, min_pmi=0.0)) > 0
    with pytest.raises(UsageError, match="unknown option 'mincount'; did you mean min_count"):
        extract_dictionary(model, bitext, mincount=2)
    with pytest.raises(WrongTypeError, match="options must be DictionaryOptions, not 2; use keyw"):
        extract_dictionary(model, bitext, 2)  # type: ignore[arg-type]


def test_templates_by_default(text: tuple[Bitext, Links]) -> None:
    table = extract(*text)
    assert add_templates(table) == add_templates(table, ["pt", "al"])
    assert "PT_house_casa" in add_templates(table).sparse_names


def test_rules_of_a_source_phrase(text: tuple[Bitext, Links]) -> None:
    table = extract(*text)
    assert [rule.target for rule in table["the house"]] == ["la casa"]
    assert table["house"] == [rule for rule in table if rule.source == "house"]
    assert [phrase in table for phrase in ("the house", "house", "la", "the  house", "")] == [
        True, True, False, False, False,
    ]  # fmt: skip
    assert table[0] in table
    assert table[0]._replace(target="x") not in table
    assert table[0:2] == [table[0], table[np.int64(1)]]
    assert table[-1] == table[2]
    with pytest.raises(KeyError, match=r"^the table has no rule for the source"):
        table["The house"]
    with pytest.raises(
        WrongTypeError, match=r"the number of a rule or a source phrase, not \['the"
    ):
        table[["the", "house"]]  # type: ignore[call-overload]
