"""What an optimizer may ask of a metric: statistics of hypotheses first, scores of sums second."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..nbest.types import NBest
from ..references import References

__all__ = ["Metric"]


class Metric(Protocol):
    """A metric whose corpus score is a function of summed statistics of the chosen hypotheses."""

    @property
    def name(self) -> str:
        """As on the command line."""
        ...

    @property
    def sign(self) -> int:
        """1 where higher scores are better, -1 for error rates."""
        ...

    @property
    def num_statistics(self) -> int:
        """Columns of the statistics."""
        ...

    def statistics(
        self, lists: NBest, references: References | None, *, threads: int = 1
    ) -> NDArray[np.float64]:
        """float64[num_hypotheses, num_statistics], the same for any number of threads.

        Raises DataError where the metric needs what is not there.
        """
        ...

    def score(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """Scores of summed statistics, in the reported unit: float64[...].

        sums: float64[..., num_statistics]
        """
        ...

    def gains(self, statistics: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sentence scores of hypotheses on their own, 0 to 1 or thereabouts, higher is better.

        statistics: float64[n, num_statistics]. Returns float64[n].
        """
        ...

    def gains_in(
        self, background: NDArray[np.float64], statistics: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Gains of hypotheses within an oracle document, whose statistics are ``background``.

        background: float64[num_statistics]; statistics: float64[n, num_statistics]. Returns
        float64[n], higher is better, on the scale on which MIRA's margins are counted.
        """
        ...
