"""Random trials of tests: sums of statistics over sentences that are drawn or exchanged."""

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from isogloss.align.errors import MAX_SAMPLES, OptionError
from isogloss.align.execution import run_all

from ..kernels.resampling import exchanged_sums, resampled_sums

__all__ = ["bootstrap_sums", "exchange_sums"]

_BLOCK = 1 << 20  # random draws at a time: a block of trials has its own random numbers
_BOOTSTRAP, _RANDOMIZATION = 1, 2  # so that the two tests do not share random numbers


def bootstrap_sums(
    statistics: NDArray[np.float64], trials: int, seed: int, threads: int
) -> NDArray[np.float64]:
    """Sums over sentences drawn with replacement: float64[trials, columns].

    statistics: float64[sentences, columns]
    """
    number = len(statistics)

    def block(rng: np.random.Generator, sums: NDArray[np.float64]) -> None:
        drawn = rng.integers(number, size=(len(sums), number), dtype=np.int32)
        resampled_sums(statistics, drawn, sums)

    return _in_blocks(block, number, statistics.shape[1], trials, (seed, _BOOTSTRAP), threads)


def exchange_sums(
    differences: NDArray[np.float64], trials: int, seed: int, threads: int
) -> NDArray[np.float64]:
    """Sums over rows drawn by the toss of a coin: float64[trials, columns].

    differences: float64[rows, columns]
    """
    number = len(differences)

    def block(rng: np.random.Generator, sums: NDArray[np.float64]) -> None:
        coins = rng.integers(256, size=(len(sums), (number + 7) // 8), dtype=np.uint8)
        exchanged_sums(differences, coins, sums)

    return _in_blocks(block, number, differences.shape[1], trials, (seed, _RANDOMIZATION), threads)


def _in_blocks(
    block: Callable[[np.random.Generator, NDArray[np.float64]], None],
    draws: int,
    columns: int,
    trials: int,
    seed: tuple[int, int],
    threads: int,
) -> NDArray[np.float64]:
    """Fill float64[trials, columns] block by block of trials of ``draws`` draws each."""
    if not 1 <= trials <= MAX_SAMPLES:
        raise OptionError("trials", f"between 1 and {MAX_SAMPLES}", trials)
    sums = np.empty((trials, columns))
    size = max(_BLOCK // draws, 1)
    tasks = (
        partial(block, np.random.default_rng([*seed, begin]), sums[begin : begin + size])
        for begin in range(0, trials, size)
    )
    run_all(tasks, threads)
    return sums
