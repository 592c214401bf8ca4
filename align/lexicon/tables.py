"""LexicalTable: word translation probabilities of one direction; LexicalEntries: weighted pairs."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..files.tables.columns import Column, NamedNumbers
from ..files.tables.tabular import Tabular
from ..text.vocabulary import Vocabulary

__all__ = ["LexicalEntries", "LexicalTable", "conditional_entropy", "coverage", "word_entropies"]


@dataclass(frozen=True)
class LexicalTable(Tabular):
    """t(generated | given) for the pairs of types that were seen together.

    generated, given: int32[num_pairs], word ids
    probability: float32[num_pairs]; the entries of one given word sum to 1
    null: float32[num_generated_types], t(generated | NULL)
    direction: "s2t" where target words are generated from source words, "t2s" the other way
    """

    generated: NDArray[np.int32]
    given: NDArray[np.int32]
    probability: NDArray[np.float32]
    null: NDArray[np.float32]
    generated_vocabulary: Vocabulary
    given_vocabulary: Vocabulary
    direction: str

    def columns(
        self, minimum: float = 0.0, ratio: float = 0.0, null: bool = True
    ) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float32]]:
        """The entries as given int32[n], generated int32[n], probability float32[n].

        Those above ``minimum`` and not below ``ratio`` times the best of their given word; sorted
        by given word, most probable first, ties by generated word. The empty word (0) comes first,
        or is left out without ``null``.
        """
        of_null = np.arange(1, len(self.null), dtype=np.int32) if null else np.zeros(0, np.int32)
        given = np.concatenate([np.zeros(len(of_null), np.int32), self.given])
        generated = np.concatenate([of_null, self.generated])
        probability = np.concatenate([self.null[of_null], self.probability])
        keep = probability > minimum
        if ratio > 0.0:
            best = np.zeros(len(self.given_vocabulary), np.float32)
            np.maximum.at(best, given, probability)
            keep &= probability >= np.float32(ratio) * best[given]
        rows = np.flatnonzero(keep)
        rows = rows[np.lexsort((generated[rows], -probability[rows], given[rows]))]
        return given[rows], generated[rows], probability[rows]

    def table_columns(self) -> dict[str, Column]:
        """Columns given, generated and probability, in the order of :meth:`columns`.

        The empty word is a missing value.
        """
        given, generated, probability = self.columns()
        return {
            "given": NamedNumbers(given - 1, self.given_vocabulary.words[1:]),
            "generated": NamedNumbers(generated - 1, self.generated_vocabulary.words[1:]),
            "probability": probability,
        }

    def rows(self, minimum: float = 0.0) -> Iterator[tuple[str, str, float]]:
        """(given, generated, probability) above ``minimum``, by given word, best first.

        NULL comes first.
        """
        given, generated, probability = self.columns(minimum)
        return zip(
            map(self.given_vocabulary.words.__getitem__, given.tolist()),
            map(self.generated_vocabulary.words.__getitem__, generated.tolist()),
            probability.tolist(),
            strict=True,
        )


@dataclass(frozen=True)
class LexicalEntries:
    """Pairs of words with a weight, from a dictionary or from eflomal priors.

    source, target: int32[n], word ids, 0 = NULL; unique pairs, sorted by (source, target)
    weight: float64[n], pseudo-counts, above 0
    num_unknown: entries left out because a vocabulary lacks one of their words
    num_multiword: entries left out because a side has several words
    """

    source: NDArray[np.int32]
    target: NDArray[np.int32]
    weight: NDArray[np.float64]
    num_unknown: int = 0
    num_multiword: int = 0

    def __len__(self) -> int:
        return len(self.weight)

    @classmethod
    def collect(
        cls, source: ArrayLike, target: ArrayLike, weight: ArrayLike, num_multiword: int = 0
    ) -> "LexicalEntries":
        """Build from columns in any order: id -1 is an unknown word, weights of a pair add up."""
        ids = np.array([source, target], np.int64).reshape(2, -1)
        known = (ids >= 0).all(0)
        weights = np.asarray(weight, np.float64)[known]
        pairs, inverse = np.unique(ids[0][known] << 32 | ids[1][known], return_inverse=True)
        total = np.bincount(inverse, weights, minlength=len(pairs)).astype(np.float64)
        used = total > 0.0
        return cls(
            (pairs[used] >> 32).astype(np.int32),
            (pairs[used] & 0xFFFFFFFF).astype(np.int32),
            total[used],
            int((~known).sum()),
            num_multiword,
        )


def conditional_entropy(table: LexicalTable, frequencies: NDArray[np.float64]) -> float:
    """H(F | E) in bits per word, weighted by the given words' relative frequencies (Table 2).

    frequencies: float64[num_given_types]; words without a row are left out.
    """
    entropies = word_entropies(table)
    weight = np.where(np.isnan(entropies), 0.0, frequencies)
    return float((weight * np.nan_to_num(entropies)).sum() / max(weight.sum(), 1e-300))


def word_entropies(table: LexicalTable) -> NDArray[np.float64]:
    """H(F | e) of each given word e in bits: float64[num_given_types], NaN without a row."""
    value = table.probability.astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        bits = np.where(value > 0, -value * np.log2(value), 0.0)
    sums = np.bincount(table.given, bits, minlength=len(table.given_vocabulary))
    return np.where(_has_row(table), sums, np.nan)


def coverage(table: LexicalTable, frequencies: NDArray[np.float64]) -> float:
    """Share of the given words that have a row. frequencies: float64[num_given_types], weights"""
    return float(frequencies[_has_row(table)].sum() / max(frequencies.sum(), 1e-300))


def _has_row(table: LexicalTable) -> NDArray[np.bool_]:
    types = len(table.given_vocabulary)
    return np.bincount(table.given, table.probability, minlength=types) > 0.0
