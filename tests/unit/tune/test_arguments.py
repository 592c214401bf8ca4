"""Arguments of another type, or exchanged: what is said, and what to type instead."""

from collections.abc import Callable
from pathlib import Path

import pytest

from isogloss.align.errors import UsageError, WrongTypeError
from isogloss.align.text.corpus import Corpus
from isogloss.features import PhraseTable
from isogloss.tune import (
    Decoder,
    DecoderSettings,
    Examples,
    References,
    TuningResult,
    Weights,
    metric,
    read_forests,
    read_language_model,
    tune_decoder,
    tune_nbest,
)
from isogloss.tune.nbest.types import parse_nbest
from isogloss.tune.online.options import DecoderTuningOptions
from isogloss.tune.optimizers.mert import MertOptions
from isogloss.tune.results import Epoch
from tests.unit.tune.decoder.test_language_model import random_model

LISTS = parse_nbest("0 ||| bad ||| LM0= -2 ||| 0\n0 ||| good ||| LM0= -9 ||| 0", "lists")
REFERENCES = References.from_sentences(["good"])
EXAMPLES = Examples.from_nbest(LISTS, REFERENCES, metric("ter"))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Examples.from_nbest(REFERENCES, LISTS, "ter"), "are swapped; use from_nbest"),
        (
            lambda: Examples.from_nbest("a", None, "ter"),
            "lists must be NBest, not 'a'; use read_nb",
        ),
        (
            lambda: Examples.from_nbest(LISTS, ["good"], "ter"),
            r"references must be References, not \['good'\]; use read_references\(files\) or Refer",
        ),
        (lambda: Examples.from_nbest(LISTS, None, 3), "metric must be a name such as 'bleu', or a"),
        (lambda: metric(3), "the name of a metric must be a string such as 'bleu', not 3"),
        (lambda: tune_nbest(LISTS), r"examples must be Examples, not NBest\(.*; use Examples.from"),
        (lambda: tune_nbest("list.gz"), "examples must be Examples, not 'list.gz'; use Examples."),
        (lambda: tune_nbest(EXAMPLES, held_out=LISTS), "held_out must be Examples, not NBest"),
        (
            lambda: tune_nbest(EXAMPLES, "mert", {"random_restarts": 1}),
            "options must be MertOptions, not {'random_restarts': 1}; use keywords, such as ran",
        ),
        (
            lambda: tune_nbest(EXAMPLES, initial_weights="w.json"),
            r"not 'w.json'; use Weights.load\('w.json'",
        ),
    ],
)
def test_other_types(call: Callable[[], object], message: str) -> None:
    with pytest.raises(WrongTypeError, match=message):
        call()


def test_a_metric_by_its_name() -> None:
    assert Examples.from_nbest(LISTS, REFERENCES, "ter") == EXAMPLES


def test_options_as_an_object_and_as_keywords() -> None:
    start = {"LM0": 1.0}
    by_keyword = tune_nbest(EXAMPLES, "mert", initial_weights=start, random_restarts=2)
    by_object = tune_nbest(EXAMPLES, "mert", MertOptions(random_restarts=2), initial_weights=start)
    assert by_keyword == by_object
    both = tune_nbest(EXAMPLES, "mert", MertOptions(), random_restarts=2, initial_weights=start)
    assert both == by_keyword
    assert (both.metric, both.score) == ("ter", 0.0)
    assert both == tune_nbest(
        EXAMPLES, "mert", initial_weights=Weights.from_dict(start), random_restarts=2
    )
    with pytest.raises(UsageError, match=r"there is no feature 'LM'; did you mean LM0\?"):
        tune_nbest(EXAMPLES, "mert", initial_weights={"LM": 1.0})


@pytest.fixture
def decoder(tmp_path: Path) -> Decoder:
    (tmp_path / "table").write_text(
        "a ||| x ||| 0.5 0.5 0.5 0.5 ||| 0-0\na ||| y ||| 0.5 0.5 0.5 0.5 ||| 0-0\n"
    )
    return Decoder(PhraseTable.load(tmp_path / "table"), random_model(0, 2))


TEXT = [["a"], ["a", "a"]]
START = Epoch(0, 0.0, 18.3, 1)
TARGET = References.from_sentences(["y", "y y"])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda decoder: tune_decoder(decoder, TARGET, TEXT),
            "swapped; pass the sentences first",
        ),
        (
            lambda decoder: tune_decoder(decoder, Path("dev.en"), TARGET),
            r"sentences must be a list of lists of words, not .*dev.en.*; use read_sentences\(file",
        ),
        (lambda decoder: tune_decoder(decoder, TEXT, TEXT), "references must be References, not "),
        (
            lambda decoder: tune_decoder(decoder, TEXT, "dev.es"),
            "not 'dev.es'; use read_references",
        ),
        (
            lambda decoder: tune_decoder("decoder", TEXT, TARGET),
            r"decoder must be a Decoder, not 'decoder'; use Decoder\(table, language_model\)",
        ),
        (
            lambda decoder: Decoder("table.gz", random_model(0, 2)),
            r"table must be a PhraseTable, not 'table.gz'; use PhraseTable.load\(path\)",
        ),
        (
            lambda decoder: Decoder(decoder.table, "lm.arpa"),
            r"language_model must be an n-gram model, or .*, not 'lm.arpa'; use read_language_mod",
        ),
        (
            lambda decoder: Decoder(decoder.table, random_model(0, 2), 50),
            "settings must be DecoderSettings, not 50; use keywords, such as stack_size=50",
        ),
        (lambda decoder: Decoder(decoder.table, [3]), "language_model must be .*, not 3; use read"),
        (
            lambda decoder: Decoder(random_model(0, 2), decoder.table),
            r"table and language_model are swapped; use Decoder\(table, language_model\)",
        ),
        (
            lambda decoder: decoder.translate({"LM0": 1.0}, ["a"]),
            r"sentence must be a .* not weights; use translate\(sentence, weights\)",
        ),
        (
            lambda decoder: decoder.translate(decoder.weights(), ["a"]),
            r"sentence must be a .* not weights; use translate\(sentence, weights\)",
        ),
        (
            lambda decoder: decoder.translate(TEXT),
            r"not a list of lists; for several sentences use \[decoder.translate\(one\) for one",
        ),
        (
            lambda decoder: decoder.translate(["a"], TuningResult(decoder.weights(), 0, (START,))),
            "weights must be Weights or .*; use its weights: result.weights",
        ),
        (lambda decoder: read_language_model(3), "path must be a path, not 3"),
        (lambda decoder: read_forests(3), "path must be a path, not 3"),
        (
            lambda decoder: tune_decoder(decoder, TEXT, TARGET, {"epochs": 1}),
            "options must be DecoderTuningOptions, not {'epochs': 1}; use keywords, such as epo",
        ),
        (
            lambda decoder: tune_decoder(decoder, TEXT, TARGET, metric=3),
            "metric must be a name suc",
        ),
        (
            lambda decoder: tune_decoder(decoder, TEXT, TARGET, initial_weights=3),
            "weights must be Weights or",
        ),
    ],
)
def test_other_types_for_a_decoder(
    decoder: Decoder, call: Callable[[Decoder], object], message: str
) -> None:
    with pytest.raises(WrongTypeError, match=message):
        call(decoder)


def test_settings_as_keywords(decoder: Decoder) -> None:
    model = random_model(0, 2)
    settings = DecoderSettings(stack_size=5)
    by_keyword = Decoder(decoder.table, model, stack_size=5)
    assert by_keyword.settings == Decoder(decoder.table, model, settings).settings == settings
    both = Decoder(decoder.table, model, settings, distortion_limit=2).settings
    assert (both.stack_size, both.distortion_limit) == (5, 2)
    with pytest.raises(UsageError, match=r"unknown option 'stack'; did you mean stack_size\?"):
        Decoder(decoder.table, model, stack=5)


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ({"learning_rate": 0.1}, r"unknown option 'learning_rate'; did you mean rate\?"),
        ({"n_jobs": 2}, r"unknown option 'n_jobs'; did you mean threads\?"),
        (
            {"optimizer": "mert"},
            "tune_decoder has no optimizer; use tune_nbest, or update=",
        ),
    ],
)
def test_options_that_the_loop_lacks(
    decoder: Decoder, named: dict[str, object], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        tune_decoder(decoder, TEXT, TARGET, **named)


def test_options_of_an_optimizer_by_position() -> None:
    for name, example in (("mert", "random_restarts=3"), ("pro", "samples=1")):
        with pytest.raises(WrongTypeError, match=f"not 5; use keywords, such as {example}$"):
            tune_nbest(EXAMPLES, name, 5)
    with pytest.raises(UsageError, match=r"unknown option 'random_state'; did you mean seed\?"):
        tune_nbest(EXAMPLES, "mert", random_state=5)


def test_weights_in_place_of_hypotheses() -> None:
    with pytest.raises(WrongTypeError, match=r"chosen must be an array of row numbers, not {'LM0'"):
        EXAMPLES.score({"LM0": 1.0})  # type: ignore[arg-type]


def test_options_of_the_loop(decoder: Decoder) -> None:
    options = DecoderTuningOptions(epochs=1, metric=metric("ter"))
    by_keyword = tune_decoder(
        decoder, TEXT, TARGET, epochs=1, metric="ter", initial_weights={"LM0": 0.5}
    )
    by_object = tune_decoder(
        decoder, TEXT, TARGET, options, initial_weights=Weights.from_dict({"LM0": 0.5})
    )
    assert by_keyword == by_object
    corpus = Corpus.from_sentences(TEXT)
    assert (
        tune_decoder(decoder, corpus, TARGET, options, initial_weights={"LM0": 0.5}) == by_keyword
    )
    assert (by_keyword.metric, len(by_keyword.epochs)) == ("ter", 2)
    assert repr(by_keyword).startswith("TuningResult(ter ")
