"""How probable it is that a pair is a translation, and how well its sides go together."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isogloss.align.links.calibration import log_odds

__all__ = ["COUNTED", "SCORED", "PairCalibration", "lower_bound", "mutual_strength"]

_SIGMAS = 1.96  # of a 95 % interval


def lower_bound(count: NDArray[np.float64], total: NDArray[np.float64]) -> NDArray[np.float64]:
    """Lower end of the 95 % interval of count / total (Wilson 1927).

    1 of 1 gives 0.21, 95 of 100 0.89. 0 where the total is 0.

    count, total: float64[n], perhaps sums of weights; counts above the total count as the total

    Returns float64[n].
    """
    size = np.maximum(total, 1e-9)
    share = np.clip(count / size, 0.0, 1.0)
    spread = _SIGMAS * np.sqrt(share * (1.0 - share) / size + (_SIGMAS / size) ** 2 / 4.0)
    middle = share + _SIGMAS**2 / (2.0 * size)
    return np.asarray(np.maximum((middle - spread) / (1.0 + _SIGMAS**2 / size), 0.0))


def mutual_strength(
    count: NDArray[np.float64], source: NDArray[np.float64], target: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Geometric mean of the lower bounds of p(target | source) and p(source | target): float64[n].

    count: float64[n], linked occurrences; source, target: float64[n], occurrences of the sides
    """
    return np.sqrt(lower_bound(count, source) * lower_bound(count, target))


@dataclass(frozen=True)
class PairCalibration:
    """Chance that a pair is a translation, from its links and its counts.

    logit P = certainty * logit(c) + strength * logit(s) + offset. c is the share of its linked
    occurrences that are right by the probabilities of their links, (sum + 1/2) / (number + 1): half
    an occurrence is added to either side, so that one link isn't surer than a hundred. s is the
    mutual strength of its sides, see :func:`mutual_strength`.
    """

    certainty: float
    strength: float
    offset: float

    def confidence(
        self,
        certainty: NDArray[np.float64],
        count: NDArray[np.float64],
        source: NDArray[np.float64],
        target: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Chance that each pair is a translation: float64[n].

        certainty: float64[n], mean probability of its linked occurrences; count: float64[n], how
        many there are; source, target: float64[n], occurrences of the sides
        """
        from scipy.special import expit

        share = (certainty * count + 0.5) / (count + 1.0)
        strength = log_odds(np.maximum(mutual_strength(count, source, target), 1e-3))
        return np.asarray(
            expit(self.certainty * log_odds(share) + self.strength * strength + self.offset)
        )


# `python benchmarks/dictionary.py` fits these on the trial sets: SCORED for links with
# probabilities, COUNTED for links without, whose certainty is 1
SCORED = PairCalibration(certainty=1.350, strength=0.043, offset=0.129)
COUNTED = PairCalibration(certainty=0.385, strength=0.145, offset=1.306)
