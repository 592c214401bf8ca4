"""A search as a hypergraph, against the derivations of the decoder."""

from pathlib import Path

import numpy as np
import pytest

from isogloss.align.errors import UsageError
from isogloss.features.extraction.reordering import ReorderingModel
from isogloss.features.table.phrase_table import PhraseTable
from isogloss.features.templates.specs import parse_templates
from isogloss.tune.decoder.forest import search_forest
from isogloss.tune.decoder.model import Decoder, DecoderSettings, Required
from isogloss.tune.decoder.reordering import ReorderingTable
from isogloss.tune.forest.inference import count_derivations, k_best
from isogloss.tune.weights.weights import Weights
from tests.unit.tune.decoder.test_derivations import RULES
from tests.unit.tune.decoder.test_language_model import random_model

SENTENCE = ["c", "odd", "a", "b"]
MODELS = ["wbe-msd-bidirectional-fe", "phrase-mslr-backward-fe", "hier-mslr-bidirectional-fe"]


@pytest.fixture
def table(tmp_path: Path) -> PhraseTable:
    (tmp_path / "table").write_text("".join(f"{rule} ||| 2 2 2\n" for rule in RULES))
    return PhraseTable.load(tmp_path / "table")


def a_decoder(table: PhraseTable, models: list[str], templates: list[str]) -> Decoder:
    rng = np.random.default_rng(len(models))
    reordering = []
    for name in models:
        model = ReorderingModel.parse(name)
        logs = rng.normal(size=(len(table), len(model.feature_names))).astype(np.float32)
        reordering.append(ReorderingTable(model, logs))
    return Decoder(
        table, [random_model(0, 3), random_model(1, 2)], DecoderSettings(10**6, 6),
        reordering, parse_templates(templates),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("models", "templates"), [([], []), (MODELS[:1], []), (MODELS, ["lo"]), ([], ["lo:next"])]
)
def test_derivations_are_those_of_the_decoder(
    table: PhraseTable, models: list[str], templates: list[str]
) -> None:
    decoder = a_decoder(table, models, templates)
    weights = Weights(decoder.space, np.random.default_rng(7).normal(size=len(decoder.space)))
    found = decoder.search(SENTENCE, weights)
    graph = search_forest(decoder, found)
    expected = decoder.derivations(found, 10**6, distinct=False)
    assert count_derivations(graph) == pytest.approx(len(expected))
    best = k_best(graph, graph.scores(weights.values), len(expected), distinct=False)
    assert len(best) == len(expected) > 20
    np.testing.assert_allclose(best.scores, expected.score, atol=1e-4)
    rows = best.features(graph)
    texts: dict[tuple[str, float], np.ndarray] = {}
    for number in range(len(best)):
        row, values = rows.part(number, number + 1), np.zeros(len(decoder.space))
        np.add.at(values, row.ids, row.values)
        texts[" ".join(best.text(graph, number)), round(float(values.sum()), 2)] = values
    for number in range(len(expected)):
        row, values = expected.rows.part(number, number + 1), np.zeros(len(decoder.space))
        np.add.at(values, row.ids, row.values)
        same = texts[decoder.text(expected, number), round(float(values.sum()), 2)]
        np.testing.assert_allclose(same, values, atol=1e-4)
    assert int(graph.covered.sum()) >= len(SENTENCE)


def test_sentences_without_words_or_translations(table: PhraseTable) -> None:
    decoder = a_decoder(table, MODELS[:1], [])
    graph = search_forest(decoder, decoder.search([]))
    assert (graph.num_nodes, graph.num_edges) == (1, 1)
    assert k_best(graph, graph.scores(np.ones(len(decoder.space))), 3).text(graph, 0) == []
    nothing = decoder.search(SENTENCE, required=Required(("never",), whole=True))
    with pytest.raises(UsageError, match="the search has found no translation, so it has no"):
        search_forest(decoder, nothing)
