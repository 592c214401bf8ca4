"""Oracle document: statistics of the hypotheses that were best so far, older ones faded."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from align.errors import UsageError

__all__ = ["OracleDocument"]


@dataclass(frozen=True)
class OracleDocument:
    """Background that a metric's ``gains_in`` scores a hypothesis in (Chiang 2012, section 2.4).

    statistics: float64[num_statistics], decayed sum of the statistics of hypotheses
    decay: 0 to 1; 0.9 in Chiang (2012), 0.999 in Cherry & Foster (2012)
    fades_newest: whether a hypothesis fades when it is taken in, as Chiang's do
    """

    statistics: NDArray[np.float64]
    decay: float
    fades_newest: bool = False

    def __post_init__(self) -> None:
        if not 0.0 <= self.decay <= 1.0:
            raise UsageError(f"decay {self.decay}; expected 0 to 1")

    @classmethod
    def start(
        cls, num_statistics: int, decay: float = 0.999, *, fades_newest: bool = False
    ) -> "OracleDocument":
        """A document of ones: no count is 0, and it soon fades.

        Raises UsageError for a decay outside 0 to 1.
        """
        return cls(np.ones(num_statistics), decay, fades_newest)

    def after(self, statistics: NDArray[np.float64]) -> "OracleDocument":
        """The document after one more hypothesis, float64[num_statistics], was chosen.

        decay * background + statistics, or decay * (background + statistics) with ``fades_newest``
        """
        share = self.decay if self.fades_newest else 1.0
        faded = self.decay * self.statistics + share * statistics
        return OracleDocument(faded, self.decay, self.fades_newest)
