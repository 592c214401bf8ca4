"""Training with latent domains on a bitext whose `bank` is translated by domain."""

import re
from dataclasses import replace

import numpy as np
import pytest

from isogloss.align import DomainPosteriors
from isogloss.align.errors import DataError, DataWarning, UsageError
from isogloss.align.model.model import AlignmentModel
from isogloss.align.model.parameters import PRESETS, AlignerOptions
from isogloss.align.text.bitext import Bitext
from isogloss.align.text.corpus import Corpus
from isogloss.align.training.train import train
from tests.naive.alignment import domain_posterior

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
    return train(mixed_bitext()[0], options=PRESETS[request.param])


def test_more_domains_than_there_is_memory_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are refused before there is a table."""
    bitext, _ = mixed_bitext()
    monkeypatch.setattr("isogloss.align.training.train._run", None)
    monkeypatch.setattr("isogloss.align.training.train.free_memory", lambda: 20_000)
    with pytest.raises(
        DataError,
        match=r"3 domains \(including the out-domain\) of 270 sentence pairs with 34 words need at "
        r"least 0\.0 GB; expected at most the 0\.0 GB of free memory\. Merge domains",
    ):
        train(bitext)
    monkeypatch.undo()
    monkeypatch.setattr("isogloss.align.training.train._KEPT", 0.0)  # too few were taken to be kept
    monkeypatch.setattr("isogloss.align.training.train.free_memory", lambda: 41_000)
    iterations: list[str] = []
    with pytest.raises(DataError, match=r"3 domains \(including the out-domain\) of 270 sentence"):
        train(bitext, report=iterations.append)
    assert any(line.startswith("model1 iteration 5 of 5") for line in iterations)
    monkeypatch.setattr("isogloss.align.training.train.free_memory", lambda: None)
    few = AlignerOptions(model1_iterations=1, hmm_iterations=1, language_model_order=0)
    assert train(bitext, options=few).domains == (*NAMES, "out")


def best_of(model: AlignmentModel, word: str, domain: str, direction: str = "s2t") -> str:
    rows = [row for row in model.lexicon(direction, domain).rows() if row[0] == word]
    return max(rows, key=lambda row: row[2])[1]


def test_posteriors_find_the_domain_of_each_pair(model: AlignmentModel) -> None:
    bitext, truth = mixed_bitext()
    assert model.domains == ("finance", "nature", "out")
    posterior = model.domain_posteriors(bitext)
    np.testing.assert_allclose(posterior.sum(1), 1.0, rtol=1e-9)
    assert truth.tolist() == posterior.argmax(1).tolist()
    table = DomainPosteriors.of(model, bitext)
    assert (table.domains, len(table)) == (model.domains, len(bitext))
    np.testing.assert_array_equal(table.posterior, posterior)


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
    scores = model.language_models.score(bitext)
    assert (2, len(bitext), 3) == scores.shape
    assert truth.tolist() == scores.sum(0).argmax(1).tolist()


@pytest.mark.parametrize("flat", [0, 3, 5, 7, 8, 100])
def test_labeled_pairs_stay_clamped(posteriors: list[np.ndarray], flat: int) -> None:
    """The last iteration is always one with domains."""
    bitext, _ = mixed_bitext()
    options = AlignerOptions(hmm_iterations=3, shared_iterations=flat)
    trace = train(bitext, options=options).trace
    schedule = [("model1", n) for n in range(1, 6)] + [("hmm", n) for n in range(1, 4)]
    assert schedule == [(one.stage, one.number) for one in trace]
    # the first iteration on the samples is not one of the schedule
    assert len(posteriors) == 1 + 5 + 3
    known, flat = bitext.label_ids >= 0, min(flat, 7)
    for posterior in posteriors[:flat]:
        np.testing.assert_array_equal(posterior, np.ones((len(bitext), 1)))
    for posterior in posteriors[flat:]:
        np.testing.assert_array_equal(posterior[known], np.eye(3)[bitext.label_ids[known]])
        np.testing.assert_allclose(posterior.sum(1), 1.0, rtol=1e-9)


def test_doubted_labels_can_be_overruled(posteriors: list[np.ndarray]) -> None:
    """Three pairs carry the label of the other domain."""
    bitext, truth = mixed_bitext()
    labels = bitext.label_ids.copy()
    wrong = np.array([0, 1, 100])
    labels[wrong] = 1 - labels[wrong]
    # language models of a high order learn the wrong pairs by heart
    options = AlignerOptions(seed_confidence=0.9, language_model_order=1)
    train(bitext.with_numbered_labels(labels, NAMES), options=options)
    assert truth.tolist() == posteriors[-1].argmax(1).tolist()
    train(bitext.with_numbered_labels(labels, NAMES), options=options.replace(seed_confidence=1.0))
    assert labels[wrong].tolist() == posteriors[-1][wrong].argmax(1).tolist()


def test_a_temperature_makes_the_domains_less_certain(posteriors: list[np.ndarray]) -> None:
    bitext, truth = mixed_bitext()
    sharp = train(bitext)
    soft = train(bitext, options=AlignerOptions(domain_temperature=4.0))
    pool = bitext.label_ids < 0
    first, last = posteriors[len(posteriors) // 2 - 1][pool].max(1), posteriors[-1][pool].max(1)
    assert last.mean() < first.mean()
    posterior = soft.domain_posteriors(bitext)
    assert truth.tolist() == posterior.argmax(1).tolist()
    # the model's own posteriors are tempered, too
    plain = replace(soft, options=soft.options.replace(domain_temperature=1.0))
    other = plain.domain_posteriors(bitext) ** 0.25
    np.testing.assert_allclose(posterior, other / other.sum(1, keepdims=True), rtol=1e-6)
    assert sharp.domain_posteriors(bitext).max(1).mean() > posterior.max(1).mean()


def content(model: AlignmentModel) -> list[bytes]:
    own = model.parameters
    arrays = [
        model.log_prior, own.lexical, own.null_source, own.null_target, own.jump, own.start,
        model.index.row_offsets, model.index.columns,
    ]  # fmt: skip
    return [array.tobytes() for array in arrays]


@pytest.mark.parametrize("shared", [False, True], ids=["own jumps", "shared jumps"])
def test_threads_change_no_byte(shared: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    bitext, _ = mixed_bitext()
    monkeypatch.setattr("isogloss.align.model.posteriors.PAIRS", 50)
    monkeypatch.setattr("isogloss.align.model.likelihoods.PAIRS", 50)
    monkeypatch.setattr("isogloss.align.training.e_step.BLOCK", 500)
    options = AlignerOptions(
        shared_jumps=shared, agreement=shared, final_jumps=not shared, hmm_iterations=2,
        shared_iterations=2,
    )  # fmt: skip
    models = [train(bitext, options=options, threads=threads) for threads in (1, 2, 3)]
    posteriors = [
        model.domain_posteriors(bitext, threads) for threads, model in enumerate(models, start=1)
    ]
    links = [model.align(bitext, threads=threads) for threads, model in enumerate(models, start=1)]
    for model, posterior, found in zip(models[1:], posteriors[1:], links[1:], strict=True):
        assert content(models[0]) == content(model)
        assert models[0].trace == model.trace
        np.testing.assert_array_equal(posteriors[0], posterior)
        for part in ("source", "target", "offsets", "probability"):
            np.testing.assert_array_equal(getattr(links[0], part), getattr(found, part))


def test_shared_jumps_are_one_table_and_own_jumps_differ() -> None:
    bitext, _ = mixed_bitext()
    shared = train(bitext, options=AlignerOptions(shared_jumps=True)).parameters
    assert (2, 1, 13) == shared.start.shape
    assert (2, 1) == shared.jump.shape[:2]
    own = train(bitext, options=AlignerOptions(shared_jumps=False)).parameters.jump
    assert (2, 3, *shared.jump.shape[2:]) == own.shape
    assert not np.allclose(own[0, 0], own[0, 2], rtol=1e-6, atol=0.0)


@pytest.mark.parametrize("weights", ["source", "joint", "argmax"])
@pytest.mark.parametrize("order", [0, 2])
def test_decoding_weights(weights: str, order: int) -> None:
    bitext, truth = mixed_bitext()
    options = AlignerOptions(domain_weighting=weights, language_model_order=order)
    model = train(bitext, options=options)
    for found in model._decoding_weights(bitext, 1):
        np.testing.assert_allclose(found.sum(1), 1.0, rtol=1e-9)
        if weights == "argmax":
            assert {0.0, 1.0} == set(found.ravel().tolist())
        if order:
            assert truth.tolist() == found.argmax(1).tolist()


def test_each_direction_is_weighed_by_the_side_that_it_is_given() -> None:
    """P(f, a | e, D) with P(D | e): the forward direction goes by the target side alone."""
    bitext, _ = mixed_bitext()
    model = train(bitext, options=AlignerOptions(domain_weighting="source", language_model_order=1))
    assert model.language_models is not None
    language = model.language_models.score(bitext)
    for found, side in zip(model._decoding_weights(bitext, 1), (1, 0), strict=True):
        joint = np.exp(language[side] + model.log_prior)
        np.testing.assert_allclose(found, joint / joint.sum(1, keepdims=True), rtol=1e-9)


@pytest.mark.parametrize("shared", [False, True], ids=["own jumps", "shared jumps"])
@pytest.mark.parametrize("names", [["out", "finance"], ["nature"], ["finance", "nature", "out"]])
def test_a_restricted_model_holds_the_tables_of_its_domains(names: list[str], shared: bool) -> None:
    bitext, _ = mixed_bitext()
    options = AlignerOptions(shared_jumps=shared, language_model_order=2)
    model = train(bitext, options=options)
    part = model.restricted(names)
    kept = [number for number, name in enumerate(model.domains) if name in names]
    assert tuple(name for name in model.domains if name in names) == part.domains
    own, whole = part.parameters, model.parameters
    np.testing.assert_array_equal(own.lexical, whole.lexical[:, kept])
    np.testing.assert_array_equal(own.null_source, whole.null_source[kept])
    np.testing.assert_array_equal(own.null_target, whole.null_target[kept])
    jumps = slice(None) if shared else kept
    np.testing.assert_array_equal(own.jump, whole.jump[:, jumps])
    np.testing.assert_array_equal(own.start, whole.start[:, jumps])
    for name in ("lexical", "null_source", "null_target", "jump", "start"):
        assert getattr(own, name).flags.c_contiguous, name  # or kernels are compiled again
    prior = np.exp(model.log_prior[kept])
    np.testing.assert_allclose(np.exp(part.log_prior), prior / prior.sum(), rtol=1e-12)
    np.testing.assert_array_equal(
        part.log_likelihoods(bitext), model.log_likelihoods(bitext)[:, :, kept]
    )
    # P(D | f, e) of the rest, normalized again
    found, every = part.domain_posteriors(bitext), model.domain_posteriors(bitext)[:, kept]
    likely = every.sum(1) > 1e-9
    assert likely.sum() >= 90
    expected = every[likely] / every[likely].sum(1, keepdims=True)
    np.testing.assert_allclose(found[likely], expected, rtol=1e-6, atol=1e-12)
    assert model.options == part.options
    if len(kept) == 1:
        np.testing.assert_array_equal(found, 1.0)
    if len(kept) == 3:
        assert content(model)[1:] == content(part)[1:]  # all but the prior, which is scaled
    given = part.domain_posteriors(bitext)
    padded = np.zeros((len(bitext), 3))
    padded[:, kept] = given
    one, other = part.align(bitext), model.align(bitext, posterior=padded)
    np.testing.assert_array_equal(one.source, other.source)
    np.testing.assert_array_equal(one.probability, other.probability)


def test_restricting_a_model_to_nothing_it_has(model: AlignmentModel) -> None:
    with pytest.raises(UsageError, match=r"unknown domain 'law'; the model has finance, nature"):
        model.restricted(["out", "law"])
    with pytest.raises(UsageError, match="the list of domains is empty; pass at least one name"):
        model.restricted([])


def test_pairs_that_belong_together_score_higher(model: AlignmentModel) -> None:
    bitext, _ = mixed_bitext()
    shuffled = Bitext.unlabeled(
        bitext.source, bitext.target.select(np.roll(np.arange(len(bitext)), 1))
    )
    assert np.median(model.scores(bitext)) > np.median(model.scores(shuffled)) + 0.5


@pytest.mark.parametrize("sides", ["both", "source", "target"])
def test_domain_posteriors_are_the_formula(sides: str) -> None:
    bitext, _ = mixed_bitext()
    options = AlignerOptions(language_model_sides=sides, language_model_order=1, hmm_iterations=1)
    model = train(bitext, options=options)
    assert model.language_models is not None
    translation, language = (
        values[:, ::9] for values in (
            model.log_likelihoods(bitext), model.language_models.score(bitext)
        )
    )  # fmt: skip
    found = model.domain_posteriors(bitext)[::9]
    for number, row in enumerate(found):
        expected = domain_posterior(
            np.exp(translation[:, number]), np.exp(language[:, number]), np.exp(model.log_prior),
            sides,
        )  # fmt: skip
        np.testing.assert_allclose(row, expected, rtol=1e-6, atol=1e-30)


def test_every_pair_labeled() -> None:
    bitext, _ = mixed_bitext()
    seeds = bitext.select(np.flatnonzero(bitext.label_ids >= 0))
    with pytest.warns(DataWarning, match="every pair has a domain label, so no pair is left for"):
        model = train(seeds)
    np.testing.assert_allclose(np.exp(model.log_prior), [0.5, 0.5, 0.0], rtol=1e-9)
    assert [best_of(model, "bank", name) for name in NAMES] == ["banco", "orilla"]
    assert np.isfinite(model.domain_posteriors(seeds)).all()
    assert model.align(seeds)[0][:1] == [(0, 0)]
    # the out-domain has no chance beside others; alone it is all there is
    assert model.restricted(["out"]).log_prior.tolist() == [0.0]
    assert np.isfinite(model.restricted(["out"]).scores(seeds)).all()
    assert np.exp(model.restricted(["out", "nature"]).log_prior).tolist() == [1.0, 0.0]


def test_pairs_with_an_empty_side_change_nothing() -> None:
    bitext, _ = mixed_bitext()
    words = [(bitext.source.words(n), bitext.target.words(n)) for n in range(len(bitext))]
    words += [([], ["el"]), (["the"], []), ([], [])]
    longer = Bitext(
        Corpus.from_sentences(pair[0] for pair in words),
        Corpus.from_sentences(pair[1] for pair in words),
        np.append(bitext.label_ids, [-1, -1, -1]).astype(np.int16),
        NAMES,
    )
    model = train(longer)
    assert content(train(bitext)) == content(model)
    links = model.align(longer)
    assert [links[n] for n in range(len(bitext), len(longer))] == [[], [], []]


def test_reports_each_step() -> None:
    said: list[str] = []
    options = AlignerOptions(model1_iterations=2, hmm_iterations=1, shared_iterations=1)
    train(mixed_bitext()[0], options=options, report=said.append)
    expected = [
        "indexing co-occurring words",
        "learning word classes",
        "pruning keeps [0-9]+ of [0-9]+ word pairs",
        "model1 iteration 1 of 2: log-likelihood -[0-9.]+ / -[0-9.]+",
        "estimating domain language models",
        "domain language models are now re-estimated on the sentence pairs found",
        "model1 iteration 2 of 2: log-likelihood -[0-9.]+ / -[0-9.]+",
        "hmm iteration 1 of 1: log-likelihood -[0-9.]+ / -[0-9.]+",
    ]
    assert len(expected) == len(said)
    for pattern, line in zip(expected, said, strict=True):
        assert re.fullmatch(pattern, line)


def test_a_domain_called_out() -> None:
    bitext, _ = mixed_bitext()
    with pytest.raises(DataError, match="the domain name 'out' is reserved for the out-domain"):
        train(bitext.with_numbered_labels(bitext.label_ids, ("finance", "out")))


def test_no_usable_pair() -> None:
    empty = Bitext.unlabeled(Corpus.from_sentences([["a"], []]), Corpus.from_sentences([[], ["b"]]))
    with pytest.raises(DataError, match="no sentence pair has words on both sides"):
        train(empty)


def test_unknown_domain(model: AlignmentModel) -> None:
    with pytest.raises(UsageError, match=r"unknown domain 'law'.*has finance, nature, out"):
        model.lexicon("s2t", "law")


def test_seeds_without_words_on_one_side() -> None:
    source = Corpus.from_sentences([["a"]] * 60 + [["b"]] * 5)
    target = Corpus.from_sentences([[]] * 60 + [["x"]] * 5)
    labels = np.repeat([0, -1], [60, 5]).astype(np.int16)
    with pytest.raises(DataError, match="'law'"):
        train(Bitext(source, target, labels, ("law",)))
