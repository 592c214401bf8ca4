"""Links chosen from the posteriors of cells: by these alone, or by what gold links have taught."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..links.calibration import LinkCalibration
from ..links.classifier.candidates import Translations
from ..links.classifier.classifier import LinkClassifier
from ..links.links import Links
from ..text.bitext import Bitext
from .cooccurrence import Cells

__all__ = ["ScoredLinks", "by_classifier", "by_posterior", "links_of"]


class ScoredLinks(NamedTuple):
    """Links of some sentence pairs.

    num_pairs: how many pairs
    rows: int64[n, 3], pair, source and target position; chances: float32[n], that they are right
    """

    num_pairs: int
    rows: NDArray[np.int64]
    chances: NDArray[np.float32]


def by_posterior(
    calibration: LinkCalibration,
    bitext: Bitext,
    cells: Cells,
    values: NDArray[np.float32],
    threshold: float,
) -> ScoredLinks:
    """Links whose mean posterior reaches a threshold. values: float32[2, num_cells]"""
    chosen = np.flatnonzero(values.mean(0) >= threshold)
    pair = np.searchsorted(cells.offsets, chosen, side="right") - 1
    positions = np.divmod(chosen - cells.offsets[pair], bitext.target.lengths[pair])
    chances = calibration.confidence(*values[:, chosen])
    return ScoredLinks(len(bitext), np.stack([pair, *positions], 1), chances)


def by_classifier(
    classifier: LinkClassifier,
    bitext: Bitext,
    cells: Cells,
    values: NDArray[np.float32],
    translations: Translations,
    threshold: float,
) -> ScoredLinks:
    """Links whose chance reaches a threshold. values: float32[2, num_cells]

    bitext: over the vocabularies of the classifier's model
    """
    sizes = np.stack([bitext.source.lengths, bitext.target.lengths]).astype(np.int64)
    tokens = bitext.source.tokens, bitext.target.tokens
    candidates = classifier.candidates(cells.offsets, values, *tokens, sizes, translations)
    chances = classifier.chances(candidates)
    chosen = chances >= threshold
    return ScoredLinks(len(bitext), candidates.places[chosen, 1:], chances[chosen])


def links_of(parts: Iterable[ScoredLinks]) -> Links:
    """The links of parts that follow each other."""
    first, rows, chances = 0, [np.zeros((0, 3), np.int64)], [np.zeros(0, np.float32)]
    for part in parts:
        rows.append(part.rows)
        rows[-1][:, 0] += first
        chances.append(part.chances)
        first += part.num_pairs
    places = np.concatenate(rows)
    offsets = np.searchsorted(places[:, 0], np.arange(first + 1)).astype(np.int64)
    source, target = places[:, 1:].astype(np.int32).T.copy()
    return Links(source, target, offsets, np.concatenate(chances))
