"""The optimisers by name, with their options."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from align.errors import changed_options
from features.space import FeatureSpace

from .examples import Examples
from .online.learner import tune_online
from .online.options import ONLINE_OPTIMIZERS
from .online.state import OnlineState, read_online_state, write_online_state
from .optimizers.lp_mert.tune import LpMertOptions, tune_lp_mert
from .optimizers.mert import MertOptions, tune_mert
from .optimizers.minimum_risk import MinimumRiskOptions, tune_minimum_risk
from .optimizers.mira import MiraOptions, tune_mira
from .optimizers.pro import ProOptions, tune_pro
from .results import Report, TuningResult, ignore
from .weights.weights import Weights

__all__ = ["OPTIMIZERS", "Learner", "Optimizer"]


class Learner(Protocol):
    """An optimiser with its options."""

    def __call__(
        self,
        examples: Examples,
        start: Weights,
        rng: np.random.Generator,
        *,
        held_out: Examples | None = None,
        threads: int = 1,
        report: Report = ignore,
        checkpoint: Path | None = None,
    ) -> TuningResult:
        """Learn weights.

        start: weights to start from, carried over to the examples' features by name
        checkpoint: where optimisers that can go on from it keep their state after each epoch; if
        there is one they do go on
        """
        ...


@dataclass(frozen=True)
class Optimizer:
    """An optimiser that learns weights on n-best lists.

    tune: function of (examples, start, options, rng, *, held_out, threads, report)
    defaults: its options, a frozen dataclass that checks itself
    line: what it is, in a few words
    sparse: whether it learns weights of thousands of features
    resumable: whether it goes on from an OnlineState as ``start`` and gives each epoch's to
    ``save``
    """

    name: str
    tune: Callable[..., TuningResult] = field(repr=False)
    defaults: Any
    line: str
    sparse: bool = True
    resumable: bool = False

    @property
    def options(self) -> type:
        """Class of the options."""
        return type(self.defaults)

    def with_options(self, given: Mapping[str, Any]) -> Any:
        """The defaults with some of them replaced.

        Raises UsageError for options that there aren't, and for values out of range.
        """
        return changed_options(self.defaults, given)

    def learner(self, options: Any) -> Learner:
        """The optimiser with its options."""

        def learn(
            examples: Examples,
            start: Weights,
            rng: np.random.Generator,
            *,
            held_out: Examples | None = None,
            threads: int = 1,
            report: Report = ignore,
            checkpoint: Path | None = None,
        ) -> TuningResult:
            begin: Weights | OnlineState = start
            saving: dict[str, Any] = {}
            if checkpoint is not None and self.resumable:
                saving["save"] = partial(_save, examples.space, checkpoint)
                if checkpoint.exists():
                    begin = read_online_state(checkpoint, examples.space)
            return self.tune(
                examples, begin, options, rng, held_out=held_out, threads=threads, report=report,
                **saving,
            )  # fmt: skip

        return learn


def _save(space: FeatureSpace, path: Path, state: OnlineState) -> None:
    write_online_state(state, space, path)


_ONLINE_LINES = {
    "adagrad-pro": "online pairwise ranking with adaptive rates and L1 (Green et al. 2013)",
    "sgd": "the same with plain stochastic gradient descent",
    "arow": "the same with linearised AROW",
    "perceptron": "structured perceptron, averaged",
    "ramp": "online ramp loss",
    "expected-bleu": "online expected metric",
}

_ALL = (
    *(
        Optimizer(name, tune_online, ONLINE_OPTIMIZERS[name], line, resumable=True)
        for name, line in _ONLINE_LINES.items()
    ),
    Optimizer("pro", tune_pro, ProOptions(), "batch pairwise ranking (Hopkins & May 2011)"),
    Optimizer("mira", tune_mira, MiraOptions(), "k-best MIRA (Cherry & Foster 2012)"),
    Optimizer(
        "minrisk",
        tune_minimum_risk,
        MinimumRiskOptions(),
        "minimum risk, expected metric (Smith & Eisner 2006)",
    ),
    Optimizer("mert", tune_mert, MertOptions(), "minimum error rate (Och 2003)", sparse=False),
    Optimizer(
        "lp-mert",
        tune_lp_mert,
        LpMertOptions(),
        "minimum error rate by linear programs (Galley & Quirk 2011)",
        sparse=False,
    ),
)

OPTIMIZERS: Mapping[str, Optimizer] = {optimizer.name: optimizer for optimizer in _ALL}
