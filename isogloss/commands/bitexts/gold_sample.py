"""Gold links of some sentence pairs, which teach a model what a link is."""

import hashlib
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from isogloss.align.errors import UsageError
from isogloss.align.links.formats.gold_formats import IdFiles
from isogloss.align.links.gold_links import GoldLinks
from isogloss.align.links.gold_sample import read_gold_sample
from isogloss.align.model.model import AlignmentModel
from isogloss.align.model.parameters import POSTERIOR, AlignerOptions
from isogloss.align.text.bitext import Bitext

from ...console import Console
from .training_text import TrainingText

__all__ = ["GoldSample", "read_sample"]


class GoldSample(NamedTuple):
    """Gold links of some pairs.

    rows: int64[n], numbers of the pairs; links: of these pairs
    """

    rows: NDArray[np.int64]
    links: GoldLinks

    def fingerprint(self, training: str) -> str:
        """That of a training which these links teach afterwards. training: its own"""
        digest = hashlib.sha256(training.encode())
        for array in (self.rows, self.links.sure.keys(), self.links.possible.keys()):
            digest.update(array.tobytes())
        return digest.hexdigest()

    def teach(
        self, model: AlignmentModel, text: Bitext, threads: int, console: Console
    ) -> AlignmentModel:
        """The model with what the gold links teach; tells how much that is."""
        with console.stage("learning links"):
            model = model.learn_links(text, self.links, rows=self.rows, threads=threads)
        learned = model.classifier
        assert learned is not None
        sizes = [*learned.learning_curve, (learned.num_sentences, learned.aer)]
        curve = ", ".join(f"{error:.2%} from {size}" for size, error in sizes)
        console.info(
            f"gold sample: AER {learned.aer_before:.2%} without it; on sentences that it was not "
            f"learned from {curve} gold sentences"
        )
        return model


def read_sample(
    path: str | None, settings: AlignerOptions, text: TrainingText, ids: IdFiles | None
) -> GoldSample | None:
    """Gold links of some pairs, None for no file.

    Raises UsageError for options under which they would not be used, and DataError as
    :func:`read_gold_sample`.
    """
    if path is None:
        return None
    if settings.hmm_iterations == 0:
        raise UsageError("--gold-sample needs link probabilities; set --hmm-iterations above 0")
    if settings.heuristic != POSTERIOR:
        raise UsageError(
            f"--gold-sample has no effect with --heuristic {settings.heuristic}; omit one of them"
        )
    if text.whole is not None:
        raise UsageError("--gold-sample cannot be used with --train-on; omit one of them")
    return GoldSample(*read_gold_sample(path, text.num_pairs, ids))
