"""Error rates: edits over reference length, of words with shifts (TER), words, characters."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..nbest.types import NBest
from ..references import References
from .kernels.edit_distance import measure_edits, measure_operations
from .kernels.ter import measure_ter
from .kernels.tokens import SPACED_CHARACTERS, WORDS
from .measuring import measure

__all__ = ["Cer", "EditRate", "ErrorRate", "Ter", "Wer"]


@dataclass(frozen=True)
class ErrorRate:
    """Base of error rates. The statistics are edits and reference length."""

    name: ClassVar[str]
    sign: ClassVar[int] = -1
    num_statistics: ClassVar[int] = 2

    def score(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return edits per 100 words or characters of the reference, lower is better.

        Parameters
        ----------
        sums : ndarray of float64, shape (..., 2)

        Returns
        -------
        ndarray of float64, shape (...)
            If the reference is empty, 100 with edits and 0 without.
        """
        return 100.0 * _rates(sums)

    def gains(self, statistics: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return 1 - error rate of sentences, at least 0.

        Parameters
        ----------
        statistics : ndarray of float64, shape (n_hypotheses, 2)

        Returns
        -------
        ndarray of float64, shape (n_hypotheses,)
        """
        return np.maximum(1.0 - _rates(statistics), 0.0)

    def gains_in(
        self, background: NDArray[np.float64], statistics: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return reference length - edits, whose sum gives the corpus score.

        Parameters
        ----------
        background : ndarray of float64, shape (2,)
            Not used.
        statistics : ndarray of float64, shape (n_hypotheses, 2)

        Returns
        -------
        ndarray of float64, shape (n_hypotheses,)
        """
        return statistics[:, 1] - statistics[:, 0]


def _rates(statistics: NDArray[np.float64]) -> NDArray[np.float64]:
    edits, length = statistics[..., 0], statistics[..., 1]
    return np.where(length > 0, edits / np.where(length > 0, length, 1.0), edits > 0)


@dataclass(frozen=True)
class Ter(ErrorRate):
    """Translation edit rate (Snover et al. 2006), as in sacrebleu.

    The statistics are the fewest shifts, insertions, deletions and substitutions of words to any
    reference, and the mean length of the references.

    Parameters
    ----------
    case_sensitive : bool, default False
        Lowercase texts if False.
    """

    case_sensitive: bool = False
    name: ClassVar[str] = "ter"

    def statistics(
        self, lists: NBest, references: References | None, *, threads: int = 1
    ) -> NDArray[np.float64]:
        """Return edits and reference length of each hypothesis, split at whitespace.

        Parameters
        ----------
        lists : NBest
        references : References or None
            References of the same sentences; None: the references that the lists hold.
        threads : int, default 1
            Does not change the result.

        Returns
        -------
        ndarray of float64, shape (n_hypotheses, 2)

        Raises
        ------
        DataError
            If a sentence has no references.
        """
        references = lists.references if references is None else references
        if not self.case_sensitive:
            lists = replace(lists, texts=lists.texts.lowercased())
            references = None if references is None else references.lowercased()
        return measure(self.name, lists, references, [WORDS], measure_ter, 2, threads=threads)


@dataclass(frozen=True)
class EditRate(ErrorRate):
    """Rate of insertions, deletions and substitutions (Levenshtein distance).

    The statistics are edits and length of the reference with the fewest edits, the longest of equal
    ones.
    """

    _unit: ClassVar[int]

    def statistics(
        self, lists: NBest, references: References | None, *, threads: int = 1
    ) -> NDArray[np.float64]:
        """Return edits and reference length of each hypothesis.

        Parameters
        ----------
        lists : NBest
        references : References or None
            References of the same sentences; None: the references that the lists hold.
        threads : int, default 1
            Does not change the result.

        Returns
        -------
        ndarray of float64, shape (n_hypotheses, 2)

        Raises
        ------
        DataError
            If a sentence has no references.
        """
        units = [self._unit]
        return measure(self.name, lists, references, units, measure_edits, 2, threads=threads)

    def operations(
        self, lists: NBest, references: References | None, *, threads: int = 1
    ) -> NDArray[np.float64]:
        """Return insertions, deletions and substitutions of each hypothesis.

        Of alignments with equally few edits, the one with the most matches counts.

        Parameters
        ----------
        lists : NBest
        references : References or None
            References of the same sentences; None: the references that the lists hold.
        threads : int, default 1
            Does not change the result.

        Returns
        -------
        ndarray of float64, shape (n_hypotheses, 3)
            They add up to the edits of :meth:`statistics`.

        Raises
        ------
        DataError
            If a sentence has no references.
        """
        units = [self._unit]
        return measure(self.name, lists, references, units, measure_operations, 3, threads=threads)


@dataclass(frozen=True)
class Wer(EditRate):
    """Word error rate."""

    _unit: ClassVar[int] = WORDS
    name: ClassVar[str] = "wer"


@dataclass(frozen=True)
class Cer(EditRate):
    """Character error rate over code points, with one space between two words."""

    _unit: ClassVar[int] = SPACED_CHARACTERS
    name: ClassVar[str] = "cer"
