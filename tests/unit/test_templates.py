"""Names and counts of the rule indicators and of the inner links."""

import pytest

from align.corpus import Bitext, Corpus
from align.errors import UsageError
from align.links import Links
from features.extract import extract_phrase_table
from features.phrase_table import PhraseTable, phrase_texts
from features.templates import TEMPLATES, add_templates, alignment_features, rule_indicator

HERE = ["la", "casa", "de", "casa"]
THERE = ["the", "house", "house"]
LINKS = [(0, 0), (1, 1), (3, 2)]


def rows(table: PhraseTable) -> dict[tuple[str, str], dict[str, float]]:
    source, target, bounds = phrase_texts(table.source), phrase_texts(table.target), None
    bounds = table.sparse.offsets
    return {
        (source[left], target[right]): {
            table.sparse_names[table.sparse.ids[k]]: float(table.sparse.values[k])
            for k in range(bounds[row], bounds[row + 1])
        }
        for row, (left, right) in enumerate(zip(table.rule_source, table.rule_target, strict=True))
    }


@pytest.fixture
def table() -> PhraseTable:
    bitext = Bitext.unlabelled(Corpus.from_sentences([HERE]), Corpus.from_sentences([THERE]))
    return extract_phrase_table(bitext, Links.from_pairs([LINKS]), 4)


def test_rule_indicator_by_hand() -> None:
    assert ["PT_la~casa_the~house"] == list(rule_indicator(["la", "casa"], ["the", "house"], []))


def test_alignment_features_by_hand() -> None:
    assert [
        "AL_la_the",
        "AL_casa_house",
        "AL_casa_house",
        "AL_de_",
    ] == list(alignment_features(HERE, THERE, LINKS))


def test_features_of_a_table(table: PhraseTable) -> None:
    found = rows(add_templates(table, ["pt", "al"]))
    assert {
        "PT_la~casa~de~casa_the~house~house": 1.0,
        "AL_la_the": 1.0,
        "AL_casa_house": 2.0,
        "AL_de_": 1.0,
    } == found["la casa de casa", "the house house"]
    assert {"PT_la_the": 1.0, "AL_la_the": 1.0} == found["la", "the"]
    # "de" may join on the left: its phrase is linked like that of "casa" alone
    assert {"PT_de~casa_house": 1.0, "AL_de_": 1.0, "AL_casa_house": 1.0} == found[
        "de casa", "house"
    ]


def test_each_name_has_one_number(table: PhraseTable) -> None:
    more = add_templates(table, ["al"])
    assert {"AL_la_the", "AL_casa_house", "AL_de_"} == set(more.sparse_names)
    assert len(more.sparse_names) == 3


def test_names_escape_what_has_a_meaning() -> None:
    (name,) = rule_indicator(["a_b", "~"], ["100%", "k=v:w"], [])
    assert name == "PT_a%5Fb~%7E_100%25~k%3Dv%3Aw"
    names = list(alignment_features(["_"], ["="], [(0, 0)]))
    assert ["AL_%5F_%3D"] == names


def test_rules_that_only_look_alike_differ() -> None:
    one, other = rule_indicator(["a~b"], ["c"], []), rule_indicator(["a", "b"], ["c"], [])
    assert list(one) != list(other)


def test_order_of_templates_and_earlier_features(table: PhraseTable) -> None:
    one = add_templates(add_templates(table, ["al"]), ["pt"])
    assert rows(add_templates(table, ["pt", "al"])) == rows(one)


def test_no_template(table: PhraseTable) -> None:
    assert () == add_templates(table, []).sparse_names


def test_unknown_template(table: PhraseTable) -> None:
    with pytest.raises(UsageError, match=r"template 'lo'; expected one of pt, al"):
        add_templates(table, ["pt", "lo"])
    assert {"pt", "al"} == set(TEMPLATES)
