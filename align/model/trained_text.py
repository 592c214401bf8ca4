"""What a model still knows of the text it was trained on."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from ..text.bitext import Bitext
from .cooccurrence import Cells

__all__ = ["Iteration", "LanguageScores", "TrainedText"]


@dataclass(frozen=True)
class Iteration:
    """What one EM iteration reports.

    stage: "model1" or "hmm"; number: from 1; log_likelihood: of the parameters it started from,
    weighted by the domain posteriors, of source given target and of target given source.
    held_out: the same per word, of the parameters it ended with and of the pairs held out, each
    domain being as likely as the others; None where no pairs are held out.
    """

    stage: str
    number: int
    log_likelihood: tuple[float, float]
    held_out: tuple[float, float] | None = None


class LanguageScores:
    """log P(f | D) and log P(e | D) of sentence pairs, made when they are first asked for.

    make: gives float64[2, num_pairs, D]
    """

    def __init__(self, make: Callable[[], NDArray[np.float64]]) -> None:
        self._make = make

    @classmethod
    def of(cls, values: NDArray[np.float64]) -> "LanguageScores":
        """Those that are known already. values: float64[2, num_pairs, D]"""
        return cls(partial(np.asarray, values))  # a partial function can be pickled

    @cached_property
    def values(self) -> NDArray[np.float64]:
        """float64[2, num_pairs, D]"""
        return self._make()

    def first(self, num_pairs: int) -> "LanguageScores":
        """Those of the first so many pairs."""
        return LanguageScores(partial(_first, self, num_pairs))


def _first(scores: LanguageScores, num_pairs: int) -> NDArray[np.float64]:
    return scores.values[:, :num_pairs]


@dataclass(frozen=True, eq=False, repr=False)
class TrainedText:
    """The text that a model was trained on, so that aligning it needs no second look-up.

    cells: where its words meet; None where they were too large for memory
    posterior: float64[num_pairs, D], P(D | f, e) in the last iteration, where the label of a pair
        is its domain; None where there was no such iteration, or not every pair was learned from
    language: scores by language models that were not refitted to the pair; None where domains have
        none
    """

    bitext: Bitext
    cells: Cells | None
    posterior: NDArray[np.float64] | None
    language: LanguageScores | None

    def __repr__(self) -> str:
        return f"TrainedText({self.bitext})"

    @property
    def log_language(self) -> NDArray[np.float64] | None:
        """The scores, float64[2, num_pairs, D]: they take time when they are first asked for."""
        return None if self.language is None else self.language.values

    def cells_of(self, bitext: Bitext) -> Cells | None:
        """The cells, where this is the text they are of and they are at hand."""
        return self.cells if bitext is self.bitext else None

    def first(self, num_pairs: int) -> "TrainedText":
        """The first so many sentence pairs; the very same text where that is all of them."""
        if num_pairs == len(self.bitext):
            return self
        return TrainedText(
            self.bitext.select(np.arange(num_pairs)),
            self.cells and self.cells.part(0, num_pairs),
            None if self.posterior is None else self.posterior[:num_pairs],
            self.language and self.language.first(num_pairs),
        )
