"""A model of two domains."""

import pytest

import isogloss as ig
from isogloss.align.text.bitext import Bitext

_WORDS = {
    "law": (("the court paid a charge", "el tribunal pagó un cargo"), ("a charge", "un cargo")),
    "home": (("the phone has a charge", "el teléfono tiene una carga"), ("a charge", "una carga")),
}


@pytest.fixture(scope="module")
def trained_text() -> Bitext:
    pairs = [pair for two in _WORDS.values() for pair in two] * 70
    labels = [name for name, two in _WORDS.items() for _ in two] * 70
    bitext = Bitext.from_pairs(pairs)
    return bitext.with_labels([label if k < 240 else "-" for k, label in enumerate(labels)])


@pytest.fixture(scope="module")
def model(trained_text: Bitext) -> ig.AlignmentModel:
    return ig.train(trained_text, hmm_iterations=2, language_model_order=0)
