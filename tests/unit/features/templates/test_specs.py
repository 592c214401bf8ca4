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
        ("xx", r"unknown template 'xx'; expected one of pt, al, lo, lex, lex\(e\), lex\(f,e\),"),
        ("", "template ''; expected one of pt"),
        ("json:loads", "unknown template 'json:loads'; expected one of pt, al, .*plugins="),
        ("os:system:touch x", "template 'os:system:touch x'; expected one of pt, al"),
        ("pt,al,pt", "template 'pt' is repeated; pass each template once"),
        ("al:lost", "'al:lost': unknown option 'lost'; expected one of links, deleted, inserted,"),
        ("lo:left", "'lo:left': unknown option 'left'; expected one of previous, next, all"),
        ("pt:odd", "template 'pt:odd' has invalid options; expected min=, classes=, unk=,"),
        ("pt:odd=1", "template 'pt:odd=1' has invalid options; expected min=, classes=, unk=,"),
        ("lo:x=1", "template 'lo:x=1' has invalid options; expected words without =, min=,"),
        ("lex(f,e", "template 'lex\\(f,e'; expected one of pt"),
        ("pt:min=", "template 'pt:min=': option 'min=' must be NAME=VALUE and unique"),
        ("pt:min=1:min=2", "template 'pt:min=1:min=2': option 'min=2' must be NAME=VALUE and"),
        ("pt:domain=", "template 'pt:domain=': option 'domain=' must be NAME=VALUE and unique"),
        ("pt:min=few", "'pt:min=few': min must be a number above 0"),
        ("pt:min=0", "'pt:min=0': min must be a number above 0"),
        ("pt:min=inf", "'pt:min=inf': min must be a number above 0"),
        ("lex:unk=-1", "'lex:unk=-1': unk must be a number above 0"),
        ("pt:classes=left", "'pt:classes=left': classes must be one of source, target, both"),
        ("pt:classes=both", "template 'pt:classes=both' needs word classes of the target side;"),
        ("shape:unk=3", "template 'shape:unk=3' does not use words, so classes= and unk= do not"),
        ("lo:unk=3", "template 'lo:unk=3' needs source word frequencies for unk=; pass"),
        ("lex:unk=3", "template 'lex:unk=3' needs source word frequencies for unk=; pass"),
        ("al:classes=source:unk=3", "=3' needs target word frequencies for unk="),
    ],
)
def test_specifications_that_mean_nothing(spec: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse_templates([spec], classes={"source": classes_of(a=0)})


def test_classes_leave_no_words_for_a_threshold() -> None:
    both = {"source": classes_of(a=0), "target": classes_of(a=0)}
    with pytest.raises(UsageError, match="template 'al:classes=both:unk=2' uses only classes, so"):
        parse_templates(["al:classes=both:unk=2"], classes=both)
