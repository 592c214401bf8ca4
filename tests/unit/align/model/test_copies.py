"""Models are equal by content, and can be copied, pickled and loaded, with all they need."""

import copy
import gc
import pickle
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isogloss.align import AlignerOptions, AlignmentModel, Bitext, DataError, train
from isogloss.align.model.cooccurrence import Cells
from isogloss.align.model.posteriors import ModelPosteriors
from isogloss.align.model.trained_text import LanguageScores

COPIES: list[Callable[[Any], Any]] = [
    copy.copy, copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model)),
]  # fmt: skip
SOURCE = ["la casa", "una casa", "la mesa", "una mesa", "la carga", "un barco"] * 5
TARGET = ["the house", "a house", "the table", "a table", "the load", "a ship"] * 5
BITEXT = Bitext.from_sentences(SOURCE, TARGET, labels=["x", "y", None] * 10)


@pytest.fixture(scope="module", params=[0, 1])
def trained(request: pytest.FixtureRequest) -> AlignmentModel:
    options = AlignerOptions(
        model1_iterations=2, hmm_iterations=2, shared_iterations=3,
        language_model_order=2, language_model_refits=request.param,
    )  # fmt: skip
    with pytest.warns(UserWarning, match="seed pairs"):
        return train(BITEXT, options=options)


@pytest.fixture
def loaded(trained: AlignmentModel, tmp_path: Path) -> AlignmentModel:
    trained.save(tmp_path / "model")
    return AlignmentModel.load(tmp_path / "model")


def test_a_loaded_model_equals_the_one_that_was_saved(
    trained: AlignmentModel, loaded: AlignmentModel
) -> None:
    assert loaded == trained
    assert loaded != trained.restricted(["x", "y"])
    assert loaded != replace(trained, log_prior=np.log([0.5, 0.25, 0.25]))
    other = replace(trained.parameters, lexical=trained.parameters.lexical / 2)
    assert loaded != replace(trained, parameters=other)
    assert loaded != replace(trained, language_models=None)
    assert loaded != "model"
    assert isinstance(loaded, ModelPosteriors)


@pytest.mark.parametrize("make", COPIES)
def test_copies_say_the_same(
    trained: AlignmentModel, loaded: AlignmentModel, make: Callable[[Any], Any]
) -> None:
    for model in (trained, loaded):
        expected = model.align_pair("la casa", "the house")  # language models are opened by it
        again = make(model)
        assert again == model
        assert again.align_pair("la casa", "the house") == expected
        assert (again.trained_on is None) == (model.trained_on is None)
    assert np.array_equal(make(trained).trained_on.log_language, trained.trained_on.log_language)


@pytest.mark.parametrize("make", COPIES)
def test_a_copy_outlives_the_model_that_was_loaded(
    trained: AlignmentModel, tmp_path: Path, make: Callable[[Any], Any]
) -> None:
    trained.save(tmp_path / "model")
    again = make(AlignmentModel.load(tmp_path / "model"))
    gc.collect()
    np.testing.assert_array_equal(
        again.domain_posteriors(BITEXT), trained.domain_posteriors(BITEXT)
    )


def test_a_pickled_model_reads_its_folder_again(trained: AlignmentModel, tmp_path: Path) -> None:
    trained.save(tmp_path / "model")
    stored = pickle.dumps(AlignmentModel.load(tmp_path / "model"))
    path = tmp_path / "model" / "source.0.arpa"
    path.write_bytes(path.read_bytes().replace(b"-0.", b"-1."))
    with pytest.raises(DataError, match="the language model has changed since the model was"):
        pickle.loads(stored).align_pair("la casa", "the house")


def test_scores_of_the_first_pairs_can_be_copied() -> None:
    values = np.arange(12.0).reshape(2, 3, 2)
    for make in COPIES:
        found = make(LanguageScores.of(values).first(2)).values
        np.testing.assert_array_equal(found, values[:, :2])


def test_what_a_model_is_made_of_prints_its_sizes(trained: AlignmentModel) -> None:
    assert repr(trained).startswith("AlignmentModel(HMM; domains: x, y, out; 7 source and 6 target")
    assert repr(trained.index) == f"PairIndex({len(trained.index):,} pairs of 8 source types)"
    assert repr(trained.parameters) == f"Parameters({len(trained.index):,} word pairs, 3 domains)"
    assert repr(trained.trained_on) == f"TrainedText({BITEXT})"
    cells = Cells(np.arange(6, dtype=np.uint32), np.array([0, 2, 6]))
    assert repr(cells) == "Cells(2 sentence pairs, 6 cells)"
    assert cells == Cells(cells.pair_ids.copy(), cells.offsets.copy())
    assert cells != cells.part(0, 1)


def test_many_domains_are_not_all_printed(trained: AlignmentModel) -> None:
    many = replace(trained, domains=tuple(f"domain{k}" for k in range(500)))
    assert "domain7, ...;" in repr(many)
    assert len(repr(many)) < 300
