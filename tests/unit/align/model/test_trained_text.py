"""What a model still knows of its training text."""

from dataclasses import replace

import numpy as np
import pytest

from align import AlignerOptions, Bitext, train
from align.model.cooccurrence import PairIndex
from align.model.training import TrainingStorage
from align.text.corpus import Corpus


def small_bitext() -> Bitext:
    sentences = [["the", "house"], ["a"], ["the", "car"], ["a", "house"]]
    return Bitext.unlabelled(Corpus.from_sentences(sentences), Corpus.from_sentences(sentences))


def test_nothing_of_the_first_pairs_is_looked_up_again(monkeypatch: pytest.MonkeyPatch) -> None:
    bitext = small_bitext()
    model = train(bitext, AlignerOptions(jump_classes=0))
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
    model = train(bitext, options, storage=TrainingStorage(max_memory=8, scratch_folder=tmp_path))
    assert model.trained_on is not None
    assert model.trained_on.cells is None
    assert model.trained_on.first(2).cells is None
    assert list(model.align(bitext)) == list(train(bitext, options).align(bitext))
