"""Names and counts of the features of each template."""

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from isogloss.align.errors import DataError, UsageError
from isogloss.align.lexicon.word_classes import WordClasses
from isogloss.align.links.links import Links
from isogloss.align.text.bitext import Bitext
from isogloss.align.text.corpus import Corpus
from isogloss.align.text.vocabulary import Vocabulary
from isogloss.features.extraction.extract import extract
from isogloss.features.extraction.extraction_options import ExtractionOptions
from isogloss.features.feature_names import UNKNOWN, FeatureName, unescape_word
from isogloss.features.table.phrase_table import PhraseTable
from isogloss.features.templates.apply import (
    DerivationFeatures,
    Rule,
    RuleTemplate,
    TemplateFeatures,
    add_templates,
    corpus_frequencies,
    feature_name,
    parse_feature_name,
    parse_templates,
    table_rules,
)
from isogloss.features.templates.word_counts import read_word_counts
from tests.naive import templates as naive

HERE = ["la", "casa", "de", "casa"]
THERE = ["the", "house", "house"]
LINKS = [(0, 0), (1, 1), (3, 2)]
RULE = Rule(("la", "casa", "de"), ("of", "house"), ((1, 1),), 3.0, "law")
LAW, BIBLE, NEITHER = {"law": 0.5, "bible": 0.2}, {"law": 0.1, "bible": 0.2}, {
    "law": 0.1,
    "bible": 0.1,
}  # fmt: skip


def names(spec: str, rule: Rule = RULE, **options: object) -> list[str]:
    (template,) = parse_templates([spec], **options)  # type: ignore[arg-type]
    assert isinstance(template, RuleTemplate)
    return list(template.rule_features(rule))


def rows(table: PhraseTable) -> dict[tuple[str, str], dict[str, float]]:
    pairs = zip(table_rules(table), naive.rows_of(table), strict=True)
    return {(" ".join(rule.source), " ".join(rule.target)): row for rule, row in pairs}


def classes_of(**numbers: int) -> WordClasses:
    return WordClasses(
        Vocabulary(numbers), np.array([max(numbers.values()) + 1, *numbers.values()], np.int32)
    )


@pytest.fixture
def table() -> PhraseTable:
    bitext = Bitext.unlabeled(Corpus.from_sentences([HERE]), Corpus.from_sentences([THERE]))
    return extract(bitext, Links.from_pairs([LINKS]), ExtractionOptions(4, moses_precision=False))


@pytest.fixture
def small() -> PhraseTable:
    """Three rules with 1, 2, and 4 occurrences, and their scores in two domains."""
    return naive.table_of(
        [
            naive.Rule(("casa",), ("home",), ((0, 0),), 1.0, LAW),
            naive.Rule(("casa",), ("house",), ((0, 0),), 2.0, BIBLE),
            naive.Rule(("la", "casa"), ("the", "house"), ((0, 0), (1, 1)), 4.0, NEITHER),
        ]
    )


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("pt", ["PT_la~casa~de_of~house"]),
        ("al", ["AL_casa_house", "AL_la_", "AL_de_"]),
        ("al:links", ["AL_casa_house"]),
        ("al:deleted", ["AL_la_", "AL_de_"]),
        ("al:inserted", ["AL__of"]),
        ("al:inserted:links", ["AL_casa_house", "AL__of"]),
        ("al:all", ["AL_casa_house", "AL_la_", "AL_de_", "AL__of"]),
        ("lex", ["LexE_of", "LexE_house", "LexFE_casa_house", "LexNull_of"]),
        ("lex(e)", ["LexE_of", "LexE_house"]),
        ("lex(f,e)", ["LexFE_casa_house"]),
        ("lex(NULL,e)", ["LexNull_of"]),
        ("LEX(null,e)", ["LexNull_of"]),
        ("shape", ["Shape_3-2"]),
        ("length", ["SourceLength_3", "TargetLength_2"]),
        ("length:source", ["SourceLength_3"]),
        ("length:target", ["TargetLength_2"]),
        ("pt:domain", ["PT@law_la~casa~de_of~house"]),
        ("al:inserted:domain", ["AL@law__of"]),
        ("pt:min=3", ["PT_la~casa~de_of~house"]),
        ("pt:min=3.5", []),
    ],
)
def test_names_by_hand(spec: str, expected: list[str]) -> None:
    assert expected == names(spec)


def test_names_with_classes_by_hand() -> None:
    classes = {"source": classes_of(la=0, de=0, casa=1), "target": classes_of(the=0, house=3)}
    for spec, expected in (
        ("pt:classes=both", ["PT.classes_2~3~2_UNK~5"]),
        ("pt:classes=source", ["PT.source-classes_2~3~2_of~house"]),
        ("pt:classes=target:domain", ["PT.target-classes@law_la~casa~de_UNK~5"]),
        ("al:all:classes=both", ["AL.classes_3_5", "AL.classes_2_", "AL.classes_2_",
                                 "AL.classes__UNK"]),
        ("lex(e):classes=target", ["LexE.target-classes_UNK", "LexE.target-classes_5"]),
    ):  # fmt: skip
        assert expected == names(spec, classes=classes)


def test_names_with_unknown_words_by_hand() -> None:
    frequencies = {"source": {"casa": 7.0, "la": 8.0}, "target": {"of": 7.0, "house": 6.0}}
    assert names("lex:unk=7", frequencies=frequencies) == [
        "LexE_of",
        "LexE_UNK",
        "LexFE_casa_UNK",
        "LexNull_of",
    ]
    classes = {"source": classes_of(casa=0)}
    options = {"frequencies": frequencies, "classes": classes}
    expected = ["PT.source-classes_UNK~2~UNK_of~UNK"]
    assert expected == names("pt:unk=7:classes=source", **options)


def test_frequencies_of_a_text(tmp_path: Path) -> None:
    assert corpus_frequencies(Corpus.from_sentences([HERE])) == {"la": 1, "casa": 2, "de": 1}
    text = tmp_path / "text"
    text.write_text(f"{' '.join(HERE)}\n\nLa\tla\n", "utf-8")
    assert read_word_counts(text) == {"la": 2, "casa": 2, "de": 1, "La": 1}
    text.write_text("la\t2\nLa\t0.5\ncasa\t 3\nla\t1\n", "utf-8")
    assert read_word_counts(text) == {"la": 3, "La": 0.5, "casa": 3}
    assert read_word_counts(text, lowercase=True) == {"la": 3.5, "casa": 3}


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("la\t2\nla casa\n", "line 2: the line 'la casa' is malformed; expected word<TAB>count,"),
        ("la\t-1\n", r"line 1: the line 'la\\t-1' is malformed; expected word<TAB>count, as in"),
        ("la\tcasa\n", r"line 1: the line 'la\\tcasa' is malformed; expected word<TAB>count, as"),
        ("la casa\t1\n", r"line 1: the line 'la casa\\t1' is malformed; expected word<TAB>count,"),
        ("\n", "the file is empty; expected a text, or lines word<TAB>count"),
    ],
)
def test_lists_of_words_that_are_none(tmp_path: Path, lines: str, message: str) -> None:
    (tmp_path / "list").write_text(lines, "utf-8")
    with pytest.raises(DataError, match=message):
        read_word_counts(tmp_path / "list")


def test_features_of_a_table(table: PhraseTable) -> None:
    features = rows(add_templates(table, ["pt", "al"]))
    assert {
        "PT_la~casa~de~casa_the~house~house": 1.0,
        "AL_la_the": 1.0,
        "AL_casa_house": 2.0,
        "AL_de_": 1.0,
    } == features["la casa de casa", "the house house"]
    assert {"PT_la_the": 1.0, "AL_la_the": 1.0} == features["la", "the"]
    # "de" may join on the left: its phrase is linked like that of "casa" alone
    assert {"PT_de~casa_house": 1.0, "AL_de_": 1.0, "AL_casa_house": 1.0} == features[
        "de casa", "house"
    ]


def test_each_name_has_one_number(table: PhraseTable) -> None:
    more = add_templates(table, ["al"])
    assert {"AL_la_the", "AL_casa_house", "AL_de_"} == set(more.sparse_names)
    assert len(more.sparse_names) == 3


def test_order_of_templates_and_earlier_features(table: PhraseTable) -> None:
    in_two_steps = add_templates(add_templates(table, ["al"]), ["pt"])
    assert rows(add_templates(table, ["pt", "al"])) == rows(in_two_steps)


def test_no_template(table: PhraseTable) -> None:
    assert () == add_templates(table, []).sparse_names


def test_cut_off_by_the_rules_own_count(small: PhraseTable) -> None:
    features = TemplateFeatures(parse_templates(["pt:min=2"]))
    assert not features.needs_fit  # nothing to keep in memory, however long the table
    assert naive.rows_of(features.apply(small)) == [
        {},
        {"PT_casa_house": 1.0},
        {"PT_la~casa_the~house": 1.0},
    ]


def test_cut_off_by_all_rules_with_the_feature(small: PhraseTable) -> None:
    features = TemplateFeatures(parse_templates(["al:min=6"]))
    assert features.needs_fit
    fitted = features.fit(iter([small]))
    assert not fitted.needs_fit
    expected: list[dict[str, float]] = [{}, {"AL_casa_house": 1.0}, {"AL_casa_house": 1.0}]
    assert expected == naive.rows_of(fitted.apply(small))
    doubled = features.fit([small, small]).apply(small)
    assert {"AL_la_the": 1.0, "AL_casa_house": 1.0} == naive.rows_of(doubled)[2]
    assert "AL_casa_home" not in doubled.sparse_names


def test_unknown_words_of_a_table(small: PhraseTable) -> None:
    words = {"source": {}, "target": {"house": 4.0, "the": 5.0, "home": 3.0}}
    rich = add_templates(small, ["lex(e):unk=4", "al:links:min=3"], frequencies=words)
    assert naive.rows_of(rich) == [
        {"LexE_UNK": 1.0},
        {"LexE_house": 1.0, "AL_casa_house": 1.0},
        {"LexE_the": 1.0, "LexE_house": 1.0, "AL_la_the": 1.0, "AL_casa_house": 1.0},
    ]


def test_rules_share_features_of_classes(small: PhraseTable) -> None:
    classes = {"target": classes_of(home=1, house=1, the=0)}
    rich = add_templates(small, ["pt:classes=target:min=3"], classes=classes)
    shared = {"PT.target-classes_casa_3": 1.0}
    assert [shared, shared, {"PT.target-classes_la~casa_2~3": 1.0}] == naive.rows_of(rich)
    assert len(rich.sparse_names) == 2


def test_fractions_add_up_to_a_threshold() -> None:
    tenth = naive.table_of([naive.Rule((str(k),), ("a",), (), 0.1) for k in range(3)])
    words = {"source": {}, "target": {"a": 0.1 + 0.1 + 0.1 - 1e-9}}
    rich = add_templates(tenth, ["al:inserted:min=0.3", "lex(e):unk=0.3"], frequencies=words)
    assert ("AL__a", "LexE_a") == rich.sparse_names  # 0.1 + 0.1 + 0.1 != 0.3


def test_features_crossed_with_the_likeliest_domain(small: PhraseTable) -> None:
    expected: list[dict[str, float]] = [{"Shape@law_1-1": 1.0}, {"Shape@bible_1-1": 1.0}, {}]
    for spec in ("shape:domain", "shape:domain=DomainLex", "shape:domain=Domain*"):
        crossed = naive.rows_of(add_templates(small, [spec]))
        prefix = "Lex." if spec.endswith("*") else ""  # "Lex.law" is what the star stands for
        assert [{k.replace(f"@{prefix}", "@"): v for k, v in row.items()} for row in crossed] == (
            expected
        )


def test_domains_are_read_from_scores_with_any_name() -> None:
    scores = {"a_b": 0.1, "c": 0.3}
    table = naive.table_of([naive.Rule(("x",), ("y",), (), 1.0, scores)])
    assert ("PT@c_x_y",) == add_templates(table, ["pt:domain"]).sparse_names
    (rule,) = table_rules(table, "DomainLex.*")
    assert rule == Rule(("x",), ("y",), (), 1.0, "c")
    assert [""] == [rule.domain for rule in table_rules(table)]


def test_rules_of_a_table(table: PhraseTable) -> None:
    by_phrases = {(rule.source, rule.target): rule for rule in table_rules(table)}
    rule = by_phrases[("la", "casa", "de"), ("the", "house")]
    assert rule.links == ((0, 0), (1, 1))
    assert (["de"], [], 1.0) == (rule.deleted, rule.inserted, rule.count)


def test_rules_that_only_look_alike_differ() -> None:
    assert names("pt", Rule(("a~b",), ("c",))) != names("pt", Rule(("a", "b"), ("c",)))


def test_names_escape_what_has_a_meaning() -> None:
    hard = Rule(("a_b", "~"), ("100%", "k=v:w"))
    assert names("pt", hard) == ["PT_a%5Fb~%7E_100%25~k%3Dv%3Aw"]
    assert names("al", Rule(("_",), ("=",), ((0, 0),))) == ["AL_%5F_%3D"]
    assert names("lex(e)", Rule(("x",), ("|||", "a\u00a0b", "\r", "UNK"))) == [
        "LexE_%7C%7C%7C",
        "LexE_a%C2%A0b",
        "LexE_%0D",
        "LexE_%55NK",
    ]


def test_names_taken_apart_by_hand() -> None:
    assert parse_feature_name("PT_la~casa_the~house") == FeatureName(
        "PT", (("la", "casa"), ("the", "house"))
    )
    assert parse_feature_name("AL_la_") == FeatureName("AL", (("la",), ()))
    assert parse_feature_name("AL.classes@my%5Flaw__17") == FeatureName(
        "AL.classes", ((), ("17",)), "my_law"
    )
    assert parse_feature_name("LexFE_UNK_%55NK").parts == ((UNKNOWN,), ("UNK",))
    assert parse_feature_name("LM0") == FeatureName("LM0")
    assert str(parse_feature_name("p(e|f)_bin07")) == "p(e|f)_bin07"


def test_damaged_names() -> None:
    with pytest.raises(DataError, match="a feature name contains '%FF'; expected %XX escapes of"):
        unescape_word("%FF")
    with pytest.raises(ValueError, match="template name 'A_B' must not contain whitespace or any"):
        feature_name("A_B", "x")


def test_names_come_back_from_a_phrase_table(tmp_path: Path) -> None:
    scores = {"law": 0.5, "a b": 0.25}
    hard = ("|", "=", "a\u2028b", "\u00a0", "UNK", "x:y")
    rule = naive.Rule(hard, ("_", "~"), ((0, 1), (3, 1)), 2.0, scores)
    table = add_templates(naive.table_of([rule]), ["pt,al:all", "lex,shape", "length", "pt:domain"])
    table.save(tmp_path / "table")
    again = PhraseTable.load(tmp_path / "table")
    assert naive.rows_of(again) == naive.rows_of(table)
    name = next(name for name in again.sparse_names if name.startswith("PT_"))
    assert parse_feature_name(name).parts == (hard, ("_", "~"))


def test_state_templates_are_not_for_tables(table: PhraseTable) -> None:
    with pytest.raises(
        UsageError, match="template 'lo:next' depends on the previous phrase; a phrase table"
    ):
        add_templates(table, ["pt", "lo:next"])


# --- what can go wrong with a table


def test_a_table_without_counts(small: PhraseTable) -> None:
    small.counts[1, 2] = 0.0
    for spec in ("pt:min=2", "al:min=2"):
        with pytest.raises(DataError, match=r"the rule 'casa' \|\|\| 'house' has a count of 0;"):
            add_templates(small, [spec])


def test_a_table_without_domains(table: PhraseTable) -> None:
    with pytest.raises(UsageError, match="domain-crossed features need at least two scores that"):
        add_templates(table, ["pt:domain=share"])


def test_a_feature_has_one_template(table: PhraseTable) -> None:
    message = "templates 'al' and 'al:deleted' both produce the feature 'AL_de_'; each feature"
    with pytest.raises(UsageError, match=message):
        add_templates(table, ["al", "al:deleted"])
    once = add_templates(table, ["al"])
    with pytest.raises(DataError, match="the table already has the feature 'AL_casa_house';"):
        add_templates(once, ["al"])


def test_what_must_be_counted_first(small: PhraseTable) -> None:
    frequencies = {"source": {"casa": 2.0}, "target": {"house": 2.0}}
    features = TemplateFeatures(parse_templates(["al:min=2", "lex:unk=2"], frequencies=frequencies))
    with pytest.raises(UsageError, match=r"templates with min= must be fitted; call fit\(\)"):
        features.apply(small)
    with pytest.raises(UsageError, match="template 'al:min=2' has min=, which needs the features"):
        DerivationFeatures(features.templates)
    fitted = features.fit(iter([small]))
    assert not fitted.needs_fit
    score = DerivationFeatures(fitted.templates)
    assert {"AL_casa_house": 1, "LexE_house": 1, "LexFE_casa_house": 1} == score.of_rule(
        Rule(("casa",), ("house",), ((0, 0),))
    )


def test_cut_offs_of_one_table_serve_another(small: PhraseTable) -> None:
    fitted = TemplateFeatures(parse_templates(["al:min=6"])).fit([small])
    rule = naive.Rule(("una", "casa"), ("house",), ((1, 0),), 0.0)  # its own count doesn't matter
    assert [{"AL_casa_house": 1.0}] == naive.rows_of(fitted.apply(naive.table_of([rule])))


@pytest.mark.parametrize("name", ["PT", "_a", "a b_c", "A_b|c", "A_b=", "A_b:c", "A_\u00a0", ""])
def test_names_that_a_table_can_not_hold(name: str, small: PhraseTable) -> None:
    class Careless:
        def rule_features(self, rule: Rule) -> Iterator[str]:
            yield name

    message = f"'Careless' returns the feature name {re.escape(repr(name))}; expected TEMPLATE_PART"
    with pytest.raises(UsageError, match=message):
        TemplateFeatures([Careless()]).apply(small)
