"""BLEU from sufficient statistics: of a corpus, and smoothed for one sentence."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sacrebleu.metrics.bleu import BLEU

from align.errors import DataError

from ..kernels.bleu import COLUMNS, ORDER, bleu_statistics

__all__ = ["References", "bleu", "bleu_plus_one", "reported_bleu"]


@dataclass(frozen=True)
class References:
    """References of many sentences over one word list, ready for the kernel.

    ids: word -> number; words: int32 per sentence, its references one after the other;
    offsets: int64 per sentence.
    """

    ids: dict[str, int]
    words: tuple[NDArray[np.int32], ...]
    offsets: tuple[NDArray[np.int64], ...]

    @classmethod
    def from_sentences(cls, references: Sequence[Sequence[Sequence[str]]]) -> "References":
        """Build from ``references[k][r]``, the words of reference r of sentence k.

        Raises DataError for a sentence without a reference or over 65,534 distinct words.
        """
        ids: dict[str, int] = {}
        words, offsets = [], []
        for number, own in enumerate(references, start=1):
            flat = [ids.setdefault(word, len(ids)) for one in own for word in one]
            if not own or len(set(flat)) > 65534:
                raise DataError(
                    f"{len(own)} references with {len(set(flat))} distinct words",
                    "at least one reference, at most 65,534 distinct words",
                    line=number,
                )
            words.append(np.array(flat, np.int32))
            offsets.append(np.cumsum([0, *(len(one) for one in own)]).astype(np.int64))
        return cls(ids, tuple(words), tuple(offsets))

    def __len__(self) -> int:
        return len(self.words)

    def encode(self, words: Sequence[str]) -> list[int]:
        """Numbers of words, -1 for words in no reference."""
        return [self.ids.get(word, -1) for word in words]

    def statistics(
        self, sentence: int, hypotheses: Sequence[Sequence[str]]
    ) -> NDArray[np.int64]:
        """int64[num_hypotheses, 9]: match and total of orders 1 to 4, closest reference length."""
        encoded = [self.encode(words) for words in hypotheses]
        flat = np.array([number for words in encoded for number in words], np.int32)
        bounds = np.cumsum([0, *map(len, encoded)]).astype(np.int64)
        result = np.empty((len(hypotheses), COLUMNS), np.int64)
        bleu_statistics(flat, bounds, self.words[sentence], self.offsets[sentence], result)
        return result


def bleu(statistics: NDArray[np.int64]) -> float:
    """Corpus BLEU, 0 to 100, of summed statistics int64[9] (Papineni et al. 2002), unsmoothed."""
    matches, totals = statistics[0 : 2 * ORDER : 2], statistics[1 : 2 * ORDER : 2]
    if (matches == 0).any():
        return 0.0
    precision = np.log(matches / totals).mean()
    return float(100.0 * np.exp(precision + min(0.0, 1.0 - statistics[-1] / totals[0])))


def bleu_plus_one(statistics: NDArray[np.int64]) -> NDArray[np.float64]:
    """Sentence BLEU, 0 to 1, one added to matches and totals of orders 2 to 4 (Lin & Och 2004).

    statistics: int64[n, 9]. Returns float64[n]; 0 where no word matches.
    """
    matches = statistics[:, 0 : 2 * ORDER : 2].astype(np.float64)
    totals = statistics[:, 1 : 2 * ORDER : 2].astype(np.float64)
    matches[:, 1:] += 1.0
    totals[:, 1:] += 1.0
    length = np.maximum(totals[:, 0], 1e-300)
    with np.errstate(divide="ignore"):
        logs = np.log(matches) - np.log(np.maximum(totals, 1e-300))
    brevity = np.minimum(0.0, 1.0 - statistics[:, -1] / length)
    return np.asarray(np.where(matches[:, 0] > 0, np.exp(logs.mean(1) + brevity), 0.0))


def reported_bleu(
    hypotheses: Sequence[str], references: Sequence[Sequence[str]]
) -> tuple[float, str]:
    """BLEU by sacrebleu on text as it stands, and its signature.

    references: ``references[r][k]``, reference r of sentence k.
    """
    metric = BLEU(tokenize="none", force=True)
    score = metric.corpus_score(list(hypotheses), [list(one) for one in references])
    return float(score.score), str(metric.get_signature())
