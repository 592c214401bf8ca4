"""Gold links of some sentence pairs, which teach a model what a link is."""

from dataclasses import dataclass

from isogloss.align.errors import OptionError, UsageError
from isogloss.align.links.classifier.thresholds import AIMS, Aim
from isogloss.align.links.formats.gold_formats import IdFiles
from isogloss.align.links.gold_sample import GoldLines, GoldSample
from isogloss.align.model.parameters import POSTERIOR, AlignerOptions

from ...options import not_allowed, option
from .training_text import TrainingText

__all__ = ["GoldSampleOptions"]


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

    def read(self, settings: AlignerOptions, ids: IdFiles | None) -> GoldLines | None:
        """Gold links of lines of the text, None for no file.

        Raises UsageError for options under which they would not be used, and DataError as
        :meth:`GoldLines.read`.
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
        return GoldLines.read(self.gold_sample, ids)

    def sample(self, lines: GoldLines, text: TrainingText) -> GoldSample:
        """Gold links of a text. Raises DataError as :meth:`GoldSample.of`."""
        source, target = (
            side.lengths[: text.num_pairs] for side in (text.bitext.source, text.bitext.target)
        )
        drawn = None if text.whole is None else (text.whole.drawn, text.whole.num_pairs)
        return GoldSample.of(lines, (source, target), self.aim, drawn)
