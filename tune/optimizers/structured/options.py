"""Options of the learners with hope and fear (Chiang 2012)."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.align.errors import UsageError, check_options, check_types, counts
from isogloss.features.space import FeatureSpace

from ...online.feature_groups import check_groups, feature_rates
from ..batch import LARGEST
from .document import DECAY

__all__ = ["PARALLEL", "REFERENCES", "UPDATES", "HingeOptions"]

UPDATES = ("sgd", "mira", "arow", "perceptron")
REFERENCES = ("hope", "max-bleu", "local", "bold")
PARALLEL = ("mixing", "asynchronous")
_SETS: dict[str, Any] = {"needs": ("update", ("mira", "arow"))}


@dataclass(frozen=True)
class HingeOptions:
    """Options of learning with hope and fear: large margins, in forests or on lists.

    epochs: passes over the sentences, at most
    patience: epochs without a better score after which learning ends; 0 = after all epochs
    update: mira (Algorithm 2), arow (Algorithm 3), sgd (Algorithm 1), or perceptron: sgd with the
    1-best in place of fear
    rate: eta; of arow eta_0, the variance of each weight before the first step
    decay: the rate of step t = 0, 1, ... is rate / (1 + decay t)
    precision: lambda of arow, how much each step adds to the certainty of the weights
    reference: what weights move to: hope; or max-bleu, local (the best gain of the n best), bold
    (max-bleu where it is a reference, else nothing), to compare with
    hope_weight: -mu, what a gain counts in the search for hope
    hope_decay: it is hope_weight / (1 + hope_decay t) at step t
    local_size: the n of local
    document_decay: what is left of the oracle document after each sentence
    epsilon: by how much fear must violate the margins more than all of the working set, and pairs
    of it one another
    average: judge and return the mean of the weights after all steps
    workers: learners at a time; they change the result, threads do not
    parallel: mixing: each learns from its share of the sentences, and weights are averaged after
    each epoch; asynchronous: working sets are sent to all (Algorithm 4), gradients of sgd added up
    first_come: each goes on as soon as it has done, with the sets that have come by then, as the
    paper's learners do, in place of rounds: the result may then depend on threads, and differ from
    run to run
    fixed: PREFIX of features that keep their weight
    group_rate: PREFIX=RATE of features with their own rate; the longest prefix counts
    """

    epochs: int = 10
    patience: int = 0
    update: str = "arow"
    rate: float = 0.01
    decay: float = 0.0
    precision: float = field(default=0.01, metadata={"needs": ("update", ("arow",))})
    reference: str = "hope"
    hope_weight: float = 1.0
    hope_decay: float = 0.0
    local_size: int = field(default=100, metadata={"needs": ("reference", ("local",))})
    document_decay: float = DECAY
    epsilon: float = field(default=0.01, metadata=_SETS)
    average: bool = True
    workers: int = 1
    parallel: str = "asynchronous"
    first_come: bool = field(default=False, metadata={"needs": ("parallel", ("asynchronous",))})
    fixed: tuple[str, ...] = ()
    group_rate: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_types(self)
        checks = [
            *counts(self, "epochs", "local_size"),
            *counts(self, "patience", least=0),
            *counts(self, "workers", most=1024),
            (0 < self.rate <= LARGEST, "rate", "above 0, at most 1e30"),
            (0 < self.hope_weight <= LARGEST, "hope_weight", "above 0, at most 1e30"),
            (0 <= self.document_decay < 1, "document_decay", "from 0 to below 1"),
            (self.update in UPDATES, "update", f"one of {', '.join(UPDATES)}"),
            (self.reference in REFERENCES, "reference", f"one of {', '.join(REFERENCES)}"),
            (self.parallel in PARALLEL, "parallel", f"one of {', '.join(PARALLEL)}"),
            (
                self.parallel == "asynchronous" or not self.first_come,
                "first_come",
                "parallel = asynchronous",
            ),
        ]
        for name in ("decay", "precision", "hope_decay", "epsilon"):
            checks.append((0 <= getattr(self, name) <= LARGEST, name, "from 0 to 1e30"))
        check_options(self, checks)
        if not all(self.fixed):
            raise UsageError(f"fixed = {self.fixed!r}; expected prefixes of feature names")
        check_groups("group_rate", self.group_rate)

    def rates(self, space: FeatureSpace) -> NDArray[np.float64]:
        """Rate of each feature before the first step: float64[len(space)].

        Raises UsageError for a prefix that fits no feature.
        """
        return feature_rates(space, self.rate, self.group_rate, self.fixed)

    def mu(self, steps: int) -> float:
        """Of the search for hope, below 0. steps: made so far"""
        return -self.hope_weight / (1.0 + self.hope_decay * steps)
