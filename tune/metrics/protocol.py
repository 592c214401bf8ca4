"""What an optimizer may ask of a metric: statistics of hypotheses first, scores of sums second."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..nbest.types import NBest
from ..references import References

__all__ = ["Metric"]


class Metric(Protocol):
    """A metric whose corpus score is a function of summed sentence statistics."""

    @property
    def name(self) -> str:
        """Name as on the command line."""
        ...

    @property
    def sign(self) -> int:
        """1 if higher scores are better, -1 for error rates."""
        ...

    @property
    def num_statistics(self) -> int:
        """Number of statistics per hypothesis."""
        ...

    def statistics(
        self, lists: NBest, references: References | None, *, threads: int = 1
    ) -> NDArray[np.float64]:
        """Return the sufficient statistics of each hypothesis.

        Parameters
        ----------
        lists : NBest
        references : References or None
            References of the same sentences; None: the references that the lists hold.
        threads : int, default 1
            Does not change the result.

        Returns
        -------
        ndarray of float64, shape (n_hypotheses, num_statistics)

        Raises
        ------
        DataError
            If references, or a column that the metric needs, are missing.
        """
        ...

    def score(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the scores of summed statistics.

        Parameters
        ----------
        sums : ndarray of float64, shape (..., num_statistics)

        Returns
        -------
        ndarray of float64, shape (...)
            In the reported unit, such as BLEU from 0 to 100.
        """
        ...

    def gains(self, statistics: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return sentence-level scores for optimizers, higher is better.

        Parameters
        ----------
        statistics : ndarray of float64, shape (n_hypotheses, num_statistics)

        Returns
        -------
        ndarray of float64, shape (n_hypotheses,)
            About 0 to 1.
        """
        ...

    def gains_in(
        self, background: NDArray[np.float64], statistics: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the gains of hypotheses within an oracle document, higher is better.

        Parameters
        ----------
        background : ndarray of float64, shape (num_statistics,)
            Statistics of the document.
        statistics : ndarray of float64, shape (n_hypotheses, num_statistics)

        Returns
        -------
        ndarray of float64, shape (n_hypotheses,)
            On the scale of MIRA's margins.
        """
        ...
