"""Options of the learners with hope and fear (Chiang 2012)."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.align.errors import check_options, check_types, range_checks
from isogloss.features.space import FeatureSpace

from ...online.feature_groups import check_groups, feature_rates
from ..batch import LARGEST
from .document import DECAY

__all__ = ["ORACLES", "PARALLEL", "UPDATES", "HingeOptions"]

UPDATES = ("sgd", "mira", "arow", "perceptron")
ORACLES = ("hope", "max-bleu", "local", "bold")
PARALLEL = ("mixing", "asynchronous")
_POSITIVE = "above 0 and at most 1e30"
_SETS: dict[str, Any] = {"needs": ("update", ("mira", "arow"))}


@dataclass(frozen=True)
class HingeOptions:
    """Options of learning with hope and fear: large margins, in forests or on lists.

    Asynchronous learners exchange their working sets in rounds, or, without ``deterministic``, as
    soon as one has done, as the paper's do; gradients of sgd are added up. Update rules are
    mira (Algorithm 2), arow (Algorithm 3), sgd (Algorithm 1) and perceptron (sgd with the 1-best in
    place of fear). With arow the rate is the initial variance of a weight (eta_0).

    epochs: maximum number of epochs
    patience: stop after N epochs without improvement; 0 = never
    update: update rule
    rate: learning rate (eta)
    decay: learning-rate decay d: rate / (1 + d t) at step t
    precision_step: precision added per step, as a factor of the squared changes (lambda)
    oracle: update target: hope, max-bleu, local (highest gain in an n-best list) or bold
    (max-bleu if it is a reference, else no update)
    hope_metric_weight: weight of the gain in hope selection (-mu)
    hope_decay: decay d of the hope weight: ``hope_metric_weight`` / (1 + d t) at step t
    local_size: n-best size for local
    document_decay: oracle-document decay per sentence
    epsilon: minimum extra margin violation of a new constraint
    average: evaluate and return averaged weights
    workers: number of parallel learners; they change the result, threads do not
    parallel: mixing (average the weights after each epoch) or asynchronous (exchange working sets,
    Algorithm 4)
    deterministic: exchange updates of parallel learners in a fixed order instead of the order of
    arrival
    fixed: prefix of features that keep their initial weights
    group_rate: learning rate of features with a prefix; longest prefix wins
    """

    epochs: int = 10
    patience: int = 0
    update: str = field(default="arow", metadata={"choices": UPDATES})
    rate: float = 0.01
    decay: float = 0.0
    precision_step: float = field(default=0.01, metadata={"needs": ("update", ("arow",))})
    oracle: str = field(default="hope", metadata={"choices": ORACLES})
    hope_metric_weight: float = 1.0
    hope_decay: float = 0.0
    local_size: int = field(default=100, metadata={"needs": ("oracle", ("local",))})
    document_decay: float = DECAY
    epsilon: float = field(default=0.01, metadata=_SETS)
    average: bool = True
    workers: int = 1
    parallel: str = field(default="asynchronous", metadata={"choices": PARALLEL})
    deterministic: bool = field(default=True, metadata={"needs": ("parallel", ("asynchronous",))})
    fixed: tuple[str, ...] = ()
    group_rate: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_types(self)
        checks = [
            *range_checks(self, "epochs", "local_size"),
            *range_checks(self, "patience", least=0),
            *range_checks(self, "workers", most=1024),
            (0 < self.rate <= LARGEST, "rate", _POSITIVE),
            (0 < self.hope_metric_weight <= LARGEST, "hope_metric_weight", _POSITIVE),
            (0 <= self.document_decay < 1, "document_decay", "at least 0 and below 1"),
            (self.update in UPDATES, "update", f"one of {', '.join(UPDATES)}"),
            (self.oracle in ORACLES, "oracle", f"one of {', '.join(ORACLES)}"),
            (self.parallel in PARALLEL, "parallel", f"one of {', '.join(PARALLEL)}"),
            (
                self.parallel == "asynchronous" or self.deterministic,
                "deterministic",
                'true with `parallel="mixing"`',
            ),
        ]
        for name in ("decay", "precision_step", "hope_decay", "epsilon"):
            checks.append((0 <= getattr(self, name) <= LARGEST, name, "between 0 and 1e30"))
        checks.append((all(self.fixed), "fixed", "prefixes of feature names"))
        check_options(self, checks)
        check_groups("group_rate", self.group_rate)

    def rates(self, space: FeatureSpace) -> NDArray[np.float64]:
        """Rate of each feature before the first step: float64[len(space)].

        Raises UsageError for a prefix that fits no feature.
        """
        return feature_rates(space, self.rate, self.group_rate, self.fixed)

    def mu(self, steps: int) -> float:
        """Of the search for hope, below 0. steps: made so far"""
        return -self.hope_metric_weight / (1.0 + self.hope_decay * steps)
