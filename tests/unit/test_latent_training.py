"""Training with latent domains on a bitext whose `bank` is translated by domain."""

import numpy as np
import pytest

from align.corpus import Bitext, Corpus
from align.em import Trainer
from align.errors import DataError, DataWarning, UsageError
from align.latent_domain import LatentDomains
from align.model import AlignmentModel, score_language, train
from align.parameters import PRESETS, AlignerOptions

FILLERS = {"the": "el", "old": "viejo", "is": "es", "and": "y", "here": "aqui"}
OWN = [
    {"money": "dinero", "loan": "credito", "client": "cliente"},
    {"river": "rio", "water": "agua", "boat": "barco"},
    {"music": "musica", "song": "cancion", "stage": "escena"},
]
BANK = ["banco", "orilla", "fila"]
NAMES = ("finance", "nature")
SEEDS, REST, OUT_PAIRS = 60, 30, 90  # the last domain has no seeds


def mixed_bitext() -> tuple[Bitext, np.ndarray]:
    """Source and target, and the true domain of each pair."""
    rng = np.random.default_rng(1)
    source, target, labels, truth = [], [], [], []
    for domain, (own, bank) in enumerate(zip(OWN, BANK, strict=True)):
        words = [*FILLERS.items(), *(2 * list(own.items())), ("bank", bank)]
        for number in range(SEEDS + REST if domain < 2 else OUT_PAIRS):
            chosen = [words[k] for k in rng.integers(0, len(words), rng.integers(3, 7))]
            chosen += [("bank", bank), *list(own.items())[:1]]
            source.append([pair[0] for pair in chosen])
            target.append([pair[1] for pair in chosen])
            labels.append(domain if domain < 2 and number < SEEDS else -1)
            truth.append(domain)
    bitext = Bitext(
        Corpus.from_sentences(source),
        Corpus.from_sentences(target),
        np.array(labels, np.int16),
        NAMES,
    )
    return bitext, np.array(truth)


@pytest.fixture(scope="module", params=["best", "paper"])
def model(request: pytest.FixtureRequest) -> AlignmentModel:
    return train(mixed_bitext()[0], PRESETS[request.param])


def best_of(model: AlignmentModel, word: str, domain: str, direction: str = "s2t") -> str:
    rows = [row for row in model.lexicon(direction, domain).rows() if row[0] == word]
    return max(rows, key=lambda row: row[2])[1]


def test_posteriors_find_the_domain_of_each_pair(model: AlignmentModel) -> None:
    bitext, truth = mixed_bitext()
    assert model.domains == ("finance", "nature", "out")
    posterior = model.domain_posteriors(bitext)
    np.testing.assert_allclose(posterior.sum(1), 1.0, rtol=1e-9)
    assert truth.tolist() == posterior.argmax(1).tolist()


def test_lexicon_prefers_the_translation_of_the_domain(model: AlignmentModel) -> None:
    assert [best_of(model, "bank", name) for name in (*NAMES, "out")] == BANK
    assert [
        best_of(model, word, name, "t2s") for word, name in zip(BANK[:2], NAMES, strict=True)
    ] == ["bank"] * 2


def test_links_are_those_of_the_words(model: AlignmentModel) -> None:
    bitext, _ = mixed_bitext()
    links = model.align(bitext)
    diagonal = [[(k, k) for k in range(length)] for length in bitext.source.lengths]
    right = sum(links[n] == diagonal[n] for n in range(len(bitext)))
    assert right >= 0.95 * len(bitext)  # some sentences repeat a word


def test_priors_are_a_distribution_near_the_true_shares(model: AlignmentModel) -> None:
    shares = np.bincount(mixed_bitext()[1]) / len(mixed_bitext()[1])
    np.testing.assert_allclose(np.exp(model.log_prior), shares, rtol=0.0, atol=0.02)


def test_language_models_know_their_domain(model: AlignmentModel) -> None:
    bitext, truth = mixed_bitext()
    assert model.language_models is not None
    scores = score_language(model.language_models, bitext)
    assert (2, len(bitext), 3) == scores.shape
    assert truth.tolist() == scores.sum(0).argmax(1).tolist()


def test_labelled_pairs_stay_clamped() -> None:
    bitext, _ = mixed_bitext()
    trainer = Trainer(bitext, AlignerOptions(), 3)
    latent = LatentDomains(trainer, score_language)
    latent.initialize()
    seen = [latent.posterior]

    def step(stage: str) -> np.ndarray:
        seen.append(latent.step(stage))
        return seen[-1]

    trainer.run(step)
    known = bitext.labels >= 0
    expected = np.eye(3)[bitext.labels[known]]
    assert len(seen) == 1 + 5 + 3
    for posterior in seen:
        np.testing.assert_array_equal(posterior[known], expected)


def content(model: AlignmentModel) -> list[bytes]:
    arrays = [model.log_prior]
    for own in model.directions:
        arrays += [own.lexical, own.null, own.jump, own.start]
    return [array.tobytes() for array in arrays]


def test_threads_change_no_byte() -> None:
    bitext, _ = mixed_bitext()
    one, two = train(bitext, threads=1), train(bitext, threads=2)
    assert content(one) == content(two)
    assert one.trace == two.trace
    assert one.align(bitext).source.tobytes() == two.align(bitext, threads=2).source.tobytes()


def test_shared_jumps_are_one_table_and_own_jumps_differ() -> None:
    bitext, _ = mixed_bitext()
    shared = train(bitext, AlignerOptions(shared_jumps=True)).directions[0].jump
    np.testing.assert_array_equal(shared[0], shared[2])
    own = train(bitext, AlignerOptions(shared_jumps=False)).directions[0].jump
    assert not np.allclose(own[0], own[2], rtol=1e-6, atol=0.0)


@pytest.mark.parametrize("weights", ["side", "pair", "hard"])
@pytest.mark.parametrize("order", [0, 2])
def test_decoding_weights(weights: str, order: int) -> None:
    bitext, truth = mixed_bitext()
    options = AlignerOptions(decoding_weights=weights, language_model_order=order)
    model = train(bitext, options)
    for found in model._decoding_weights(bitext, 1):
        np.testing.assert_allclose(found.sum(1), 1.0, rtol=1e-9)
        if weights == "hard":
            assert {0.0, 1.0} == set(found.ravel().tolist())
        if order:
            assert truth.tolist() == found.argmax(1).tolist()


def test_each_direction_is_weighed_by_the_side_that_it_is_given() -> None:
    """P(f, a | e, D) with P(D | e): the forward direction goes by the target side alone."""
    bitext, _ = mixed_bitext()
    model = train(bitext, AlignerOptions(decoding_weights="side", language_model_order=1))
    assert model.language_models is not None
    language = score_language(model.language_models, bitext)
    for found, side in zip(model._decoding_weights(bitext, 1), (1, 0), strict=True):
        joint = np.exp(language[side] + model.log_prior)
        np.testing.assert_allclose(found, joint / joint.sum(1, keepdims=True), rtol=1e-9)


def test_every_pair_labelled() -> None:
    bitext, _ = mixed_bitext()
    seeds = bitext.select(np.flatnonzero(bitext.labels >= 0))
    with pytest.warns(DataWarning, match="out-domain has no pair of its own"):
        model = train(seeds)
    np.testing.assert_allclose(np.exp(model.log_prior), [0.5, 0.5, 0.0], rtol=1e-9)
    assert [best_of(model, "bank", name) for name in NAMES] == ["banco", "orilla"]
    assert np.isfinite(model.domain_posteriors(seeds)).all()
    assert model.align(seeds)[0][:1] == [(0, 0)]


def test_pairs_with_an_empty_side_change_nothing() -> None:
    bitext, _ = mixed_bitext()
    words = [(bitext.source.words(n), bitext.target.words(n)) for n in range(len(bitext))]
    words += [([], ["el"]), (["the"], []), ([], [])]
    longer = Bitext(
        Corpus.from_sentences(pair[0] for pair in words),
        Corpus.from_sentences(pair[1] for pair in words),
        np.append(bitext.labels, [-1, -1, -1]).astype(np.int16),
        NAMES,
    )
    model = train(longer)
    assert content(train(bitext)) == content(model)
    links = model.align(longer)
    assert [links[n] for n in range(len(bitext), len(longer))] == [[], [], []]


def test_reports_each_step() -> None:
    said: list[str] = []
    train(
        mixed_bitext()[0], AlignerOptions(model1_iterations=1, hmm_iterations=1), report=said.append
    )
    assert said[0] == "indexing co-occurring words"
    assert said[1] == "estimating domain language models"
    assert said[2].startswith("model1 iteration 1 of 1: log-likelihood -")
    assert said[3].startswith("hmm iteration 1 of 1: log-likelihood -")


def test_a_domain_called_out() -> None:
    bitext, _ = mixed_bitext()
    with pytest.raises(DataError, match=r"a seed domain called 'out'; expected another name"):
        train(bitext.with_labels(bitext.labels, ("finance", "out")))


def test_no_usable_pair() -> None:
    empty = Bitext.unlabelled(
        Corpus.from_sentences([["a"], []]), Corpus.from_sentences([[], ["b"]])
    )
    with pytest.raises(DataError, match="no pair with words on both sides"):
        train(empty)


def test_unknown_domain(model: AlignmentModel) -> None:
    with pytest.raises(UsageError, match=r"unknown domain 'law'.*has finance, nature, out"):
        model.lexicon("s2t", "law")


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("model1_iterations", 0, "at least 1"),
        ("hmm_iterations", -1, "at least 0"),
        ("window", 0, "from 1 to 100"),
        ("window", 101, "from 1 to 100"),
        ("null_probability", 0.0, "between 0 and 1"),
        ("null_probability", 1.0, "between 0 and 1"),
        ("null_probability", float("nan"), "between 0 and 1"),
        ("jump_smoothing", -0.1, "from 0 to 1"),
        ("jump_smoothing", 1.1, "from 0 to 1"),
        ("lexical_floor", 0.0, "from 1e-30 to 0.001"),
        ("lexical_floor", 1e-3, "from 1e-30 to 0.001"),
        ("domain_smoothing", -1.0, "at least 0"),
        ("language_model_order", 7, "from 0 to 6"),
        ("language_model_order", -1, "from 0 to 6"),
        ("language_model_sides", "left", "both, source or target"),
        ("out_sample", -1, "at least 0"),
        ("decoding_weights", "soft", "side, pair or hard"),
    ],
)
def test_options_out_of_range(field: str, value: object, expected: str) -> None:
    with pytest.raises(UsageError, match=f"^{field} = {value!r}; expected {expected}$"):
        AlignerOptions(**{field: value})
    with pytest.raises(UsageError, match=f"^{field} = "):
        AlignerOptions().replace(**{field: value})


def test_seeds_without_words_on_one_side() -> None:
    source = Corpus.from_sentences([["a"]] * 60 + [["b"]] * 5)
    target = Corpus.from_sentences([[]] * 60 + [["x"]] * 5)
    labels = np.repeat([0, -1], [60, 5]).astype(np.int16)
    with pytest.raises(DataError, match="'law'"):
        train(Bitext(source, target, labels, ("law",)))
