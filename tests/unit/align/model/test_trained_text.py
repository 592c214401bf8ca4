"""What a model still knows of its training text."""

from dataclasses import replace

import numpy as np
import pytest

from isogloss.align import AlignerOptions, AlignmentModel, Bitext, UsageError, train
from isogloss.align.language_model.lazy import SampledNgrams
from isogloss.align.language_model.ngrams import NgramModel
from isogloss.align.model.cooccurrence import PairIndex
from isogloss.align.model.domain_posterior import domain_posterior
from isogloss.align.text.corpus import Corpus
from isogloss.align.training.em import Trainer
from isogloss.align.training.storage import TrainingStorage
from isogloss.align.training.train import last_posteriors, training_posteriors


def small_bitext() -> Bitext:
    sentences = [["the", "house"], ["a"], ["the", "car"], ["a", "house"]]
    return Bitext.unlabeled(Corpus.from_sentences(sentences), Corpus.from_sentences(sentences))


def test_nothing_of_the_first_pairs_is_looked_up_again(monkeypatch: pytest.MonkeyPatch) -> None:
    bitext = small_bitext()
    model = train(bitext, options=AlignerOptions(jump_classes=0))
    assert model.trained_on is not None
    assert model.trained_on.first(4) is model.trained_on
    first = model.trained_on.first(3)
    selected = bitext.select(np.arange(3))
    expected = model.index.cells(selected)
    for corpus, other in ((first.bitext.source, selected.source),
                          (first.bitext.target, selected.target)):  # fmt: skip
        np.testing.assert_array_equal(corpus.tokens, other.tokens)
        np.testing.assert_array_equal(corpus.offsets, other.offsets)
    assert first.cells is not None
    np.testing.assert_array_equal(first.cells.pair_ids, expected.pair_ids)
    np.testing.assert_array_equal(first.cells.offsets, expected.offsets)
    links = list(model.align(selected))
    monkeypatch.setattr(PairIndex, "cells", None)
    assert list(replace(model, trained_on=first).align(first.bitext)) == links


def test_cells_too_large_for_memory_are_looked_up_again(tmp_path) -> None:
    bitext = small_bitext()
    options = AlignerOptions(jump_classes=0)
    model = train(
        bitext, options=options, storage=TrainingStorage(max_memory=8, scratch_folder=tmp_path)
    )
    assert model.trained_on is not None
    assert model.trained_on.cells is None
    assert model.trained_on.first(2).cells is None
    assert list(model.align(bitext)) == list(train(bitext, options=options).align(bitext))


def labeled_bitext() -> Bitext:
    """Pairs of two kinds of words, the first half of them labeled; the last has an empty side."""
    rng = np.random.default_rng(5)
    words = [[f"{'ab'[n % 2]}{k}" for k in rng.integers(0, 6, 4)] for n in range(240)]
    words[-1] = []
    bitext = Bitext.unlabeled(Corpus.from_sentences(words), Corpus.from_sentences(words))
    labels = np.arange(240) % 2
    labels[120:] = -1
    return bitext.with_numbered_labels(labels.astype(np.int16), ("a", "b"))


def test_posteriors_of_the_last_iteration(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[np.ndarray] = []
    iterate = Trainer.iterate

    def record(*arguments: object) -> np.ndarray:
        seen.append(iterate(*arguments))
        return seen[-1]

    monkeypatch.setattr(Trainer, "iterate", record)
    bitext = labeled_bitext()
    model = train(bitext, options=AlignerOptions(jump_classes=0, shared_iterations=8))
    posterior = last_posteriors(model)
    np.testing.assert_array_equal(posterior, seen[-1])
    np.testing.assert_array_equal(posterior[:120], np.eye(3)[bitext.label_ids[:120]])
    np.testing.assert_allclose(posterior[:-1].sum(1), 1.0, rtol=1e-9)
    np.testing.assert_array_equal(posterior[-1], 0.0)
    left_out = seen[-2] < 1e-3
    assert left_out[120:].any()
    np.testing.assert_array_equal(posterior[left_out], 0.0)
    assert model.trained_on is not None
    part = replace(model, trained_on=model.trained_on.first(130))
    np.testing.assert_array_equal(last_posteriors(part), posterior[:130])
    np.testing.assert_array_equal(training_posteriors(part), training_posteriors(model)[:130])
    assert list(model.align(bitext, posterior=posterior))[-1] == []


@pytest.mark.parametrize("order", [0, 2])
def test_posteriors_by_language_models_that_were_not_refitted_to_a_pair(order: int) -> None:
    bitext = labeled_bitext()
    options = AlignerOptions(jump_classes=0, language_model_order=order, domain_temperature=2.0)
    model = train(bitext, options=options)
    found = training_posteriors(model)
    text = model.trained_on
    assert text is not None
    likelihoods = model.log_likelihoods(bitext)
    expected = domain_posterior(likelihoods, text.log_language, model.log_prior, "both", 2.0)
    np.testing.assert_array_equal(found, expected)
    alike = np.array_equal(found, model.domain_posteriors(bitext))
    assert alike == (order == 0)
    alone = train(
        bitext, options=options.replace(language_model_refits=0)
    )  # one model for all pairs
    np.testing.assert_array_equal(training_posteriors(alone), alone.domain_posteriors(bitext))


def test_pairs_that_were_held_out_have_posteriors_of_the_model() -> None:
    bitext = labeled_bitext()
    model = train(bitext, options=AlignerOptions(jump_classes=0, heldout_every=7))
    np.testing.assert_array_equal(last_posteriors(model), training_posteriors(model))
    flat = train(small_bitext(), options=AlignerOptions(jump_classes=0))
    np.testing.assert_array_equal(last_posteriors(flat), np.ones((4, 1)))


def test_posteriors_are_unknown_to_a_model_without_its_text(tmp_path) -> None:
    model = train(labeled_bitext(), options=AlignerOptions(jump_classes=0))
    model.save(tmp_path / "m")
    for other in (AlignmentModel.load(tmp_path / "m"), model.restricted(["a", "b"])):
        with pytest.raises(UsageError, match="the model has no record of its training text; use"):
            training_posteriors(other)
        with pytest.raises(UsageError, match="the model has no record of its training text; use"):
            last_posteriors(other)


def test_the_last_refit_costs_nothing_before_it_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of three domains there are two sides, and for posteriors two halves of the text."""
    estimated: list[NgramModel] = []
    make = SampledNgrams.make

    def count(models: SampledNgrams, number: int) -> NgramModel:
        estimated.append(make(models, number))
        return estimated[-1]

    monkeypatch.setattr(SampledNgrams, "make", count)
    bitext = labeled_bitext()
    one_iteration = AlignerOptions(jump_classes=0, shared_iterations=100, language_model_order=2)
    model = train(bitext, options=one_iteration)
    assert len(model.domains) == 3
    estimated.clear()
    model.align(bitext, posterior=last_posteriors(model))
    assert len(estimated) == 0
    for _ in range(2):
        training_posteriors(model)
        assert len(estimated) == 2 * 2 * 3
    for _ in range(2):
        model.domain_posteriors(bitext)
        assert len(estimated) == 2 * 2 * 3 + 2 * 3
