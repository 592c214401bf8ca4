"""Domain posteriors against their formula, and the parts of latent-domain training."""

from itertools import pairwise

import numpy as np
import pytest

from isogloss.align.errors import DataError, DataWarning
from isogloss.align.language_model.domain_models import DomainLanguageModels
from isogloss.align.model.domain_posterior import (
    domain_posterior,
    format_posteriors,
    log_domain_weights,
)
from isogloss.align.model.kernels.gather import weigh_all_domains, weigh_domains
from isogloss.align.model.parameters import AlignerOptions
from isogloss.align.text.bitext import Bitext
from isogloss.align.text.corpus import Corpus
from isogloss.align.training.em import Trainer
from isogloss.align.training.latent_domain import LatentDomains
from tests.naive.alignment import domain_posterior as naive_posterior


def random_scores(seed: int, domains: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    translation, language = rng.random((2, 2, 7, domains)) + 0.01
    return translation, language, rng.dirichlet(np.ones(domains))


@pytest.mark.parametrize("temperature", [0.5, 1.0, 4.0])
@pytest.mark.parametrize("sides", ["both", "source", "target"])
@pytest.mark.parametrize("domains", [1, 2, 4])
def test_posterior_is_the_formula(domains: int, sides: str, temperature: float) -> None:
    translation, language, prior = random_scores(domains, domains)
    actual = domain_posterior(
        np.log(translation), np.log(language), np.log(prior), sides, temperature
    )
    expected = [
        naive_posterior(translation[:, n], language[:, n], prior, sides, temperature)
        for n in range(translation.shape[1])
    ]
    np.testing.assert_allclose(actual, expected, rtol=1e-9)


def test_posterior_without_language_models() -> None:
    translation, _, prior = random_scores(5, 3)
    actual = domain_posterior(np.log(translation), None, np.log(prior))
    joint = prior * translation.sum(0)
    np.testing.assert_allclose(actual, joint / joint.sum(1, keepdims=True), rtol=1e-9)


def test_posterior_of_improbable_text_and_of_a_domain_without_prior() -> None:
    translation = np.full((2, 1, 3), -5000.0)
    translation[:, 0, 1] += np.log(3.0)
    with np.errstate(divide="ignore"):
        prior = np.log([0.5, 0.5, 0.0])
    actual = domain_posterior(translation, None, prior)
    np.testing.assert_allclose(actual, [[0.25, 0.75, 0.0]], rtol=1e-9)


def test_each_summand_has_the_language_model_of_the_given_side() -> None:
    translation, language, prior = random_scores(2, 3)
    del translation
    every = np.log(prior) + np.log(language)[::-1]
    np.testing.assert_allclose(
        log_domain_weights(np.log(language), np.log(prior), 7), every, rtol=1e-12
    )
    by_target = log_domain_weights(np.log(language), np.log(prior), 7, "target")
    np.testing.assert_allclose(by_target[0], every[0], rtol=1e-12)
    assert (by_target[1] == -np.inf).all()
    by_source = log_domain_weights(np.log(language), np.log(prior), 7, "source")
    np.testing.assert_allclose(by_source[1], every[1], rtol=1e-12)
    assert (by_source[0] == -np.inf).all()
    of_pairs = np.log(np.random.default_rng(0).random((7, 3)))
    np.testing.assert_array_equal(log_domain_weights(None, of_pairs, 7), np.stack([of_pairs] * 2))


def test_a_high_temperature_levels_a_low_one_sharpens() -> None:
    translation = np.log([[[0.2, 0.1]], [[0.4, 0.2]]])
    prior = np.log([0.5, 0.5])
    levels = [domain_posterior(translation, None, prior, "both", t)[0, 0] for t in (1e6, 1.0, 0.01)]
    np.testing.assert_allclose(levels, [0.5, 2 / 3, 1.0], rtol=1e-5)


def test_a_domain_is_weighed_by_the_summands_that_are_left() -> None:
    weights = np.array([[0.0, -np.inf, -np.inf, 0.0], [-np.inf, 0.0, -np.inf, 0.0]])
    scores = np.log([[0.1, 0.9, 0.9, 0.1], [0.9, 0.3, 0.9, 0.5]])
    result = np.empty(4)
    weigh_domains(weights, scores, 1.0, result)
    np.testing.assert_allclose(result, [0.1, 0.3, 0.0, 0.6], rtol=1e-12)
    every = np.empty((3, 4))
    weigh_all_domains(np.tile(weights[:, None], (1, 3, 1)), np.tile(scores[:, None], (1, 3, 1)),
                      1.0, every)  # fmt: skip
    np.testing.assert_array_equal(every, [result] * 3)


def test_posteriors_as_text() -> None:
    lines = list(format_posteriors(("law", "out"), np.array([[0.25, 0.75], [1.0, 0.0]])))
    assert ["law\tout", "0.250000\t0.750000", "1.000000\t0.000000"] == lines


def labeled_bitext(labels: list[int], domains: tuple[str, ...]) -> Bitext:
    """Pair n is `a` / `b`, and a word of its own label."""
    source = [["a", f"f{label}"] for label in labels]
    target = [["b", f"e{label}"] for label in labels]
    return Bitext(
        Corpus.from_sentences(source),
        Corpus.from_sentences(target),
        np.array(labels, np.int16),
        domains,
    )


def latent(bitext: Bitext, **options: object) -> LatentDomains:
    return LatentDomains(Trainer(bitext, AlignerOptions(**options)))


@pytest.mark.filterwarnings("ignore::isogloss.align.DataWarning")
def test_the_start_puts_unlabeled_pairs_in_the_out_domain(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    domains = latent(labeled_bitext([0, 1, -1, 0, -1], ("law", "med")), language_model_order=0)
    seen = []
    whole = Trainer.iterate

    def iterate(*arguments: object) -> np.ndarray:
        seen.append(whole(*arguments))
        return seen[-1]

    monkeypatch.setattr(Trainer, "iterate", iterate)
    domains.initialize("model1")
    assert [[[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0], [0, 0, 1]]] == [p.tolist() for p in seen]
    assert domains.trainer.parameters.num_domains == 3
    assert domains.trainer.trace == []  # not one of the schedule
    assert domains.models is None


@pytest.mark.filterwarnings("ignore::isogloss.align.DataWarning")
def test_tables_start_from_their_samples() -> None:
    """Without smoothing each domain knows the words of its own pairs only."""
    domains = latent(
        labeled_bitext([0, 1, -1, 0, -1], ("law", "med")), language_model_order=0,
        domain_smoothing=0.0, stem_length=0,
    )  # fmt: skip
    domains.initialize("model1")
    trainer = domains.trainer
    source, target = trainer.bitext.source.vocabulary, trainer.bitext.target.vocabulary
    for row, (f, e) in enumerate(
        zip(trainer.index.rows.tolist(), trainer.index.columns.tolist(), strict=True)
    ):
        labels = {word[1:] for word in (source[f], target[e]) if word not in "ab"}
        known = [{str(label)} >= labels for label in (0, 1, -1)]
        assert known == (trainer.parameters.lexical[row] > 0.0).all(1).tolist()


def random_pool(seed: int, seeds: int = 60, rest: int = 40) -> Bitext:
    """Seeds of `law`, and pairs some of whose words stand in no seed; one pair can't be used."""
    rng = np.random.default_rng(seed)
    sides: list[list[list[str]]] = [[], []]
    for number in range(seeds + rest):
        types = 4 if number < seeds else int(rng.integers(4, 12))
        for letter, side in zip("fe", sides, strict=True):
            side.append([f"{letter}{k}" for k in rng.integers(0, types, rng.integers(1, 7))])
    sides[0][-1] = []
    labels = np.repeat([0, -1], [seeds, rest]).astype(np.int16)
    return Bitext(*map(Corpus.from_sentences, sides), labels, ("law",))


def ranked_out_sample(domains: LatentDomains, selection: str) -> list[int]:
    """The unlabeled pairs that can be used, those least like the seeds first."""
    trainer, models = domains.trainer, domains.models
    assert models is not None
    bitext = trainer.bitext
    if selection == "burn-in":
        guess = domain_posterior(trainer.log_likelihoods("model1"), None, domains.log_prior)
        likeness = guess[:, 0]
    else:
        seeds = DomainLanguageModels(models.source[:-1], models.target[:-1])
        lengths = bitext.source.lengths + bitext.target.lengths
        likeness = seeds.score(bitext).sum(0)[:, 0] / np.maximum(lengths, 1)
    pool = np.flatnonzero((bitext.label_ids == -1) & bitext.usable)
    return sorted(pool.tolist(), key=lambda number: (likeness[number], number))


@pytest.mark.parametrize("selection", ["burn-in", "dissimilar"])
@pytest.mark.parametrize("size", [5, 0, 1, 1000])
def test_the_pseudo_out_sample_is_what_resembles_no_seed(selection: str, size: int) -> None:
    """``out_domain_size`` pairs; 0 = as many as the seeds have on average, at least two."""
    bitext = random_pool(0)
    choice = {"out_domain_size": size, "out_domain_selection": selection}
    domains = latent(bitext, **choice, language_model_order=2)
    domains.initialize("model1")
    ranked = ranked_out_sample(domains, selection)
    assert sorted(ranked[: max(size or 60, 2)]) == domains._samples[-1].tolist()
    assert domains._samples[0].tolist() == list(range(60))
    assert len(bitext) - 1 not in domains._samples[-1]
    models = DomainLanguageModels.from_samples(bitext, domains._samples, 2)
    assert domains.models is not None
    for one, other in ((models.source, domains.models.source),
                       (models.target, domains.models.target)):  # fmt: skip
        assert len(one) == len(other) == 2
        for mine, its in zip(one, other, strict=True):
            for left, right in zip(mine.log_probability, its.log_probability, strict=True):
                np.testing.assert_array_equal(left, right)
    np.testing.assert_allclose(domains.log_language, models.score(bitext), rtol=1e-12)


def test_the_out_sample_where_every_pair_is_labeled() -> None:
    bitext = random_pool(1)
    with pytest.warns(DataWarning, match="every pair has a domain label"):
        domains = latent(bitext.with_numbered_labels(np.zeros(len(bitext), np.int16), ("law",)),
                         out_domain_size=7)  # fmt: skip
    domains.initialize("model1")
    sample = domains._samples[-1]
    assert len(set(sample.tolist())) == 7
    assert bitext.usable[sample].all()


def test_refitted_language_models_have_not_seen_the_pair_they_score() -> None:
    """But for those of the samples they start from; the models kept are of all that is found."""
    bitext = random_pool(2)
    domains = latent(bitext, language_model_order=2, language_model_refits=1, out_domain_size=20)
    domains.initialize("model1")
    seeds, out = (set(own.tolist()) for own in domains._samples)
    rng = np.random.default_rng(0)
    posterior = rng.dirichlet([0.1, 0.1], len(bitext))
    posterior[-1] = 0.0
    sure = [set(np.flatnonzero(posterior[:, domain] >= 0.9).tolist()) for domain in (0, 1)]
    assert sure[0] - seeds
    assert sure[1] - out
    domains.update(posterior)
    models = DomainLanguageModels.from_samples(
        bitext, [np.array(sorted(own)) for own in (seeds | sure[0], out | sure[1])], 2
    )
    assert domains.models is not None
    np.testing.assert_allclose(domains.models.score(bitext), models.score(bitext), rtol=1e-12)
    expected = np.empty((2, len(bitext), 2))
    for half in (0, 1):
        others = [{row for row in own if row % 2 != half} for own in sure]
        models = DomainLanguageModels.from_samples(
            bitext,
            [np.array(sorted(own)) for own in (seeds | others[0], out | others[1])], 2,
        )  # fmt: skip
        expected[:, half::2] = models.score(bitext)[:, half::2]
    np.testing.assert_allclose(domains.log_language, expected, rtol=1e-12)


@pytest.mark.parametrize("refits", [0, 1, 2])
def test_language_models_are_refitted_as_often_as_asked_for(refits: int) -> None:
    said: list[str] = []
    options = AlignerOptions(language_model_refits=refits, language_model_order=1)
    domains = LatentDomains(Trainer(random_pool(3), options, 1, said.append))
    domains.initialize("model1")
    seen = [domains.log_language]
    for number in range(1, 4):
        domains.update(domains.trainer.iterate("model1", number, domains.log_weights()))
        seen.append(domains.log_language)
    refitted = "domain language models are now re-estimated on the sentence pairs found"
    assert refits == said.count(refitted)
    changed = [one is not other for one, other in pairwise(seen)]
    assert [number < refits for number in range(3)] == changed


def test_nothing_is_refitted_without_language_models() -> None:
    domains = latent(random_pool(4), language_model_order=0, language_model_refits=3)
    domains.initialize("model1")
    domains.update(domains.trainer.iterate("model1", 1, domains.log_weights()))
    assert domains.models is None
    assert domains.log_language is None


def test_priors_are_the_mean_posterior() -> None:
    bitext = labeled_bitext([0] * 60 + [-1] * 20, ("law",))
    domains = latent(bitext, language_model_order=1)
    domains.initialize("model1")
    posterior = domains.trainer.iterate("model1", 1, domains.log_weights())
    domains.update(posterior)
    np.testing.assert_allclose(np.exp(domains.log_prior), posterior.mean(0), rtol=1e-12)
    np.testing.assert_allclose(posterior.sum(1), 1.0, rtol=1e-12)


@pytest.mark.filterwarnings("ignore::isogloss.align.DataWarning")
def test_a_label_beyond_doubt_leaves_one_domain() -> None:
    domains = latent(labeled_bitext([0, 1, -1], ("law", "med")))
    domains.log_prior = np.log([0.2, 0.3, 0.5])
    found = domains.log_weights()
    low = -np.inf
    expected = [[0.0, low, low], [low, 0.0, low], np.log([0.2, 0.3, 0.5]).tolist()]
    assert found[0].tolist() == found[1].tolist() == expected


@pytest.mark.filterwarnings("ignore::isogloss.align.DataWarning")
@pytest.mark.parametrize("confidence", [0.25, 0.9])
def test_a_doubted_label_mixes_with_the_prior(confidence: float) -> None:
    """P(D) of a labeled pair: the confidence for its label, the rest by the prior of all."""
    domains = latent(labeled_bitext([0, 1, -1], ("law", "med")), seed_confidence=confidence)
    prior = np.array([0.2, 0.3, 0.5])
    domains.log_prior = np.log(prior)
    found = np.exp(domains.log_weights())
    expected = (1.0 - confidence) * prior + confidence * np.eye(3)
    expected[2] = prior
    np.testing.assert_allclose(found, [expected] * 2, rtol=1e-9)
    np.testing.assert_allclose(found.sum(2), 1.0, rtol=1e-9)


@pytest.mark.filterwarnings("ignore::isogloss.align.DataWarning")
def test_a_doubted_label_of_a_domain_without_prior() -> None:
    bitext = labeled_bitext([0, 1, -1], ("law", "med"))
    domains = latent(bitext, seed_confidence=0.5, min_domain_posterior=0.0)
    domains.update(np.array([[1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]))
    found = np.exp(domains.log_weights()[0])
    np.testing.assert_allclose(found, [[1, 0, 0], [0.5, 0.5, 0], [1, 0, 0]], rtol=1e-9)


@pytest.mark.filterwarnings("ignore::isogloss.align.DataWarning")
@pytest.mark.parametrize("threshold", [0.0, 0.01, 0.4, 0.5])
def test_unlikely_domains_are_left_out_but_never_the_likeliest(threshold: float) -> None:
    bitext = labeled_bitext([0, 1, -1, -1, -1, -1], ("law", "med"))
    domains = latent(bitext, min_domain_posterior=threshold)
    rows = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.98, 0.015, 0.005], [0.36, 0.3, 0.34]]
    domains.update(np.array([*rows, [0.01, 0.09, 0.9], [0.0, 0.0, 0.0]]))  # the last: an empty side
    left_out = domains.log_weights() == -np.inf
    expected = np.zeros((6, 3), np.bool_)
    expected[:2] = ~np.eye(3, dtype=np.bool_)[:2]
    if threshold > 0.0:
        expected[2] = [False, threshold > 0.015, True]
    if threshold >= 0.4:  # only what is as likely as the likeliest is left
        expected[3] = [False, True, True]
        expected[4] = [True, True, False]
    np.testing.assert_array_equal(left_out, [expected] * 2)


@pytest.mark.filterwarnings("ignore::isogloss.align.DataWarning")
@pytest.mark.parametrize("threshold", [0.0, 0.001])
def test_domains_that_language_models_find_hopeless_are_left_out(threshold: float) -> None:
    """To begin with, and unlabeled pairs alone; P(D) counts, and both sides do."""
    bitext = labeled_bitext([0, 1, -1, -1, -1], ("law", "med"))
    domains = latent(bitext, min_domain_posterior=threshold, seed_confidence=0.5)
    source = np.array([[0.0, -99.0, 0.0], [-99.0, 0.0, 0.0], [-8.0, -8.0, -1.0], [-9.0, 0.0, 0.0]])
    target = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [-5.0, -6.5, 0.0], [0.0, -9.0, -16.0]])
    nothing = np.zeros((1, 3))
    state = np.stack([np.vstack([source, nothing]), np.vstack([target, nothing])])
    domains.restore(np.log([0.5, 0.4999, 1e-4]), state, None, [], 0, None)
    left_out = domains.log_weights() == -np.inf
    expected = np.zeros((5, 3), np.bool_)
    if threshold > 0.0:  # 13.8 nats; P(D) gives the out-domain 8.5 less than the others
        expected[3, 2] = True
    np.testing.assert_array_equal(left_out, [expected] * 2)


def test_labels_stay_where_only_one_summand_is_looked_at() -> None:
    bitext = labeled_bitext([0] * 60 + [-1] * 20, ("law",))
    domains = latent(bitext, language_model_sides="source", language_model_order=1)
    domains.initialize("model1")
    found = domains.log_weights()
    assert (found[0] == -np.inf).all()
    assert (found[1, :60, 1] == -np.inf).all()
    posterior = domains.trainer.iterate("model1", 1, found)
    np.testing.assert_array_equal(posterior[:60], [[1.0, 0.0]] * 60)


def test_named_domain_without_seed() -> None:
    with pytest.raises(DataError, match="the domain 'med' has no seed pair with words on both"):
        latent(labeled_bitext([0] * 50 + [-1], ("law", "med")))


def test_few_seeds_are_warned_of() -> None:
    with pytest.warns(DataWarning, match="the domain 'law' has only 49 seed pairs, too few for"):
        latent(labeled_bitext([0] * 49 + [-1], ("law",)))
    names = tuple(f"d{number}" for number in range(8))
    with pytest.warns(DataWarning) as told:
        latent(labeled_bitext([*range(8), -1], names))
    assert [str(warning.message) for warning in told] == [
        *(f"the domain 'd{number}' has only 1 seed pair, too few for reliable results"
          for number in range(5)),
        "there are fewer than 50 seed pairs in 3 more domains",
    ]  # fmt: skip


def test_no_unlabeled_pair_is_warned_of() -> None:
    with pytest.warns(DataWarning, match="every pair has a domain label"):
        latent(labeled_bitext([0] * 50, ("law",)))


def test_models_are_loaded_once_and_a_sentence_scores_alike_alone() -> None:
    """The few words of one sentence are looked up one by one, those of many in a table."""
    words = [[f"w{number % 7}" for number in range(start, start + 5)] for start in range(30)]
    corpus = Corpus.from_sentences(words)
    bitext = Bitext.unlabeled(corpus, corpus)
    rows = [np.arange(10), np.arange(10, 30)]
    models = DomainLanguageModels.from_samples(bitext, rows, 2)
    scores = models.score(bitext)
    assert models._loaded is models._loaded
    for number in (0, 17):
        one = models.score(bitext.select(np.array([number])))
        np.testing.assert_array_equal(one[:, 0], scores[:, number])
    unknown = Corpus.from_sentences([["new"], []], corpus.vocabulary)
    scores = models.score(Bitext.unlabeled(unknown, unknown))
    assert (scores[:, 0] < 0.0).all()
    assert (scores[:, 1] == 0.0).all()
