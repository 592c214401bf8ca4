"""Options of the online optimisers, and those of each optimiser that has a name."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.align.errors import (
    MOST_HYPOTHESES,
    MOST_SAMPLES,
    UsageError,
    check_options,
    check_types,
    counts,
)
from isogloss.features.space import FeatureSpace

from ..metrics.bleu import Bleu
from ..metrics.protocol import Metric
from ..weights.regularizers import NEIGHBOURS
from .feature_groups import by_prefix, check_groups, feature_rates

__all__ = [
    "LOSSES",
    "ONLINE_OPTIMIZERS",
    "PAIRWISE",
    "UPDATES",
    "DecoderTuningOptions",
    "OnlineOptions",
]

PAIRWISE = ("logistic", "hinge", "pairwise-perceptron")
LOSSES = (*PAIRWISE, "perceptron", "ramp", "risk")
UPDATES = ("sgd", "adagrad", "arow")
_PAIRS = {"needs": ("loss", PAIRWISE)}  # what the command line refuses with another loss


@dataclass(frozen=True)
class OnlineOptions:
    """An online optimizer: a loss, an update rule, what is regularized, and how long.

    The defaults are AdaGrad-PRO's (Green et al. 2013); see :data:`ONLINE_OPTIMIZERS` for others.

    epochs: maximum number of epochs
    patience: stop after N epochs without improvement; 0 = never
    batch_size: sentences per update
    loss: loss on pairs (logistic, eq. 12; hinge; pairwise-perceptron) or on lists (perceptron,
    ramp, risk)
    update: update rule: adagrad (eqs. 4, 5), arow (eq. 11) or sgd
    rate: learning rate (eta)
    decay: learning-rate decay d: rate / (1 + d t) at step t
    precision: constant added to the squared gradients (adagrad) or initial precision (arow,
    Sigma_0^-1)
    l1: L1 regularization strength (FOBOS, eqs. 13 to 15)
    l2: L2 regularization strength
    neighbours: regularizer of neighboring bins: linear (LNR), monotone (MNR) or none
    beta: strength of the bin regularizer
    sharpness: sharpness of the bin regularizer (gamma of MNR)
    gamma: pairs sampled per sentence
    pairs: pairs kept per sentence, largest metric difference first (Xi)
    threshold: minimum metric difference of a pair, 0 to 1
    gain_scale: weight of the gain in the ramp loss
    score_scale: inverse temperature of the softmax
    average: evaluate and return averaged weights
    min_feature_count: minimum number of sentences per epoch with a feature, before it is learned
    staleness: maximum gradient delay in updates (Algorithm 2); allows as many more threads
    first_come: asynchronous updates, with ``staleness``; non-deterministic
    fixed: prefix of features that keep their initial weights
    group_rate: learning rate of features with a prefix; longest prefix wins
    group_l1: L1 strength of features with a prefix; longest prefix wins
    """

    epochs: int = 20
    patience: int = 0
    batch_size: int = 20
    loss: str = field(default="logistic", metadata={"choices": LOSSES})
    update: str = field(default="adagrad", metadata={"choices": UPDATES})
    rate: float = 0.02
    decay: float = 0.0
    precision: float = field(default=0.0, metadata={"needs": ("update", ("adagrad", "arow"))})
    l1: float = 0.1
    l2: float = 0.0
    neighbours: str = field(default="none", metadata={"choices": NEIGHBOURS})
    beta: float = field(default=1.0, metadata={"needs": ("neighbours", ("linear", "monotone"))})
    sharpness: float = field(default=2.0, metadata={"needs": ("neighbours", ("monotone",))})
    gamma: int = field(default=5000, metadata=_PAIRS)
    pairs: int = field(default=15, metadata=_PAIRS)
    threshold: float = field(default=0.05, metadata=_PAIRS)
    gain_scale: float = field(default=1.0, metadata={"needs": ("loss", ("ramp",))})
    score_scale: float = field(default=1.0, metadata={"needs": ("loss", ("risk",))})
    average: bool = False
    min_feature_count: int = 1
    staleness: int = 0
    first_come: bool = False
    fixed: tuple[str, ...] = ()
    group_rate: tuple[str, ...] = ()
    group_l1: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_types(self)
        limits = [
            *counts(self, "epochs"),
            *counts(self, "staleness", least=0),
            *counts(self, "gamma", "pairs", most=MOST_SAMPLES),
        ]
        check_options(self, limits)
        for name in ("batch_size", "min_feature_count"):
            self._check(name, getattr(self, name) >= 1, "at least 1")
        for name in ("rate", "gain_scale", "score_scale", "sharpness"):
            value = getattr(self, name)
            self._check(name, 0 < value < float("inf"), "above 0")
        for name in ("decay", "precision", "l1", "l2", "beta", "threshold", "patience"):
            value = getattr(self, name)
            self._check(name, 0 <= value < float("inf"), "at least 0")
        self._check("loss", self.loss in LOSSES, f"one of {', '.join(LOSSES)}")
        self._check("neighbours", self.neighbours in NEIGHBOURS, f"one of {', '.join(NEIGHBOURS)}")
        self._check("update", self.update in UPDATES, f"one of {', '.join(UPDATES)}")
        self._check(
            "first_come",
            self.staleness > 0 or not self.first_come,
            "staleness above 0 (--staleness N)",
        )
        self._check("fixed", all(self.fixed), "prefixes of feature names")
        for name in ("group_rate", "group_l1"):
            check_groups(name, getattr(self, name))

    def _check(self, name: str, good: bool, expected: str) -> None:
        if not good:
            raise UsageError(f"{name} = {getattr(self, name)!r}; expected {expected}")

    def rates(self, space: FeatureSpace) -> NDArray[np.float64]:
        """Rate of each feature over ``rate``, 0 for fixed ones: float64[len(space)].

        Raises UsageError for a prefix that fits no feature.
        """
        return feature_rates(space, self.rate, self.group_rate, self.fixed) / self.rate

    def lambdas(self, space: FeatureSpace) -> NDArray[np.float64]:
        """L1 of each feature: float64[len(space)]. Raises UsageError as :meth:`rates`."""
        return by_prefix(space, self.l1, "group_l1", self.group_l1)


@dataclass(frozen=True)
class DecoderTuningOptions(OnlineOptions):
    """An online optimizer with the decoder in the loop; the other options are OnlineOptions'.

    epochs: passes over the sentences, each of which costs two decodings of all of them
    nbest: translations of each sentence that are learned from
    accumulate: learn from the translations of a sentence in all epochs so far, not the last only
    metric: gives the gains, and chooses the epoch
    """

    epochs: int = 8
    nbest: int = 100
    accumulate: bool = False
    metric: Metric = field(default_factory=Bleu)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_options(self, counts(self, "nbest", most=MOST_HYPOTHESES))

    @classmethod
    def of(cls, options: OnlineOptions, **changes: Any) -> "DecoderTuningOptions":
        """The options of an online optimiser, its epochs among them, with others besides."""
        return cls(**{**vars(options), **changes})


_PAPER = OnlineOptions()

# by the names that users give; the rates are for lists that do not change, where larger steps pay
# than in the paper's decoding loop (docs/algorithms/tuning.md); the precision of AROW stands beside
# squares of sums over the pairs of a batch, 300 of them
ONLINE_OPTIMIZERS: dict[str, OnlineOptions] = {
    "adagrad-pro": replace(_PAPER, rate=0.1),
    "sgd": replace(_PAPER, update="sgd", decay=0.1),
    "arow": replace(_PAPER, update="arow", precision=1e5, rate=1000.0),
    "perceptron": replace(
        _PAPER, loss="perceptron", update="sgd", rate=0.001, l1=0.0, average=True
    ),
    "ramp": replace(_PAPER, loss="ramp", rate=0.05),
    "expected-bleu": replace(_PAPER, loss="risk", score_scale=10.0),
}
