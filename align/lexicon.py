"""LexicalTable: word translation probabilities of one direction; Moses text and TSV."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .errors import UsageError
from .vocabulary import Vocabulary

__all__ = ["LexicalTable", "conditional_entropy", "format_lexicon"]


@dataclass(frozen=True)
class LexicalTable:
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

    def rows(self, minimum: float = 0.0) -> Iterator[tuple[str, str, float]]:
        """(given, generated, probability) above ``minimum``, by given word, best first.

        NULL comes first.
        """
        generated, given = self.generated_vocabulary.words, self.given_vocabulary.words
        order = np.argsort(-self.null, kind="stable")
        for word in order[self.null[order] > minimum].tolist():
            if word:
                yield "NULL", generated[word], float(self.null[word])
        keep = np.flatnonzero(self.probability > minimum)
        order = keep[np.lexsort((self.generated[keep], -self.probability[keep], self.given[keep]))]
        for left, right, value in zip(
            self.given[order].tolist(),
            self.generated[order].tolist(),
            self.probability[order].tolist(),
            strict=True,
        ):
            yield given[left], generated[right], value


def conditional_entropy(table: LexicalTable, frequencies: NDArray[np.float64]) -> float:
    """H(F | E) in bits per word, weighted by the given words' relative frequencies (Table 2).

    frequencies: float64[num_given_types]; words without a row are left out.
    """
    value = table.probability.astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        bits = np.where(value > 0, -value * np.log2(value), 0.0)
    by_word = np.bincount(table.given, bits, minlength=len(frequencies))
    covered = np.bincount(table.given, value, minlength=len(frequencies)) > 0
    weight = np.where(covered, frequencies, 0.0)
    return float((weight * by_word).sum() / max(weight.sum(), 1e-300))


def format_lexicon(table: LexicalTable, style: str, minimum: float = 1e-4) -> Iterator[str]:
    """Lines of text: ``tsv`` = given, generated, probability; ``moses`` = generated given p.

    In Moses' terms the table s2t is lex.f2e (lines `e f p(e|f)`), t2s is lex.e2f.

    Raises UsageError for another style.
    """
    if style not in ("moses", "tsv"):
        raise UsageError(f"lexicon format {style!r}; expected moses or tsv")
    for given, generated, value in table.rows(minimum):
        yield (
            f"{generated} {given} {value:.7f}"
            if style == "moses"
            else f"{given}\t{generated}\t{value:.7f}"
        )
