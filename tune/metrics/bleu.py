"""BLEU from sufficient statistics: of a corpus, of one sentence, within an oracle document."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from isogloss.align.errors import UsageError
from isogloss.align.execution import exp, log

from ..kernels.bleu import COLUMNS, ORDER, measure_bleu
from ..nbest.types import NBest
from ..references import References
from .kernels.tokens import WORDS, Symbols
from .measuring import measure

__all__ = ["Bleu", "bleu", "sentence_bleu"]

SMOOTHINGS = ("lin-och", "nakov", "all-orders", "scaled", "floor")
REFERENCE_LENGTHS = ("closest", "shortest", "average")  # in the order of the kernel's constants
DOCUMENT_DECAYS = {"cherry-foster": 0.999, "chiang": 0.9}  # as their papers have them
DOCUMENTS = tuple(DOCUMENT_DECAYS)
LENGTH = COLUMNS - 1  # the column of the reference length
_FLOOR = 0.01  # matches where there are none


def bleu(statistics: NDArray[np.float64], *, smooth: bool = False) -> NDArray[np.float64]:
    """Corpus BLEU, 0 to 100 (Papineni et al. 2002); 0 without a 4-gram match: float64[...].

    statistics: float64[..., 9], sums over the sentences; more columns are not read
    smooth: as sacrebleu's default (``exp``): orders without a match count as 1/2, 1/4, ... matches,
    if anything matches and there are n-grams of each order
    """
    matches, totals = _counts(statistics)
    lacking = matches == 0
    if smooth and lacking.any():
        counts = (matches > 0).any(-1) & (totals > 0).all(-1)
        matches = np.where(lacking, 0.5 ** lacking.cumsum(-1), matches)
    else:
        counts = ~lacking.any(-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = _geometric_mean(matches / totals)
        return np.where(counts, 100.0 * precision * _brevity(statistics), 0.0)


def _counts(
    statistics: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Matches and totals, [..., 4] each."""
    return statistics[..., 0 : 2 * ORDER : 2], statistics[..., 1 : 2 * ORDER : 2]


def _geometric_mean(ratios: NDArray[np.float64]) -> NDArray[np.float64]:
    """By roots, which all processors round alike, and not by logarithms. ratios: float64[..., 4]"""
    return np.asarray(np.sqrt(np.sqrt(ratios.prod(-1))))


def _brevity(statistics: NDArray[np.float64], added: float = 0.0) -> NDArray[np.float64]:
    """Brevity penalty, min(1, exp(1 - (r + added) / c)); 0 for no word at all."""
    length = statistics[..., 1]
    with np.errstate(divide="ignore", invalid="ignore"):
        exponent = np.minimum(0.0, 1.0 - (statistics[..., LENGTH] + added) / length)
    return np.where(length > 0, exp(exponent), 0.0)


def sentence_bleu(
    statistics: NDArray[np.float64], smoothing: str = "lin-och"
) -> NDArray[np.float64]:
    """BLEU of single sentences, smoothed, as n-grams of higher orders seldom match.

    statistics: float64[n, 9]; for ``scaled`` float64[n, 10]. Returns float64[n], 0 to 1 if not
    scaled, and 0 for an empty hypothesis.

    lin-och: 1 is added to matches and totals of orders 2 to 4 (Lin & Och 2004); 0 where no word
    matches
    nakov: so it is, and 1 is added to the reference length, too (Nakov et al. 2012)
    all-orders: 1 is added to matches and totals of all orders
    scaled: that of lin-och times the length of the shortest reference
    floor: 0.01 for matches where there are none; orders for which the hypothesis is too short are
    left out of the mean
    """
    matches, totals = _counts(statistics)
    if smoothing == "floor":
        return _floored(matches, totals) * _brevity(statistics)
    added = np.array([float(smoothing == "all-orders"), 1.0, 1.0, 1.0])
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = _geometric_mean((matches + added) / (totals + added))
    precision = np.where(matches[:, 0] + added[0] > 0, precision, 0.0)
    result = precision * _brevity(statistics, float(smoothing == "nakov"))
    if smoothing == "scaled":
        result = result * statistics[:, COLUMNS]
    return np.asarray(result)


def _floored(matches: NDArray[np.float64], totals: NDArray[np.float64]) -> NDArray[np.float64]:
    """Geometric mean of the precisions of the orders that there are, [n]."""
    present = totals > 0
    logs = log(np.where(matches > 0, matches, _FLOOR)) - log(np.where(present, totals, 1.0))
    orders = np.maximum(present.sum(-1), 1)
    return exp(np.where(present, logs, 0.0).sum(-1) / orders)


@dataclass(frozen=True)
class Bleu:
    """BLEU. Statistics: match and total of orders 1 to 4, reference length.

    smoothing: sentence gains, see :func:`sentence_bleu`: lin-och, nakov, all-orders, scaled, floor;
    ``scaled`` needs a tenth statistic, the length of the shortest reference
    reference_length: closest (of equally close ones the shorter), shortest, average
    document: gains in an oracle document, cherry-foster or chiang, see ``gains_in``

    Raises UsageError for another choice.
    """

    smoothing: str = "lin-och"
    reference_length: str = "closest"
    document: str = "cherry-foster"
    name: ClassVar[str] = "bleu"
    sign: ClassVar[int] = 1

    def __post_init__(self) -> None:
        for option, known in (
            ("smoothing", SMOOTHINGS),
            ("reference_length", REFERENCE_LENGTHS),
            ("document", DOCUMENTS),
        ):
            if getattr(self, option) not in known:
                raise UsageError(
                    f"{option} of bleu must be one of {', '.join(known)}, "
                    f"got {getattr(self, option)!r}"
                )

    @property
    def num_statistics(self) -> int:
        """Columns of the statistics."""
        return COLUMNS + (self.smoothing == "scaled")

    def statistics(
        self, lists: NBest, references: References | None, *, threads: int = 1
    ) -> NDArray[np.float64]:
        """float64[num_hypotheses, num_statistics]; words are what white space separates.

        Raises DataError where there are no references, or not those of every sentence.
        """
        choice = REFERENCE_LENGTHS.index(self.reference_length)

        def kernel(words: Symbols, rows: NDArray[np.float64]) -> None:
            measure_bleu(words, choice, rows)

        return measure(
            self.name, lists, references, [WORDS], kernel, self.num_statistics, threads=threads
        )

    def score(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """BLEU, 0 to 100, smoothed as sacrebleu's default where no n-gram of some order matches.

        sums: float64[..., num_statistics]. Returns float64[...].
        """
        return bleu(sums, smooth=True)

    def gains(self, statistics: NDArray[np.float64]) -> NDArray[np.float64]:
        """Smoothed BLEU of sentences, 0 to 1; times the reference length where it is scaled.

        statistics: float64[n, num_statistics]. Returns float64[n].
        """
        return sentence_bleu(statistics, self.smoothing)

    def gains_in(
        self, background: NDArray[np.float64], statistics: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """What a hypothesis h does for the BLEU of an oracle document b, in words.

        cherry-foster: BLEU(b + h) * (r(b) + r(h)), r = reference length (Cherry & Foster 2012)
        chiang: n(b) * (BLEU(b + h) - BLEU(b)), n = words of the hypotheses (Chiang 2012, eq. 3)

        background: float64[num_statistics]; statistics: float64[n, num_statistics]. Returns
        float64[n].
        """
        sums = background + statistics
        if self.document == "chiang":
            return np.asarray((bleu(sums) - bleu(background)) / 100.0 * background[1])
        return np.asarray(bleu(sums) / 100.0 * sums[:, LENGTH])
