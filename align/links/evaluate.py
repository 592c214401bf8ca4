"""Precision, recall, F1 and alignment error rate of links against gold links."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..arrays.ragged import row_numbers
from ..errors import DataError, WrongTypeError, pluralize, shown
from ..execution.calls import public
from ..files.tables.columns import Column
from ..files.tables.tabular import Tabular
from .gold_links import GoldLinks, links_of
from .links import Links

__all__ = ["AlignmentScore", "ErrorRate", "error_rates", "evaluate", "link_counts"]


@dataclass(frozen=True, repr=False)
class AlignmentScore(Tabular):
    """Alignment error rate, precision, recall and F1, as fractions from 0 to 1.

    Parameters
    ----------
    num_links : int
        |A|, links that were scored.
    num_sure : int
        |S|, sure gold links.
    num_sure_hit : int
        Sure gold links among the scored ones.
    num_possible_hit : int
        Scored links that are possible gold links.

    Examples
    --------
    >>> from isogloss.align.links.evaluate import AlignmentScore
    >>> AlignmentScore(num_links=4, num_sure=3, num_sure_hit=2, num_possible_hit=3)
    AlignmentScore(AER 28.57%, precision 75.00%, recall 66.67%, F1 70.59%;
      4 links, 3 of them possible; 3 sure gold links, 2 of them found)
    """

    num_links: int
    num_sure: int
    num_sure_hit: int
    num_possible_hit: int

    @classmethod
    def of_counts(cls, counts: NDArray[np.float64]) -> "AlignmentScore":
        """Return the score of all sentence pairs together.

        Parameters
        ----------
        counts : ndarray of float64, shape (n_pairs, 4)
            See :func:`link_counts`.

        Returns
        -------
        AlignmentScore
        """
        return cls(*map(int, counts.sum(0)))

    def __repr__(self) -> str:
        shares = {"AER": self.aer, "precision": self.precision, "recall": self.recall}
        shares["F1"] = self.f1
        percent = ", ".join(f"{name} {100 * share:.2f}%" for name, share in shares.items())
        return (
            f"AlignmentScore({percent};\n  {self.num_links:,} links, {self.num_possible_hit:,} of "
            f"them possible; {self.num_sure:,} sure gold links, {self.num_sure_hit:,} of them "
            "found)"
        )

    def table_columns(self) -> dict[str, Column]:
        """Return the scores and counts as columns of a table with one row."""
        scores = {"aer": self.aer, "precision": self.precision, "recall": self.recall}
        values = {**scores, "f1": self.f1, **vars(self)}
        return {name: np.array([value]) for name, value in values.items()}

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


@public
def evaluate(links: Links | Iterable[Iterable[Sequence[int]]], gold: GoldLinks) -> AlignmentScore:
    """Score links against gold alignments, pooled over all sentence pairs.

    See Och & Ney 2003 for the scores.

    Parameters
    ----------
    links : Links or list of lists of (int, int)
        A row per sentence pair.
    gold : GoldLinks
        Gold alignments of the same sentence pairs.

    Returns
    -------
    AlignmentScore

    Raises
    ------
    WrongTypeError
        If links and gold are swapped or of another type.
    DataError
        If they have different numbers of sentence pairs.

    Examples
    --------
    >>> import isogloss as ig
    >>> gold = ig.GoldLinks.from_pairs([[(0, 0), (1, 1)]])
    >>> ig.evaluate(ig.Links.from_pairs([[(0, 0)]]), gold).aer
    0.33333333333333337
    """
    _check_kinds(links, gold)
    links = links_of(links, "links")
    if len(links) != len(gold):
        raise DataError(
            f"the links are for {pluralize(len(links), 'sentence pair')}, but the gold alignments "
            f"are for {len(gold)}",
            remedy="Select the same sentence pairs, such as "
            + ("links[first:end]" if len(links) > len(gold) else "gold[first:end]"),
        )
    return AlignmentScore.of_counts(link_counts(links, gold))


def link_counts(links: Links, gold: GoldLinks) -> NDArray[np.float64]:
    """Count |A|, |S|, |A and S| and |A and P| of each sentence pair.

    Parameters
    ----------
    links : Links
    gold : GoldLinks
        Gold alignments of the same sentence pairs.

    Returns
    -------
    ndarray of float64, shape (n_pairs, 4)
        They add up to the counts of :class:`AlignmentScore`.
    """
    keys, pairs = links.keys(), row_numbers(links.offsets)
    counted = (
        pairs,
        row_numbers(gold.sure.offsets),
        pairs[np.isin(keys, gold.sure.keys())],
        pairs[np.isin(keys, gold.possible.keys())],
    )
    counts = [np.bincount(rows, minlength=len(links)) for rows in counted]
    return np.stack(counts, axis=1).astype(np.float64)


def error_rates(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute AER from sums of link counts, 0 without links.

    Parameters
    ----------
    sums : ndarray of float64, shape (..., 4)
        Sums of rows of :func:`link_counts`.

    Returns
    -------
    ndarray of float64, shape (...)
        As fractions from 0 to 1.
    """
    total = sums[..., 0] + sums[..., 1]
    found = sums[..., 2] + sums[..., 3]
    return np.asarray(np.where(total > 0, 1.0 - found / np.maximum(total, 1.0), 0.0))


@dataclass(frozen=True)
class ErrorRate:
    """AER as a metric of summed counts, in percent; what the tests of significance ask for."""

    name: str = "aer"
    sign: int = -1
    num_statistics: int = 4

    def score(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """100 times AER, float64[...]. sums: float64[..., 4], see :func:`link_counts`"""
        return 100.0 * error_rates(sums)


def _check_kinds(links: object, gold: object) -> None:
    """Raise WrongTypeError for links and gold links that are swapped, or something else."""
    if isinstance(links, GoldLinks):
        raise WrongTypeError(
            "links must be Links, not GoldLinks; pass the links first: evaluate(links, gold)"
        )
    if isinstance(gold, Links):
        raise WrongTypeError(
            "gold must be GoldLinks, not Links; use GoldLinks(gold, gold) if all of them are sure"
        )
    if not isinstance(gold, GoldLinks):
        raise WrongTypeError(
            f"gold must be GoldLinks, not {shown(gold)}; use read_gold(path) for a file, or "
            "GoldLinks.from_pairs(links) for lists"
        )
