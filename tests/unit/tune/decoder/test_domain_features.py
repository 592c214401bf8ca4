"""Features of domains in the search: scores of each, sparse ones crossed, a model of each."""

from collections import Counter
from math import log

import numpy as np
import pytest

from isogloss.features.table.phrase_table import PhraseTable
from isogloss.features.templates.apply import add_templates
from isogloss.features.templates.specs import parse_templates
from isogloss.tune.decoder.model import Decoder, DecoderSettings
from isogloss.tune.weights.weights import Weights
from tests.naive import templates as naive
from tests.unit.tune.decoder.test_language_model import random_model

LAW, NEWS, BOTH = {"law": 0.9, "news": 0.1}, {"law": 0.2, "news": 0.7}, {"law": 0.3, "news": 0.3}
SENTENCE = ["a", "b", "a"]


@pytest.fixture
def table() -> PhraseTable:
    rules = [
        ("a", "x", LAW),
        ("a", "y", NEWS),
        ("a b", "y x", BOTH),
        ("b", "z", LAW),
        ("b", "w", NEWS),
    ]
    return naive.table_of(
        [
            naive.Rule(tuple(source.split()), tuple(target.split()), ((0, 0),), 2.0, domains)
            for source, target, domains in rules
        ]
    )


def test_scores_are_the_sum_of_features_of_domains(table: PhraseTable) -> None:
    """Each feature is that of the rules used, and all that a score is made of is a feature."""
    rich = add_templates(table, ["pt:domain"])
    models = [random_model(seed, 2) for seed in (0, 1)]
    templates = parse_templates(["lo:domain:previous"])
    decoder = Decoder(rich, models, DecoderSettings(10**6, 6), templates=templates)
    weights = Weights(decoder.space, np.random.default_rng(1).normal(size=len(decoder.space)))
    found = decoder.nbest(SENTENCE, weights, 10**6, distinct=False)
    assert len(found) > 40
    for number in range(len(found)):
        row = found.rows.part(number, number + 1)
        values: Counter[str] = Counter()
        for feature, value in zip(row.ids.tolist(), row.values.tolist(), strict=True):
            values[decoder.space.names[feature]] += value
        assert found.score[number] == pytest.approx(
            sum(value * weights[name] for name, value in values.items()), rel=1e-5
        )
        used = [use.rule for use in found.phrases(number)]
        for column, name in enumerate(table.score_names):
            logs = [log(table.scores[rule, column]) for rule in used]
            assert values[name] == pytest.approx(sum(logs), rel=1e-5)
        crossed = [name for rule in used for name in naive.rows_of(rich)[rule]]
        assert Counter({name: n for name, n in values.items() if name[:3] == "PT@"}) == Counter(
            crossed
        )
        of_domain = sum(
            n for name, n in values.items() if "nonmonotone" not in name and "LO@" in name
        )
        assert of_domain == len(crossed)  # LO has a class of each phrase that has a domain
        text = decoder.text(found, number).split()
        for model, given in enumerate(decoder.language_models.tables):
            score = given.score(given.encode(text)).sum()
            assert values[f"LM{model}"] == pytest.approx(score, rel=1e-5)


def test_weights_choose_the_domain(table: PhraseTable) -> None:
    decoder = Decoder(table, random_model(0, 1))
    for name, text in (("law", "x z x"), ("news", "y w y")):
        weights = Weights.from_dict({f"DomainLex.{name}": 1.0})
        assert decoder.translate(SENTENCE, weights) == text
