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
    """What error rates share. Statistics: edits, reference length."""

    name: ClassVar[str]
    sign: ClassVar[int] = -1
    num_statistics: ClassVar[int] = 2

    def score(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """Edits per 100 words or characters of the reference: float64[...]; lower is better.

        100 for edits where the reference is empty, 0 where there are none either.
        sums: float64[..., 2]
        """
        return 100.0 * _rates(sums)

    def gains(self, statistics: NDArray[np.float64]) -> NDArray[np.float64]:
        """1 - the sentence's error rate, not below 0: float64[n]. statistics: float64[n, 2]"""
        return np.maximum(1.0 - _rates(statistics), 0.0)

    def gains_in(
        self, background: NDArray[np.float64], statistics: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Reference length - edits: sums add up to the corpus score, whatever the background.

        background: float64[2]; statistics: float64[n, 2]. Returns float64[n].
        """
        return statistics[:, 1] - statistics[:, 0]


def _rates(statistics: NDArray[np.float64]) -> NDArray[np.float64]:
    edits, length = statistics[..., 0], statistics[..., 1]
    return np.where(length > 0, edits / np.where(length > 0, length, 1.0), edits > 0)


@dataclass(frozen=True)
class Ter(ErrorRate):
    """Translation edit rate (Snover et al. 2006), as sacrebleu counts it.

    Statistics: fewest shifts, insertions, deletions and substitutions of words to any reference;
    mean length of the references.

    case_sensitive: texts are put in lower case first if not, as sacrebleu's default has it
    """

    case_sensitive: bool = False
    name: ClassVar[str] = "ter"

    def statistics(
        self, lists: NBest, references: References | None, *, threads: int = 1
    ) -> NDArray[np.float64]:
        """float64[num_hypotheses, 2]; words are what white space separates.

        Raises DataError where there are no references, or not those of every sentence.
        """
        references = lists.references if references is None else references
        if not self.case_sensitive:
            lists = replace(lists, texts=lists.texts.lowercased())
            references = None if references is None else references.lowercased()
        return measure(self.name, lists, references, [WORDS], measure_ter, 2, threads=threads)


@dataclass(frozen=True)
class EditRate(ErrorRate):
    """Rate of insertions, deletions and substitutions (Levenshtein).

    Statistics: edits and length of the reference with the fewest edits, the longest of equal ones.
    """

    _unit: ClassVar[int]

    def statistics(
        self, lists: NBest, references: References | None, *, threads: int = 1
    ) -> NDArray[np.float64]:
        """float64[num_hypotheses, 2]; words are what white space separates.

        Raises DataError where there are no references, or not those of every sentence.
        """
        units = [self._unit]
        return measure(self.name, lists, references, units, measure_edits, 2, threads=threads)

    def operations(
        self, lists: NBest, references: References | None, *, threads: int = 1
    ) -> NDArray[np.float64]:
        """Insertions, deletions and substitutions of hypotheses: float64[num_hypotheses, 3].

        They add up to the edits of :meth:`statistics`; of alignments with as few edits the one with
        the most matches counts.

        Raises DataError where there are no references, or not those of every sentence.
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
    """Character error rate: of code points, with one blank between two words."""

    _unit: ClassVar[int] = SPACED_CHARACTERS
    name: ClassVar[str] = "cer"
