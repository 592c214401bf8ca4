"""What every optimiser tells while it works, and what it returns."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Epoch", "Report", "TuningResult", "ignore"]


@dataclass(frozen=True)
class Epoch:
    """One pass over the examples, or one iteration, start or step of a batch optimiser.

    number: 0 is the start
    loss: what was minimised, summed while learning
    score: metric of the 1-best hypotheses under the weights after it, in the reported unit
    active: number of weights that are not 0
    held_out: metric on the held-out examples; None where there are none
    """

    number: int
    loss: float
    score: float
    active: int
    held_out: float | None = None


Report = Callable[[Epoch], None]


def ignore(epoch: Epoch) -> None:
    """The report of who wants none."""


@dataclass(frozen=True)
class TuningResult:
    """Weights of the best epoch (0 = the start), and what each epoch reached.

    weights: float64[num_features]
    """

    weights: NDArray[np.float64]
    best_epoch: int
    epochs: tuple[Epoch, ...]

    @property
    def note(self) -> str:
        """What else is to be said of the search, in words; empty where there is nothing."""
        return ""
