"""Precision, recall, F1 and alignment error rate of links against gold links."""

from dataclasses import dataclass

import numpy as np

from ..errors import DataError
from .links import GoldLinks, Links

__all__ = ["AlignmentScore", "evaluate"]


@dataclass(frozen=True)
class AlignmentScore:
    """Counts of links and the ratios made of them, as fractions in [0, 1].

    num_links |A|, num_sure |S|, num_sure_hit |A and S|, num_possible_hit |A and P|.
    """

    num_links: int
    num_sure: int
    num_sure_hit: int
    num_possible_hit: int

    @property
    def precision(self) -> float:
        """|A and P| / |A| (Och & Ney 2003); 0 where there are no links."""
        return self.num_possible_hit / self.num_links if self.num_links else 0.0

    @property
    def recall(self) -> float:
        """|A and S| / |S|; 0 where there are no sure links."""
        return self.num_sure_hit / self.num_sure if self.num_sure else 0.0

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall."""
        total = self.precision + self.recall
        return 2 * self.precision * self.recall / total if total else 0.0

    @property
    def aer(self) -> float:
        """Alignment error rate, 1 - (|A and S| + |A and P|) / (|A| + |S|)."""
        total = self.num_links + self.num_sure
        return 1.0 - (self.num_sure_hit + self.num_possible_hit) / total if total else 0.0


def evaluate(links: Links, gold: GoldLinks) -> AlignmentScore:
    """Compare links with gold links, pooled over all sentence pairs (Och & Ney 2003).

    Raises DataError for different numbers of pairs.
    """
    if len(links) != len(gold):
        raise DataError(
            f"{len(links)} lines of links",
            f"{len(gold)}, as in the gold links",
            remedy="Skip the lines before the evaluated text with --skip N",
        )
    keys, sure, possible = links.keys(), gold.sure.keys(), gold.possible.keys()
    return AlignmentScore(
        num_links=len(keys),
        num_sure=len(sure),
        num_sure_hit=int(np.isin(keys, sure).sum()),
        num_possible_hit=int(np.isin(keys, possible).sum()),
    )
