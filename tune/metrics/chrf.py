"""chrF and chrF++: F score of character n-grams, and of word n-grams (Popović 2015, 2017)."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from isogloss.align.errors import UsageError

from ..nbest.types import NBest
from ..references import References
from .kernels.chrf import measure_chrf
from .kernels.tokens import CHARACTERS, PARTED_WORDS, Symbols
from .measuring import measure

__all__ = ["Chrf"]


@dataclass(frozen=True)
class Chrf:
    """chrF (Popović 2015), or chrF++ (2017) with ``word_order=2``, as in sacrebleu.

    The statistics of each order of characters, then of words, are the n-grams of the hypothesis, of
    the reference, and common ones. With several references the one with the best score counts, the
    first of equal ones. Whitespace is ignored. Punctuation at the end of a word, or else at its
    beginning, is a word of its own.

    Parameters
    ----------
    word_order : int, default 0
        Maximum order of word n-grams; 0 = none.
    character_order : int, default 6
        Maximum order of character n-grams.
    beta : float, default 2.0
        Weight of recall relative to precision.

    Raises
    ------
    UsageError
        If a value is out of range.
    """

    word_order: int = 0
    character_order: int = 6
    beta: float = 2.0
    sign: ClassVar[int] = 1

    def __post_init__(self) -> None:
        if self.word_order < 0 or self.character_order < 1 or not self.beta > 0:
            raise UsageError(
                "chrf needs a word order of at least 0, a character order of at least 1 and a beta "
                f"above 0, got {self.word_order}, {self.character_order} and {self.beta}"
            )

    @property
    def name(self) -> str:
        """Name as on the command line: chrf, chrf+ or chrf++."""
        return "chrf" + "+" * self.word_order

    @property
    def num_statistics(self) -> int:
        """Number of statistics per hypothesis."""
        return 3 * (self.character_order + self.word_order)

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
            If a sentence has no references.
        """

        def kernel(characters: Symbols, words: Symbols, rows: NDArray[np.float64]) -> None:
            measure_chrf(
                characters, self.character_order, words, self.word_order, float(self.beta), rows
            )

        units = [CHARACTERS, PARTED_WORDS if self.word_order else CHARACTERS]
        return measure(
            self.name, lists, references, units, kernel, self.num_statistics, threads=threads
        )

    def score(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return corpus chrF, 0 to 100.

        Precision and recall are means over the orders that both sides have.

        Parameters
        ----------
        sums : ndarray of float64, shape (..., num_statistics)

        Returns
        -------
        ndarray of float64, shape (...)
        """
        by_order = sums.reshape(*sums.shape[:-1], -1, 3)
        of_hypothesis, of_reference, common = np.moveaxis(by_order, -1, 0)
        present = (of_hypothesis > 0) & (of_reference > 0)
        orders = np.maximum(present.sum(-1), 1)
        precision = (common / np.where(present, of_hypothesis, np.inf)).sum(-1) / orders
        recall = (common / np.where(present, of_reference, np.inf)).sum(-1) / orders
        factor = self.beta**2
        below = factor * precision + recall
        return np.asarray(
            100.0 * (1.0 + factor) * precision * recall / np.where(below > 0, below, 1.0)
        )

    def gains(self, statistics: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return chrF of sentences, 0 to 1.

        Parameters
        ----------
        statistics : ndarray of float64, shape (n_hypotheses, num_statistics)

        Returns
        -------
        ndarray of float64, shape (n_hypotheses,)
        """
        return self.score(statistics) / 100.0

    def gains_in(
        self, background: NDArray[np.float64], statistics: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the gains: chrF needs no background document.

        Parameters
        ----------
        background : ndarray of float64, shape (num_statistics,)
            Not used.
        statistics : ndarray of float64, shape (n_hypotheses, num_statistics)

        Returns
        -------
        ndarray of float64, shape (n_hypotheses,)
        """
        return self.gains(statistics)
