"""PhraseTable: translation rules with scores, read from files and written to them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.errors import (
    DataError,
    UnknownNameError,
    check_argument,
    check_path,
    pluralize,
)
from isogloss.align.execution.calls import ExplainedClass, public
from isogloss.align.files.outputs import check_unused
from isogloss.align.files.tables.columns import Column, NamedNumbers, ValueLists
from isogloss.align.files.tables.html import html_table
from isogloss.align.files.tables.tabular import Tabular

from .formats import MOSES, TableFormat
from .phrases import phrase_texts
from .reading import read_rules
from .rules import Rules
from .write_blocks import write_blocks

__all__ = ["LOWEST_LOG", "PhraseTable", "RuleEntry"]

LOWEST_LOG = -100.0  # what the logarithm of a score of 0 counts as, as in Moses

_ROWS = 10  # of a table in a notebook
_SHOWN_RULES, _SHOWN_SCORES = 3, 8  # of a table in a repr


class RuleEntry(NamedTuple):
    """One rule of a table.

    source, target: its phrases, a blank between words
    scores: by name; features: values of its sparse features by name
    links: phrase-internal links, positions in source and target from 0
    counts: c(e), c(f), c(f, e); 0 where the table has none
    """

    source: str
    target: str
    scores: dict[str, float]
    features: dict[str, float]
    links: tuple[tuple[int, int], ...]
    counts: tuple[float, ...]

    def __str__(self) -> str:
        """``source ||| target ||| scores ||| sparse features``."""
        fields = [self.source, self.target, " ".join(f"{x:.6g}" for x in self.scores.values())]
        if self.features:
            fields.append(" ".join(f"{name}={x:g}" for name, x in self.features.items()))
        return " ||| ".join(fields)


@public
@dataclass(frozen=True, eq=False, repr=False)
class PhraseTable(Rules, Tabular, metaclass=ExplainedClass):
    """Translation rules with their scores: a whole table, or a block of one.

    ``len(table)`` is the number of rules, ``table[0]`` is the first one, and ``table["the house"]``
    are the rules of a source phrase. Iteration yields :class:`RuleEntry` objects; arrays are faster
    for many rules.

    Parameters
    ----------
    source, target : Corpus
        Distinct phrases of each side.
    rule_source, rule_target : ndarray of int32, shape (n_rules,)
        Phrase numbers. Rules are sorted by source phrase, and in files by the bytes of
        ``source ||| target |||``.
    scores : ndarray of float64, shape (n_rules, n_scores)
        Probabilities, or other values whose logarithms are features.
    score_names : tuple of str
        Names without underscores.
    links : Ragged
        Links within each rule; id = source position * 256 + target position.
    counts : ndarray of float64, shape (n_rules, 3)
        c(e), c(f) and c(f, e); 0 if the file has none.
    sparse : Ragged
        Sparse features; ids index ``sparse_names``.
    sparse_names : tuple of str
        Names with underscores.
    properties : ndarray of str, shape (n_rules,), optional
        Text after the sparse features in the file.
    origin : Origin, optional
        Lines that the rules were read from.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp()) / "table"
    >>> _ = path.write_text("the house ||| la casa ||| 0.5 0.25 1 0.25 ||| 0-0 1-1\\n")
    >>> table = PhraseTable.load(path)
    >>> [(rule.target, rule.scores["p(e|f)"]) for rule in table["the house"]]
    [('la casa', 1.0)]
    >>> len(table), "house" in table
    (1, False)
    """

    @classmethod
    def load(
        cls,
        path: str | Path,
        *,
        sources: frozenset[str] | None = None,
        table_limit: int = 0,
        format: TableFormat = MOSES,
        keep_text: bool = True,
    ) -> "PhraseTable":
        """Read a whole phrase table, plain or compressed, into memory.

        Files have six significant digits, so a table that was saved and is loaded again is not
        equal (``==``) to one whose scores have more.

        Parameters
        ----------
        path : str or Path
        sources : frozenset of str, optional
            Source phrases whose rules are kept (see :func:`phrases_of`); default: all.
        table_limit : int, default 0
            Rules of a source phrase that are kept, the highest p(e|f) first (third score); 0 keeps
            all.
        format : TableFormat, default MOSES
        keep_text : bool, default True
            Keep the lines, so that what isn't changed is written as it is: some 200 bytes per rule.

        Returns
        -------
        PhraseTable

        Raises
        ------
        DataError
            If a line has a wrong number of fields or scores, a bad number, a score that has no
            logarithm, a link outside of the phrases, a rule that comes twice, or over 16 MiB.
        UsageError
            If ``table_limit`` is below 0.
        """
        check_path(path)
        return read_rules(
            cls, path, sources=sources, table_limit=table_limit, format=format, keep_text=keep_text
        )

    def save(
        self,
        path: str | Path,
        *,
        overwrite: bool | None = None,
        format: TableFormat = MOSES,
        bins: Sequence[str] | None = None,
    ) -> None:
        """Write the table and the file with the names of its scores.

        Numbers are written as Moses writes them, with six significant digits, so scores are rounded
        when the file is loaded. Lines that were read and not changed are written as they were.

        Parameters
        ----------
        path : str or Path
            Compressed by its ending, such as ``table.gz``.
        overwrite : bool, optional
            Whether an existing file or folder is replaced, or else an error. Default: a file is
            replaced, a folder is an error.
        format : TableFormat, default MOSES
        bins : list of str, optional
            Lines of its file of bins; default: the file of an older table is removed.

        Raises
        ------
        ModelError
            If the path exists and may not be replaced.
        DataError
            If source phrases are out of order (:func:`sort_rules` helps), a score is below 0, or
            there is no rule.
        OutputError
            If it can't be written.
        """
        check_unused(path, overwrite)
        write_blocks([self], path, format=format, bins=bins)

    def rule_counts(self, remedy: str) -> NDArray[np.float64]:
        """Return the joint count c(f, e) of each rule.

        Parameters
        ----------
        remedy : str
            Advice in the error message.

        Returns
        -------
        ndarray of float64, shape (n_rules,)
            Above 0.

        Raises
        ------
        DataError
            If a rule has no count.
        """
        counts: NDArray[np.float64] = self.counts[:, 2]
        missing = ~(counts > 0.0)
        if missing.any():
            number = int(np.argmax(missing))
            rule = self[number]
            raise DataError(
                f"the rule {rule.source!r} ||| {rule.target!r} has a count of {counts[number]:g}",
                "counts c(e) c(f) c(f, e) above 0",
                remedy=remedy,
            )
        return counts

    @overload
    def __getitem__(self, rule: int) -> RuleEntry: ...

    @overload
    def __getitem__(self, rule: str | slice) -> list[RuleEntry]: ...

    def __getitem__(self, rule: int | str | slice) -> RuleEntry | list[RuleEntry]:
        """One rule by its number, the rules of a source phrase, or those of a slice.

        Raises IndexError where there is no such rule, KeyError where there is none of the phrase.
        """
        if isinstance(rule, str):
            rules = self._rules_of(rule)
            if not len(rules):
                raise UnknownNameError(f"the table has no rule for the source phrase {rule!r}")
            return [self._entry(number) for number in rules.tolist()]
        if isinstance(rule, slice):
            return [self._entry(number) for number in range(*rule.indices(len(self)))]
        what = "the number of a rule or a source phrase"
        check_argument(rule, (int, np.integer), "the index of a table", what, "' '.join(words)")
        if not -len(self) <= rule < len(self):
            raise IndexError(
                f"rule {rule} is out of range: the table has {pluralize(len(self), 'rule')}"
            )
        return self._entry(rule % len(self))

    def __contains__(self, rule: object) -> bool:
        """Whether there is a rule of a source phrase, or one that equals a :class:`RuleEntry`."""
        if isinstance(rule, str):
            return len(self._rules_of(rule)) > 0
        return isinstance(rule, RuleEntry) and rule in (
            self._entry(number) for number in self._rules_of(rule.source).tolist()
        )

    def __iter__(self) -> Iterator[RuleEntry]:
        return map(self._entry, range(len(self)))

    def table_columns(self) -> dict[str, Column]:
        """Return the columns of a data frame, one row per rule.

        Returns
        -------
        dict
            source, target, the scores by name, the counts c(e), c(f) and c(f,e), and sparse
            features if there are any.
        """
        names = (*self.score_names, "c(e)", "c(f)", "c(f,e)")
        values = np.ascontiguousarray(np.concatenate([self.scores, self.counts], axis=1).T)
        columns: dict[str, Column] = {
            "source": NamedNumbers(self.rule_source, phrase_texts(self.source)),
            "target": NamedNumbers(self.rule_target, phrase_texts(self.target)),
            **dict(zip(names, values, strict=True)),
        }
        if self.sparse_names:
            ids = NamedNumbers(self.sparse.ids, self.sparse_names)
            values = self.sparse.values.astype(np.float32)
            columns["features"] = ValueLists(ids, values, self.sparse.offsets)
        return columns

    def _rules_of(self, phrase: str) -> NDArray[np.int64]:
        """Numbers of the rules of a source phrase."""
        words = self.source.vocabulary.encode(phrase.split(" ")).tolist()
        offsets = self.source.offsets
        rows = np.flatnonzero(np.diff(offsets) == len(words))
        for place, word in enumerate(words):
            rows = (
                rows[self.source.tokens[offsets[rows] + place] == word] if word >= 0 else rows[:0]
            )
        return np.flatnonzero(np.isin(self.rule_source, rows))

    def _repr_html_(self) -> str:
        rows = [(one.source, one.target, *one.scores.values()) for one in self[:_ROWS]]
        header = ("source", "target", *self.score_names)
        title = f"PhraseTable: {len(self):,} rules, {len(self.sparse_names):,} sparse features"
        return html_table(title, header, rows, len(self) - len(rows))

    def __repr__(self) -> str:
        names = [*self.score_names[:_SHOWN_SCORES]]
        names += ["..."] * (len(self.score_names) > _SHOWN_SCORES)
        sizes = (
            f"{len(self):,} rule{'s' * (len(self) != 1)}, {len(self.source):,} source and "
            f"{len(self.target):,} target phrases, scores {' '.join(names) or '(none)'}, "
            f"{len(self.sparse_names):,} sparse features"
        )
        shown = [f"\n  {self._entry(rule)}" for rule in range(min(len(self), _SHOWN_RULES))]
        shown += ["\n  ..."] * (len(self) > _SHOWN_RULES)
        return f"PhraseTable({sizes}){':' * bool(shown)}{''.join(shown)}"

    def _entry(self, rule: int) -> RuleEntry:
        features: dict[str, float] = {}
        for number, value in _entries_of(self.sparse, rule):
            name = self.sparse_names[number]
            features[name] = features.get(name, 0.0) + value
        return RuleEntry(
            " ".join(self.source.words(int(self.rule_source[rule]))),
            " ".join(self.target.words(int(self.rule_target[rule]))),
            dict(zip(self.score_names, self.scores[rule].tolist(), strict=True)),
            features,
            tuple((link >> 8, link & 255) for link, _ in _entries_of(self.links, rule)),
            tuple(self.counts[rule].tolist()),
        )


def _entries_of(rows: Ragged, row: int) -> Iterator[tuple[int, float]]:
    part = rows.part(row, row + 1)
    return zip(part.ids.tolist(), part.values.tolist(), strict=True)
