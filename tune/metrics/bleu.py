"""BLEU from sufficient statistics: of a corpus, and smoothed for one sentence."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sacrebleu.metrics.bleu import BLEU

from align.errors import DataError
from align.lines import split_tokens

from ..kernels.bleu import COLUMNS, ORDER, bleu_statistics
from ..nbest import NBest
from ..references import References

__all__ = ["Bleu", "WordReferences", "bleu", "bleu_plus_one", "reported_bleu"]


@dataclass(frozen=True)
class WordReferences:
    """References of many sentences over one word list, ready for the kernel.

    ids: word -> number; words: int32 per sentence, its references one after the other;
    offsets: int64 per sentence.
    """

    ids: dict[str, int]
    words: tuple[NDArray[np.int32], ...]
    offsets: tuple[NDArray[np.int64], ...]

    @classmethod
    def from_sentences(cls, references: Sequence[Sequence[Sequence[str]]]) -> "WordReferences":
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

    @classmethod
    def over(cls, references: References) -> "WordReferences":
        """The words of references."""
        return cls.from_sentences(
            [[split_tokens(text) for text in references.of(k)] for k in range(len(references))]
        )

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


def bleu(statistics: NDArray[np.float64]) -> NDArray[np.float64]:
    """Corpus BLEU, 0 to 100, of summed statistics [..., 9] (Papineni et al. 2002), unsmoothed."""
    matches, totals = statistics[..., 0 : 2 * ORDER : 2], statistics[..., 1 : 2 * ORDER : 2]
    found = (matches > 0).all(-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = np.log(matches / totals).mean(-1)
        brevity = np.minimum(0.0, 1.0 - statistics[..., -1] / totals[..., 0])
        return np.where(found, 100.0 * np.exp(precision + brevity), 0.0)


def bleu_plus_one(statistics: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sentence BLEU, 0 to 1, one added to matches and totals of orders 2 to 4 (Lin & Och 2004).

    statistics: [n, 9]. Returns float64[n]; 0 where no word matches.
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


@dataclass(frozen=True)
class Bleu:
    """BLEU as a metric; nine statistics: match and total of orders 1 to 4, reference length."""

    name: str = "bleu"
    sign: int = 1
    num_statistics: int = COLUMNS

    def statistics(
        self, lists: NBest, references: References | None, *, threads: int = 1
    ) -> NDArray[np.float64]:
        """float64[num_hypotheses, 9]. Raises DataError where there are no references."""
        if references is None:
            raise DataError("no references", "references, which BLEU is measured against")
        words = WordReferences.over(references)
        parts = [
            words.statistics(k, [split_tokens(lists.texts[h]) for h in lists.hypotheses(k)])
            for k in range(len(lists))
        ]
        return np.concatenate(parts).astype(np.float64)

    def score(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """BLEU, 0 to 100, unsmoothed (Papineni et al. 2002)."""
        return bleu(sums)

    def gains(self, statistics: NDArray[np.float64]) -> NDArray[np.float64]:
        """BLEU+1 of Lin & Och (2004), 0 to 1."""
        return bleu_plus_one(statistics)

    def gains_in(
        self, background: NDArray[np.float64], statistics: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """BLEU within the oracle document times its reference length (Cherry & Foster 2012)."""
        sums = background + statistics
        return bleu(sums) / 100.0 * sums[:, -1]


def reported_bleu(
    hypotheses: Sequence[str], references: Sequence[Sequence[str]]
) -> tuple[float, str]:
    """BLEU by sacrebleu on text as it stands, and its signature.

    references: ``references[r][k]``, reference r of sentence k.
    """
    metric = BLEU(tokenize="none", force=True)
    score = metric.corpus_score(list(hypotheses), [list(one) for one in references])
    return float(score.score), str(metric.get_signature())
