"""Bins as a file of JSON holds them."""

from typing import Any

import numpy as np
from msgspec import Struct

from isogloss.align.files.records import Finite, Name, Text, Whole

from .specs import BinSpec
from .uniform import Bins

__all__ = [
    "VERSION",
    "Format",
    "StoredBins",
    "StoredScore",
    "Version",
    "from_stored",
    "stored_content",
]

VERSION = 1
_COLUMNS = ("first", "median", "last", "population")


class Format(Struct):
    """What tells that an object holds bins."""

    format: str


class Version(Struct):
    """What tells in which form."""

    version: Whole


class StoredScore(Struct):
    """How a score is discretized, and its bins."""

    name: Name
    bits: Whole
    overlaps: list[Whole]
    extend: Whole
    keep: bool
    first: list[Finite]
    median: list[Finite]
    last: list[Finite]
    population: list[Finite]


class StoredBins(Struct):
    """The bins of all scores."""

    population: Text
    scores: list[StoredScore]


def from_stored(score: StoredScore) -> tuple[BinSpec, Bins]:
    """The specification and the bins of a score. Raises ValueError for more bins than it allows."""
    spec = BinSpec(score.name, score.bits, tuple(score.overlaps), score.extend, score.keep)
    bins = Bins(*(np.array(getattr(score, column), np.float64) for column in _COLUMNS))
    if len(bins) > 1 << score.bits:
        raise ValueError(f"{score.bits} bits do not match {len(bins)} bins")
    return spec, bins


def stored_content(
    specs: tuple[BinSpec, ...], bins: tuple[Bins, ...], population: str
) -> dict[str, Any]:
    """The object of JSON that holds the bins of some scores."""
    scores = [_to_stored(spec, part) for spec, part in zip(specs, bins, strict=True)]
    return {
        "format": "isogloss bins",
        "version": VERSION,
        "population": population,
        "scores": scores,
    }


def _to_stored(spec: BinSpec, bins: Bins) -> dict[str, Any]:
    return {
        "name": spec.name,
        "bits": spec.bits,
        "overlaps": list(spec.overlaps),
        "extend": spec.extend,
        "keep": spec.keep,
        **{column: getattr(bins, column).tolist() for column in _COLUMNS},
    }
