"""A text where a list of words, names or texts belongs is an error, of one kind everywhere."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from isogloss.align import Vocabulary
from isogloss.align.errors import UsageError, WrongTypeError
from isogloss.features import FeatureSpace, PhraseTable, add_templates
from isogloss.features.table.phrases import phrases_of
from isogloss.tune import (
    Decoder,
    References,
    read_language_model,
    tune_decoder,
)
from isogloss.tune.decoder.model import Required
from isogloss.tune.decoder.rule_options import FixedTranslation
from isogloss.tune.forest.bleu import BleuForest
from isogloss.tune.forest.hypergraph import Edge, Hypergraph
from isogloss.tune.online.decoder_loop import decode_corpus
from tests.cli.translations.test_decode import ARPA

WORDS = "sentence must be a list of words, not the string 'a b'; use text.split()"
SENTENCES = "sentences must be a list of lists of words, not the string 'a b'"
REQUIRED = "required words must be a list of words, not the string 'a b'; use text."
GRAPH = Hypergraph.from_edges([[Edge([], [0], [], 1)]], ["x"], [])
REFERENCES = References.from_texts([["x"]])


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> PhraseTable:
    path = tmp_path_factory.mktemp("table") / "table"
    path.write_text("a ||| x ||| 0.5 0.25 0.5 0.5 ||| 0-0\n")
    return PhraseTable.load(path)


@pytest.fixture(scope="module")
def decoder(table: PhraseTable, tmp_path_factory: pytest.TempPathFactory) -> Decoder:
    path = tmp_path_factory.mktemp("lm") / "lm"
    path.write_text(ARPA)
    return Decoder(table, read_language_model(path))


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: Vocabulary(["a"]).encode("a b"), WORDS),
        (lambda: Vocabulary("a b"), "the words of a vocabulary must be a list, not the stri"),
        (lambda: FeatureSpace("a b"), "the names of features must be a list, not the string "),
        (lambda: phrases_of("a b"), SENTENCES),
        (lambda: phrases_of(["a b"]), WORDS),
        (lambda: References.from_sentences("a b"), "references must be a list with an item "),
        (lambda: References.from_texts("a b"), "references must be a list of lists of stri"),
        (lambda: References.from_texts(["a b"]),
         "the references of a sentence must be a list of strings, not the string 'a b'; use [t"),
        (lambda: BleuForest.of(GRAPH, "a b"),
         "references must be a list of lists of words, not the string 'a b'"),
        (lambda: BleuForest.of(GRAPH, ["a b"]),
         "a reference must be a list of words, not the string 'a b'; use text.split()"),
    ],
)  # fmt: skip
def test_a_text(call: Callable[[], object], said: str) -> None:
    for kind in (WrongTypeError, UsageError, TypeError):  # programs may look for any of them
        with pytest.raises(kind, match=f"^{re.escape(said)}"):
            call()


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda decoder: decode_corpus(decoder, "a b"), SENTENCES),
        (lambda decoder: tune_decoder(decoder, "a b", REFERENCES), SENTENCES),
        (lambda decoder: tune_decoder(decoder, ["a b"], REFERENCES), WORDS),
        (lambda decoder: decoder.nbest("a b", 5),  # type: ignore[arg-type]
         "weights must be Weights or a dict of numbers by name, such as {\"LM0\": 0.5}, not 5; "
         "use nbest_size=5"),
        (lambda decoder: decoder.nbest(["a"], required=Required("a b")), REQUIRED),
        (lambda decoder: decoder.nbest(
            ["a"], required=Required((), False, (FixedTranslation(0, 1, "a b"),))), REQUIRED),
    ],
)  # fmt: skip
def test_a_text_for_a_decoder(
    call: Callable[[Decoder], object], said: str, decoder: Decoder
) -> None:
    with pytest.raises(WrongTypeError, match=re.escape(said)):
        call(decoder)


def test_a_long_text_is_cut_short() -> None:
    with pytest.raises(WrongTypeError, match=r"not the string 'a{59} \.\.\.; use text.split"):
        Vocabulary(["a"]).encode("a" * 61)


def test_words_in_place_of_a_reference() -> None:
    with pytest.raises(
        UsageError,
        match=r"a reference must be a string, such as ' '\.join\(words\), got \['a', 'b'\]",
    ):
        References.from_texts([[["a", "b"]]])  # type: ignore[list-item]


def test_templates_may_be_one_text(table: PhraseTable, tmp_path: Path) -> None:
    for specs in ("pt,al", ["pt", "al"]):
        assert add_templates(table, specs).sparse_names == ("PT_a_x", "AL_a_x")
