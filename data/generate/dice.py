"""Random choices that stay the same from one Python version to the next."""

from __future__ import annotations

import random
from bisect import bisect_right
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import TypeVar

T = TypeVar("T")


class Dice:
    """Choices built on `random.Random.random` alone, whose sequence Python guarantees."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed).random

    def chance(self, probability: float) -> bool:
        """True with this probability."""
        return self._random() < probability

    def below(self, limit: int) -> int:
        """An integer from 0 to `limit` - 1."""
        return int(self._random() * limit)

    def seed(self) -> int:
        """A seed for other dice."""
        return int(self._random() * 2**48)

    def pick(self, items: Sequence[T]) -> T:
        """One item, all equally likely."""
        return items[self.below(len(items))]

    def weighted(self, items: Sequence[T], weight: Callable[[T], float]) -> T:
        """One item, as likely as its weight says."""
        # Not `sum`, which rounds differently from Python 3.12 on.
        totals = list(accumulate(weight(item) for item in items))
        return items[min(bisect_right(totals, self._random() * totals[-1]), len(items) - 1)]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """The items in a random order."""
        out = list(items)
        for last in range(len(out) - 1, 0, -1):
            other = self.below(last + 1)
            out[last], out[other] = out[other], out[last]
        return out
