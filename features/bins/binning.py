"""Discretized features: a real-valued score becomes indicators of its bins.

Clark, Dyer & Lavie (2014), sections 3.1, 3.2 and 4.1. What a table needs to be discretized is
learned once, as a stream of blocks, and then applied to any table, block by block.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.errors import DataError, OptionError, UsageError
from isogloss.align.execution.calls import ExplainedClass, public
from isogloss.align.files.outputs import check_unused
from isogloss.align.files.records import conform, parse_json
from isogloss.align.files.text_io import LONGEST_DOCUMENT, read_lines
from isogloss.align.files.writers import write_lines

from ..table.columns import as_written
from ..table.phrase_table import LOWEST_LOG, PhraseTable
from ..table.sidecar import bins_file, stored_bins
from .histogram import Histogram, check_finite
from .indicators import Indicators, indicators_of
from .rule_use import rule_text
from .specs import BinSpec, check_scores, parse_bin_spec
from .stored import VERSION, Format, StoredBins, Version, from_stored, stored_content
from .uniform import Bins, histogram_bins, uniform_population_bins

__all__ = [
    "POPULATIONS",
    "BinSpec",
    "Binning",
    "Bins",
    "Population",
    "bins_file",
    "bins_lines",
    "bins_of",
    "parse_bin_spec",
    "uniform_population_bins",
]

# rules: each rule of the table once; tokens: as often as it was extracted, c(f, e); a function
# gives float64[num_rules], 0 or more, for the rules of a block
Population = Literal["rules", "tokens"] | Callable[[PhraseTable], NDArray[np.float64]]
POPULATIONS = ("rules", "tokens")


@public
@dataclass(frozen=True, repr=False)
class Binning(metaclass=ExplainedClass):
    """Bins of the scores of a table, to discretize this and other tables [1]_.

    Parameters
    ----------
    specs : tuple of BinSpec
        How each score is discretized.
    bins : tuple of Bins
        Bins of each score.
    population : str, default "rules"
        What the bins were learned from: "rules", "tokens", or "given" for a function.

    References
    ----------
    .. [1] Clark, Dyer and Lavie (2014), "Locally non-linear learning for statistical machine
       translation via discretization and structured regularization", TACL 2.

    Examples
    --------
    >>> import isogloss as ig
    >>> bitext = ig.Bitext.from_pairs([("the house", "la casa"), ("the book", "el libro")])
    >>> table = ig.extract(bitext, ig.Links.from_pairs([[(0, 0), (1, 1)]] * 2))
    >>> ig.Binning.fit(table, ["p(e|f):1"])
    Binning(p(e|f) in 2 bins; population: rules)
    """

    specs: tuple[BinSpec, ...]
    bins: tuple[Bins, ...]
    population: str = "rules"

    def __post_init__(self) -> None:
        if len(self.specs) != len(self.bins):
            raise ValueError("there must be bins for each specification")
        check_scores(self.specs)

    def __repr__(self) -> str:
        pairs = zip(self.specs, self.bins, strict=True)
        scores = ", ".join(
            f"{spec.name} in {len(bins):,} bin{'s' * (len(bins) != 1)}" for spec, bins in pairs
        )
        return f"Binning({scores or 'no score'}; population: {self.population})"

    @classmethod
    def fit(
        cls,
        blocks: PhraseTable | Iterable[PhraseTable],
        specs: Sequence[str | BinSpec],
        *,
        population: Population = "rules",
    ) -> Self:
        """Learn bins of uniform population from a table.

        Memory holds one block, and 16 to 32 bytes per distinct value of each score.

        Parameters
        ----------
        blocks : PhraseTable or iterable of PhraseTable
            The table, whole or in blocks.
        specs : sequence of str or BinSpec
            Scores to discretize, such as ``"p(e|f):4"`` for 2^4 bins.
        population : {"rules", "tokens"} or callable, default "rules"
            Count each rule once, or as often as it was extracted, c(f, e). A function returns the
            weight of each rule of a block, such as
            :class:`isogloss.features.bins.rule_use.RuleUse`. Rules of weight 0 don't count.

        Returns
        -------
        Binning

        Raises
        ------
        UsageError
            If a specification or the population is malformed, or a score is unknown or comes twice.
        DataError
            If no rule has a weight above 0, or a weight is negative or not finite.
        """
        if not callable(population) and population not in POPULATIONS:
            expected = f"{', '.join(POPULATIONS)} or a function"
            raise OptionError("population", expected, population)
        wanted = tuple(parse_bin_spec(spec) if isinstance(spec, str) else spec for spec in specs)
        check_scores(wanted)
        histograms = [Histogram() for _ in wanted]
        for block in (blocks,) if isinstance(blocks, PhraseTable) else blocks:
            weights = _rule_weights(block, population)
            for spec, histogram in zip(wanted, histograms, strict=True):
                histogram.add(_scores(block, _column(block, spec.name)), weights)
        if any(not len(histogram.distinct()[0]) for histogram in histograms):
            raise _no_population(population)
        bins = [histogram_bins(h, spec.bits) for h, spec in zip(histograms, wanted, strict=True)]
        return cls(wanted, tuple(bins), "given" if callable(population) else population)

    @cached_property
    def _features(self) -> tuple[tuple[Indicators, ...], ...]:
        pairs = zip(self.specs, self.bins, strict=True)
        return tuple(tuple(indicators_of(spec, len(bins))) for spec, bins in pairs)

    @cached_property
    def feature_names(self) -> tuple[str, ...]:
        """Names of all sparse features, sorted by score and bin."""
        return tuple(name for score in self._features for kind in score for name in kind.names)

    def number(self, name: str) -> int:
        """Return the index of a score in ``specs`` and ``bins``.

        Parameters
        ----------
        name : str
            Raises UsageError for an unknown score.

        Returns
        -------
        int
        """
        names = [spec.name for spec in self.specs]
        if name not in names:
            raise UsageError(f"unknown score {name!r}; this binning has {', '.join(names)}")
        return names.index(name)

    def names_of(self, name: str) -> list[str]:
        """Return the names of the features of a score.

        Parameters
        ----------
        name : str
            Raises UsageError for an unknown score.

        Returns
        -------
        list of str
        """
        return [feature for kind in self._features[self.number(name)] for feature in kind.names]

    def indicators(self, name: str) -> list[tuple[tuple[str, ...], Ragged]]:
        """Return the features of a score by kind, with the ones that each bin fires.

        Parameters
        ----------
        name : str
            Raises UsageError for an unknown score.

        Returns
        -------
        list of (tuple of str, Ragged)
        """
        kinds = self._features[self.number(name)]
        return [(kind.names, kind.rows(np.arange(len(kind.lower)))) for kind in kinds]

    def apply(self, table: PhraseTable) -> PhraseTable:
        """Replace the scores of a table by indicator features of their bins.

        Scores stay if their specification says ``keep``. Values outside the range of the training
        table fall into the first or last bin.

        Parameters
        ----------
        table : PhraseTable
            A table, or a block of one.

        Returns
        -------
        PhraseTable

        Raises
        ------
        UsageError
            If the table lacks a score, or has one of the features already.
        """
        columns = [_column(table, spec.name) for spec in self.specs]
        present = set(table.sparse_names).intersection(self.feature_names)
        if present:
            raise UsageError(f"the table already has {min(present)}; discretize each score once")
        result, names = Ragged.empty(len(table)), 0
        for column, bins, kinds in zip(columns, self.bins, self._features, strict=True):
            numbers = bins.assign(_scores(table, column))
            for kind in kinds:
                result = result.hstack(kind.rows(numbers), names)
                names += len(kind.names)
        gone = {column for column, spec in zip(columns, self.specs, strict=True) if not spec.keep}
        rest = [k for k in range(len(table.score_names)) if k not in gone]
        return replace(
            table.with_sparse(self.feature_names, result),
            scores=table.scores[:, rest],
            score_names=tuple(table.score_names[k] for k in rest),
        )

    def weights(self, of_scores: Mapping[str, float]) -> dict[str, float]:
        """Compute initial weights of bin features, to score about as the log scores did.

        A bin gets the weight of its score times the log of the bin's median. A window gets the mean
        over its bins, each divided by the number of features that fire for its values.

        Parameters
        ----------
        of_scores : mapping of str to float
            Weights of log scores. Scores that are kept, or have no bins, are skipped.

        Returns
        -------
        dict of float
        """
        result: dict[str, float] = {}
        for spec, bins, kinds in zip(self.specs, self.bins, self._features, strict=True):
            if spec.keep or spec.name not in of_scores:
                continue
            logs = np.log(np.maximum(bins.median, np.exp(LOWEST_LOG)))
            added = of_scores[spec.name] * logs / len(kinds)
            for kind in kinds:
                shares = added / (kind.upper - kind.lower + 1)
                means = kind.means(shares)
                result |= zip(kind.names, means.tolist(), strict=True)
        return result

    def merge(self, other: "Binning | None") -> "Binning":
        """Add the bins of the scores that only another binning has.

        Parameters
        ----------
        other : Binning or None
            None adds nothing. If the populations differ, the result's is "given".

        Returns
        -------
        Binning
        """
        if other is None:
            return self
        own = {spec.name for spec in self.specs}
        pairs = zip(other.specs, other.bins, strict=True)
        others = [(spec, bins) for spec, bins in pairs if spec.name not in own]
        population = self.population if self.population == other.population else "given"
        return Binning(
            (*self.specs, *(spec for spec, _ in others)),
            (*self.bins, *(bins for _, bins in others)),
            population,
        )

    def to_json(self) -> dict[str, object]:
        """Return the bins as an object of JSON."""
        return stored_content(self.specs, self.bins, self.population)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Read bins that :meth:`save` has written.

        Parameters
        ----------
        path : str or Path
            A file of JSON, such as ``TABLE.bins.json`` beside a table.

        Returns
        -------
        Binning

        Raises
        ------
        DataError
            If the file holds anything else.

        Examples
        --------
        >>> from tempfile import mkdtemp
        >>> path = f"{mkdtemp()}/bins.json"
        >>> Binning((), ()).save(path)
        >>> Binning.load(path)
        Binning(no score; population: rules)
        """
        try:
            content = parse_json("\n".join(read_lines(path, longest=LONGEST_DOCUMENT)))
        except DataError as error:
            raise _no_bins(error, path) from error
        return cls.from_json(content, path)

    def save(self, path: str | Path | None, *, overwrite: bool | None = None) -> None:
        """Write the bins as JSON, one score per line.

        Parameters
        ----------
        path : str, Path or None
            None and ``-`` are standard output.
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
        write_lines(bins_lines(self), path)

    @classmethod
    def from_json(cls, content: object, file: str | Path | None = None) -> Self:
        """Make a binning of what :meth:`to_json` returns.

        Parameters
        ----------
        content : dict
        file : str or Path, optional
            File that the error names.

        Returns
        -------
        Binning

        Raises
        ------
        DataError
            If the content is anything else.
        """
        try:
            format: str = conform(content, Format).format
            if format != "isogloss bins":
                raise ValueError(f"the format is {format!r}")
            version = conform(content, Version).version
            if version == VERSION:
                scores: StoredBins = conform(content, StoredBins)
                pairs = [from_stored(score) for score in scores.scores]
                specs, bins = tuple(spec for spec, _ in pairs), tuple(part for _, part in pairs)
                return cls(specs, bins, scores.population)
        except (ValueError, DataError, UsageError) as error:
            raise _no_bins(error, file) from error
        raise DataError(
            f"the bins have version {version!r}",
            f"version {VERSION}",
            file=file,
            remedy="Learn the bins again: they were written by another version of isogloss",
        )


def _no_bins(error: Exception, file: str | Path | None) -> DataError:
    what = error.fault if isinstance(error, DataError) else str(error)
    return DataError(
        f"the JSON does not describe bins ({what})",
        f'{{"format": "isogloss bins", "version": {VERSION}, "population": ..., "scores": '
        '[{"name": ..., "bits": ..., "first": [...], ...}, ...]}',
        file=file,
    )


def _scores(table: PhraseTable, column: int) -> NDArray[np.float64]:
    """A score as the table's file holds it, or will, so that its bins are the same: float64[n]."""
    check_finite(table.scores[:, column])
    return as_written(table.scores[:, column])


def _column(table: PhraseTable, name: str) -> int:
    if name not in table.score_names:
        raise UsageError(f"unknown score {name!r}; the table has {', '.join(table.score_names)}")
    return table.score_names.index(name)


def _rule_weights(block: PhraseTable, population: Population) -> NDArray[np.float64]:
    """Weight of each rule of a block: float64[num_rules]."""
    if population == "rules":
        return np.ones(len(block))
    weights = population(block) if callable(population) else block.counts[:, 2]
    if weights.shape != (len(block),):
        raise ValueError("a population must return one weight per rule")
    bad = ~(np.isfinite(weights) & (weights >= 0.0))
    if bad.any():
        number = int(np.argmax(bad))
        rule = block[number]
        raise DataError(
            f"the count of the rule {rule_text(rule.source, rule.target)!r} is {weights[number]}",
            "0 or more",
        )
    return weights


def _no_population(population: Population) -> DataError:
    if population == "rules":
        return DataError("the phrase table is empty", "at least one rule to compute bins")
    return DataError(
        "no rule has a count above 0",
        "counts of rule use" if callable(population) else "c(f, e), the third count of each rule",
        remedy='Use `population="rules"`, which needs no counts',
    )


def bins_lines(binning: Binning) -> list[str]:
    """The lines of the file of bins: JSON, one score per line."""
    content = stored_content(binning.specs, binning.bins, binning.population)
    scores = [json.dumps(score, ensure_ascii=False) for score in content.pop("scores")]
    head = json.dumps(content, ensure_ascii=False).removesuffix("}")
    return [f'{head}, "scores": [', *",\n".join(scores).split("\n"), "]}"]


def bins_of(table: str | Path) -> Binning | None:
    """The bins in the file beside a table, or a folder of models; None if there is no such file."""
    file = stored_bins(table)
    return None if file is None else Binning.load(file)
