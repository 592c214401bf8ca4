"""P(domain) of each sentence pair by name, to be looked at as a table."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import overload

import numpy as np
from numpy.typing import NDArray

from ..arrays.equality import ComparedByContent
from ..arrays.row_choice import Rows, row_number, rows_chosen
from ..files.tables.columns import Column, NamedNumbers
from ..files.tables.tabular import Tabular
from ..model.model import AlignmentModel
from ..text.bitext import Bitext

__all__ = ["DomainPosteriors"]

_SHOWN = 8  # domains that a representation names


@dataclass(frozen=True, eq=False, repr=False)
class DomainPosteriors(ComparedByContent, Tabular):
    """Domain posteriors P(D | f, e) of sentence pairs.

    ``table[3]`` is a dict of the probabilities of a pair by domain; ``table[10:20]``,
    ``table[mask]`` and ``table[[4, 2]]`` are DomainPosteriors.

    Parameters
    ----------
    domains : tuple of str
        Names.
    posterior : ndarray of float64, shape (n_pairs, n_domains)
        Probability of each domain; each row sums to 1.

    Examples
    --------
    >>> import isogloss as ig
    >>> bitext = ig.Bitext.from_pairs([("the driver paid", "el conductor pagó")])
    >>> table = ig.DomainPosteriors.of(model, bitext)
    >>> max(table[0], key=table[0].get)
    'everyday'
    """

    domains: tuple[str, ...]
    posterior: NDArray[np.float64]

    def __post_init__(self) -> None:
        if self.posterior.ndim != 2 or self.posterior.shape[1] != len(self.domains):
            raise ValueError("posteriors must have one column per domain")

    @classmethod
    def of(cls, model: AlignmentModel, bitext: Bitext, threads: int = 1) -> "DomainPosteriors":
        """Compute the domain posteriors of a bitext.

        Parameters
        ----------
        model : AlignmentModel
        bitext : Bitext
            With any vocabularies; words are matched as strings.
        threads : int, default 1
            Does not affect the result.

        Returns
        -------
        DomainPosteriors
        """
        return cls(tuple(model.domains), model.domain_posteriors(bitext, threads))

    def __len__(self) -> int:
        return len(self.posterior)

    @overload
    def __getitem__(self, number: int) -> dict[str, float]: ...
    @overload
    def __getitem__(self, number: Rows) -> "DomainPosteriors": ...
    def __getitem__(self, number: int | Rows) -> "dict[str, float] | DomainPosteriors":
        if isinstance(number, int | np.integer):
            row = self.posterior[row_number(number, len(self), "sentence pair")]
            return dict(zip(self.domains, row.tolist(), strict=True))
        rows = rows_chosen(number, len(self), "sentence pairs")
        return DomainPosteriors(self.domains, self.posterior[rows])

    def __iter__(self) -> Iterator[dict[str, float]]:
        return (self[number] for number in range(len(self)))

    def __repr__(self) -> str:
        shares = self.posterior.sum(0) / max(len(self), 1)
        most = np.argsort(-shares, kind="stable")[:_SHOWN].tolist()
        shown = ", ".join(f"{self.domains[number]} {shares[number]:.2f}" for number in most)
        return f"DomainPosteriors({len(self):,} sentence pairs; mean: {shown})"

    def table_columns(self) -> dict[str, Column]:
        """Return the columns of the table of posteriors, one row per pair.

        Returns
        -------
        dict
            pair, domain (the most probable one), and ``p(NAME)`` of each domain.
        """
        columns: dict[str, Column] = {
            "pair": np.arange(len(self)),
            "domain": NamedNumbers(self.posterior.argmax(1).astype(np.int32), self.domains),
        }
        for number, name in enumerate(self.domains):
            columns[f"p({name})"] = np.ascontiguousarray(self.posterior[:, number])
        return columns
