"""How the numbers of a file stand for scores: as they are, or as logarithms."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from align.errors import UsageError

from .columns import RuleFault, format_numbers

__all__ = ["SCALES", "Scale", "scale_named"]

LOG_FLOOR = -100.0  # what Moses and this decoder take for the logarithm of 0

_SMALLEST = math.exp(LOG_FLOOR)

_LARGEST_LOG = 700.0  # a double holds e^700


@dataclass(frozen=True)
class Scale:
    """How a number in a file stands for a score: as itself, or as its logarithm times ``factor``.

    factor: 0.0 = the score itself; else the number is ``factor * ln(score)``
    """

    factor: float = 0.0

    def scores(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """Scores of numbers; logarithms below -700 are taken for -700."""
        if not self.factor:
            return numbers
        return np.asarray(np.exp(np.maximum(numbers / self.factor, -_LARGEST_LOG)))

    def numbers(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Numbers that stand for scores; 0 is taken for e^-100, as decoders do."""
        floored = np.where(scores == 0.0, _SMALLEST, scores)
        return floored if not self.factor else np.asarray(self.factor * np.log(floored))

    def texts(self, scores: NDArray[np.float64]) -> list[str]:
        """Scores as text: six significant digits, as Moses prints; of logarithms ten.

        So the six digits of a score can be had back from its logarithm.
        """
        if not self.factor:
            return format_numbers(self.numbers(scores))
        return list(map("{:.10g}".format, self.numbers(scores).tolist()))

    def check(self, numbers: NDArray[np.float64]) -> None:
        """Raise RuleFault for the first row of numbers (float64[n, k]) that stands for no score."""
        bad = numbers <= 0.0 if not self.factor else numbers / self.factor > _LARGEST_LOG
        if bad.any():
            row, column = np.argwhere(bad)[0].tolist()
            if self.factor:
                raise RuleFault(
                    row, f"score {numbers[row, column]:g}", f"logarithms up to {_LARGEST_LOG:g}"
                )
            raise RuleFault(
                row,
                f"score {numbers[row, column]:g}",
                "a probability, or another score above 0: decoders take its logarithm",
                "Where the scores are logarithms themselves, say so with --scale log",
            )


SCALES = {
    "probability": Scale(),
    "log": Scale(1.0),
    "-log": Scale(-1.0),
    "log10": Scale(1.0 / math.log(10.0)),
    "-log10": Scale(-1.0 / math.log(10.0)),
}


def scale_named(name: str) -> Scale:
    """A scale of :data:`SCALES`. Raises UsageError for another name."""
    if name not in SCALES:
        raise UsageError(f"scale {name!r}; expected one of {', '.join(SCALES)}")
    return SCALES[name]
