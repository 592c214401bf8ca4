"""RuleFormatter: lines of new rules by a kernel."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.ragged import offsets_of
from isogloss.align.kernels.simd import BLOCK
from isogloss.align.text.vocabulary import Vocabulary

from .formats import MOSES
from .kernels.formatting import REMEMBERED, NumberTexts, write_rules
from .rule_texts import check_scores
from .rules import Rules

__all__ = ["RuleFormatter"]

_RULES = 1 << 14  # rules formatted at a time
_BYTES = 1 << 20  # room for their lines; more where a single line takes more


class _Fields(NamedTuple):
    """The fields of a line after its phrases; see ``write_rules``."""

    scores: NDArray[np.float64]
    links: tuple[NDArray[np.int32], NDArray[np.int64]]
    counts: NDArray[np.float64]
    whole: bool


def _word_bytes(vocabulary: Vocabulary) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """The words' bytes one after the other, and where each begins."""
    texts = [word.encode(errors="backslashreplace") for word in vocabulary.words]
    bounds = offsets_of([len(text) for text in texts])
    return np.frombuffer(b"".join([*texts, bytes(BLOCK)]), np.uint8), bounds


class RuleFormatter:
    """Formats rules with a kernel: the bytes of :func:`format_rules`, ten times as fast.

    source, target: the vocabularies of their phrases
    """

    def __init__(self, source: Vocabulary, target: Vocabulary) -> None:
        self._vocabularies = source, target
        self._words = _word_bytes(source), _word_bytes(target)
        self._out = np.empty(_BYTES, np.uint8)
        self._numbers = NumberTexts(
            np.zeros(REMEMBERED, np.uint64), np.zeros(REMEMBERED, np.uint8),
            np.empty(REMEMBERED * BLOCK, np.uint8),
        )  # fmt: skip

    @classmethod
    def of(cls, table: Rules) -> "RuleFormatter":
        """A formatter for a table, and for others with the same vocabularies."""
        return cls(table.source.vocabulary, table.target.vocabulary)

    def suits(self, table: Rules) -> bool:
        """Whether the table has the vocabularies of this formatter."""
        source, target = self._vocabularies
        return table.source.vocabulary is source and table.target.vocabulary is target

    def rules(self, table: Rules) -> Iterator[bytes]:
        """``source ||| target ||| scores ||| links ||| counts ||| |||``, whole lines.

        Numbers have six significant digits, as in Moses. Raises DataError as
        :func:`format_rules` does.
        """
        check_scores(table)
        links = table.links.ids, table.links.offsets
        rules = table.rule_source, table.rule_target
        scores = np.ascontiguousarray(MOSES.scale.numbers(table.scores))
        return self._lines(table, rules, _Fields(scores, links, table.counts, True))

    def reordering(
        self, table: Rules, scores: NDArray[np.float64], *, with_target: bool = True
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
        table: Rules,
        rules: tuple[NDArray[np.int32], NDArray[np.int32]],
        fields: _Fields,
    ) -> Iterator[bytes]:
        source, target = ((side.tokens, side.offsets) for side in (table.source, table.target))
        longest = max(int(np.diff(bounds).max(initial=0)) for _, bounds in self._words)
        first, number = 0, len(rules[0])
        while first < number:
            span = first, min(first + _RULES, number), longest
            size, last = write_rules(
                rules, span, source, target, self._words, tuple(fields), self._numbers, self._out
            )
            if last == first:
                self._out = np.empty(2 * len(self._out), np.uint8)
            else:
                yield self._out[:size].tobytes()
            first = last
