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
    """chrF, or chrF++ with word_order = 2, as sacrebleu counts it.

    Statistics, for each order of characters and then of words: n-grams of the hypothesis, of the
    reference, in common; of the reference with the best score, the first of equal ones. White space
    is not counted. Punctuation at the end of a word, or else at its beginning, is a word of its
    own.

    word_order: longest n-grams of words, 0 = none
    character_order: longest n-grams of characters
    beta: how many times as much recall counts as precision

    Raises UsageError for orders and beta out of range.
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
        """chrf, chrf+ or chrf++."""
        return "chrf" + "+" * self.word_order

    @property
    def num_statistics(self) -> int:
        """Columns of the statistics."""
        return 3 * (self.character_order + self.word_order)

    def statistics(
        self, lists: NBest, references: References | None, *, threads: int = 1
    ) -> NDArray[np.float64]:
        """float64[num_hypotheses, 3 * orders].

        Raises DataError where there are no references, or not those of every sentence.
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
        """chrF, 0 to 100: F of precision and recall, means over the orders that both sides have.

        sums: float64[..., num_statistics]. Returns float64[...].
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
        """chrF of sentences, 0 to 1: float64[n]. statistics: float64[n, num_statistics]"""
        return self.score(statistics) / 100.0

    def gains_in(
        self, background: NDArray[np.float64], statistics: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """The gains: a sentence has characters enough to be scored on its own.

        background: float64[num_statistics]; statistics: float64[n, num_statistics]. Returns
        float64[n].
        """
        return self.gains(statistics)
