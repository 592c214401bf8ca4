"""Domain posteriors against their formula, and the parts of latent-domain training."""

import numpy as np
import pytest

from align.corpus import Bitext, Corpus
from align.em import Trainer
from align.errors import DataError, DataWarning
from align.latent_domain import LatentDomains, domain_posterior
from align.model import score_language
from align.parameters import AlignerOptions
from tests.naive.alignment import domain_posterior as naive_posterior


def random_scores(seed: int, domains: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    translation, language = rng.random((2, 2, 7, domains)) + 0.01
    return translation, language, rng.dirichlet(np.ones(domains))


@pytest.mark.parametrize("sides", ["both", "source", "target"])
@pytest.mark.parametrize("domains", [1, 2, 4])
def test_posterior_is_the_formula(domains: int, sides: str) -> None:
    translation, language, prior = random_scores(domains, domains)
    actual = domain_posterior(np.log(translation), np.log(language), np.log(prior), sides)
    expected = [
        naive_posterior(translation[:, n], language[:, n], prior, sides)
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


def labelled_bitext(labels: list[int], domains: tuple[str, ...]) -> Bitext:
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
    trainer = Trainer(bitext, AlignerOptions(**options), len(bitext.domains) + 1)
    return LatentDomains(trainer, score_language)


@pytest.mark.filterwarnings("ignore::align.DataWarning")
def test_the_start_puts_unlabelled_pairs_in_the_out_domain() -> None:
    bitext = labelled_bitext([0, 1, -1, 0, -1], ("law", "med"))
    expected = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0], [0, 0, 1]]
    assert expected == latent(bitext).posterior.tolist()


@pytest.mark.filterwarnings("ignore::align.DataWarning")
def test_the_pseudo_out_sample_is_what_resembles_no_seed() -> None:
    bitext = labelled_bitext([0, 0, 0, -1, -1, -1, -1], ("law",))
    domains = latent(bitext, out_sample=2)
    guess = np.array([[1, 0], [1, 0], [1, 0], [0.3, 0.7], [1e-30, 1], [0.2, 0.8], [1e-20, 1]])
    sample = domains._pseudo_out_sample(guess, [np.array([0, 1, 2])])
    assert sample.tolist() == [4, 6]
    domains = latent(bitext, out_sample=0)  # the mean size of the seeds
    assert domains._pseudo_out_sample(guess, [np.array([0, 1, 2])]).tolist() == [4, 5, 6]


def test_priors_are_the_mean_posterior() -> None:
    bitext = labelled_bitext([0] * 60 + [-1] * 20, ("law",))
    domains = latent(bitext, language_model_order=1)
    domains.initialize()
    posterior = domains.step("model1")
    np.testing.assert_allclose(np.exp(domains.log_prior), posterior.mean(0), rtol=1e-12)
    np.testing.assert_allclose(posterior.sum(1), 1.0, rtol=1e-12)


def test_named_domain_without_seed() -> None:
    with pytest.raises(DataError, match=r"domain 'med' is named but has no seed pair.*drop the"):
        latent(labelled_bitext([0] * 50 + [-1], ("law", "med")))


def test_few_seeds_are_warned_of() -> None:
    with pytest.warns(DataWarning, match="domain 'law' has only 49 seed pairs"):
        latent(labelled_bitext([0] * 49 + [-1], ("law",)))


def test_no_unlabelled_pair_is_warned_of() -> None:
    with pytest.warns(DataWarning, match="every pair is labelled"):
        latent(labelled_bitext([0] * 50, ("law",)))
