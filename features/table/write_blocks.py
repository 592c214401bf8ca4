"""Rules as lines of Moses text, written by a kernel a block at a time."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from align.kernels.simd import BLOCK
from align.ragged import offsets_of
from align.text.vocabulary import Vocabulary

from .kernels.formatting import rule_sizes, write_rules
from .phrase_table import PhraseTable, format_rules

__all__ = ["RuleFormatter"]

_RULES = 1 << 14  # rules formatted at a time; bounds memory


class _Fields(NamedTuple):
    """What follows the phrases; see ``write_rules``."""

    scores: NDArray[np.float64]
    links: tuple[NDArray[np.int32], NDArray[np.int64]]
    counts: NDArray[np.float64]
    whole: bool


def _words(vocabulary: Vocabulary) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """The words' bytes one after the other, and where each begins."""
    texts = [word.encode() for word in vocabulary.words]
    bounds = offsets_of([len(text) for text in texts])
    return np.frombuffer(b"".join([*texts, bytes(BLOCK)]), np.uint8), bounds


class RuleFormatter:
    """Writes rules whose phrases are of two vocabularies."""

    def __init__(self, source: Vocabulary, target: Vocabulary) -> None:
        self._words = _words(source), _words(target)

    @classmethod
    def of(cls, table: PhraseTable) -> "RuleFormatter":
        """For a table, and others of the same vocabularies."""
        return cls(table.source.vocabulary, table.target.vocabulary)

    def rules(self, table: PhraseTable) -> Iterator[bytes]:
        """``source ||| target ||| scores ||| links ||| counts ||| sparse |||``, whole lines.

        Numbers have six significant digits, as in Moses. Rules with sparse features are put
        together by :func:`format_rules`, ten times slower.
        """
        if table.sparse_names or table.properties is not None:
            return (line.encode() + b"\n" for line in format_rules(table))
        links = table.links.ids, table.links.offsets
        rules = table.rule_source, table.rule_target
        scores = np.ascontiguousarray(table.scores)
        return self._lines(table, rules, _Fields(scores, links, table.counts, True))

    def reordering(
        self, table: PhraseTable, scores: NDArray[np.float64], *, with_target: bool = True
    ) -> Iterator[bytes]:
        """Lines of a reordering table: ``source ||| target ||| scores``, or ``source ||| scores``.

        scores: float64[num_rules, k]; without target float64[num_source_phrases, k]
        """
        rules = table.rule_source, table.rule_target
        if not with_target:
            rules = np.arange(len(table.source), dtype=np.int32), np.zeros(0, np.int32)
        number = len(rules[0])
        links = np.zeros(0, np.int32), np.zeros(number + 1, np.int64)
        scores = np.ascontiguousarray(scores)
        return self._lines(table, rules, _Fields(scores, links, np.zeros((number, 0)), False))

    def _lines(
        self,
        table: PhraseTable,
        rules: tuple[NDArray[np.int32], NDArray[np.int32]],
        fields: _Fields,
    ) -> Iterator[bytes]:
        source, target = ((side.tokens, side.offsets) for side in (table.source, table.target))
        sizes = np.empty(len(rules[0]), np.int64)
        rule_sizes(rules, source, target, self._words, tuple(fields), sizes)
        for first in range(0, len(sizes), _RULES):
            last = min(first + _RULES, len(sizes))
            out = np.empty(sizes[first:last].sum() + BLOCK, np.uint8)
            size = write_rules(rules, first, last, source, target, self._words, tuple(fields), out)
            yield out[:size].tobytes()
