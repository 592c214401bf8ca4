"""The face of the alignment model: saved, loaded and printed."""

from dataclasses import replace

import numpy as np

from isogloss.align import AlignerOptions, AlignmentModel, Bitext, train
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
