"""MERT on forests with the decoder in the loop."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from isogloss.align.errors import DataError, UsageError
from isogloss.features.table.phrase_table import PhraseTable
from isogloss.tune.decoder.model import UNKNOWN_WORD_PENALTY, Decoder, DecoderSettings
from isogloss.tune.examples import Examples
from isogloss.tune.forest.pruning import pruned
from isogloss.tune.forest.union import union
from isogloss.tune.metrics.bleu import Bleu
from isogloss.tune.online.decoder_loop import TuningText, decode_corpus, decoded_lists
from isogloss.tune.optimizers.mert import MertOptions
from isogloss.tune.optimizers.structured.forest_loop import (
    ForestCallbacks,
    ForestLoopOptions,
    search_forests,
    tune_on_forests,
)
from isogloss.tune.optimizers.structured.forest_mert import tune_forest_mert
from isogloss.tune.optimizers.structured.forests import ForestSource
from isogloss.tune.references import References
from isogloss.tune.results import Epoch
from isogloss.tune.weights.weights import Weights
from tests.unit.tune.decoder.test_language_model import random_model

CLIMBS = MertOptions(random_restarts=1, random_walks=2)
OPTIONS = ForestLoopOptions(density=3.0, iterations=3, mert=CLIMBS)
FIXED = [UNKNOWN_WORD_PENALTY]


@pytest.fixture(scope="module")
def decoder(tmp_path_factory: pytest.TempPathFactory) -> Decoder:
    """Words have three translations each, some pairs of them one more."""
    rng = np.random.default_rng(2)
    sides = [(word, [int(k)]) for word in "abc" for k in rng.permutation(6)[:3]]
    sides += [("a b", [1, 4]), ("c a", [5, 2])]
    lines = []
    for source, target in sides:
        words = " ".join(f"w{k}" for k in target)
        scores = " ".join(f"{score:.3f}" for score in rng.uniform(0.05, 1.0, size=4))
        links = " ".join(f"{k}-{k}" for k in range(len(target)))
        lines.append(f"{source} ||| {words} ||| {scores} ||| {links} ||| 2 2 2\n")
    path = tmp_path_factory.mktemp("forest_loop") / "table"
    path.write_text("".join(lines))
    return Decoder(PhraseTable.load(path), random_model(0, 3), DecoderSettings(20, 6))


@pytest.fixture(scope="module")
def texts(decoder: Decoder) -> list[TuningText]:
    """Texts whose references are what weights that nobody knows give."""
    rng = np.random.default_rng(5)
    secret = Weights(decoder.space, rng.normal(size=len(decoder.space)))
    made = []
    for size in (12, 6):
        sentences = [rng.choice(["a", "b", "c"], size=5).tolist() for _ in range(size)]
        truth = [[decoder.translate(words, secret)] for words in sentences]
        made.append(TuningText(sentences, References.from_texts(truth)))
    return made


def translated(decoder: Decoder, text: TuningText, weights: Weights) -> float:
    """BLEU of the decoder's translations."""
    lists = decoded_lists(decoder, decode_corpus(decoder, text.sentences, weights))
    return Examples.from_nbest(lists, text.references, Bleu()).best_score(weights)


def test_iterations_are_those_done_by_hand(decoder: Decoder, texts: Sequence[TuningText]) -> None:
    text = texts[0]
    tried, forests = [decoder.weights()], None
    for number in (1, 2):
        weights = tried[-1]
        found = [
            pruned(graph, graph.scores(weights.values), 3.0)
            for graph, _ in search_forests(decoder, text.sentences, weights)
        ]
        forests = [union(pair) for pair in zip(forests, found, strict=True)] if forests else found
        source = ForestSource(forests, text.references, metric=Bleu())
        rng = np.random.default_rng([7, number])
        tried.append(tune_forest_mert(source, weights, CLIMBS, rng, untuned=FIXED).weights)
    expected = [translated(decoder, text, weights) for weights in tried]
    result = tune_on_forests(decoder, text, replace(OPTIONS, iterations=2), seed=7)
    assert [epoch.score for epoch in result.epochs] == pytest.approx(expected, rel=1e-12)
    assert result.best_epoch == expected.index(max(expected)) > 0
    assert result.weights == tried[result.best_epoch]
    assert result.epochs[0].loss == -result.epochs[0].score


def test_the_best_by_held_out_text_for_any_number_of_threads(
    decoder: Decoder, texts: Sequence[TuningText]
) -> None:
    start = Weights.from_dict({"LM0": 0.1, "Distortion0": 0.1, "WordPenalty0": -1.0})
    told: list[Epoch] = []
    done: list[int] = []
    calls = ForestCallbacks(report=told.append, advance=done.append)
    results = [
        tune_on_forests(
            decoder, texts[0], OPTIONS, start=start, held_out=texts[1], threads=threads,
            callbacks=calls if threads == 3 else None,
        )
        for threads in (1, 3)
    ]  # fmt: skip
    assert results[0].weights.values.tobytes() == results[1].weights.values.tobytes()
    assert results[0].epochs == results[1].epochs == tuple(told)
    best = results[0].epochs[results[0].best_epoch]
    assert best.held_out == max(epoch.held_out or 0.0 for epoch in told)
    assert best.held_out == translated(decoder, texts[1], results[0].weights)
    assert best.score == translated(decoder, texts[0], results[0].weights)
    assert sum(done) == len(told) * len(texts[0])


def test_it_ends_where_nothing_changes(decoder: Decoder, texts: Sequence[TuningText]) -> None:
    text = texts[0]
    first = decode_corpus(decoder, text.sentences)
    own = References.from_texts([[decoder.text(best, 0)] for best in first])
    same = tune_on_forests(decoder, TuningText(text.sentences, own), OPTIONS)
    assert [epoch.score for epoch in same.epochs] == pytest.approx([100.0])
    assert same.weights == decoder.weights()
    lazy = replace(OPTIONS, least_change=10.0)
    assert len(tune_on_forests(decoder, text, lazy).epochs) == 1


def test_errors_name_the_sentence(
    decoder: Decoder, texts: Sequence[TuningText], monkeypatch: pytest.MonkeyPatch
) -> None:
    sentences = [["a"], ["a", "b", "c"] * 30]
    free = replace(decoder.settings, distortion_limit=-1)
    with monkeypatch.context() as patch:
        patch.setattr(decoder, "settings", free)
        with pytest.raises(
            UsageError, match=r"'a b c a b c \.\.\.' of 90 words: without a distort"
        ):
            search_forests(decoder, sentences, decoder.weights())

    def fails(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(Decoder, "search", fails)
    one = TuningText(sentences[:1], texts[0].references.select(np.array([0])))
    with pytest.raises(DataError, match="'a' of 1 word needs more memory than"):
        tune_on_forests(decoder, one)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"density": 0.5}, "density must be at least 1"),
        ({"iterations": 0}, "iterations must be between 1 and"),
        ({"least_change": -1.0}, "least_change must be at least 0"),
    ],
)
def test_options_out_of_range(change: dict[str, float], message: str) -> None:
    with pytest.raises(UsageError, match=message.replace(".", r"\.")):
        replace(OPTIONS, **change)  # type: ignore[arg-type]
