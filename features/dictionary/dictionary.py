"""Dictionary: the translation pairs of a text as columns, with their counts by domain."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.equality import ComparedByContent
from isogloss.align.errors import UsageError, check_path
from isogloss.align.execution.calls import ExplainedClass, public
from isogloss.align.files.stored_folder import StoredFolder
from isogloss.align.files.tables.columns import Column
from isogloss.align.files.tables.tabular import Tabular
from isogloss.align.text.corpus import Corpus
from isogloss.align.text.string_array import Texts

from ..table.phrases import phrase_texts
from .confidence import COUNTED, SCORED, mutual_strength
from .entries import ALL, Entries, Lookup, check_list
from .examples import Example, Origin, find_examples
from .specificity import log_likelihood_ratio, specificity
from .stored import DICTIONARY_FORMAT, stored_phrases

__all__ = ["Dictionary"]

_LEAST = 1e-6  # rounding of sums of weights
_CHANCE = 3.84  # that chance gives a log-likelihood ratio of is 1 in 20
_ROUNDED = 2e-3  # share by which posteriors of a file, printed with few decimals, may sum to more
_TABLES = ("counts", "source_counts", "target_counts")


@public
@dataclass(frozen=True, eq=False)
class Dictionary(ComparedByContent, Tabular, Lookup, metaclass=ExplainedClass):
    """Translation pairs of words and short phrases, with their counts in each domain.

    Make one with :func:`~isogloss.features.extract_dictionary`.

    Parameters
    ----------
    source, target : Corpus
        Phrases of each side; pair k is phrase k of both.
    counts : ndarray of float64, shape (n_pairs, 1 + n_domains)
        Linked occurrences in the whole text, and expected ones in each domain.
    source_counts, target_counts : ndarray of float64, shape (n_pairs, 1 + n_domains)
        Occurrences of each side, linked or not.
    certainty : ndarray of float64, shape (n_pairs,)
        Mean probability of the links of an occurrence.
    sizes : ndarray of float64, shape (1 + n_domains,)
        Source words of the whole text and of each domain.
    domains : tuple of str, optional
        Names.
    is_scored : bool, default True
        Whether the links had probabilities.
    origin : Origin, optional
        Text that examples are taken from.

    Raises
    ------
    ValueError
        If the arrays don't fit together.

    Examples
    --------
    >>> import isogloss as ig
    >>> bitext = ig.Bitext.from_pairs([("the house", "la casa"), ("the book", "el libro")] * 9)
    >>> dictionary = ig.extract_dictionary(ig.train(bitext), bitext)
    >>> "house" in dictionary, dictionary["house"][0].target
    (True, 'casa')
    """

    source: Corpus
    target: Corpus
    counts: NDArray[np.float64]
    source_counts: NDArray[np.float64]
    target_counts: NDArray[np.float64]
    certainty: NDArray[np.float64]
    sizes: NDArray[np.float64]
    domains: tuple[str, ...] = ()
    is_scored: bool = True
    origin: Origin | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        shape = len(self.source), 1 + len(self.domains)
        tables = self.counts, self.source_counts, self.target_counts
        if len(self.target) != shape[0] or any(table.shape != shape for table in tables):
            raise ValueError(
                "counts must have one row per pair and one column for all and for each domain"
            )
        if len(self.certainty) != shape[0] or len(self.sizes) != shape[1]:
            raise ValueError(
                "there must be one confidence per pair, and one size for all and for each domain"
            )
        if any((table < 0.0).any() or not np.isfinite(table).all() for table in tables):
            raise ValueError("counts must be finite and at least 0")
        if len(set(self.domains)) != len(self.domains) or ALL in self.domains:
            raise ValueError(f"domain names must be unique and different from {ALL!r}")
        if not ((self.certainty >= 0.0) & (self.certainty <= 1.0)).all():
            raise ValueError("confidences must be probabilities")
        outside = self.counts[:, 1:].sum(1) - self.counts[:, 0]
        if (outside > _ROUNDED * (1.0 + self.counts[:, 0])).any():
            raise ValueError("the counts of the domains must not exceed the total counts")

    @classmethod
    def load(cls, path: str | Path) -> "Dictionary":
        """Read a dictionary that :meth:`save` has written.

        Parameters
        ----------
        path : str or Path
            A folder.

        Returns
        -------
        Dictionary
            Without its text, so without examples.

        Raises
        ------
        ModelError
            If the folder is missing, damaged or of another version.
        """
        check_path(path)
        return DICTIONARY_FORMAT.read(path, cls._of_folder)

    @classmethod
    def _of_folder(cls, stored: StoredFolder) -> "Dictionary":
        """Raises ValueError for arrays that don't fit together."""
        source, target = (stored_phrases(stored, side) for side in ("source", "target"))
        header, count = stored.header, len(source)
        columns = 1 + len(header["domains"])
        counts, of_source, of_target = (
            stored.finite(name, np.float64, count, columns) for name in _TABLES
        )
        return cls(
            source, target, counts, of_source, of_target,
            stored.finite("certainty", np.float64, count),
            stored.finite("sizes", np.float64, columns), tuple(header["domains"]),
            header["is_scored"],
        )  # fmt: skip

    def save(self, path: str | Path, *, overwrite: bool | None = None) -> None:
        """Write the pairs and their counts to a folder; the text is not written.

        :func:`.writing.format_dictionary` has what other programs read: TSV, CSV and TBX.

        Parameters
        ----------
        path : str or Path
            A folder.
        overwrite : bool, optional
            Whether an existing file or folder is replaced, or else an error. Default: a file is
            replaced, a folder is an error.

        Raises
        ------
        ModelError
            If the path exists and may not be replaced.
        OutputError
            If it can't be written.
        """
        with DICTIONARY_FORMAT.write(path, overwrite=overwrite) as new:
            for side, corpus in (("source", self.source), ("target", self.target)):
                phrases = Texts.from_strings(phrase_texts(corpus))
                new.write_arrays(
                    {f"{side}.content": phrases.content, f"{side}.offsets": phrases.offsets}
                )
            names = (*_TABLES, "certainty", "sizes")
            new.write_arrays({name: getattr(self, name) for name in names})
            new.values["domains"], new.values["is_scored"] = list(self.domains), self.is_scored

    def __len__(self) -> int:
        return len(self.source)

    def __repr__(self) -> str:
        domains = f"domains: {', '.join(self.domains)}" if self.domains else "no domains"
        return f"Dictionary({len(self):,} pairs; {domains})"

    @cached_property
    def confidence(self) -> NDArray[np.float64]:
        """Calibrated probability that each pair is a translation: float64[n_pairs]."""
        calibration = SCORED if self.is_scored else COUNTED
        sides = self.source_counts[:, 0], self.target_counts[:, 0]
        return calibration.confidence(self.certainty, self.counts[:, 0], *sides)

    def domain_number(self, name: str) -> int:
        """Return the number of a domain.

        Parameters
        ----------
        name : str
            A domain, or ``"all"`` for the whole text.

        Returns
        -------
        int
            Index into ``domains``; -1 for ``"all"``.

        Raises
        ------
        UsageError
            If there is no such domain.
        """
        names = (*self.domains, ALL)
        if name not in names:
            raise UsageError(f"unknown domain {name!r}; expected one of {', '.join(names)}")
        return -1 if name == ALL else names.index(name)

    def specificity(self, domain: int) -> NDArray[np.float64]:
        """Compute how specific each pair is to a domain.

        This is the lower end of the 95 % confidence interval of the log odds ratio, in base 2.

        Parameters
        ----------
        domain : int
            Number of the domain, see :meth:`domain_number`.

        Returns
        -------
        ndarray of float64, shape (n_pairs,)
            3 = at least eight times as frequent as in the other domains; 0 = perhaps no more
            frequent.
        """
        return specificity(*self._inside_and_outside(domain))

    def log_likelihood_ratio(self, domain: int) -> NDArray[np.float64]:
        """Compute the log-likelihood ratio of each pair in a domain against the rest.

        Parameters
        ----------
        domain : int
            Number of the domain, see :meth:`domain_number`.

        Returns
        -------
        ndarray of float64, shape (n_pairs,)
            Negative if the pair is rarer in the domain; see [1]_ and [2]_.

        References
        ----------
        .. [1] Dunning (1993), "Accurate methods for the statistics of surprise and coincidence".
        .. [2] Rayson and Garside (2000), "Comparing corpora using frequency profiling".
        """
        return log_likelihood_ratio(*self._inside_and_outside(domain))

    def _inside_and_outside(
        self, domain: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], float, float]:
        inside, size = self.counts[:, 1 + domain], float(self.sizes[1 + domain])
        outside = np.maximum(self.counts[:, 0] - inside, 0.0)
        outside[outside < _LEAST * self.counts[:, 0]] = 0.0
        return inside, outside, size, max(float(self.sizes[0]) - size, 0.0)

    def entries(
        self,
        domain: str = ALL,
        *,
        sort: str = "best",
        top: int = 0,
        min_count: float = 0.0,
        min_confidence: float = 0.0,
        rarer: bool = False,
    ) -> Entries:
        """Return the sorted entries of a domain or of the whole text.

        Parameters
        ----------
        domain : str, default "all"
            A domain, or ``"all"`` for the whole text.
        sort : {"best", "confidence", "special", "count"}, default "best"
            "best" sorts by confidence times mutual strength, and for a domain times
            :meth:`specificity`; the others sort by one value.
        top : int, default 0
            Number of entries; 0 = all.
        min_count : float, default 0.0
            Minimum number of linked occurrences (expected ones within a domain).
        min_confidence : float, default 0.0
            Minimum probability of being a translation.
        rarer : bool, default False
            Keep pairs that are significantly rarer in the domain than in the rest (p < 0.05, a
            log-likelihood ratio below -3.84).

        Returns
        -------
        Entries

        Raises
        ------
        UsageError
            If the domain or ``sort`` is unknown, ``top`` is negative, or ``sort`` is "special" for
            the whole text.
        """
        number = self.domain_number(domain)
        check_list(sort, top, number)
        column = 1 + number
        count, sides = self.counts[:, column], (self.source_counts, self.target_counts)
        strength = mutual_strength(count, *(side[:, column] for side in sides))
        special = None if number < 0 else self.specificity(number)
        likely = self.confidence * strength
        score = {
            "best": likely if special is None else likely * np.maximum(special, 0.0),
            "confidence": self.confidence,
            "special": special,
            "count": count,
        }[sort]
        assert score is not None
        rows = np.lexsort((-likely, -score))
        kept = (count >= _LEAST) & (np.round(count, 1) >= min_count)
        kept &= self.confidence >= min_confidence
        llr = None if number < 0 else self.log_likelihood_ratio(number)
        if llr is not None and not rarer:
            kept &= llr >= -_CHANCE
        rows = rows[kept[rows]][: top or None]
        return Entries(
            number,
            domain,
            rows,
            self.source,
            self.target,
            self.confidence[rows],
            None if special is None else special[rows],
            None if llr is None else llr[rows],
            count[rows],
            sides[0][rows, column],
            sides[1][rows, column],
            self.counts[rows, 0],
        )

    def table_columns(self) -> dict[str, Column]:
        """Return columns with one row per pair, and its counts in each domain.

        Returns
        -------
        dict of str to column
            ``count.NAME`` and ``special.NAME``, see :meth:`specificity`, for each domain.
        """
        columns: dict[str, Column] = {
            "source": phrase_texts(self.source),
            "target": phrase_texts(self.target),
            "confidence": self.confidence,
            "count": self.counts[:, 0],
            "source_count": self.source_counts[:, 0],
            "target_count": self.target_counts[:, 0],
        }
        for number, name in enumerate(self.domains):
            columns[f"count.{name}"] = self.counts[:, 1 + number]
            columns[f"special.{name}"] = self.specificity(number)
        return columns

    def examples(self, entries: Entries, number: int) -> list[list[Example]]:
        """Find sentence pairs that contain each entry, those with the surest links first.

        Parameters
        ----------
        entries : Entries
            Entries of this dictionary.
        number : int
            Maximum per entry.

        Returns
        -------
        list of list of Example
            A list per entry.

        Raises
        ------
        UsageError
            If the dictionary was loaded, so that it has no text.
        """
        return self.examples_of([entries], number)[0]

    def examples_of(self, lists: Sequence[Entries], number: int) -> list[list[list[Example]]]:
        """Find examples for several lists of entries, in one pass over the text.

        Parameters
        ----------
        lists : sequence of Entries
        number : int
            Maximum per entry.

        Returns
        -------
        list of list of list of Example
            What :meth:`examples` returns, for each list.

        Raises
        ------
        UsageError
            If the dictionary was loaded, and so has no text.
        """
        if self.origin is None:
            raise UsageError(
                "the dictionary has no text; only a newly extracted dictionary gives examples"
            )
        return find_examples(self.origin, [(one.rows, one.domain) for one in lists], number)
