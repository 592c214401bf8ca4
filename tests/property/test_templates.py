"""Templates on any rules do what their slow twin does; names of any words come back."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.align.lexicon.word_classes import WordClasses
from isogloss.align.text.vocabulary import Vocabulary
from isogloss.features.feature_names import UNKNOWN, FeatureName, escape_word, unescape_word
from isogloss.features.space import is_sparse
from isogloss.features.table.phrase_table import PhraseTable
from isogloss.features.table.rules import select_rules
from isogloss.features.templates.apply import (
    Application,
    DerivationFeatures,
    Rule,
    TemplateFeatures,
    feature_name,
    parse_feature_name,
    parse_templates,
    table_rules,
)
from tests.naive import templates as naive

HARD = ["a", "b", "casa", "_", "~", "%", "a=b", "k:v", "|", "UNK", "NULL", "%55NK", "\u00a0", "2"]
WORDS = st.sampled_from(HARD)
# no word of a text holds a blank
ANY_WORDS = st.text(min_size=1).map(lambda text: text.replace(" ", "_"))
FREQUENCIES = {  # of a text, whatever rules there are
    "source": {word: k % 4 for k, word in enumerate(HARD[1:])},
    "target": {word: 3 - k % 4 for k, word in enumerate(HARD[:-1])},
}
CLASSES = {word: k % 3 for k, word in enumerate(HARD[:-3])}  # the last three are in none
DOMAINS = ("law", "my_domain")
SPECS = {
    "pt": naive.Template(("pt",)),
    "pt:min=2": naive.Template(("pt",), minimum=2.0),
    "al": naive.Template(("links", "deleted")),
    "al:inserted": naive.Template(("inserted",)),
    "al:all:min=3": naive.Template(("links", "deleted", "inserted"), minimum=3.0),
    "lex": naive.Template(("e", "fe", "null")),
    "lex(e):min=2.5": naive.Template(("e",), minimum=2.5),
    "lex(f,e)": naive.Template(("fe",)),
    "lex(NULL,e)": naive.Template(("null",)),
    "shape": naive.Template(("shape",)),
    "shape:domain:min=2": naive.Template(("shape",), crossed=True, minimum=2.0),
    "length": naive.Template(("source length", "target length")),
    "length:target": naive.Template(("target length",)),
    "pt:domain": naive.Template(("pt",), crossed=True),
    "pt:domain:min=2": naive.Template(("pt",), crossed=True, minimum=2.0),
    "al:domain:min=1.5": naive.Template(("links", "deleted"), crossed=True, minimum=1.5),
}


def word_class(word: str) -> str | None:
    return str(CLASSES[word] + 2) if word in CLASSES else naive.RARE


def with_classes(template: naive.Template, sides: str) -> naive.Template:
    if sides in ("source", "both"):
        template = template._replace(source=word_class)
    if sides in ("target", "both"):
        template = template._replace(target=word_class)
    return template._replace(suffix=".classes" if sides == "both" else f".{sides}-classes")


def frequent_only(
    template: naive.Template, least: int, frequencies: dict[str, dict[str, float]]
) -> naive.Template:
    return template._replace(
        source=lambda word: word if frequencies["source"].get(word, 0) >= least else naive.RARE,
        target=lambda word: word if frequencies["target"].get(word, 0) >= least else naive.RARE,
    )


@st.composite
def rules(draw: st.DrawFn) -> list[naive.Rule]:
    phrases = st.lists(WORDS, min_size=1, max_size=3).map(tuple)
    result = []
    for source, target in sorted(draw(st.sets(st.tuples(phrases, phrases), max_size=7))):
        places = [(j, i) for j in range(len(source)) for i in range(len(target))]
        links = draw(st.sets(st.sampled_from(places)))
        count = draw(st.sampled_from([0.5, 1.0, 2.0, 3.0]))
        scores = draw(st.tuples(*[st.sampled_from([0.0, 0.25, 0.5])] * len(DOMAINS)))
        domains = dict(zip(DOMAINS, scores, strict=True))
        result.append(naive.Rule(source, target, tuple(sorted(links)), count, domains))
    return result


def varied(spec: str, template: naive.Template, variant: str) -> tuple[str, naive.Template]:
    """A specification, and what it says, with classes or a threshold besides."""
    if not variant or spec.startswith(("shape", "length")):
        return spec, template
    if variant == "unk":
        return f"{spec}:unk=2", frequent_only(template, 2, FREQUENCIES)
    return f"{spec}:classes={variant}", with_classes(template, variant)


def word_classes() -> WordClasses:
    return WordClasses(Vocabulary(CLASSES), np.array([3, *CLASSES.values()], np.int32))


def in_blocks(table: PhraseTable, cuts: Sequence[int]) -> list[PhraseTable]:
    bounds = sorted({0, len(table), *(cut % (len(table) + 1) for cut in cuts)})
    return [select_rules(table, np.arange(a, b)) for a, b in pairwise(bounds)]


@settings(max_examples=25)
@given(
    rules(),
    st.lists(st.integers(0, 7), max_size=3),
    st.sampled_from(["", "source", "target", "both", "unk"]),
)
def test_twin(given_rules: list[naive.Rule], cuts: list[int], variant: str) -> None:
    table = naive.table_of(given_rules)
    both = {"source": word_classes(), "target": word_classes()}
    for plain, meaning in SPECS.items():
        spec, template = varied(plain, meaning, variant)
        if template.crossed and not given_rules:  # a table of no rules here has no scores
            continue
        blocks = in_blocks(table, cuts)
        features = TemplateFeatures(
            parse_templates([spec], classes=both, frequencies=FREQUENCIES)
        ).fit(blocks)
        rows = [row for block in blocks for row in naive.rows_of(features.apply(block))]
        expected = naive.features(given_rules, [template])
        assert [list(row.items()) for row in rows] == [list(row.items()) for row in expected]
        # rule by rule, as a decoder asks
        score = DerivationFeatures(features.templates)
        every = table_rules(table, "DomainLex.*" if template.crossed else "")
        assert [dict(score.of_rule(rule)) for rule in every] == expected


@settings(max_examples=50)
@given(rules(), st.lists(st.tuples(st.integers(0, 6), st.integers(0, 9)), max_size=6))
def test_twin_of_reordering(given_rules: list[naive.Rule], steps: list[tuple[int, int]]) -> None:
    steps = [(number % len(given_rules), begin) for number, begin in steps] if given_rules else []
    applied = [
        Application(Rule(given_rules[number].source, given_rules[number].target), begin)
        for number, begin in steps
    ]
    expected = naive.reordering(
        [(step.rule.source, step.rule.target, step.begin) for step in applied]
    )
    assert DerivationFeatures(parse_templates(["lo"]))(applied) == dict(expected)


@given(ANY_WORDS | st.just(UNKNOWN))
def test_any_word_comes_back(word: str) -> None:
    text = escape_word(word)
    assert unescape_word(text) == word
    assert text.split() == [text]
    assert not set(text) & set("_~=:|")


@given(
    st.sampled_from(["PT", "AL.classes", "LexFE.source-classes"]),
    st.lists(st.lists(ANY_WORDS, max_size=3).map(tuple), min_size=1, max_size=3).map(tuple),
    st.just("") | ANY_WORDS,
)
def test_any_name_comes_back(
    template: str, parts: tuple[tuple[str, ...], ...], domain: str
) -> None:
    name = str(FeatureName(template, parts, domain))
    assert parse_feature_name(name) == FeatureName(template, parts, domain)
    assert is_sparse(name)
    assert len(name.split()) == 1
    if not domain:
        assert feature_name(template, *parts) == name


@given(st.lists(ANY_WORDS, min_size=1, max_size=3), st.lists(ANY_WORDS, min_size=1, max_size=3))
def test_names_of_rules_tell_their_words(source: list[str], target: list[str]) -> None:
    (name,) = parse_templates(["pt"])[0].rule_features(Rule(tuple(source), tuple(target)))
    assert parse_feature_name(name).parts == (tuple(source), tuple(target))
