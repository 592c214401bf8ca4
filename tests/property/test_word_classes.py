"""Word classes of any text: the likelihood is the defined one and never falls; files come back."""

import warnings
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.align.errors import DataWarning
from isogloss.align.files.text_io import split_tokens
from isogloss.align.lexicon.word_classes import (
    Sweep,
    WordClasses,
    class_log_likelihood,
    learn_word_classes,
)
from isogloss.align.text.corpus import Corpus
from isogloss.align.text.vocabulary import Vocabulary
from tests.naive import word_classes as naive

WORDS = st.sampled_from(["a", "b", "c", "d", "é", "Z", "ß", "NULL", "\u2028", "?"])
TEXTS = st.lists(st.lists(WORDS, max_size=6), min_size=1, max_size=8).filter(any)
# whatever a line of text can hold as a token, but for what readers take away with a warning
TOKENS = st.text(st.characters(codec="utf-8", exclude_characters="\n\ufeff"), min_size=1).filter(
    lambda word: split_tokens(word) == [word]
)


def learn(corpus: Corpus, *numbers: int) -> tuple[WordClasses, list[Sweep]]:
    trace: list[Sweep] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # fewer words than classes
        return learn_word_classes(corpus, *numbers, report=trace.append), trace


@settings(max_examples=50)
@given(TEXTS, st.integers(1, 12), st.integers(0, 3))
def test_any_text(sentences: list[list[str]], num_classes: int, seed: int) -> None:
    corpus = Corpus.from_sentences(sentences)
    learned_classes, trace = learn(corpus, num_classes, 20, seed)
    words = corpus.vocabulary.words[1:]
    assert learned_classes.num_classes == min(num_classes, len(words))
    assert set(learned_classes.classes[1:].tolist()) == set(range(learned_classes.num_classes))
    classes = dict(zip(words, learned_classes.classes[1:].tolist(), strict=True))
    expected = naive.log_likelihood(sentences, classes)
    assert class_log_likelihood(corpus, learned_classes) == pytest.approx(
        expected, rel=1e-9, abs=1e-9
    )
    values = [sweep.log_likelihood for sweep in trace]
    assert values[-1] == pytest.approx(expected, rel=1e-9, abs=1e-9)
    assert all(after >= before - 1e-9 for before, after in pairwise(values))
    assert trace[-1].moved == 0
    assert naive.exchange(sentences, classes, words, learned_classes.num_classes) == classes
    again, _ = learn(corpus, num_classes, 20, seed)
    assert again.classes.tobytes() == learned_classes.classes.tobytes()


@given(TEXTS, st.integers(1, 4))
def test_more_sweeps_are_never_worse(sentences: list[list[str]], num_classes: int) -> None:
    corpus = Corpus.from_sentences(sentences)
    values = [class_log_likelihood(corpus, learn(corpus, num_classes, n)[0]) for n in (1, 2, 5)]
    assert values[0] <= values[1] + 1e-9
    assert values[1] <= values[2] + 1e-9


@given(st.dictionaries(TOKENS, st.integers(0, 5), min_size=1))
def test_any_words_come_back_from_a_file(
    tmp_path_factory: pytest.TempPathFactory, numbers: dict[str, int]
) -> None:
    used = sorted(set(numbers.values()))
    dense = [used.index(number) for number in numbers.values()]
    classes = WordClasses(Vocabulary(numbers), np.array([len(used), *dense], np.int32))
    path = tmp_path_factory.mktemp("classes") / "x"
    classes.save(path)
    loaded = WordClasses.load(path)
    assert list(loaded.vocabulary.words[1:]) == sorted(numbers)
    np.testing.assert_array_equal(loaded.to_vocabulary(classes.vocabulary).classes, classes.classes)
