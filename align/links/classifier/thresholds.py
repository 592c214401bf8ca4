"""Chances that are probabilities, and the threshold from which links are best for an aim."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...errors import DataError, OptionError
from ...execution.logarithms import exp, log

__all__ = ["AIMS", "Aim", "JudgedCells", "Reliability", "logistic_map", "reliability"]

AIMS = "aer, f1 or precision=P with P between 0 and 1"
_PRIOR = 1e-3  # of a slope of 1 and an offset of 0
_STEPS = 50
_LEAST = 1e-9  # change of the slope or offset
_BINS = 10


@dataclass(frozen=True)
class Aim:
    """What the threshold of links is best for: the lowest AER, the highest F1, or a precision.

    precision: the least that is wanted of links, if ``name`` is "precision", with the most links
    """

    name: str = "aer"
    precision: float = 0.0

    @classmethod
    def parse(cls, text: str) -> "Aim":
        """The aim that is written so. Raises OptionError for another one."""
        name, sign, value = text.partition("=")
        if name in ("aer", "f1") and not sign:
            return cls(name)
        try:
            precision = float(value)
        except ValueError:
            precision = np.nan
        if name != "precision" or not 0.0 < precision < 1.0:
            raise OptionError("aim", AIMS, text)
        return cls(name, precision)

    def best(self, sure: NDArray[np.float64], right: NDArray[np.float64], num_sure: int) -> int:
        """How many of the first links are best. Raises DataError for a precision that none has.

        sure, right: float64[n], expected number of sure links, and of sure or possible ones, among
            the first 1, 2, ... n links; num_sure: all sure links, those that are no candidates, too
        """
        number = np.arange(1, len(right) + 1)
        precision, recall = right / number, sure / num_sure
        if self.name == "precision":
            enough = np.flatnonzero(precision >= self.precision)
            if not len(enough):
                raise DataError(
                    f"the links that are surest have a precision of {precision[0]:.4g}",
                    f"{self.precision:g}, the aim",
                    remedy="Choose a lower precision, or link more sentences by hand",
                )
            return 1 + int(enough[-1])
        if self.name == "f1":
            return 1 + int((precision * recall / (precision + recall)).argmax())
        return 1 + int(((sure + right) / (number + num_sure)).argmax())


class JudgedCells(NamedTuple):
    """Candidates of which a classifier tells the log odds, and gold links the truth.

    odds: float64[n]; kind: int8[n], 0 = no link, 1 = sure, 2 = possible
    num_sure: all sure links of these sentence pairs, those that are no candidates, too
    """

    odds: NDArray[np.float64]
    kind: NDArray[np.int8]
    num_sure: int

    def threshold(self, aim: Aim) -> float:
        """The log odds from which links are best for an aim.

        What is expected of links of some odds is smoothed by logistic maps: of a few sentences,
        the best cut of the counts themselves is mostly chance.
        """
        order = np.argsort(-self.odds, kind="stable")
        odds, kind = self.odds[order], self.kind[order]
        sure, right = (
            np.cumsum(_logistic(*logistic_map(odds, held), odds)) for held in (kind == 1, kind > 0)
        )
        return float(odds[aim.best(sure, right, self.num_sure) - 1])


def logistic_map(odds: NDArray[np.float64], holds: NDArray[np.bool_]) -> tuple[float, float]:
    """Slope and offset of logit P(holds) = slope * odds + offset (Platt 1999).

    odds: float64[n]; holds: bool[n]

    Newton's method; a step that makes what was seen less likely is halved.
    """
    point = np.array([0.0, log((holds.sum() + 1.0) / ((~holds).sum() + 1.0))])
    loss = _loss(point, odds, holds)
    for _ in range(_STEPS):
        chance = _logistic(point[0], point[1], odds)
        missing, weight = holds - chance, chance * (1.0 - chance)
        rise = (missing * odds).sum() - _PRIOR * (point[0] - 1.0)
        shift = missing.sum() - _PRIOR * point[1]
        steep, both = (weight * odds**2).sum() + _PRIOR, (weight * odds).sum()
        flat = weight.sum() + _PRIOR
        step = np.array([flat * rise - both * shift, steep * shift - both * rise])
        step /= steep * flat - both * both
        while (after := _loss(point + step, odds, holds)) > loss and np.abs(step).max() > _LEAST:
            step *= 0.5
        if after >= loss:
            break
        point, loss = point + step, after
    return float(point[0]), float(point[1])


def _loss(point: NDArray[np.float64], odds: NDArray[np.float64], holds: NDArray[np.bool_]) -> float:
    values = np.where(holds, 1.0, -1.0) * (point[0] * odds + point[1])
    losses = np.maximum(-values, 0.0) + log(1.0 + exp(-np.abs(values)))
    return float(losses.sum() + 0.5 * _PRIOR * ((point[0] - 1.0) ** 2 + point[1] ** 2))


def _logistic(slope: float, offset: float, odds: NDArray[np.float64]) -> NDArray[np.float64]:
    values = slope * odds + offset
    share = exp(-np.abs(values))  # of the less likely side to the other one
    return np.where(values < 0.0, share, 1.0) / (1.0 + share)


class Reliability(NamedTuple):
    """How well chances tell what is right.

    brier: mean squared difference (Brier 1950); rows: mean chance, share that is right, and number
        of each tenth of the cells
    """

    brier: float
    rows: tuple[tuple[float, float, int], ...]


def reliability(chances: NDArray[np.floating], right: NDArray[np.bool_]) -> Reliability:
    """How well chances tell what is right. chances: float[n]; right: bool[n]"""
    order = np.argsort(chances, kind="stable")
    bins = [part for part in np.array_split(order, _BINS) if len(part)]
    rows = tuple(
        (float(chances[part].mean()), float(right[part].mean()), len(part)) for part in bins
    )
    return Reliability(float(((chances - right) ** 2).mean()), rows)
