"""Dictionary entries count as links beside those of the text."""

import numpy as np

from isogloss.align import AlignerOptions, Bitext, train
from isogloss.align.lexicon.tables import LexicalEntries
from isogloss.align.model.cooccurrence import build_pair_index
from isogloss.align.text.corpus import Corpus
from isogloss.align.training.em import Trainer
from tests.naive.expectations import Expectations

OPTIONS = AlignerOptions(model1_iterations=3, hmm_iterations=2, stem_length=0, prune=0.0)


def ambiguous() -> Bitext:
    """Two words that always come together, so that the text can't tell which means which."""
    return Bitext.unlabeled(
        Corpus.from_sentences([["a", "b"], ["c"]] * 5),
        Corpus.from_sentences([["x", "y"], ["z"]] * 5),
    )


def entry(bitext: Bitext, source: str, target: str, weight: float) -> LexicalEntries:
    return LexicalEntries.collect(
        bitext.source.vocabulary.encode([source]), bitext.target.vocabulary.encode([target]),
        [weight],
    )  # fmt: skip


def test_an_entry_decides_what_the_text_leaves_open():
    bitext = ambiguous()
    for target, links in (("x", [(0, 0), (1, 1)]), ("y", [(0, 1), (1, 0)])):
        model = train(bitext, options=OPTIONS, dictionary=entry(bitext, "a", target, 20.0))
        assert model.align(bitext)[0] == links


def test_an_entry_adds_its_weight_to_the_counts():
    bitext = ambiguous()
    counted, plain, helped = (
        Trainer(bitext, OPTIONS, dictionary=given)
        for given in (None, None, entry(bitext, "a", "x", 3.0))
    )
    weights = np.zeros((2, len(bitext), 1))
    counts = Expectations.of(counted.expect("model1", weights).counts)
    for trainer in (plain, helped):
        trainer.iterate("model1", 1, weights)
    place = plain.index.find(
        bitext.source.vocabulary.encode(["a"]), bitext.target.vocabulary.encode(["x"])
    )[0]
    row = plain.index.rows == plain.index.rows[place]
    for trainer, more in ((plain, 0.0), (helped, 3.0)):
        share = (counts.links[place, 0, 1] + more) / (counts.links[:-1, 0, 1][row].sum() + more)
        np.testing.assert_allclose(trainer.parameters.lexical[place, 0, 1], share, rtol=1e-6)


def test_pairs_that_never_meet_are_passed_over():
    bitext = ambiguous()
    expected = train(bitext, options=OPTIONS).parameters
    actual = train(bitext, options=OPTIONS, dictionary=entry(bitext, "a", "z", 50.0)).parameters
    assert actual.lexical.tobytes() == expected.lexical.tobytes()


def test_find():
    index, _ = build_pair_index(ambiguous())
    rows, columns = index.rows, index.columns
    np.testing.assert_array_equal(index.find(rows, columns), np.arange(len(index)))
    missing = index.find(np.array([3, 0, 99], np.int32), np.array([1, 0, 99], np.int32))
    assert missing.tolist() == [len(index)] * 3


def test_an_entry_survives_pruning():
    bitext = ambiguous()
    options = OPTIONS.replace(prune=0.01)
    model = train(bitext, options=options, dictionary=entry(bitext, "a", "y", 20.0))
    assert model.align(bitext)[0] == [(0, 1), (1, 0)]
