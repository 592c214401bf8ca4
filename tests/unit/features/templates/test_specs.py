"""Templates as text."""

import pytest

from isogloss.align.errors import UsageError
from isogloss.features.templates.apply import (
    TEMPLATES,
    RuleTemplate,
    StateTemplate,
    parse_templates,
    split_specs,
)
from tests.unit.features.templates.test_apply import classes_of


def test_known_templates() -> None:
    known = ["pt", "al", "lo", "lex", "lex(e)", "lex(f,e)", "lex(NULL,e)", "shape", "length"]
    assert list(TEMPLATES) == known
    assert all(isinstance(make(), RuleTemplate | StateTemplate) for make in TEMPLATES.values())


def test_specifications_in_one_text() -> None:
    assert split_specs("pt, lex(f,e):min=2,al") == ["pt", "lex(f,e):min=2", "al"]
    # what is left of one where somebody split it at all commas
    found = parse_templates(["pt", "lex(f", "e)", "lex(NULL", "e):min=2"])
    assert [one.spec for one in found] == ["pt", "lex(f,e)", "lex(NULL,e):min=2"]
    assert parse_templates([]) == ()


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("xx", r"template 'xx'; expected one of pt, al, lo, lex, lex\(e\), .*; your own are those"),
        ("", "template ''; expected one of pt"),
        ("json:loads", r"template 'json:loads'; expected one of pt, al, .*--plugin names"),
        ("os:system:touch x", "template 'os:system:touch x'; expected one of pt, al"),
        ("pt,al,pt", "template 'pt' twice; expected each once"),
        ("al:lost", "'al:lost': option 'lost'; expected one of links, deleted, inserted, all"),
        ("lo:left", "'lo:left': option 'left'; expected one of previous, next, all"),
        ("pt:odd", "template 'pt:odd'; expected as options min=, classes=, unk=, domain="),
        ("pt:odd=1", "template 'pt:odd=1'; expected as options min="),
        ("lo:x=1", "template 'lo:x=1'; expected as options words without =, min="),
        ("lex(f,e", "template 'lex\\(f,e'; expected one of pt"),
        ("pt:min=", "template 'pt:min=': option 'min='; expected NAME=VALUE, once"),
        ("pt:min=1:min=2", "option 'min=2'; expected NAME=VALUE, once"),
        ("pt:domain=", "option 'domain='; expected NAME=VALUE, once"),
        ("pt:min=few", "'pt:min=few': expected min= and a number above 0"),
        ("pt:min=0", "'pt:min=0': expected min= and a number above 0"),
        ("pt:min=inf", "'pt:min=inf': expected min= and a number above 0"),
        ("lex:unk=-1", "'lex:unk=-1': expected unk= and a number above 0"),
        ("pt:classes=left", "'pt:classes=left': expected classes= and source, target, both"),
        ("pt:classes=both", "word classes of the target side; expected --target-classes FILE"),
        ("shape:unk=3", "'shape:unk=3' has no words for classes= or unk="),
        ("lo:unk=3", "'lo:unk=3' needs frequencies of the source words for unk="),
        ("lex:unk=3", "'lex:unk=3' needs frequencies of the source words for unk="),
        ("al:classes=source:unk=3", "=3' needs target word frequencies for unk="),
    ],
)
def test_specifications_that_mean_nothing(spec: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse_templates([spec], classes={"source": classes_of(a=0)})


def test_classes_leave_no_words_for_a_threshold() -> None:
    both = {"source": classes_of(a=0), "target": classes_of(a=0)}
    with pytest.raises(UsageError, match="has no words for unk=, only classes"):
        parse_templates(["al:classes=both:unk=2"], classes=both)
