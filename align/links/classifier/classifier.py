"""LinkClassifier: what links are, learned from gold links; it chooses the links of a model."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...arrays.equality import ComparedByContent
from .candidates import FIRST, Candidates, Translations
from .kernels.features import SECOND
from .learning_curve import LearningCurve
from .thresholds import Reliability
from .trees import Trees

__all__ = ["LinkClassifier"]


@dataclass(frozen=True, eq=False, repr=False)
class LinkClassifier(ComparedByContent):
    """Chances of cells to be links, in two passes.

    first: of the features of a cell; second: also of what the first says of the cells around
    threshold: chance from which a cell is a link
    source_words, target_words: float32[num_words + 1, 3], features of the model's words, the last
        of unknown ones
    aer_before: of the links that the model would choose itself on the gold sentences, 0 to 1
    learning_curve: AER on sentences that weren't learned from, by number of those that were
    before, after: how well probabilities of the model, and chances of the classifier on sentences
        that it hasn't learned from, tell what is right
    """

    first: Trees
    second: Trees
    threshold: float
    source_words: NDArray[np.float32]
    target_words: NDArray[np.float32]
    aer_before: float
    learning_curve: LearningCurve
    before: Reliability
    after: Reliability

    @property
    def num_sentences(self) -> int:
        """Sentences with gold links that it was learned from."""
        return self.learning_curve.points[-1].sentences

    @property
    def aer(self) -> float:
        """AER on gold sentences, each judged by what others teach, 0 to 1."""
        return self.learning_curve.points[-1].aer

    def check(self, types: tuple[int, int]) -> None:
        """Raise ValueError for parts that don't fit. types: words of both vocabularies"""
        self.first.check(FIRST)
        self.second.check(FIRST + SECOND)
        if not 0.0 < self.threshold <= 1.0:
            raise ValueError("the threshold of links must be above 0 and at most 1")
        for words, number in zip((self.source_words, self.target_words), types, strict=True):
            if words.shape != (number + 1, 3) or not np.isfinite(words).all():
                raise ValueError("there must be three finite features of each word")

    def candidates(
        self,
        offsets: NDArray[np.int64],
        values: NDArray[np.float32],
        source: NDArray[np.int32],
        target: NDArray[np.int32],
        sizes: NDArray[np.int64],
        translations: Translations,
    ) -> Candidates:
        """The cells of sentence pairs that may be links.

        offsets: int64[num_pairs + 1], first cell of each pair; sizes: int64[2, num_pairs], source
            and target words of each
        values: float32[2, num_cells], P(link) in both directions
        source, target: int32[num_words], words of all sentences, -1 = unknown
        """
        words = self.source_words[source], self.target_words[target]
        return Candidates.of(offsets, sizes, values, words, translations)

    def chances(self, candidates: Candidates) -> NDArray[np.float32]:
        """The chance of each candidate to be a link: float32[n]."""
        first = self.first.chances(candidates.features)
        return self.second.chances(candidates.with_choice(first))

    def __repr__(self) -> str:
        return (
            f"LinkClassifier(AER {self.aer:.2%} on other sentences, {self.aer_before:.2%} without "
            f"it; {self.num_sentences} gold sentences, threshold {self.threshold:.2f})"
        )
