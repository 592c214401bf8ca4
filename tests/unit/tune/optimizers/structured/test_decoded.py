"""Forests that a decoder searches when they are asked for."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from isogloss.features.table.phrase_table import PhraseTable
from isogloss.tune.examples import Examples
from isogloss.tune.metrics.bleu import Bleu
from isogloss.tune.online.decoder_loop import TuningText, decode_corpus, decoded_lists
from isogloss.tune.optimizers.structured.decoded import DecodedForests, ForestChoices
from isogloss.tune.references import References
from isogloss.tune.weights.weights import Weights
from tests.unit.tune.decoder.test_forest import SENTENCE, a_decoder, table

__all__ = ["table"]  # a fixture

SENTENCES = [SENTENCE, ["a", "b", "c"], ["b"]]
REFERENCES = [["x odd y", "y z"], ["x y y"], ["w"]]
CHIANG = Bleu(document="chiang")


def test_forests_are_those_of_the_weights_of_the_moment(table: PhraseTable, tmp_path: Path) -> None:
    decoder = a_decoder(table, [], ["lo"])
    text = TuningText(SENTENCES, References.from_texts(REFERENCES))
    done: list[int] = []
    source = DecodedForests(decoder, text, advance=done.append, metric=CHIANG)
    assert (len(source), source.space) == (3, decoder.space)
    rng = np.random.default_rng(5)
    for weights in rng.normal(size=(3, len(decoder.space))):
        whole = Weights(decoder.space, weights)
        translations = decode_corpus(decoder, SENTENCES, whole)
        lists = decoded_lists(decoder, translations)
        examples = Examples.from_nbest(lists, text.references, CHIANG)
        assert source.score(weights) == pytest.approx(examples.best_score(weights), abs=1e-9)
        for number in range(3):
            example = source.example(number, weights)
            best = example.best(weights)
            score = translations[number].score[0]
            assert best.scores(weights) == pytest.approx([score], abs=1e-4)
            thin = replace(source, choices=ForestChoices("linear", 1.0)).example(number, weights)
            assert thin.best(weights).scores(weights) == pytest.approx([score], abs=1e-4)
            assert thin.graph.num_edges <= example.graph.num_edges
            assert (example.approximation, thin.approximation) == ("rerank", "linear")
    assert sum(done) == 3 * (3 + 6)
