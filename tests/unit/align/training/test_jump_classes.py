"""Classes of words that jumps depend on, and what they are good for."""

import numpy as np
import pytest

from isogloss.align import AlignerOptions, Bitext, train
from isogloss.align.lexicon.word_classes import learn_word_classes
from isogloss.align.text.corpus import Corpus
from isogloss.align.training.jump_classes import SWEEPS, jump_classes
from tests.naive.alignment import random_bitext


def test_classes_are_those_of_each_side() -> None:
    bitext = random_bitext(np.random.default_rng(0), [(9, 7)] * 50, num_types=12)
    for threads in (1, 2):
        for corpus, found in zip(
            (bitext.source, bitext.target), jump_classes(bitext, 4, threads), strict=True
        ):
            learned = learn_word_classes(corpus, 4, SWEEPS)
            assert learned.classes.tolist() == found[:-1].tolist()
            assert found[-1] == 4  # unknown words are in no class
            assert found.dtype == np.int32


def test_without_classes_all_words_are_in_one() -> None:
    bitext = random_bitext(np.random.default_rng(0), [(3, 2)], num_types=3)
    for corpus, found in zip((bitext.source, bitext.target), jump_classes(bitext, 0), strict=True):
        assert found.tolist() == [0] * (len(corpus.vocabulary) + 1)


def test_fewer_words_than_classes() -> None:
    bitext = random_bitext(np.random.default_rng(0), [(3, 2)], num_types=2)
    source, _ = jump_classes(bitext, 50)
    used = set(bitext.source.tokens.tolist())
    assert sorted(source[list(used)]) == list(range(len(used)))


def test_a_long_text_is_read_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every so many-th sentence; words of the others are in no class."""
    words = [["a", "b"], ["c", "c"], ["b", "a"], ["c", "b"]]
    bitext = Bitext.unlabeled(*(Corpus.from_sentences(words) for _ in range(2)))
    monkeypatch.setattr("isogloss.align.training.jump_classes.ENOUGH", 4)
    source, _ = jump_classes(bitext, 2)
    ids = {word: number for number, word in enumerate(bitext.source.vocabulary.words)}
    assert {source[ids["a"]], source[ids["b"]]} == {0, 1}
    assert source[ids["c"]] == source[-1] == 2


def test_words_of_a_class_jump_alike() -> None:
    """Adjectives stand behind their noun on one side: from a noun the next word lies before it."""
    rng = np.random.default_rng(3)
    source, target = [], []
    for _ in range(300):
        noun, adjective, verb = rng.integers(0, 6, 3)
        source.append([f"A{adjective}", f"N{noun}", f"V{verb}"])
        target.append([f"n{noun}", f"a{adjective}", f"v{verb}"])
    bitext = Bitext.unlabeled(*(Corpus.from_sentences(side) for side in (source, target)))
    model = train(bitext, options=AlignerOptions(jump_classes=3, jump_window=2, stem_length=0))
    classes, words = model.parameters.source_class, model.source_vocabulary.words
    kinds = {word[0]: classes[number] for number, word in enumerate(words) if number}
    assert len(set(kinds.values())) == 3
    jump = model.parameters.jump[1, 0]  # target words are generated, source words are jumped from
    assert jump[kinds["N"], 3 - 1] > 3 * jump[kinds["N"], 3 + 1]  # back to the adjective
    assert jump[kinds["A"], 3 + 2] > 3 * jump[kinds["A"], 3 + 1]  # over the noun to the verb
    assert [(0, 1), (1, 0), (2, 2)] == model.align(bitext)[0]


def test_classes_can_be_done_without() -> None:
    bitext = random_bitext(np.random.default_rng(0), [(4, 4)] * 9)
    for options in (AlignerOptions(jump_classes=0), AlignerOptions(hmm_iterations=0)):
        assert train(bitext, options=options).parameters.jump.shape[2] == 1
