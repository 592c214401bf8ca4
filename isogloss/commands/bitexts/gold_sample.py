"""Gold links of some sentence pairs, which teach a model what a link is."""

import hashlib
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.ragged import row_numbers
from isogloss.align.errors import OptionError, UsageError
from isogloss.align.links.classifier.learning import check_enough
from isogloss.align.links.classifier.thresholds import AIMS, Aim
from isogloss.align.links.external_links import ExternalLinks
from isogloss.align.links.formats.gold_formats import IdFiles
from isogloss.align.links.gold_links import GoldLinks
from isogloss.align.links.gold_sample import placed, read_gold_sample
from isogloss.align.links.links import Links
from isogloss.align.model.model import AlignmentModel
from isogloss.align.model.parameters import POSTERIOR, AlignerOptions
from isogloss.align.text.bitext import Bitext

from ...console import Console
from ...options import not_allowed, option
from .training_text import TrainingText

__all__ = ["GoldSample", "GoldSampleOptions"]


def _aim(text: str) -> str:
    try:
        Aim.parse(text)
    except OptionError:
        raise not_allowed(AIMS, text) from None
    return text


@dataclass(frozen=True)
class GoldSampleOptions:
    """Gold alignments of some sentence pairs.

    gold_sample: gold alignments of some sentence pairs, one line per pair, - for a pair without;
        the model learns from them (needs isogloss[learn])
    aim: goal of links learned from --gold-sample: aer (lowest AER), f1 (highest F1), or
        precision=P (as many links as possible at precision P)
    """

    gold_sample: str | None = option(default=None, metavar="FILE")
    aim: str = option(default="aer", parse=_aim, metavar="AIM")

    def read(
        self, settings: AlignerOptions, text: TrainingText, ids: IdFiles | None
    ) -> "GoldSample | None":
        """Gold links of some pairs, None for no file.

        Raises UsageError for options under which they would not be used, and DataError as
        :func:`read_gold_sample`.
        """
        if self.gold_sample is None:
            if self.aim != type(self).aim:
                raise UsageError("--aim has no effect without --gold-sample; pass that as well")
            return None
        if settings.hmm_iterations == 0:
            raise UsageError("--gold-sample needs link probabilities; set --hmm-iterations above 0")
        if settings.heuristic != POSTERIOR:
            raise UsageError(
                f"--gold-sample has no effect with --heuristic {settings.heuristic}; omit one of "
                "them"
            )
        if text.whole is not None:
            raise UsageError("--gold-sample cannot be used with --train-on; omit one of them")
        bitext = text.bitext
        lengths = tuple(side.lengths[: text.num_pairs] for side in (bitext.source, bitext.target))
        rows, gold = read_gold_sample(self.gold_sample, (lengths[0], lengths[1]), ids)
        check_enough(np.diff(gold.sure.offsets), self.gold_sample)
        return GoldSample(rows, gold, self.aim)


class GoldSample(NamedTuple):
    """Gold links of some pairs.

    rows: int64[n], numbers of the pairs; links: of these pairs
    aim: that links are best for
    """

    rows: NDArray[np.int64]
    links: GoldLinks
    aim: str

    def kept_in(self, links: Links) -> Links:
        """The gold links of these pairs, possible ones too, and those of ``links`` of the others.

        Where links have probabilities, gold links get 1.
        """
        gold = placed(self.links.possible, self.rows, len(links))
        others = ~np.isin(row_numbers(links.offsets), self.rows)
        keys = np.concatenate([gold.keys(), links.keys()[others]])
        if links.probability is None:
            return Links.from_keys(keys, len(links))
        sure = np.ones(len(gold.source), np.float32)
        chances = np.concatenate([sure, links.probability[others]])
        return Links.from_scored_keys(keys, chances, len(links))

    def fingerprint(self, training: str) -> str:
        """That of a training which these links teach afterwards. training: its own"""
        digest = hashlib.sha256(training.encode())
        for array in (self.rows, self.links.sure.keys(), self.links.possible.keys()):
            digest.update(array.tobytes())
        digest.update(self.aim.encode())
        return digest.hexdigest()

    def teach(
        self,
        model: AlignmentModel,
        text: Bitext,
        external_links: ExternalLinks | None,
        threads: int,
        console: Console,
    ) -> AlignmentModel:
        """The model with what the gold links teach; tells how much that is."""
        with console.stage("learning links"):
            model = model.learn_links(
                text,
                self.links,
                rows=self.rows,
                aim=self.aim,
                external_links=external_links,
                threads=threads,
            )
        learned = model.classifier
        assert learned is not None
        sizes = [*learned.learning_curve, (learned.num_sentences, learned.aer)]
        curve = ", ".join(f"{error:.2%} with {size}" for size, error in sizes)
        console.info(
            f"gold sample: AER {learned.aer_before:.2%} without it; cross-validated AER {curve} "
            "gold sentences; Brier score of link probabilities "
            f"{learned.before.brier:.3f} without it, {learned.after.brier:.3f} with it"
        )
        return model
