"""How often each rule is used in a bitext, from counts made elsewhere."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from isogloss.align.errors import DataError
from isogloss.align.files.numerals import parse_number
from isogloss.align.files.text_io import FIELD_SEPARATOR, iter_lines, split_fields, split_tokens

from ..table.phrase_table import PhraseTable
from ..table.phrases import phrase_texts

__all__ = ["RuleUse", "read_rule_use", "rule_text"]


def rule_text(source: str, target: str) -> str:
    """A rule as text, for messages and files: ``source ||| target``."""
    return f"{source} {FIELD_SEPARATOR} {target}"


@dataclass(frozen=True)
class RuleUse:
    """Population of rules for :meth:`isogloss.features.bins.binning.Binning.fit`.

    counts: uses by rule, ``source ||| target``; rules that are not in it were not used
    """

    counts: Mapping[str, float]

    def __call__(self, table: PhraseTable) -> NDArray[np.float64]:
        """Uses of each rule of the table: float64[num_rules]."""
        source, target = phrase_texts(table.source), phrase_texts(table.target)
        pairs = zip(table.rule_source.tolist(), table.rule_target.tolist(), strict=True)
        uses = (self.counts.get(rule_text(source[j], target[i]), 0.0) for j, i in pairs)
        return np.fromiter(uses, np.float64, len(table))


def read_rule_use(path: str | Path) -> RuleUse:
    """Read ``source ||| target ||| count`` lines; counts of a rule that comes twice add up.

    Raises DataError naming the line for another number of fields and for a count that is not a
    number of 0 or more.
    """
    counts: dict[str, float] = {}
    for number, line in enumerate(iter_lines(path), start=1):
        fields = [" ".join(split_tokens(field)) for field in split_fields(line)]
        try:
            source, target, text = fields
            count = parse_number(text)
            if not (source and target and count >= 0.0):
                raise ValueError(text)
        except ValueError:
            raise DataError(
                f"the line {line[:120]!r} is malformed",
                "source ||| target ||| count",
                file=path,
                line=number,
            ) from None
        rule = rule_text(source, target)
        counts[rule] = counts.get(rule, 0.0) + count
    return RuleUse(counts)
