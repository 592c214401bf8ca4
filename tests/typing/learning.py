"""Types that users of isogloss.features and isogloss.tune see; checked, never run."""

from typing import assert_type

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

import isogloss as ig
from isogloss.features.dictionary.entries import Entries
from isogloss.features.table.phrase_table import RuleEntry
from isogloss.tune.decoder.derivations import Derivations, Translation
from isogloss.tune.metrics.protocol import Metric
from isogloss.tune.nbest.types import Hypothesis
from isogloss.tune.results import Epoch


def weights(path: str, space: ig.FeatureSpace) -> None:
    loaded = ig.Weights.load(path)
    assert_type(loaded, ig.Weights)
    assert_type(loaded["LM0"], float)
    assert_type(dict(loaded), dict[str, float])
    assert_type(list(loaded), list[str])
    assert_type(loaded.top(20, sparse=True), dict[str, float])
    assert_type(loaded == ig.Weights.zeros(space), bool)
    assert_type(loaded.save(path), None)


def tables(bitext: ig.Bitext, links: ig.Links) -> None:
    table = ig.extract(bitext, links, max_phrase_length=5)
    assert_type(table, ig.PhraseTable)
    assert_type(table[0], RuleEntry)
    assert_type(table["the driver"], list[RuleEntry])
    assert_type(table[:3], list[RuleEntry])
    assert_type(table[0].scores, dict[str, float])
    assert_type(ig.add_templates(table), ig.PhraseTable)
    assert_type(ig.prune(table, table_limit=20), ig.PhraseTable)
    assert_type(ig.prune(table, ig.Pruning(table_limit=20), bitext, ratio=0.1), ig.PhraseTable)
    assert_type(ig.PhraseTable.load("table.gz"), ig.PhraseTable)
    assert_type(ig.Binning.load("table.bins.json"), ig.Binning)
    assert_type(ig.Dictionary.load("folder").entries(), Entries)


def decoding(decoder: ig.Decoder, words: list[str]) -> None:
    assert_type(decoder.translate(words, {"LM0": 1}), str)
    best = decoder.nbest(words, {"LM0": 1.0}, 10)
    assert_type(best, Derivations)
    assert_type(best[0], Translation)
    assert_type(best[1:3], list[Translation])
    assert_type([one.text for one in best], list[str])
    assert_type(best[0].features, dict[str, float])
    assert_type(best.score, NDArray[np.float64])


def lists() -> None:
    nbest = ig.read_nbest("lists.jsonl")
    assert_type(nbest, ig.NBest)
    fields = {"text": "best", "features": ["p", "q"]}
    assert_type(ig.read_nbest("lists.jsonl", fields=fields), ig.NBest)
    assert_type(ig.read_nbest(["a", "b"], fields={"text": "best"}), ig.NBest)
    assert_type(ig.NBest.load("folder"), ig.NBest)
    assert_type(nbest[0], list[Hypothesis])
    assert_type(nbest[:2], ig.NBest)
    assert_type(nbest.rerank({"LM0": 1.0}), ig.NBest)
    assert_type(nbest.best({"LM0": 1.0}), NDArray[np.int64])
    assert_type(ig.read_references("ref"), ig.References)
    assert_type(ig.References.from_sentences([["a", "b"], ["c"]]), ig.References)
    assert_type(ig.score(["a b"], ["a b"], "ter"), ig.Score)
    assert_type(ig.metric("bleu"), Metric)


def tuning(decoder: ig.Decoder, examples: ig.Examples, references: ig.References) -> None:
    result = ig.tune_nbest(examples, "mert", initial_weights={"LM0": 1.0}, epochs=5)
    assert_type(result, ig.TuningResult)
    assert_type(ig.tune_nbest(examples, optimizer="mert", epochs=5), ig.TuningResult)
    assert_type(ig.tune_decoder(decoder, [["a"]], references, epochs=1), ig.TuningResult)
    assert_type(result.epochs, tuple[Epoch, ...])
    assert_type((result.score, result.gain, result.metric), tuple[float, float, str])
    assert_type(ig.TuningResult.load("result.json"), ig.TuningResult)


def pictures(result: ig.TuningResult, examples: ig.Examples) -> None:
    assert_type(ig.plot.tuning(result), list[Axes])
    assert_type(ig.plot.tuning({"one": result, "two": "run2"}), list[Axes])
    assert_type(ig.plot.surface(examples, {"LM0": 1.0}, "LM0", limits=(0, 1)), Axes)
    assert_type(ig.plot.weights({"p_bin0:2": 1.0}, "table.bins.json"), list[Axes])
    assert_type(ig.plot.l1_path({0.1: result, 0.01: "run"}), list[Axes])
