"""Classes of the words that jumps of the HMM depend on, learned from each side of a bitext."""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from ..execution import run_tasks
from ..lexicon.word_classes import learn_word_classes
from ..text.bitext import Bitext
from ..text.corpus import Corpus

__all__ = ["jump_classes"]

ENOUGH = 2_000_000  # words of text to learn classes from; more take time and change little
SWEEPS = 4  # of the exchange algorithm; the first brings most, and later ones change no links


def jump_classes(
    bitext: Bitext, number: int, threads: int = 1
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Class of each source and of each target word: int32[num_types + 1] twice.

    The last entry is of unknown words, which are in the class of those that were not learned. With
    ``number`` 0 all words are in class 0.
    """
    tasks = (partial(_learn, corpus, number) for corpus in (bitext.source, bitext.target))
    source, target = run_tasks(tasks, threads)
    return source, target


def _learn(corpus: Corpus, number: int) -> NDArray[np.int32]:
    if number == 0 or not len(corpus.tokens):
        return np.zeros(len(corpus.vocabulary) + 1, np.int32)
    every = -(-len(corpus.tokens) // ENOUGH)
    if every > 1:
        corpus = corpus.select(np.arange(0, len(corpus), every))
    used = np.bincount(corpus.tokens, minlength=2)[1:]
    classes = learn_word_classes(corpus, min(number, int(np.count_nonzero(used))), SWEEPS)
    return classes.of(np.append(np.arange(len(corpus.vocabulary), dtype=np.int32), np.int32(-1)))
