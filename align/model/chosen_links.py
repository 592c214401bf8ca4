"""Links chosen from the posteriors of cells: by these alone, or by what gold links have taught."""

import numpy as np
from numpy.typing import NDArray

from ..links.calibration import LinkCalibration
from ..links.classifier.candidates import Translations
from ..links.classifier.classifier import LinkClassifier
from ..links.links import Links
from ..text.bitext import Bitext
from .cooccurrence import Cells

__all__ = ["by_classifier", "by_posterior"]


def by_posterior(
    calibration: LinkCalibration,
    bitext: Bitext,
    cells: Cells,
    values: NDArray[np.float32],
    threshold: float,
) -> Links:
    """Links whose mean posterior reaches a threshold. values: float32[2, num_cells]"""
    chosen = np.flatnonzero(values.mean(0) >= threshold)
    pair = np.searchsorted(cells.offsets, chosen, side="right") - 1
    positions = np.divmod(chosen - cells.offsets[pair], bitext.target.lengths[pair])
    chances = calibration.confidence(*values[:, chosen])
    return _links(pair, *positions, chances, len(bitext))


def by_classifier(
    classifier: LinkClassifier,
    bitext: Bitext,
    cells: Cells,
    values: NDArray[np.float32],
    translations: Translations,
    threshold: float,
) -> Links:
    """Links whose chance reaches a threshold. values: float32[2, num_cells]

    bitext: over the vocabularies of the classifier's model
    """
    sizes = np.stack([bitext.source.lengths, bitext.target.lengths]).astype(np.int64)
    tokens = bitext.source.tokens, bitext.target.tokens
    candidates = classifier.candidates(cells.offsets, values, *tokens, sizes, translations)
    chances = classifier.chances(candidates)
    chosen = chances >= threshold
    pair, source, target = candidates.places[chosen, 1:].T
    return _links(pair, source, target, chances[chosen], len(bitext))


def _links(
    pair: NDArray[np.int64],
    source: NDArray[np.int64],
    target: NDArray[np.int64],
    chances: NDArray[np.float32],
    num_pairs: int,
) -> Links:
    """pair, source, target: int64[num_links], rising; chances: float32[num_links]"""
    offsets = np.searchsorted(pair, np.arange(num_pairs + 1)).astype(np.int64)
    return Links(source.astype(np.int32), target.astype(np.int32), offsets, chances)
