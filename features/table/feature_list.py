"""The features of a table: how many rules have each, and files to begin tuning or decoding with."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from align.files.outputs import real_path
from align.files.writers import write_lines

from .phrase_table import PhraseTable

__all__ = ["FEATURE_LIMIT", "FeatureList", "exported_files"]

FEATURE_LIMIT = 1_000_000
_DENSE_WEIGHT = 0.2  # what Moses begins tuning with
_NAME = "TranslationModel0"  # Moses' name for the table
_OTHERS = "(others)"
_COUNTS, _WEIGHTS, _MOSES_INI = "features.tsv", "weights.txt", "moses.ini"
_SPARSE_WEIGHTS = "sparse-weights.txt"


def exported_files(folder: str | Path) -> list[Path]:
    """The files that :meth:`FeatureList.export` may write into a folder."""
    return [Path(folder) / name for name in (_COUNTS, _WEIGHTS, _MOSES_INI, _SPARSE_WEIGHTS)]


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
        yield from (f"{name}\t{self._sparse[name]}" for name in sorted(self._sparse))
        if self._others:
            yield f"{_OTHERS}\t{self._others}"

    def weights(self) -> Iterator[str]:
        """``NAME value`` lines to begin tuning with: scores 0.2, as in Moses, sparse ones 0."""
        yield from (f"{name} {_DENSE_WEIGHT}" for name in self.score_names)
        yield from (f"{name} 0" for name in sorted(self._sparse))

    def moses_ini(self, table: str | Path, sparse_weights: str | Path) -> Iterator[str]:
        """The lines of moses.ini that are about the table."""
        scores = len(self.score_names)
        yield f"# scores in their order: {' '.join(self.score_names)}"
        yield "[feature]"
        yield (
            f"PhraseDictionaryMemory name={_NAME} num-features={scores} path={table} "
            "input-factor=0 output-factor=0"
        )
        yield ""
        yield "[weight]"
        yield f"{_NAME}= {' '.join([str(_DENSE_WEIGHT)] * scores)}"
        if self._sparse:
            yield ""
            yield "# weights of sparse features"
            yield "[weight-file]"
            yield str(sparse_weights)

    def export(self, folder: str | Path, table: str | Path) -> None:
        """Write features.tsv, weights.txt and moses.ini into a folder.

        Where there are sparse features, sparse-weights.txt has their names as Moses has them.

        Raises OutputError where they can't be written.
        """
        folder = Path(folder)
        sparse_weights = folder / _SPARSE_WEIGHTS
        write_lines(self.lines(), folder / _COUNTS)
        write_lines(self.weights(), folder / _WEIGHTS)
        write_lines(
            self.moses_ini(real_path(table), real_path(sparse_weights)), folder / _MOSES_INI
        )
        if self._sparse:
            write_lines((f"{_NAME}_{name} 0" for name in sorted(self._sparse)), sparse_weights)
