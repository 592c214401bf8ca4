"""Templates of users: run only where they are asked for, and looked at before they are called."""

from pathlib import Path

import pytest

from isogloss.align.errors import UsageError
from isogloss.features.templates.apply import DerivationFeatures, parse_templates
from isogloss.features.templates.plugins import load_templates
from isogloss.features.templates.protocol import Application, Rule, RuleTemplate

FILE = """
from __future__ import annotations
from collections import Counter
from dataclasses import dataclass
from os import system

@dataclass
class Word:
    side: str = "source"
    def rule_features(self, rule):
        yield self.side

class Both(Word):
    def state_features(self, application, previous):
        return ()

class _Hidden(Word):
    pass

class Other:
    pass

def rule_features(rule):
    return ()
"""


def written(folder: Path, text: str) -> str:
    (folder / "mine.py").write_text(text)
    return str(folder / "mine.py")


def test_classes_with_one_of_the_methods(tmp_path: Path) -> None:
    own = load_templates(written(tmp_path, FILE))
    assert ["Word"] == list(own)
    (variant,) = parse_templates(["Word:side=target:min=2"], plugins=own)
    assert (2.0, "Word:side=target:min=2") == (variant.minimum, variant.spec)
    with pytest.raises(UsageError, match="template 'Both'; expected one of pt, al, lo, lex,"):
        parse_templates(["Both"], plugins=own)
    with pytest.raises(UsageError, match="template 'Word:odd=1' has invalid options; expected"):
        parse_templates(["Word:odd=1"], plugins=own)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "x = 1",
            "contains no template; expected a class with a method rule_features or state_features",
        ),
        (
            "1 / 0",
            r"cannot be loaded \(ZeroDivisionError: division by zero\)",
        ),
        ("import no_such", r"cannot be loaded \(ModuleNotFoundError: No module named 'no_such'\)"),
        ("def", r"cannot be loaded \(SyntaxError: invalid syntax \(mine.py, line 1\)\)"),
    ],
)
def test_files_without_templates(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        load_templates(written(tmp_path, text))


def test_places_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot be loaded \(FileNotFoundError: \[Errno 2\] No"):
        load_templates(tmp_path / "none.py")
    with pytest.raises(UsageError, match="plugin 'json' was not found; expected a file ending in"):
        load_templates("json")


def test_a_specification_imports_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A TOML file or --add can choose templates, but not make code run."""
    monkeypatch.syspath_prepend(tmp_path)
    written(tmp_path, FILE + f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    for spec in ("mine:Word", "mine", "os:system:touch " + str(tmp_path / "ran")):
        with pytest.raises(UsageError, match=r"template .*; expected one of pt, al"):
            parse_templates([spec])
    assert not (tmp_path / "ran").exists()


def test_a_template_that_raises(tmp_path: Path) -> None:
    text = (
        "class Crash:\n    def state_features(self, application, previous):\n"
        "        yield application.rule, f'Crash_{1 / 0}'\n\n"
        "class Lost:\n    def rule_features(self, rule):\n        return [rule.nothing]\n"
    )
    own = load_templates(written(tmp_path, text))
    features = DerivationFeatures(parse_templates(["Crash"], plugins=own))
    step = Application(Rule(("a",), ("x",)), 0)
    message = (
        r"template 'Crash' raised ZeroDivisionError: division by zero \(.*mine\.py, line 3\); "
        "it must return feature names. Correct or remove the template"
    )
    with pytest.raises(UsageError, match=message):
        features([step])
    (lost,) = parse_templates(["Lost"], plugins=own)
    assert isinstance(lost, RuleTemplate)
    with pytest.raises(UsageError, match=r"template 'Lost' raised AttributeError: .*line 7\);"):
        list(lost.rule_features(step.rule))


OF_OTHER_FORMS = """
class Nothing:
    def {method}(self, *arguments):
        return None

class Deep:
    def {method}(self, *arguments):
        import json
        return [json.loads("x")]

class Bare:
    def {method}(self, *arguments):
        yield "Bare_x"

class Number:
    def {method}(self, *arguments):
        return [3]

class Three:
    def {method}(self, application, previous):
        yield application.rule, "Three_x", 3

class Unnamed:
    def {method}(self, application, previous):
        yield application.rule, 3

class Odd:
    def {method}(self, application, previous):
        yield "ab"
"""
DEEP = "raised JSONDecodeError: Expecting value: line 1 .*; it must return feature names"
PAIRS = "expected pairs of a rule and a feature name"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Nothing", "raised TypeError: 'NoneType' object is not iterable; it must return feature"),
        ("Deep", DEEP),
        ("Bare", f"returns 'Bare_x'; {PAIRS}"),
        ("Number", f"returns 3; {PAIRS}"),
        ("Three", rf"returns \(Rule\(.*, 'Three_x', 3\); {PAIRS}"),
        ("Unnamed", "returns the feature name 3; expected TEMPLATE_PART"),
        ("Odd", f"returns 'ab'; {PAIRS}"),
    ],
)
def test_a_state_template_that_names_no_features(tmp_path: Path, name: str, message: str) -> None:
    own = load_templates(written(tmp_path, OF_OTHER_FORMS.format(method="state_features")))
    features = DerivationFeatures(parse_templates([name], plugins=own))
    with pytest.raises(UsageError, match=rf"template '{name}' {message}"):
        features([Application(Rule(("a",), ("x",)), 0)])


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Nothing", "raised TypeError: 'NoneType' object is not iterable; it must return feature"),
        ("Deep", DEEP),
        ("Number", "returns the feature name 3; expected TEMPLATE_PART without"),
    ],
)
def test_a_rule_template_that_names_no_features(tmp_path: Path, name: str, message: str) -> None:
    own = load_templates(written(tmp_path, OF_OTHER_FORMS.format(method="rule_features")))
    (template,) = parse_templates([name], plugins=own)
    assert isinstance(template, RuleTemplate)
    with pytest.raises(UsageError, match=rf"template '{name}' {message}"):
        list(template.rule_features(Rule(("a",), ("x",))))
