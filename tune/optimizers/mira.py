"""K-best MIRA: margins between hope and fear hypotheses of n-best lists (Cherry & Foster 2012)."""

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from isogloss.align.errors import check_options, check_types, range_checks

from ..examples import Examples
from ..kernels.rows import Rows
from ..metrics.bleu import DOCUMENT_DECAYS, Bleu
from ..metrics.protocol import Metric
from ..results import Report, TuningResult, ignore
from ..weights.weights import Weights
from .batch import LARGEST, Progress, start_values
from .kernels.mira import MiraSettings, MiraState, bleu_epoch, mira_step

__all__ = ["MiraOptions", "tune_mira"]

_BACKGROUNDS = ("hope", "model")
_SHRINK = 0.1  # of weights that lead to no step at all, and of C where they run away
_TRIES = 4  # with C, and with less


@dataclass(frozen=True)
class MiraOptions:
    """Options of MIRA; but for ``average`` the defaults are Cherry & Foster's and Moses kbmira's.

    c: maximum step size; reduced automatically if results are worse than random
    document_decay: oracle-document decay per sentence
    epochs: maximum number of epochs
    average: evaluate and return averaged weights
    safe_hope: limit the model score to five times the gain in hope selection
    background: hypotheses that form the oracle document: hope or model (1-best)
    """

    c: float = 0.01
    document_decay: float | None = field(
        default=None, metadata={"default": "0.999, or 0.9 with ``oracle_document`` chiang"}
    )
    epochs: int = 60
    average: bool = False
    safe_hope: bool = False
    background: str | None = field(
        default=None,
        metadata={
            "choices": _BACKGROUNDS,
            "default": "hope, or model with ``oracle_document`` chiang",
        },
    )

    def __post_init__(self) -> None:
        check_types(self)
        checks = [
            (0 < self.c <= LARGEST, "c", "above 0 and at most 1e30"),
            (
                self.document_decay is None or 0 <= self.document_decay <= 1,
                "document_decay",
                "between 0 and 1",
            ),
            *range_checks(self, "epochs"),
            (self.background in (None, *_BACKGROUNDS), "background", "hope or model"),
        ]  # fmt: skip
        check_options(self, checks)


@dataclass
class _State:
    """What is carried from sentence to sentence; updates: number of steps so far."""

    arrays: MiraState
    updates: int = 0

    @classmethod
    def start(cls, weights: NDArray[np.float64], metric: Metric) -> "_State":
        """Weights, copied, before the first step."""
        drift, difference = np.zeros(len(weights)), np.zeros(len(weights))
        background = np.ones(metric.num_statistics)  # no count is 0, and it soon fades
        return cls(MiraState(weights.astype(np.float64), drift, background, difference))

    def read(self, average: bool) -> NDArray[np.float64]:
        """The weights to judge, as an array of their own."""
        if average and self.updates:
            return self.arrays.weights - self.arrays.drift / self.updates
        return self.arrays.weights.copy()


def tune_mira(
    examples: Examples,
    start: Weights,
    options: MiraOptions,
    rng: np.random.Generator,
    *,
    held_out: Examples | None = None,
    threads: int = 1,
    report: Report = ignore,
) -> TuningResult:
    """Learn large margins between hope and fear hypotheses by k-best MIRA.

    For each sentence, in random order, hope has the highest score + gain and fear the highest
    score - gain, where gain is the metric of a hypothesis within the oracle document [1]_. Let d be
    the features of hope minus fear and loss = gain(hope) - gain(fear) - w.d. If the loss is above
    0, w moves by min(C, loss / ||d||^2) d. Then the document is decayed and extended by hope; it
    starts with 1 of each statistic. With ``Bleu(document="chiang")`` gains are those of [2]_,
    eq. 3, and the document is decayed and extended by the 1-best of every sentence.

    If scores are so large that hope and fear are the 1-best in every sentence, weights are divided
    by 10 after each epoch until there is a first step, which changes no ranking. If no epoch is
    better than the start, and the last is worse on the examples than random choice, learning
    restarts with a tenth of C, at most three times.

    Parameters
    ----------
    examples : Examples
    start : Weights
        Initial weights, matched by name.
    options : MiraOptions
    rng : numpy.random.Generator
    held_out : Examples, optional
        Choose the best epoch; default: the examples.
    threads : int, default 1
        Not used: every step depends on the previous one.
    report : callable, optional
        Called with each epoch.

    Returns
    -------
    TuningResult
        Epoch 0 is the start.

    Raises
    ------
    DataError
        If a number is not finite.

    References
    ----------
    .. [1] Cherry, C. and Foster, G. (2012). Batch tuning strategies for statistical machine
       translation. NAACL.
    .. [2] Chiang, D. (2012). Hope and fear for discriminative training of statistical translation
       models. JMLR 13.
    """
    origin = start_values(examples, start)
    progress = Progress(examples, held_out, report)
    progress.add(origin.copy(), 0.0)
    for _ in range(_TRIES):
        state = _learn(examples, origin, options, rng, progress)
        has_gained = progress.result().best_epoch > 0
        if has_gained or not state.updates or not _is_chance(examples, state.arrays.weights):
            break
        options = replace(options, c=_SHRINK * options.c)
    return progress.result()


def _learn(
    examples: Examples,
    origin: NDArray[np.float64],
    options: MiraOptions,
    rng: np.random.Generator,
    progress: Progress,
) -> _State:
    """All epochs; returns what the last one ends with."""
    state = _State.start(origin, examples.metric)
    epoch = _epoch_of_bleu if _is_compiled(examples.metric) else _epoch
    scale = 1.0
    for _ in range(options.epochs):
        loss = epoch(examples, state, options, rng.permutation(len(examples)))
        if not state.updates:
            state.arrays.weights[:] *= _SHRINK
            scale *= _SHRINK
        progress.add(state.read(options.average), loss, scale)
    return state


def _is_chance(examples: Examples, weights: NDArray[np.float64]) -> bool:
    """Whether a hypothesis drawn at random is better than the best one under some weights."""
    sign = examples.metric.sign
    return sign * examples.best_score(weights) < sign * examples.random_score()


def _is_compiled(metric: Metric) -> bool:
    """Whether the kernel knows its gains within an oracle document."""
    return isinstance(metric, Bleu) and metric.document == "cherry-foster"


def _epoch_of_bleu(
    examples: Examples, state: _State, options: MiraOptions, order: NDArray[np.int64]
) -> float:
    """One pass over the sentences in the given order, all of it compiled; returns the loss."""
    loss, state.updates = bleu_epoch(
        order, examples.sentence_offsets, examples.statistics, _rows(examples), state.arrays,
        _settings(options, examples.metric), state.updates,
    )  # fmt: skip
    return float(loss)


def _epoch(
    examples: Examples, state: _State, options: MiraOptions, order: NDArray[np.int64]
) -> float:
    """One pass over the sentences in the given order, for any metric; returns the loss."""
    rows, statistics = _rows(examples), examples.statistics
    settings = _settings(options, examples.metric)
    total = 0.0
    for sentence in order.tolist():
        begin, end = examples.sentence_offsets[sentence : sentence + 2].tolist()
        gains = examples.metric.gains_in(state.arrays.background, statistics[begin:end])
        loss = mira_step(
            begin, np.ascontiguousarray(gains), statistics, rows, state.arrays, settings,
            state.updates,
        )  # fmt: skip
        if loss > 0.0:
            state.updates += 1
            total += loss
    return total


def _rows(examples: Examples) -> Rows:
    """The features of the hypotheses, as kernels take them."""
    return Rows(examples.rows.ids, examples.rows.values, examples.rows.offsets)


def _settings(options: MiraOptions, metric: Metric) -> MiraSettings:
    """The options that each step needs, as kernels take them; the document has its own defaults."""
    document = metric.document if isinstance(metric, Bleu) else "cherry-foster"
    chiang = document == "chiang"
    decay = DOCUMENT_DECAYS[document] if options.document_decay is None else options.document_decay
    background = options.background or ("model" if chiang else "hope")
    return MiraSettings(
        float(options.c), float(decay), options.safe_hope, background == "model", chiang
    )
