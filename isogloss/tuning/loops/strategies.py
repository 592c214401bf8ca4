"""How weights are learned with a decoder in the loop."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from isogloss.tune.methods import Learner, Optimizer
from isogloss.tune.metrics.bleu import Bleu
from isogloss.tune.online.options import DecoderTuningOptions
from isogloss.tune.optimizers.structured.decoded import ForestChoices
from isogloss.tune.optimizers.structured.forest_loop import ForestLoopOptions

from .batch_loop import BatchOptions

__all__ = ["BatchTuning", "ForestTuning", "TuningStrategy", "with_prefixes"]

# options that say which features by prefixes, and whether by PREFIX=VALUE
_PREFIXES = {
    "fixed": False, "tied": False, "group_rate": True, "group_l1": True,
    "positive": False, "ranges": True,
}  # fmt: skip
_Renamed = Callable[[Sequence[str], bool], tuple[str, ...]]

_Options = TypeVar("_Options")


@dataclass(frozen=True)
class _OptimizerTuning:
    """By one of the optimizers. method, chosen: it and its options"""

    method: Optimizer
    chosen: Any

    @property
    def learner(self) -> Learner:
        """The optimizer with its options."""
        return self.method.learner(self.chosen)


@dataclass(frozen=True)
class BatchTuning(_OptimizerTuning):
    """All is translated, then weights are learned on all lists so far. options: of the loop"""

    options: BatchOptions


@dataclass(frozen=True)
class ForestTuning(_OptimizerTuning):
    """Sentence by sentence, from all that the search finds with the weights of the moment.

    The optimizer is a structured one.

    choices: of the forests; metric: that it learns by
    cluster: address of one that learners are on, None = they are threads
    """

    choices: ForestChoices
    metric: Bleu
    cluster: str | None = None

    @property
    def epochs(self) -> int:
        """That it learns for, at most."""
        return int(self.chosen.epochs)


TuningStrategy = DecoderTuningOptions | BatchTuning | ForestTuning | ForestLoopOptions
"""Options of the online loop stand for mini-batches of n-best lists, those of the loop of forests
for MERT on all that searches have found."""


def with_prefixes(strategy: TuningStrategy, renamed: _Renamed) -> TuningStrategy:
    """The same with other prefixes of features in its options.

    renamed: gives them, for those of an option, and for whether each has a value
    """
    if isinstance(strategy, _OptimizerTuning):
        return replace(strategy, chosen=_with_prefixes(strategy.chosen, renamed))
    if isinstance(strategy, ForestLoopOptions):
        return replace(strategy, mert=_with_prefixes(strategy.mert, renamed))
    return _with_prefixes(strategy, renamed)


def _with_prefixes(options: _Options, renamed: _Renamed) -> _Options:
    given = vars(options)
    changes = {
        name: renamed(given[name], valued) for name, valued in _PREFIXES.items() if name in given
    }
    return replace(options, **changes)  # type: ignore[type-var]
