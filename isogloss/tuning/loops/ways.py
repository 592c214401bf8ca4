"""How weights are learned with a decoder in the loop."""

from dataclasses import dataclass

from tune.methods import Learner
from tune.metrics.bleu import Bleu
from tune.online.options import DecoderTuningOptions
from tune.optimizers.structured.decoded import ForestChoices
from tune.optimizers.structured.forest_loop import ForestLoopOptions

from .batch_loop import BatchOptions

__all__ = ["BatchWay", "ForestWay", "Way"]


@dataclass(frozen=True)
class BatchWay:
    """All is translated, then weights are learned on all lists so far."""

    learner: Learner
    options: BatchOptions


@dataclass(frozen=True)
class ForestWay:
    """Sentence by sentence, from all that the search finds with the weights of the moment.

    learner: a structured optimiser; choices: of the forests; metric: that it learns by
    epochs: that it learns for, at most
    cluster: address of one that learners are on, None = they are threads
    """

    learner: Learner
    choices: ForestChoices
    metric: Bleu
    epochs: int
    cluster: str | None = None


Way = DecoderTuningOptions | BatchWay | ForestWay | ForestLoopOptions
"""Options of the online loop stand for mini-batches of n-best lists, those of the loop of forests
for MERT on all that searches have found."""
