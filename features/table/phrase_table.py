"""PhraseTable: translation rules with scores, read from files and written to them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from isogloss.align.errors import DataError
from isogloss.align.sparse_rows import Ragged

from .formats import MOSES, TableFormat
from .reading import read_rules
from .rules import Rules
from .write_blocks import write_blocks

__all__ = ["LOWEST_LOG", "PhraseTable", "RuleEntry"]

LOWEST_LOG = -100.0  # what the logarithm of a score of 0 counts as, as in Moses

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


@dataclass(frozen=True, repr=False)
class PhraseTable(Rules):
    """Translation rules, a whole table or a block of one; see :class:`Rules` for its columns.

    ``len(table)`` is the number of rules, ``table[0]`` the first one, and iteration gives one
    after the other as :class:`RuleEntry`; programs that look at many rules use the columns.
    """

    @classmethod
    def read(
        cls,
        path: str | Path,
        *,
        sources: frozenset[str] | None = None,
        limit: int = 0,
        format: TableFormat = MOSES,
        keep_text: bool = True,
    ) -> "PhraseTable":
        """Read a whole phrase table, plain or compressed, into memory.

        With ``sources`` only rules whose source phrase is in it are kept (see :func:`phrases_of`);
        with ``limit`` at most so many per source phrase, the highest p(e|f) first (third score).
        ``keep_text`` keeps the lines, so that what isn't changed is written as it stands: some 200
        bytes per rule.

        Raises DataError naming the line for a wrong number of fields or scores, a bad number, a
        score that has no logarithm, a link outside of the phrases, a rule that comes twice, a line
        of more than 16 MiB; UsageError for a limit below 0.
        """
        return read_rules(
            cls, path, sources=sources, limit=limit, format=format, keep_text=keep_text
        )

    def write(
        self,
        path: str | Path,
        *,
        format: TableFormat = MOSES,
        bins: Sequence[str] | None = None,
    ) -> None:
        """Write the table (compressed by its suffix) and the sidecar with the names of its scores.

        bins: the lines of its file of bins; without them, that of an older table goes with it

        Raises DataError where its source phrases are out of order (:func:`sort_rules` helps), for a
        score below 0, or where there is no rule; OutputError where it can't be written.
        """
        write_blocks([self], path, format=format, bins=bins)

    def rule_counts(self, remedy: str) -> NDArray[np.float64]:
        """c(f, e) of each rule: float64[num_rules], above 0.

        Raises DataError with this remedy for a rule without count.
        """
        counts: NDArray[np.float64] = self.counts[:, 2]
        missing = ~(counts > 0.0)
        if missing.any():
            number = int(np.argmax(missing))
            rule = self[number]
            raise DataError(
                f"the rule {rule.source!r} ||| {rule.target!r} with a count of {counts[number]:g}",
                "c(e) c(f) c(f, e) of each rule, above 0",
                remedy=remedy,
            )
        return counts

    def __getitem__(self, rule: int) -> RuleEntry:
        """One rule. Raises IndexError where there is no such rule."""
        if not -len(self) <= rule < len(self):
            raise IndexError(f"rule {rule} of {len(self)}")
        return self._entry(rule % len(self))

    def __iter__(self) -> Iterator[RuleEntry]:
        return map(self._entry, range(len(self)))

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
