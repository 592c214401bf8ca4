"""The random numbers of paired tests: which ones a seed stands for."""

import numpy as np
import pytest

from isogloss.tune.metrics import resampling


@pytest.mark.parametrize("number", [7, 8, 9])
def test_a_coin_for_each_sentence(number: int) -> None:
    differences = np.random.default_rng(3).normal(size=(number, 2))
    found = resampling.exchange_sums(differences, 5, 4, 1)
    rng = np.random.default_rng([4, resampling._RANDOMIZATION, 0])
    coins = rng.integers(256, size=(5, -(-number // 8)), dtype=np.uint8)
    shown = np.unpackbits(coins, axis=1, count=number, bitorder="little")
    np.testing.assert_allclose(found, shown @ differences, atol=1e-12)


def test_a_block_of_trials_has_its_own_random_numbers() -> None:
    """A million draws are a block: where blocks end is part of what a seed stands for."""
    statistics = np.arange(1024.0).reshape(-1, 1)
    found = resampling.bootstrap_sums(statistics, 1026, 1, 1)
    for begin, size in ((0, 1024), (1024, 2)):
        rng = np.random.default_rng([1, resampling._BOOTSTRAP, begin])
        drawn = rng.integers(1024, size=(size, 1024), dtype=np.int32)
        np.testing.assert_array_equal(found[begin : begin + size, 0], drawn.sum(1))
