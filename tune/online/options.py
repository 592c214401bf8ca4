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
    """An online optimiser: a loss, an update rule, what is regularised, and how long.

    The defaults are AdaGrad-PRO's (Green et al. 2013); see :data:`ONLINE_OPTIMIZERS` for others.

    epochs: passes over the sentences, at most
    patience: epochs without a better score after which learning ends; 0 = after all epochs
    batch_size: sentences per update
    loss: of pairs: logistic (eq. 12), hinge, pairwise-perceptron; of lists: perceptron, ramp
    (hope and fear), risk
    update: adagrad (eqs. 4, 5), arow (eq. 11) or sgd
    rate: eta
    decay: the rate of step t = 0, 1, ... is rate / (1 + decay t); Phrasal's SGD has 0.1
    precision: added to G, the squared gradients so far (Sigma_0^-1 of AROW)
    l1: lambda, shrinks all weights by rate times lambda per step (FOBOS, eqs. 13 to 15)
    l2: the same in proportion to the weight
    neighbours: regulariser of neighbouring bins: "none", "linear" (LNR) or "monotone" (MNR)
    beta: strength of the regulariser of neighbouring bins, in each step
    sharpness: gamma of MNR
    gamma: candidate pairs drawn per sentence and epoch
    pairs: how many of them are kept, the most different ones (Xi)
    threshold: least difference of a pair in the sentence metric, 0 to 1
    gain_scale: model score that a gain of 1 is worth (ramp)
    score_scale: factor of the model scores in the softmax (risk)
    average: evaluate and return the mean of the weights over all steps
    min_feature_count: sentences of an epoch that must have a feature before it is learned
    staleness: updates that a gradient may lag behind (Algorithm 2); so many more threads are of use
    first_come: with staleness, apply gradients as they are ready, as the paper's workers do: the
    result may then depend on threads, and differ from run to run
    fixed: PREFIX of features that keep their weight
    group_rate: PREFIX=RATE of features with their own rate; the longest prefix counts
    group_l1: PREFIX=LAMBDA of features with their own l1
    """

    epochs: int = 20
    patience: int = 0
    batch_size: int = 20
    loss: str = "logistic"
    update: str = "adagrad"
    rate: float = 0.02
    decay: float = 0.0
    precision: float = field(default=0.0, metadata={"needs": ("update", ("adagrad", "arow"))})
    l1: float = 0.1
    l2: float = 0.0
    neighbours: str = "none"
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
    """An online optimiser with the decoder in the loop; the other options are OnlineOptions'.

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
