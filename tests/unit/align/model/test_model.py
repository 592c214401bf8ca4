"""The face of the alignment model: saved, loaded and printed."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isogloss.align import AlignerOptions, AlignmentModel, Bitext, train
from isogloss.align.errors import WrongTypeError
from isogloss.align.text.corpus import Corpus

OPTIONS = AlignerOptions(model1_iterations=1, hmm_iterations=1, jump_classes=0)


def small_bitext() -> Bitext:
    sentences = [["the", "house"], ["the", "car"], ["a", "house"]]
    return Bitext.unlabeled(Corpus.from_sentences(sentences), Corpus.from_sentences(sentences))


def test_a_saved_model_is_loaded_as_it_was(tmp_path) -> None:
    bitext = small_bitext()
    model = train(bitext, options=OPTIONS)
    model.save(tmp_path / "m")
    loaded = AlignmentModel.load(tmp_path / "m")
    assert isinstance(loaded, AlignmentModel)
    assert repr(model) == repr(loaded)
    assert list(model.align(bitext)) == list(loaded.align(bitext))
    assert loaded.trained_on is None
    np.testing.assert_array_equal(
        model.lexicon("t2s").probability, loaded.lexicon("t2s").probability
    )


def test_a_text_is_aligned_however_it_is_given(tmp_path: Path) -> None:
    model = train(small_bitext(), options=OPTIONS)
    source, target = ["the house", "a car"], ["the house", "a car"]
    expected = model.align(Bitext.from_sentences(source, target))
    (tmp_path / "text").write_text("the house\na car\n")
    assert expected == model.align(source, target)
    assert expected == model.align([text.split() for text in source], iter(target))
    assert expected == model.align(zip(source, target, strict=True))
    assert expected == model.align(tmp_path / "text", str(tmp_path / "text"))
    union = model.align(source, target, heuristic="union")
    assert union == model.align(Bitext.from_sentences(source, target), heuristic="union")
    with pytest.raises(WrongTypeError, match=r"source is a Bitext, .*; got 'union'. Pass options"):
        model.align(small_bitext(), "union")
    with pytest.raises(WrongTypeError, match=r"source must be a list of .*, not 'the house'; use"):
        model.align("the house", "the house")


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_a_table_is_trained_on_and_aligned(library: str) -> None:
    module: Any = pytest.importorskip(library, reason=f"{library} isn't installed")
    make = module.table if library == "pyarrow" else module.DataFrame
    source, target = ["the house", "a house"], ["la casa", "una casa"]
    table = make({"en": source, "es": target})
    model = train(table, options=OPTIONS)
    assert model.trained_on is not None
    assert model.trained_on.bitext == Bitext.from_sentences(source, target)
    assert model.align(table) == model.align(source, target)


def test_models_print_what_they_are() -> None:
    bitext = small_bitext()
    assert (
        "AlignmentModel(HMM; no domains; 4 source and 4 target word types, 10 word pairs; "
        "2 iterations)"
    ) == repr(train(bitext, options=OPTIONS))
    model = train(bitext, options=OPTIONS.replace(hmm_iterations=0))
    assert (
        "AlignmentModel(Model 1; domains: law, OUT; 4 source and 4 target word types, "
        "10 word pairs; 1 iterations)"
    ) == repr(replace(model, domains=("law", "OUT")))
