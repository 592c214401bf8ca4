"""Cells that may be links: features against a naive version."""

from typing import NamedTuple

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from isogloss.align.links.classifier.candidates import Candidates, Translations, word_features
from tests.naive import cell_features as naive


class Drawn(NamedTuple):
    """Candidates of sentence pairs, and the random values that they are of."""

    found: Candidates
    blocks: list[NDArray[np.float32]]
    begins: list[NDArray[np.int64]]
    words: tuple[NDArray[np.float32], ...]
    translations: Translations


def drawn(seed: int, sizes: list[tuple[int, int]]) -> Drawn:
    """Candidates of sentence pairs with random posteriors, words and translations."""
    rng = np.random.default_rng(seed)
    blocks = [rng.random((2, height, width)).astype(np.float32) ** 12 for height, width in sizes]
    offsets = np.cumsum([0, *(block[0].size for block in blocks)])
    values = np.concatenate([np.zeros((2, 0), np.float32)] + [b.reshape(2, -1) for b in blocks], 1)
    lengths = np.array(sizes, np.int64).reshape(-1, 2).T.copy()
    words = tuple(rng.random((int(side.sum()), 3)).astype(np.float32) for side in lengths)
    translations = Translations(
        rng.random((7, 2, 2)).astype(np.float32),
        rng.integers(0, 7, values.shape[1]).astype(np.uint32),
        rng.random((len(sizes), 2)),
    )
    found = Candidates.of(offsets.astype(np.int64), lengths, values, words, translations)
    begins = [np.cumsum([0, *side]) for side in lengths]
    return Drawn(found, blocks, begins, words, translations)


sizes = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=4)


@given(sizes, st.integers(0, 1000))
def test_features_are_those_of_the_naive_version(sizes: list[tuple[int, int]], seed: int) -> None:
    found, blocks, begins, words, translations = drawn(seed, sizes)
    expected, cell = [], -1
    for pair, (one, other) in enumerate(blocks):
        mean = np.float32(0.5) * (one + other)
        for source, target in np.ndindex(mean.shape):
            cell += 1
            if not naive.may_be_linked(mean, source, target):
                continue
            own = words[0][begins[0][pair] + source], words[1][begins[1][pair] + target]
            features = naive.first_features(one, other, source, target, own)
            by_domain = translations.table[translations.pair_ids[cell]]
            both = translations.domains[pair] @ by_domain
            expected.append(([pair, source, target], [*features, *both, both[0] * both[1]]))
    assert found.places[:, 1:].tolist() == [place for place, _ in expected]
    if expected:
        np.testing.assert_allclose(
            found.features, [features for _, features in expected], rtol=1e-4, atol=1e-5
        )


@given(sizes, st.integers(0, 1000))
def test_choices_are_those_of_the_naive_version(sizes: list[tuple[int, int]], seed: int) -> None:
    found, blocks, *_ = drawn(seed, sizes)
    chances = np.random.default_rng(seed).random(len(found.places)).astype(np.float32)
    grids = [np.zeros(block[0].shape, np.float32) for block in blocks]
    for (_, pair, source, target), chance in zip(found.places, chances, strict=True):
        grids[pair][source, target] = chance
    expected = [
        naive.second_features(grids[pair], source, target)
        for _, pair, source, target in found.places
    ]
    features = found.with_choice(chances)
    assert (features[:, : found.features.shape[1]] == found.features).all()
    if expected:
        choice = features[:, found.features.shape[1] :]
        np.testing.assert_allclose(choice, expected, rtol=1e-4, atol=1e-5)


def test_words() -> None:
    features = word_features(["NULL", "the", "1990", ",", "B2"], np.array([0, 100, 1, 7, 2]))
    assert features[:, 1].tolist() == [0, 0, 1, 2, 0, -1]
    assert features[:, 2].tolist() == [4, 3, 4, 1, 2, 0]
    assert features[:, 0].tolist() == [1, 100, 1, 7, 2, 1]
