"""P(domain) of each sentence pair by name, to be looked at as a table."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import overload

import numpy as np
from numpy.typing import NDArray

from ..arrays.equality import ComparedByContent
from ..arrays.row_choice import Rows, row_number, rows_chosen
from ..errors import DataError, pluralize
from ..execution.calls import ExplainedClass, public
from ..files.numerals import parse_number
from ..files.outputs import check_unused
from ..files.records import is_name
from ..files.tables.columns import Column, NamedNumbers
from ..files.tables.tabular import Tabular
from ..files.text_io import read_lines
from ..files.writers import write_lines
from ..model.model import AlignmentModel
from ..text.bitext import Bitext

__all__ = ["DomainPosteriors", "parse_posteriors"]

_SHOWN = 8  # domains that a representation names
_LINE = 120  # characters of a line that an error shows


@public
@dataclass(frozen=True, eq=False, repr=False)
class DomainPosteriors(ComparedByContent, Tabular, metaclass=ExplainedClass):
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

    @classmethod
    def load(cls, path: str | Path) -> "DomainPosteriors":
        """Read posteriors that :meth:`save` or ``isogloss domains predict`` has written.

        Parameters
        ----------
        path : str or Path
            TSV, plain or compressed; ``-`` is standard input.

        Returns
        -------
        DomainPosteriors

        Raises
        ------
        DataError
            If the first line doesn't hold the names of domains, or another line doesn't hold a
            probability of each.

        Examples
        --------
        >>> import isogloss as ig
        >>> import numpy as np
        >>> table = ig.DomainPosteriors(("law", "it"), np.array([[0.25, 0.75]]))
        >>> table.save("domains.tsv")
        >>> ig.DomainPosteriors.load("domains.tsv") == table
        True
        """
        return parse_posteriors(read_lines(path), path)

    def save(self, path: str | Path | None, *, overwrite: bool | None = None) -> None:
        """Write the posteriors as TSV: the domains, then the probabilities of each pair.

        Parameters
        ----------
        path : str, Path or None
            Compressed if it ends in .gz, .bz2, .xz or .zst; ``-`` and None are standard output.
        overwrite : bool, optional
            Whether an existing file or folder is replaced, or else an error. Default: a file is
            replaced, a folder is an error.

        Raises
        ------
        ModelError
            If the path exists and may not be replaced.
        OutputError
            If the file can't be written.
        """
        check_unused(path, overwrite)
        rows = ("\t".join(map(repr, row)) for row in self.posterior.tolist())
        write_lines(chain(["\t".join(self.domains)], rows), path)

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


def parse_posteriors(lines: Sequence[str], path: str | Path) -> DomainPosteriors:
    """Read the lines of a file. Raises what :meth:`DomainPosteriors.load` does."""
    if not lines:
        expected = "domain names, then one line per sentence pair"
        raise DataError("the file is empty", expected, file=path)
    domains = tuple(lines[0].split("\t"))
    if not all(map(is_name, domains)) or len(set(domains)) != len(domains):
        raise DataError(
            f"the line {lines[0][:_LINE]!r} is malformed",
            "unique, printable, tab-separated domain names without spaces", file=path, line=1,
        )  # fmt: skip
    result = np.empty((len(lines) - 1, len(domains)))
    for number, line in enumerate(lines[1:]):
        result[number] = _probabilities(line, len(domains), path, number + 2)
    return DomainPosteriors(domains, result)


def _probabilities(line: str, count: int, path: str | Path, number: int) -> list[float]:
    """The probabilities of a line, one per domain. Raises DataError for other lines."""
    expected = pluralize(count, "tab-separated probability")
    try:
        values = [parse_number(field) for field in line.split("\t")]
    except ValueError:
        values = []
    if len(values) != count or not 0.0 <= min(values) <= max(values) <= 1.0:
        raise DataError(
            f"the line {line[:_LINE]!r} is malformed", expected, file=path, line=number
        ) from None
    if abs(sum(values) - 1.0) > 1e-3 + 1e-6 * count:  # they may have six decimals
        raise DataError(
            f"the sum of {line!r:.{_LINE}} is {sum(values):.6g}", f"{expected} that sum to 1",
            file=path, line=number,
        )  # fmt: skip
    return values
