"""Training with latent domains against its slow twin: tables, priors, posteriors, models."""

from dataclasses import fields

import numpy as np
import pytest

from isogloss.align.model.model import AlignmentModel
from isogloss.align.model.parameters import PRESETS, AlignerOptions
from isogloss.align.text.bitext import Bitext
from isogloss.align.text.corpus import Corpus
from isogloss.align.training.train import train
from tests.naive.latent_tables import Settings, Tables
from tests.naive.latent_training import LatentTraining

pytestmark = pytest.mark.filterwarnings("ignore::isogloss.align.DataWarning")  # few seeds

WORDS = [("casa", "house"), ("casas", "houses"), ("rio", "river"), ("rios", "rivers"),
         ("banco", "bank"), ("orilla", "bank"), ("de", "of"), ("la", "the")]  # fmt: skip
SMALL = {"model1_iterations": 2, "hmm_iterations": 2, "jump_window": 1, "jump_classes": 0}
OPTIONS = {
    "paper": PRESETS["paper"].replace(**SMALL, language_model_order=2),
    "best": PRESETS["best"].replace(**SMALL, shared_iterations=3, language_model_order=2),
    "domains part in Model 1": PRESETS["best"].replace(
        **SMALL, shared_iterations=1, language_model_order=1, prune=0.3
    ),
    "doubted seeds": PRESETS["paper"].replace(
        **SMALL, language_model_order=2, seed_confidence=0.8, domain_temperature=2.0,
        language_model_refits=2, domain_smoothing=3.0, out_domain_size=3,
    ),
    "unlikely domains": PRESETS["best"].replace(
        **{**SMALL, "hmm_iterations": 3}, shared_iterations=2, language_model_order=2,
        min_domain_posterior=0.3,
    ),
    "no language model": PRESETS["paper"].replace(**SMALL, language_model_order=0),
    "target side": PRESETS["best"].replace(
        **SMALL, shared_iterations=2, language_model_order=3, language_model_sides="target",
        stem_length=0, agreement=False, language_model_refits=0, shared_jumps=False,
    ),
    "Model 1 alone": PRESETS["best"].replace(
        **{**SMALL, "hmm_iterations": 0}, shared_iterations=1, language_model_order=2
    ),
}  # fmt: skip


def text(pairs: int = 26, longest: int = 4) -> tuple[list[list[str]], list[list[str]], list[int]]:
    """Short pairs, some words without a counterpart, one side empty."""
    rng = np.random.default_rng(7)
    source, target, labels = [], [], []
    for number in range(pairs):
        label = (0, 1, -1, -1)[number % 4]
        kinds = ([0, 1, 4, 6, 7], [2, 3, 5, 6, 7], list(range(8)))[label]
        chosen = [WORDS[k] for k in rng.choice(kinds, rng.integers(1, longest + 1))]
        source.append([f for f, _ in chosen])
        target.append([e for _, e in chosen if rng.random() < 0.85])
        labels.append(label)
    target[9] = []
    return source, target, labels


def learn(
    options: AlignerOptions, pairs: int = 26, longest: int = 4
) -> tuple[AlignmentModel, Bitext, LatentTraining]:
    source, target, labels = text(pairs, longest)
    bitext = Bitext(
        Corpus.from_sentences(source), Corpus.from_sentences(target),
        np.array(labels, np.int16), ("law", "med"),
    )  # fmt: skip
    values = {setting.name: getattr(options, setting.name) for setting in fields(Settings)}
    twin = LatentTraining(source, target, labels, 2, Settings(**values))
    twin.run()
    return train(bitext, options=options), bitext, twin


def assert_same_tables(
    model: AlignmentModel, side: int, tables: Tables, *, rtol: float = 1e-4
) -> None:
    parameters = model.parameters
    words = (model.source_vocabulary.words, model.target_vocabulary.words)
    ids = zip(model.index.rows.tolist(), model.index.columns.tolist(), strict=True)
    pairs = [(words[0][f], words[1][e])[:: 1 - 2 * side] for f, e in ids]
    assert set(pairs) == set(tables.lexical[0])
    null = (parameters.null_source, parameters.null_target)[side]
    for domain in range(3):
        lexical = [tables.lexical[domain][pair] for pair in pairs]
        np.testing.assert_allclose(
            parameters.lexical[:-1, domain, side], lexical, rtol=rtol, atol=1e-7
        )
        expected = [tables.null[domain][word] for word in words[side][1:]]
        np.testing.assert_allclose(null[domain, 1:-1], expected, rtol=rtol, atol=1e-7)
    for actual, every in ((parameters.jump[side, :, 0], tables.jump),
                          (parameters.start[side], tables.start)):  # fmt: skip
        weights = [[table[distance] for distance in sorted(table)] for table in every]
        np.testing.assert_allclose(actual, weights, rtol=rtol, atol=1e-7)


@pytest.mark.parametrize("preset", PRESETS)
def test_presets_on_200_pairs(preset: str, posteriors: list[np.ndarray]) -> None:
    """All iterations. Classes of jumps have no twin.

    Passes over a pair are in float32: of two sides with three words and some four roundings by
    6e-8 each, a log likelihood may be wrong by 1.4e-6, a posterior by a quarter of that, and by
    as much again from tables of the iteration before.
    """
    options = PRESETS[preset].replace(jump_classes=0)
    model, _, twin = learn(options, 200, 3)
    for side, tables in enumerate(twin.tables):
        assert_same_tables(model, side, tables, rtol=1e-6)
    np.testing.assert_allclose(np.exp(model.log_prior), twin.prior, rtol=0.0, atol=7e-7)
    np.testing.assert_allclose(posteriors[-1], twin.posterior, rtol=0.0, atol=2e-6)
    assert np.quantile(np.abs(posteriors[-1] - twin.posterior), 0.99) <= 7e-7


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_the_whole_schedule_is_that_of_the_slow_twin(
    options: AlignerOptions, posteriors: list[np.ndarray]
) -> None:
    model, bitext, twin = learn(options)
    np.testing.assert_allclose(posteriors[-1], twin.posterior, rtol=1e-3, atol=1e-7)
    for side, tables in enumerate(twin.tables):
        assert_same_tables(model, side, tables)
    np.testing.assert_allclose(np.exp(model.log_prior), twin.prior, rtol=1e-4)
    likelihoods = [iteration.log_likelihood for iteration in model.trace]
    np.testing.assert_allclose(likelihoods, twin.trace, rtol=1e-5)
    if options.language_model_order:
        assert model.language_models is not None
        scores = model.language_models.score(bitext)
        expected = [
            [[language.score(words) for language in twin.models[side]] for words in corpus]
            for side, corpus in enumerate((twin.source, twin.target))
        ]
        np.testing.assert_allclose(scores[:, bitext.usable], np.array(expected)[:, bitext.usable],
                                   rtol=1e-4)  # fmt: skip
