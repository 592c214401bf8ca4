"""The optimizers by name, with their options."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from isogloss.align.execution.keywords import changed_options
from isogloss.features.space import FeatureSpace

from .examples import Examples
from .online.learner import tune_online
from .online.options import ONLINE_OPTIMIZERS
from .online.state import read_online_state, write_online_state
from .optimizers.lp_mert.tune import LpMertOptions, tune_lp_mert
from .optimizers.mert import MertOptions, tune_mert
from .optimizers.minimum_risk import MinimumRiskOptions, tune_minimum_risk
from .optimizers.mira import MiraOptions, tune_mira
from .optimizers.pro import ProOptions, tune_pro
from .optimizers.structured.forest_mert import tune_forest_mert
from .optimizers.structured.hinge import tune_hinge
from .optimizers.structured.options import HingeOptions
from .optimizers.structured.protocol import ExampleSource
from .optimizers.structured.risk import RiskOptions, tune_risk
from .optimizers.structured.state import read_hinge_state, write_hinge_state
from .optimizers.structured.worker import Cluster
from .results import Report, TuningResult, ignore
from .weights.regularizers import space_with_bins
from .weights.weights import Weights

__all__ = ["OPTIMIZERS", "Learner", "Optimizer", "StateFiles"]


class Learner(Protocol):
    """An optimizer with its options."""

    def __call__(
        self,
        examples: Examples | ExampleSource,
        start: Weights,
        rng: np.random.Generator,
        *,
        held_out: Examples | ExampleSource | None = None,
        threads: int = 1,
        report: Report = ignore,
        checkpoint: Path | None = None,
        cluster: Cluster | None = None,
    ) -> TuningResult:
        """Learn weights.

        Parameters
        ----------
        examples : Examples or ExampleSource
            A source only if the optimizer is structured.
        start : Weights
            Initial weights, matched by name.
        rng : numpy.random.Generator
        held_out : Examples or ExampleSource, optional
            Choose the best epoch; default: the examples.
        threads : int, default 1
        report : callable, optional
            Called with each epoch.
        checkpoint : Path, optional
            File for the state after each epoch, if the optimizer can resume. An existing file is
            resumed.
        cluster : Cluster, optional
            Where learners run, for optimizers with ``on_clusters``.

        Returns
        -------
        TuningResult
        """
        ...


@dataclass(frozen=True)
class StateFiles:
    """Functions that read and write the states of an optimizer.

    Parameters
    ----------
    read : callable
        From path and space to a state.
    write : callable
        Takes a state, the space and a path.
    """

    read: Callable[[Path, FeatureSpace], Any]
    write: Callable[[Any, FeatureSpace, Path], None]

    def keep(self, space: FeatureSpace, path: Path, state: Any) -> None:
        """Write a state.

        Parameters
        ----------
        space : FeatureSpace
        path : Path
        state : object
        """
        self.write(state, space, path)


@dataclass(frozen=True)
class Optimizer:
    """An optimizer that learns weights on n-best lists.

    Parameters
    ----------
    name : str
    tune : callable
        Takes (examples, start, options, rng, *, held_out, threads, report).
    defaults : dataclass
        Its options, frozen and validated.
    line : str
        Short description.
    sparse : bool, default True
        Whether it can learn thousands of weights.
    states : StateFiles, optional
        Files of its states, if it can resume: from a state as ``start``, with states passed to
        ``save``.
    structured : bool, default False
        Whether it learns from any source of examples, such as forests.
    on_clusters : bool, default False
        Whether its learners may run on a cluster.
    of_sources : callable, optional
        Variant for sources, if ``tune`` is for lists alone.
    """

    name: str
    tune: Callable[..., TuningResult] = field(repr=False)
    defaults: Any
    line: str
    sparse: bool = True
    states: StateFiles | None = None
    structured: bool = False
    on_clusters: bool = False
    of_sources: Callable[..., TuningResult] | None = field(default=None, repr=False)

    @property
    def takes_forests(self) -> bool:
        """Whether it can learn from forests."""
        return self.structured or self.of_sources is not None

    @property
    def options(self) -> type:
        """Class of the options."""
        return type(self.defaults)

    def with_options(self, given: Mapping[str, Any]) -> Any:
        """Return the default options with some of them replaced.

        Parameters
        ----------
        given : dict
            Values by name.

        Raises
        ------
        UsageError
            If there is no such option, or a value is out of range.
        """
        return changed_options(self.defaults, given)

    def learner(self, options: Any, untuned: Sequence[str] = ()) -> Learner:
        """Return the optimizer with its options.

        Parameters
        ----------
        options : dataclass
        untuned : sequence of str, default ()
            Features that keep their weights when a batch optimizer learns from a source.

        Returns
        -------
        Learner
        """

        def learn(
            examples: Examples | ExampleSource,
            start: Weights,
            rng: np.random.Generator,
            *,
            held_out: Examples | ExampleSource | None = None,
            threads: int = 1,
            report: Report = ignore,
            checkpoint: Path | None = None,
            cluster: Cluster | None = None,
        ) -> TuningResult:
            begin: Any = start
            more: dict[str, Any] = {}
            if checkpoint is not None and self.states is not None:
                space = space_with_bins(examples.space, getattr(options, "bin_regularizer", "none"))
                more["save"] = partial(self.states.keep, space, checkpoint)
                if checkpoint.exists():
                    begin = self.states.read(checkpoint, space)
            tune = self.tune
            if self.of_sources is not None and not isinstance(examples, Examples):
                tune = partial(self.of_sources, untuned=untuned)
            return tune(
                examples, begin, options, rng, held_out=held_out, threads=cluster or threads,
                report=report, **more,
            )  # fmt: skip

        return learn


_ONLINE_LINES = {
    "adagrad-pro": "online pairwise ranking with adaptive rates and L1 (Green et al. 2013)",
    "sgd": "online pairwise ranking with stochastic gradient descent",
    "arow": "online pairwise ranking with linearized AROW",
    "perceptron": "structured perceptron, averaged",
    "ramp": "online ramp loss",
    "expected-bleu": "online expected metric",
}
_ONLINE_STATES = StateFiles(read_online_state, write_online_state)

_ALL = (
    *(
        Optimizer(name, tune_online, ONLINE_OPTIMIZERS[name], line, states=_ONLINE_STATES)
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
    Optimizer(
        "mert",
        tune_mert,
        MertOptions(),
        "minimum error rate (Och 2003)",
        sparse=False,
        of_sources=tune_forest_mert,
    ),
    Optimizer(
        "lp-mert",
        tune_lp_mert,
        LpMertOptions(),
        "minimum error rate by linear programs (Galley & Quirk 2011)",
        sparse=False,
    ),
    Optimizer(
        "hinge",
        tune_hinge,
        HingeOptions(),
        "hope-fear training on hypergraphs with MIRA or AROW (Chiang 2012)",
        states=StateFiles(read_hinge_state, write_hinge_state),
        structured=True,
        on_clusters=True,
    ),
    Optimizer(
        "risk",
        tune_risk,
        RiskOptions(),
        "online minimum risk on hypergraphs (Chiang 2012, appendix A)",
        states=_ONLINE_STATES,
        structured=True,
    ),
)

OPTIMIZERS: Mapping[str, Optimizer] = {optimizer.name: optimizer for optimizer in _ALL}
