"""State templates in the search, against features of whole derivations."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from isogloss.align.errors import UsageError
from isogloss.align.lexicon.word_classes import WordClasses
from isogloss.align.text.vocabulary import Vocabulary
from isogloss.features.table.phrase_table import PhraseTable
from isogloss.features.templates.apply import DerivationFeatures
from isogloss.features.templates.protocol import Application, Rule, StateTemplate, table_rules
from isogloss.features.templates.specs import parse_templates
from isogloss.tune.decoder import state_features
from isogloss.tune.decoder.applications import rule_applications
from isogloss.tune.decoder.model import Decoder, DecoderSettings, Required
from isogloss.tune.decoder.rule_options import FixedTranslation
from isogloss.tune.decoder.state_features import StateFeatures
from isogloss.tune.weights.weights import Weights
from tests.naive import templates as naive
from tests.unit.tune.decoder.test_derivations import RULES
from tests.unit.tune.decoder.test_language_model import random_model

SENTENCE = ["c", "odd", "a", "b"]


@pytest.fixture
def table(tmp_path: Path) -> PhraseTable:
    (tmp_path / "table").write_text("".join(f"{rule} ||| 2 2 2\n" for rule in RULES))
    return PhraseTable.load(tmp_path / "table")


@pytest.mark.parametrize("specs", [["lo"], ["lo:next:min=1"], ["lo:previous", "lo:min=2:next"]])
def test_features_are_those_of_the_derivation(table: PhraseTable, specs: list[str]) -> None:
    templates = parse_templates(specs)
    decoder = Decoder(table, random_model(0, 2), DecoderSettings(10**6, 6), templates=templates)
    rng = np.random.default_rng(1)
    values = rng.normal(size=len(decoder.space))
    weights = Weights(decoder.space, values)
    found = decoder.nbest(SENTENCE, weights, 10**6, distinct=False)
    assert len(found) > 20
    first = decoder.space.num_dense
    features = DerivationFeatures(templates)
    for number in range(len(found)):
        row = found.rows.part(number, number + 1)
        own = Counter(decoder.space.names[k] for k in row.ids.tolist() if k >= first)
        steps = rule_applications(decoder, SENTENCE, found, number)
        expected = {
            name: value for name, value in features(steps).items() if "_odd_odd" not in name
        }
        assert own == expected
        assert found.score[number] == pytest.approx(float(row.values @ values[row.ids]), rel=1e-5)
    assert (np.diff(found.score) <= 0).all()
    few = decoder.nbest(SENTENCE, weights, 1)  # the search itself, not only its list
    assert few.score[0] == pytest.approx(found.score.max())
    plain = Decoder(table, random_model(0, 2), DecoderSettings(10**6, 6))
    assert len(plain.nbest(SENTENCE, None, 10**6, distinct=False)) == len(found)


class Called:
    """A state template without its form for blocks of rules."""

    of_orientation = True

    def __init__(self, template: StateTemplate) -> None:
        self.state_features = template.state_features


@pytest.fixture
def domains() -> PhraseTable:
    """Rules of all counts, of either domain or of none, which share words."""
    sources = [("a",), ("a", "b_"), ("b_",), ("c", "a")]
    scores = [{"law": 0.5, "news": 0.2}, {"law": 0.2, "news": 0.2}, {"law": 0.1, "news": 0.9}]
    rules = [(source, target) for source in sources for target in (("x",), ("x", "y"), ("z",))]
    return naive.table_of(
        [
            naive.Rule(*words, ((0, 0),), float(number % 4), scores[number % 3])
            for number, words in enumerate(rules)
        ]
    )


@pytest.mark.parametrize(
    "specs",
    [
        ["lo"],
        ["lo:previous", "lo:domain:next"],
        ["lo:classes=source", "lo:classes=both:min=2"],
        ["lo:domain:min=2", "lo:domain:previous"],
    ],
)
def test_blocks_of_rules_have_the_features_of_each(
    specs: list[str], domains: PhraseTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(state_features, "_BLOCK", 3)
    vocabulary = Vocabulary(["a", "b_", "x", "y"])
    classes = dict.fromkeys(
        ("source", "target"), WordClasses(vocabulary, np.array([2, 0, 1, 0, 1], np.int32))
    )
    templates = parse_templates(specs, classes=classes)
    fast = StateFeatures(domains, templates)
    slow = StateFeatures(
        domains, [replace(template, template=Called(template.template)) for template in templates]
    )
    assert fast.names is not None
    assert slow.names is not None
    assert len(fast.names) > 4
    assert list(fast.names.texts) == list(slow.names.texts)
    weights = np.random.default_rng(1).normal(size=len(fast.names))
    rules = np.arange(-1, len(domains))
    assert np.array_equal(fast.scores(rules, weights), slow.scores(rules, weights))


class Pair:
    """A template that looks at the neighbor's words."""

    def state_features(
        self, application: Application, previous: Application | None
    ) -> Iterator[tuple[Rule, str]]:
        before = previous.rule.target[-1] if previous else ""
        yield application.rule, f"Pair_{before}_{application.rule.target[0]}"


def test_features_that_no_search_can_have(table: PhraseTable) -> None:
    """They are those of words that meet where phrases do; fixed words are phrases, too."""
    decoder = Decoder(table, random_model(0, 2))
    required = Required(fixed_translations=(FixedTranslation(2, 4, ("u", "v")),))
    found = decoder.nbest(SENTENCE, None, 20, distinct=False, required=required)
    pairs = DerivationFeatures([Pair()])
    assert len(found) > 5
    for number in range(len(found)):
        applied = rule_applications(decoder, SENTENCE, found, number)
        words = [word for step in applied for word in step.rule.target]
        assert words == decoder.text(found, number).split()
        assert sorted(k for step in applied for k in range(step.begin, step.end)) == [0, 1, 2, 3]
        assert [step.rule.count for step in applied if step.begin == 2] == [-1.0]
        ends = ["", *(step.rule.target[-1] for step in applied[:-1])]
        begins = [step.rule.target[0] for step in applied]
        expected = Counter(f"Pair_{a}_{b}" for a, b in zip(ends, begins, strict=True))
        assert pairs(applied) == expected


def test_domains_of_applied_rules(domains: PhraseTable) -> None:
    decoder = Decoder(domains, random_model(0, 2))
    found = decoder.nbest(["c", "a", "b_", "a"], None, 30, distinct=False)
    known = dict(enumerate(table_rules(domains, "DomainLex.*")))
    for number in range(len(found)):
        applied = rule_applications(decoder, ["c", "a", "b_", "a"], found, number, "DomainLex.*")
        used = [use.rule for use in found.phrases(number)]
        assert [known[k] for k in used if k >= 0] == [
            step.rule for step, k in zip(applied, used, strict=True) if k >= 0
        ]


def test_a_template_that_sees_the_neighbors_words(table: PhraseTable) -> None:
    class Dense:
        of_orientation = True

        def state_features(
            self, application: Application, previous: Application | None
        ) -> Iterator[tuple[Rule, str]]:
            yield application.rule, "dense"

    with pytest.raises(UsageError, match="the state template Pair cannot be used in a search"):
        StateFeatures(table, [Pair()])
    with pytest.raises(UsageError, match="must be named TEMPLATE_PART, got 'dense'"):
        StateFeatures(table, [Dense()])
