"""The features of a table, and how many rules have each."""

from collections.abc import Iterable, Iterator

import numpy as np

from .phrase_table import PhraseTable

__all__ = ["FEATURE_LIMIT", "FeatureList"]

FEATURE_LIMIT = 1_000_000
_OTHERS = "(others)"


class FeatureList:
    """Counts how often each feature is there while blocks go by.

    Memory is that of the sparse names, of which only the first ``limit`` are told apart: PT, an
    indicator per rule, has as many as there are rules.
    """

    def __init__(self, limit: int = FEATURE_LIMIT) -> None:
        self._limit = limit
        self._sparse: dict[str, int] = {}
        self._others = 0
        self.score_names: tuple[str, ...] = ()
        self.num_rules = 0

    def watch(self, blocks: Iterable[PhraseTable]) -> Iterator[PhraseTable]:
        """The same blocks, counted."""
        for block in blocks:
            self.add(block)
            yield block

    def add(self, block: PhraseTable) -> None:
        """Count the features of a block's rules."""
        self.score_names = block.score_names
        self.num_rules += len(block)
        numbers = np.bincount(block.sparse.ids, minlength=len(block.sparse_names)).tolist()
        counts = self._sparse
        for name, number in zip(block.sparse_names, numbers, strict=True):
            if name in counts:
                counts[name] += number
            elif len(counts) < self._limit:
                counts[name] = number
            else:
                self._others += number

    @property
    def shown_size(self) -> str:
        """Number of sparse features, with a word where there are more than are told apart."""
        return f"{'more than ' * bool(self._others)}{len(self._sparse)}"

    def lines(self) -> Iterator[str]:
        """``NAME<TAB>number of rules``: scores in the table's order, then sparse ones by name."""
        yield from (f"{name}\t{self.num_rules}" for name in self.score_names)
        yield from (f"{name}\t{self._sparse[name]}" for name in self.sparse_names)
        if self._others:
            yield f"{_OTHERS}\t{self._others}"

    @property
    def sparse_names(self) -> list[str]:
        """Names of the sparse features that are told apart, sorted."""
        return sorted(self._sparse)
