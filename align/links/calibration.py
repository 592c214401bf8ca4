"""How often links are right: what gold links say of the posteriors of a model."""

from dataclasses import dataclass
from math import isfinite

import numpy as np
from numpy.typing import NDArray

from ..errors import OptionError
from ..execution.logarithms import exp, log

__all__ = ["AGREED", "APART", "LinkCalibration", "log_odds"]

LEAST = 1e-6  # float32 hardly tells what is nearer to 0 or 1 from certainty


def log_odds(probability: NDArray[np.floating]) -> NDArray[np.float64]:
    """log p / (1 - p), finite for 0 and 1, too: float64[...], of the same shape.

    probability: float[...], between 0 and 1
    """
    values = np.clip(np.asarray(probability, np.float64), LEAST, 1.0 - LEAST)
    return log(values / (1.0 - values))


@dataclass(frozen=True)
class LinkCalibration:
    """Chance that a link is right, from its posteriors p and q in the two directions.

    logit P(right) = slope * logit(sqrt(p q)) + offset: the logistic map of Platt 1999, here of the
    geometric mean, since of links whose arithmetic mean is 0.5 half are right where p = q, but few
    where one direction rules the link out. A slope below 1 makes a model less sure of itself.

    slope: above 0, so that confidences rise with both posteriors; offset: log odds of a link with
    sqrt(p q) = 0.5. Raises UsageError for others.
    """

    slope: float
    offset: float

    def __post_init__(self) -> None:
        if not 0.0 < self.slope < np.inf:
            raise OptionError("slope", "above 0", self.slope)
        if not isfinite(self.offset):
            raise OptionError("offset", "a finite number", self.offset)

    def confidence(
        self, forward: NDArray[np.floating], reverse: NDArray[np.floating]
    ) -> NDArray[np.float32]:
        """Chance that each link is right: float32[n], between 0 and 1, without either.

        forward, reverse: float[n], between 0 and 1, P(link | both sentences) of the two directions,
        the rows of what :meth:`isogloss.align.AlignmentModel.link_posteriors` gives
        """
        both = np.sqrt(np.multiply(forward, reverse, dtype=np.float64))
        chance = 1.0 / (1.0 + exp(-self.slope * log_odds(both) - self.offset))
        return np.asarray(np.clip(chance, LEAST, 1.0 - LEAST), np.float32)


# `python benchmarks/calibration.py` fits these on the trial sets: AGREED for models trained with
# agreement of the directions, APART (--preset paper) for those trained without it, whose directions
# share fewer links, but those are right more often
AGREED = LinkCalibration(slope=0.463, offset=0.528)
APART = LinkCalibration(slope=0.353, offset=1.231)
