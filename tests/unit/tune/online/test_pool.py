"""Hypotheses of several epochs: each once, in the order in which they came."""

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from isogloss.align.arrays.ragged import offsets_of
from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.text.string_array import Texts
from isogloss.features.space import FeatureSpace
from isogloss.tune.nbest.types import NBest
from isogloss.tune.online.pool import HypothesisPool

SPACE = FeatureSpace(["a", "b_"])
hypotheses = st.lists(
    st.tuples(st.sampled_from(["x", "x y", "é", ""]), st.sampled_from([0.0, 1.5])), max_size=4
)
epochs = st.lists(st.lists(hypotheses, min_size=3, max_size=3), min_size=1, max_size=4)


def lists_of(sentences: list[Any]) -> NBest:
    every = [hypothesis for sentence in sentences for hypothesis in sentence]
    return NBest(
        offsets_of([len(sentence) for sentence in sentences]),
        Texts.from_strings(text for text, _ in every),
        Ragged.from_rows([[(0, value), (1, 1.0)] for _, value in every]),
        SPACE,
    )


def shown(lists: NBest, sentence: int) -> list[tuple[str, float]]:
    return [(found.text, found.features["a"]) for found in lists[sentence]]


@given(epochs, st.permutations(range(3)))
def test_each_hypothesis_once(epochs: list[Any], order: list[int]) -> None:
    pool, expected = HypothesisPool(), [dict[Any, None]() for _ in range(3)]
    for sentences in epochs:
        merged = pool.merged(np.array(order), lists_of([sentences[k] for k in order]))
        for k, sentence in enumerate(sentences):
            expected[k] |= dict.fromkeys(sentence)
        for place, k in enumerate(order):
            assert shown(merged, place) == list(expected[k])
    assert [shown(pool.lists(), k) for k in range(3)] == [list(found) for found in expected]
