"""Pairs held out are not learned from, and tell how well the rest predicts them."""

import numpy as np
import pytest

from isogloss.align import AlignerOptions, Bitext, UsageError, train
from isogloss.align.model.model import AlignmentModel
from isogloss.align.text.corpus import Corpus

OPTIONS = AlignerOptions(
    model1_iterations=2, hmm_iterations=2, stem_length=0, prune=0.0, heldout_every=4
)


def text(last_word: str) -> Bitext:
    words = [["a", "b"], ["b", "c"], ["c", "a"], ["a", last_word]] * 6
    return Bitext.unlabeled(
        Corpus.from_sentences(words), Corpus.from_sentences([one[::-1] for one in words])
    )


def test_nothing_is_learned_from_a_pair_held_out():
    model = train(text("zzz"), options=OPTIONS)
    place = model.source_vocabulary.get("zzz")
    row = model.index.rows == place
    assert row.any()
    assert not model.parameters.lexical[:-1][row].any()
    assert model.parameters.null_source[0, place] == 0.0


def test_its_likelihood_is_reported_and_kept(tmp_path):
    said: list[str] = []
    model = train(text("c"), options=OPTIONS, report=said.append)
    part = text("c").select(np.arange(3, 24, 4))
    values = model.log_likelihoods(part)[:, :, 0].sum(1) / 12
    np.testing.assert_allclose(model.trace[-1].held_out, values, rtol=1e-6)
    assert f"held out per word {values[0]:.4f} / {values[1]:.4f}" in said[-1]
    model.save(tmp_path / "m")
    assert AlignmentModel.load(tmp_path / "m").trace == model.trace
    assert train(text("c"), options=OPTIONS.replace(heldout_every=0)).trace[-1].held_out is None


def test_all_pairs_can_not_be_held_out():
    with pytest.raises(UsageError, match="heldout_every must be 0 or at least 2"):
        OPTIONS.replace(heldout_every=1)
