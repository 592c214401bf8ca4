"""The tuning loop with the decoder in it, and the decoder."""

import warnings
from dataclasses import dataclass, replace

import numpy as np
import pytest
from numpy.typing import NDArray
from sacrebleu.metrics.bleu import BLEU

from isogloss.align import Bitext, DataError, DataWarning, Links, UsageError
from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.language_model.estimation import estimate_language_model
from isogloss.align.text.corpus import Corpus
from isogloss.features.extraction.extract import extract
from isogloss.features.extraction.extraction_options import ExtractionOptions
from isogloss.features.space import bin_feature_name
from isogloss.features.table.phrase_table import PhraseTable
from isogloss.features.templates.apply import add_templates
from isogloss.tune import Decoder, DecoderSettings
from isogloss.tune.decoder.language_model import NgramTable
from isogloss.tune.decoder.model import DEFAULT_WEIGHTS
from isogloss.tune.nbest.types import NBest
from isogloss.tune.online.decoder_loop import Callbacks, decode_corpus, tune_decoder
from isogloss.tune.online.options import LOSSES, DecoderTuningOptions
from isogloss.tune.online.state import OnlineState
from isogloss.tune.references import References
from isogloss.tune.results import Epoch
from isogloss.tune.weights.weights import Weights

# Spanish noun phrases; adjectives follow their noun
NOUNS = {"casa": "house", "mesa": "table", "flor": "flower", "puerta": "door"}
ADJECTIVES = {"verde": "green", "vieja": "old", "blanca": "white"}
RIGHT, WRONG = [(0, 0), (1, 2), (2, 1), (3, 3)], [(0, 0), (1, 1), (2, 2), (3, 3)]
PAIRS = [
    (["la", n, a, "."], ["the", *words, "."], links)
    for n in NOUNS
    for a in ADJECTIVES
    for words, links in (
        ((ADJECTIVES[a], NOUNS[n]), RIGHT),
        # two of three translators keep the Spanish order
        ((NOUNS[n], ADJECTIVES[a]), WRONG),
        ((NOUNS[n], ADJECTIVES[a]), WRONG),
    )
]
SENTENCES = [pair[0] for pair in PAIRS[::3]]
REFERENCES = References.from_texts([[" ".join(pair[1])] for pair in PAIRS[::3]])


@dataclass(frozen=True)
class WordErrors:
    """Share of the words that the reference doesn't have, in percent."""

    name: str = "word errors"
    sign: int = -1
    num_statistics: int = 2

    def statistics(
        self, lists: NBest, references: References | None, *, threads: int = 1
    ) -> NDArray[np.float64]:
        assert references is not None
        pairs = [
            (lists.texts[row].split(), references.of(k)[0].split())
            for k in range(len(lists))
            for row in lists.hypotheses(k)
        ]
        counts = [
            (sum(a != b for a, b in zip(words, truth, strict=False)), len(words))
            for words, truth in pairs
        ]
        return np.array(counts, np.float64)

    def score(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(100.0 * sums[..., 0] / sums[..., 1])

    def gains(self, statistics: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(1.0 - statistics[:, 0] / statistics[:, 1])

    def gains_in(
        self, background: NDArray[np.float64], statistics: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        return self.gains(statistics)


OPTIONS = DecoderTuningOptions(
    rate=0.1, l1=0.001, batch_size=4, gamma=100, pairs=10, threshold=0.01, nbest_size=20
)


@pytest.fixture(scope="module")
def table() -> PhraseTable:
    bitext = Bitext.unlabeled(
        Corpus.from_sentences([pair[0] for pair in PAIRS]),
        Corpus.from_sentences([pair[1] for pair in PAIRS]),
    )
    rules = extract(
        bitext,
        Links.from_pairs(pair[2] for pair in PAIRS),
        ExtractionOptions(2, moses_precision=False),
    )
    return add_templates(rules, ["pt", "al"])


@pytest.fixture(scope="module")
def ngrams() -> NgramTable:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # too small for discounts
        return NgramTable.from_model(
            estimate_language_model(Corpus.from_sentences([pair[1] for pair in PAIRS]), 2)
        )


@pytest.fixture(scope="module")
def decoder(table: PhraseTable, ngrams: NgramTable) -> Decoder:
    return Decoder(table, ngrams)


def texts(decoder: Decoder, sentence: str, size: int = 1) -> list[str]:
    derivations = decoder.nbest(sentence.split(), decoder.weights(), size)
    return [decoder.text(derivations, k) for k in range(len(derivations))]


def random_weights(decoder: Decoder, seed: int = 1) -> Weights:
    noise = np.random.default_rng(seed).normal(0, 0.1, len(decoder.space))
    return Weights(decoder.space, decoder.weights().values + noise)


def test_space_of_the_decoder(decoder: Decoder, table: PhraseTable) -> None:
    context = ("LM0", "Distortion0", "WordPenalty0", "PhrasePenalty0", "UnknownWordPenalty0")
    assert (*context, *table.score_names, *table.sparse_names) == decoder.space.names
    assert DEFAULT_WEIGHTS.as_dict() == {
        name: weight for name, weight in decoder.weights().items() if weight
    }


@pytest.mark.parametrize(
    "sentence", ["la casa verde", "la mesa vieja la xyz blanca", "xyz abc", "la", "verde xyz"]
)
def test_features_times_weights_are_the_score(decoder: Decoder, sentence: str) -> None:
    weights = random_weights(decoder)
    derivations = decoder.nbest(sentence.split(), weights, 50)
    assert len(derivations.rows) == len(derivations)
    np.testing.assert_allclose(
        derivations.rows.scores(weights.values), derivations.score, rtol=1e-4, atol=1e-4
    )


def test_features_by_hand(decoder: Decoder, table: PhraseTable) -> None:
    derivations = decoder.nbest(["puerta", "xyz"], decoder.weights(), 1)
    row = np.zeros(len(decoder.space))
    np.add.at(row, derivations.rows.ids, derivations.rows.values)
    values = dict(zip(decoder.space, row.tolist(), strict=True))
    assert decoder.text(derivations, 0) == "door xyz"
    assert (0.0, -2.0, 2.0, -100.0) == tuple(
        values[name]
        for name in ("Distortion0", "WordPenalty0", "PhrasePenalty0", "UnknownWordPenalty0")
    )
    # every door is a puerta, and no other
    assert [0.0] * 4 == [values[name] for name in table.score_names]
    assert {"PT_puerta_door": 1.0, "AL_puerta_door": 1.0} == {
        name: value for name, value in values.items() if value and "_" in name
    }


def test_unknown_words_are_copied(decoder: Decoder) -> None:
    assert ["xyz"] == texts(decoder, "xyz")
    derivations = decoder.nbest(["xyz", "la", "\u00a0"], decoder.weights())
    assert ["the", "xyz", "\u00a0"] == sorted(decoder.text(derivations, 0).split(" "))


def test_empty_sentence_gives_an_empty_line(decoder: Decoder) -> None:
    found = decoder.nbest([], decoder.weights(), 5)
    assert [""] == [decoder.text(found, k) for k in range(len(found))]
    found = decode_corpus(decoder, [[], ["la"], []], decoder.weights())
    assert ["", "the", ""] == [decoder.text(one, 0) for one in found]


def test_nbest_is_distinct_and_sorted(decoder: Decoder) -> None:
    derivations = decoder.nbest(["la", "casa", "vieja", "la", "flor"], random_weights(decoder), 40)
    lines = [decoder.text(derivations, k) for k in range(len(derivations))]
    assert len(lines) == 40
    assert sorted(set(lines)) == sorted(lines)
    assert sorted(derivations.score, reverse=True) == derivations.score.tolist()


def test_table_limit(table: PhraseTable, ngrams: NgramTable) -> None:
    # "casa verde" is "green house" or, more often, "house green"
    weights = Weights.from_dict({"p(e|f)": 1.0, "PhrasePenalty0": -10.0})
    texts_by_limit = {}
    for limit in (1, 20):
        decoder = Decoder(table, ngrams, DecoderSettings(table_limit=limit))
        derivations = decoder.nbest(["casa", "verde"], weights, 20)
        whole = [row for row in range(len(derivations)) if derivations.score[row] > -15.0]
        texts_by_limit[limit] = [decoder.text(derivations, row) for row in whole]
    assert {1: ["house green"], 20: ["house green", "green house"]} == texts_by_limit


def test_sparse_weights_decide(decoder: Decoder) -> None:
    weights = Weights.from_dict({**DEFAULT_WEIGHTS.as_dict(), "PT_casa~verde_green~house": 20.0})
    derivations = decoder.nbest(["casa", "verde"], weights)
    assert decoder.text(derivations, 0) == "green house"


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_corpus_is_decoded_in_order(decoder: Decoder, threads: int) -> None:
    steps: list[int] = []
    translations = decode_corpus(
        decoder, SENTENCES * 4, decoder.weights(), threads=threads, advance=steps.append
    )
    expected = [texts(decoder, " ".join(sentence))[0] for sentence in SENTENCES]
    assert expected * 4 == [decoder.text(derivations, 0) for derivations in translations]
    assert sum(steps) == len(SENTENCES) * 4


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"table_limit": 0}, "table_limit must be between 1 and"),
        ({"table_limit": (1 << 30) + 1}, "table_limit must be between 1 and 1073741824"),
        ({"stack_size": 0}, "stack_size must be between 1 and"),
        ({"pop_limit": -1}, "pop_limit must be between 1 and .*, or 0 for none, got -1"),
        ({"distortion_limit": -2}, "distortion_limit must be between 0 and .*, got -2"),
        ({"distortion_limit": 65}, "distortion_limit must be between 0 and .*, got 65"),
        ({"beam_threshold": 0.5}, "beam_threshold must be below 0 .*, got 0.5"),
    ],
)
def test_settings_out_of_range(change: dict[str, float], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        replace(DecoderSettings(), **change)


def test_weights_of_another_space_are_carried_over(decoder: Decoder) -> None:
    weights = decoder.weights()
    named = {"new_": 7.0, **dict(reversed(list(weights.items())))}
    again = decoder.weights(Weights.from_dict(named))
    assert again == weights
    assert again.space is decoder.space
    assert decoder.translate(["la", "casa"], Weights.from_dict(named)) == "the house"


def test_what_a_decoder_prints(decoder: Decoder) -> None:
    assert repr(decoder).startswith("Decoder(")
    assert "2-gram language model of 12 words" in repr(decoder)


def corpus_bleu(decoder: Decoder, weights: Weights) -> float:
    translations = decode_corpus(decoder, SENTENCES, weights)
    output = [decoder.text(derivations, 0) for derivations in translations]
    metric = BLEU(tokenize="none", force=True)
    return float(metric.corpus_score(output, [[" ".join(pair[1]) for pair in PAIRS[::3]]]).score)


def test_tuning_the_decoder(decoder: Decoder) -> None:
    start = decoder.weights()
    seen: list[Epoch] = []
    results = [
        tune_decoder(
            decoder, SENTENCES, REFERENCES, OPTIONS,
            epochs=3, threads=threads, callbacks=Callbacks(report),
        )
        for threads, report in ((1, seen.append), (2, lambda epoch: None))
    ]  # fmt: skip
    single, threaded = results
    assert single.weights == threaded.weights
    assert single.epochs == threaded.epochs == tuple(seen)
    assert [0, 1, 2, 3] == [epoch.number for epoch in single.epochs]
    bleus = [epoch.score for epoch in single.epochs]
    # at the start the frequent wrong order wins
    assert bleus[0] < 50.0 < 99.0 < max(bleus)
    assert bleus.index(max(bleus)) == single.best_epoch
    assert corpus_bleu(decoder, start) == pytest.approx(bleus[0])
    assert corpus_bleu(decoder, single.weights) == pytest.approx(max(bleus))
    assert single.weights.num_active == single.epochs[single.best_epoch].active
    assert start["UnknownWordPenalty0"] == single.weights["UnknownWordPenalty0"]


@pytest.mark.parametrize("loss", LOSSES)
def test_any_loss_learns_the_order(decoder: Decoder, loss: str) -> None:
    options = replace(OPTIONS, loss=loss, rate=1.0, gain_scale=20.0, min_feature_count=2)
    result = tune_decoder(decoder, SENTENCES, REFERENCES, options, epochs=4, nbest_size=40)
    assert max(epoch.score for epoch in result.epochs) > 95.0


def test_another_metric(decoder: Decoder) -> None:
    metric = WordErrors()
    result = tune_decoder(
        decoder, SENTENCES, REFERENCES, OPTIONS, rate=1.0, metric=metric, epochs=6, nbest_size=40
    )  # fmt: skip
    scores = [epoch.score for epoch in result.epochs]
    assert scores[0] - 20.0 > min(scores)
    assert scores.index(min(scores)) == result.best_epoch


@pytest.mark.parametrize("staleness", [1, 3])
def test_stale_gradients_are_the_same_for_any_number_of_threads(
    decoder: Decoder, staleness: int
) -> None:
    results = [
        tune_decoder(
            decoder, SENTENCES, REFERENCES, OPTIONS, initial_weights=random_weights(decoder),
            staleness=lag, epochs=2, threads=threads,
        )
        for lag, threads in ((staleness, 1), (staleness, 2), (staleness, 5), (0, 1))
    ]  # fmt: skip
    assert 1 == len({(result.weights.values.tobytes(), result.epochs) for result in results[:3]})
    assert results[0].epochs != results[3].epochs


def test_interrupted_tuning_goes_on_to_the_same_bytes(decoder: Decoder) -> None:
    states: list[OnlineState] = []
    start = random_weights(decoder)
    options = replace(OPTIONS, average=True, epochs=3)
    whole = tune_decoder(
        decoder, SENTENCES, REFERENCES, options,
        initial_weights=start, callbacks=Callbacks(save=states.append),
    )  # fmt: skip
    for state in states[:4]:
        again = tune_decoder(decoder, SENTENCES, REFERENCES, options, initial_weights=state, seed=9)
        assert whole.weights == again.weights
        assert whole.epochs == again.epochs


def test_accumulated_hypotheses_are_learned_from(decoder: Decoder) -> None:
    """As long as each epoch gives the same hypotheses nothing changes; then more are learned of."""
    runs = {
        (accumulate, threads): tune_decoder(
            decoder, SENTENCES, REFERENCES, OPTIONS, nbest_size=3, epochs=4,
            accumulate=accumulate, threads=threads,
        )
        for accumulate, threads in ((False, 1), (True, 1), (True, 2))
    }  # fmt: skip
    plain, more = runs[False, 1], runs[True, 1]
    assert more.weights == runs[True, 2].weights
    assert plain.epochs[:2] == more.epochs[:2]
    assert plain.epochs != more.epochs
    assert max(epoch.score for epoch in more.epochs) > 95.0


def test_gradients_as_they_arrive(decoder: Decoder) -> None:
    options = replace(OPTIONS, staleness=2, deterministic=False, epochs=3)
    result = tune_decoder(decoder, SENTENCES, REFERENCES, options, threads=3)
    assert len(result.epochs) == 4
    assert max(epoch.score for epoch in result.epochs) > result.epochs[0].score
    alone = tune_decoder(decoder, SENTENCES, REFERENCES, options, threads=1)
    in_order = tune_decoder(decoder, SENTENCES, REFERENCES, replace(options, deterministic=True))
    assert alone.epochs == in_order.epochs
    with pytest.raises(UsageError, match="staleness must be above 0 without `deterministic=True`"):
        replace(options, staleness=0)


def test_tuning_needs_as_many_references(decoder: Decoder) -> None:
    message = "references for 12 sentences; expected 11, one per source sentence"
    with pytest.raises(DataError, match=message):
        tune_decoder(decoder, SENTENCES[1:], REFERENCES)


def test_tuning_needs_sentences(decoder: Decoder) -> None:
    with pytest.raises(DataError, match=r"^there is no sentence$"):
        tune_decoder(decoder, [], References.from_texts([]))


def test_options_that_there_are_not(decoder: Decoder) -> None:
    with pytest.raises(UsageError, match="unknown option 'epoch'; did you mean epochs"):
        tune_decoder(decoder, SENTENCES, REFERENCES, epoch=3)


def test_weights_that_run_away(decoder: Decoder) -> None:
    options = replace(OPTIONS, update="sgd", loss="hinge", rate=1e308, l1=0.0, batch_size=1)
    with pytest.raises(DataError, match=r"not finite in mini-batch \d+\. Lower the rate"):
        tune_decoder(decoder, SENTENCES, REFERENCES, options)


def test_bins_that_no_rule_has_are_moved_by_their_neighbors(
    table: PhraseTable, ngrams: NgramTable
) -> None:
    """Of four bins the rules have three; the decoder never meets the other one."""
    names = [bin_feature_name("p", number, 4) for number in (0, 1, 3)]
    rows = Ragged.from_rows([[(rule % 3, 1.0)] for rule in range(len(table))])
    decoder = Decoder(table.with_sparse(names, rows), ngrams)
    options = replace(OPTIONS, bin_regularizer="linear", bin_strength=0.1, batch_size=2)
    states: list[OnlineState] = []
    result = tune_decoder(
        decoder, SENTENCES, REFERENCES, options, epochs=2, callbacks=Callbacks(save=states.append)
    )
    assert bin_feature_name("p", 2, 4) not in decoder.space
    assert result.weights.space.names == (*decoder.space.names, bin_feature_name("p", 2, 4))
    assert np.abs(states[-1].weights[-1]) > 1e-3
    again = tune_decoder(
        decoder, SENTENCES, REFERENCES, options, epochs=2, initial_weights=states[1]
    )
    assert again.weights == result.weights
    with pytest.raises(
        UsageError, match="bin_regularizer must be none without bins between two other bins"
    ):
        tune_decoder(Decoder(table, ngrams), SENTENCES, REFERENCES, options)
