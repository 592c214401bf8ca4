"""Options of the online optimizers, and those of each optimizer that has a name."""

from dataclasses import dataclass, field, replace
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.align.errors import (
    MAX_HYPOTHESES,
    MAX_SAMPLES,
    check_options,
    check_types,
    range_checks,
)
from isogloss.features.space import FeatureSpace

from ..metrics.bleu import Bleu
from ..metrics.protocol import Metric
from ..weights.fixed import take_one_prefix
from ..weights.regularizers import BIN_REGULARIZERS
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
    Update rules are adagrad (eqs. 4, 5), arow (eq. 11) and sgd. L1 is FOBOS (eqs. 13 to 15). With
    ``staleness``, parallel learners are delayed gradients (Algorithm 2). The initial precision is
    Sigma_0^-1 of arow.

    epochs: maximum number of epochs
    patience: stop after N epochs without improvement; 0 = never
    batch_size: sentences per update
    loss: loss on pairs (logistic, eq. 12; hinge; pairwise-perceptron) or on lists (perceptron,
    ramp, risk)
    update: update rule
    rate: learning rate (eta)
    decay: learning-rate decay d: rate / (1 + d t) at step t
    initial_precision: initial precision of each weight, to which squared gradients are added
    l1: L1 regularization strength
    l2: L2 regularization strength
    bin_regularizer: regularizer of neighboring bins: linear (LNR), monotone (MNR) or none
    bin_strength: strength of the bin regularizer
    bin_sharpness: sharpness of the bin regularizer (gamma of MNR)
    gamma: pairs sampled per sentence
    pairs: pairs kept per sentence, largest metric difference first (Xi)
    threshold: minimum metric difference of a pair, 0 to 1
    gain_scale: weight of the gain in the ramp loss
    score_scale: inverse temperature of the softmax
    average: evaluate and return averaged weights
    min_feature_count: minimum number of sentences per epoch that contain a feature; rarer
    features are not learned
    staleness: maximum gradient delay in updates (Algorithm 2); each step allows one more thread
    deterministic: exchange updates of parallel learners in a fixed order instead of the order of
    arrival
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
    initial_precision: float = field(
        default=0.0, metadata={"needs": ("update", ("adagrad", "arow"))}
    )
    l1: float = 0.1
    l2: float = 0.0
    bin_regularizer: str = field(default="none", metadata={"choices": BIN_REGULARIZERS})
    bin_strength: float = field(
        default=1.0, metadata={"needs": ("bin_regularizer", ("linear", "monotone"))}
    )
    bin_sharpness: float = field(
        default=2.0, metadata={"needs": ("bin_regularizer", ("monotone",))}
    )
    gamma: int = field(default=5000, metadata=_PAIRS)
    pairs: int = field(default=15, metadata=_PAIRS)
    threshold: float = field(default=0.05, metadata=_PAIRS)
    gain_scale: float = field(default=1.0, metadata={"needs": ("loss", ("ramp",))})
    score_scale: float = field(default=1.0, metadata={"needs": ("loss", ("risk",))})
    average: bool = False
    min_feature_count: int = 1
    staleness: int = 0
    deterministic: bool = True
    fixed: tuple[str, ...] = ()
    group_rate: tuple[str, ...] = ()
    group_l1: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        take_one_prefix(self)
        check_types(self)
        checks = [
            *range_checks(self, "epochs"),
            *range_checks(self, "staleness", least=0),
            *range_checks(self, "gamma", "pairs", most=MAX_SAMPLES),
            (self.loss in LOSSES, "loss", f"one of {', '.join(LOSSES)}"),
            (self.bin_regularizer in BIN_REGULARIZERS, "bin_regularizer",
             f"one of {', '.join(BIN_REGULARIZERS)}"),
            (self.update in UPDATES, "update", f"one of {', '.join(UPDATES)}"),
            (self.staleness > 0 or self.deterministic, "staleness",
             "above 0 without `deterministic=True`"),
            (all(self.fixed), "fixed", "prefixes of feature names"),
        ]  # fmt: skip
        for name in ("batch_size", "min_feature_count"):
            checks.append((getattr(self, name) >= 1, name, "at least 1"))
        for name in ("rate", "gain_scale", "score_scale", "bin_sharpness"):
            checks.append((0 < getattr(self, name) < inf, name, "above 0"))
        for name in (
            "decay",
            "initial_precision",
            "l1",
            "l2",
            "bin_strength",
            "threshold",
            "patience",
        ):
            checks.append((0 <= getattr(self, name) < inf, name, "at least 0"))
        check_options(self, checks)
        for name in ("group_rate", "group_l1"):
            check_groups(name, getattr(self, name))

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
    nbest_size: translations of each sentence that are learned from
    accumulate: learn from the translations of a sentence in all epochs so far, not the last only
    metric: gives the gains, and chooses the epoch
    """

    epochs: int = 8
    nbest_size: int = 100
    accumulate: bool = False
    metric: Metric = field(default_factory=Bleu)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_options(self, range_checks(self, "nbest_size", most=MAX_HYPOTHESES))

    @classmethod
    def of(cls, options: OnlineOptions, **changes: Any) -> "DecoderTuningOptions":
        """The options of an online optimizer, its epochs among them, with others besides."""
        return cls(**{**vars(options), **changes})


_PAPER = OnlineOptions()

# by the names that users give; the rates are for lists that do not change, where larger steps pay
# than in the decoding loop of the paper, see docs/explanation/tuning.md; the precision of AROW is
# beside squares of sums over the pairs of a batch, 300 of them
ONLINE_OPTIMIZERS: dict[str, OnlineOptions] = {
    "adagrad-pro": replace(_PAPER, rate=0.1),
    "sgd": replace(_PAPER, update="sgd", decay=0.1),
    "arow": replace(_PAPER, update="arow", initial_precision=1e5, rate=1000.0),
    "perceptron": replace(
        _PAPER, loss="perceptron", update="sgd", rate=0.001, l1=0.0, average=True
    ),
    "ramp": replace(_PAPER, loss="ramp", rate=0.05),
    "expected-bleu": replace(_PAPER, loss="risk", score_scale=10.0),
}
