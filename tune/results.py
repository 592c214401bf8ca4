"""What every optimiser reports while it works, and what it returns."""

from collections.abc import Callable
from dataclasses import dataclass, field

from isogloss.align.files.records import Count, Finite

from .weights.weights import Weights

__all__ = ["Advance", "Epoch", "Report", "TuningResult", "ignore", "pass_over"]


@dataclass(frozen=True)
class Epoch:
    """One pass over the examples, or one iteration, start or step of a batch optimiser.

    number: 0 is the start
    loss: what was minimised, summed while learning
    score: metric of the 1-best hypotheses under the weights after it, in the reported unit
    active: number of weights that are not 0
    held_out: metric on the held-out examples; None where there are none
    """

    number: Count
    loss: Finite
    score: Finite
    active: Count
    held_out: Finite | None = None


Report = Callable[[Epoch], None]
Advance = Callable[[int], None]  # with the number of sentences done since the last call


def ignore(epoch: Epoch) -> None:
    """Report nothing."""


def pass_over(count: int) -> None:
    """Report no progress."""


@dataclass(frozen=True)
class TuningResult:
    """Weights of the best epoch (0 = the start), and what each epoch reached.

    scale: a factor that all weights have, also those that nothing was learned of, as MERT
        normalises by one, and MIRA leaves a tenth after an epoch without a step; weights of
        features that it doesn't have are to be multiplied by it, too
    """

    weights: Weights
    best_epoch: int
    epochs: tuple[Epoch, ...]
    scale: float = field(default=1.0, kw_only=True)

    @property
    def note(self) -> str:
        """What else is to be said of the search, in words; empty where there is nothing to say."""
        return ""

    @property
    def score(self) -> float:
        """What the best epoch was chosen by: its held-out score where there is one."""
        best = self.epochs[self.best_epoch]
        return best.score if best.held_out is None else best.held_out

    def __repr__(self) -> str:
        return (
            f"{type(self).__name__}(epoch {self.best_epoch} of {len(self.epochs) - 1} is the best, "
            f"score {self.score:.4g}; {self.weights!r})"
        )
