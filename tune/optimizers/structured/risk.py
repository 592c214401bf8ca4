"""Minimum risk sentence by sentence, on lists and on forests alike (Chiang 2012, appendix A)."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.ragged import distinct_sums
from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.errors import UsageError, check_options, pluralize
from isogloss.align.execution import run_tasks

from ...examples import Examples
from ...metrics.protocol import Metric
from ...online.epochs import Course, EpochScore, diverged
from ...online.learner import OnlineLearner, Save, Start, learn
from ...online.losses import Gradient
from ...online.options import OnlineOptions
from ...online.state import OnlineState
from ...results import Report, TuningResult, ignore
from ...weights.regularizers import space_with_bins
from .document import DECAY, extended, first_document
from .lists import sources_of
from .protocol import Example, ExampleSource, Expected

__all__ = ["RiskOptions", "tune_risk"]

LEAST, LARGEST = 1e-3, 1e6  # of temperatures and mu: beyond, gradients are rounding or nothing
_RANGE = "between 0.001 and 1e6"


@dataclass(frozen=True)
class RiskOptions(OnlineOptions):
    """Minimum risk: the other options are OnlineOptions', those of pairs and lists of no effect.

    By default what Chiang (2012) has: a step of SGD after each sentence.

    Translations are as likely as exp(score / temperature). With ``mu`` above 0 steps lead from fear
    to hope, gains being worth mu times as much as scores, which is the gradient again as mu -> 0.

    temperature: initial temperature; 0 = hope-fear updates (needs ``mu``)
    cooling: cooling factor per epoch; 1 = no annealing
    coldest: minimum temperature
    mu: weight of the gain in hope-fear steps (A.2); 0 = exact gradient
    mu_decay: decay factor of mu per epoch
    least_mu: minimum mu
    document_decay: oracle-document decay per sentence
    """

    epochs: int = 10
    batch_size: int = 1
    loss: str = "risk"
    update: str = "sgd"
    rate: float = 0.05
    l1: float = 0.0
    temperature: float = 1.0
    cooling: float = 1.0
    coldest: float = LEAST
    mu: float = 0.0
    mu_decay: float = 1.0
    least_mu: float = LEAST
    document_decay: float = DECAY

    def __post_init__(self) -> None:
        super().__post_init__()
        check_options(self, self._checks())

    def _checks(self) -> Iterator[tuple[bool, str, str]]:
        yield self.loss == "risk", "loss", "risk"
        yield (
            self.score_scale == 1.0,
            "score_scale",
            "1 (set its inverse, `temperature=...`, instead)",
        )
        good = LEAST <= self.temperature <= LARGEST
        yield (
            good or self.temperature == 0.0 < self.mu, "temperature",
            f"{_RANGE}, or 0 with `mu=...` above 0",
        )  # fmt: skip
        for name in ("cooling", "mu_decay"):
            yield 0.0 < getattr(self, name) <= 1.0, name, "above 0 and at most 1"
        good = LEAST <= self.coldest <= max(self.temperature, LEAST)
        yield good, "coldest", "between 0.001 and `temperature=...`"
        yield self.mu == 0.0 or LEAST <= self.mu <= LARGEST, "mu", f"0 or {_RANGE}"
        yield (
            LEAST <= self.least_mu <= max(self.mu, LEAST),
            "least_mu",
            "between 0.001 and `mu=...`",
        )
        yield 0.0 <= self.document_decay < 1.0, "document_decay", "at least 0 and below 1"

    def temperature_in(self, epoch: int) -> float:
        """T of an epoch, the first of which is 0."""
        if self.temperature == 0.0:
            return 0.0
        return max(self.temperature * self.cooling**epoch, self.coldest)

    def mu_in(self, epoch: int) -> float:
        """Mu of an epoch, the first of which is 0."""
        return 0.0 if self.mu == 0.0 else max(self.mu * self.mu_decay**epoch, self.least_mu)


class _RiskLearner(OnlineLearner):
    """An online learner that carries an oracle document from sentence to sentence."""

    # document: float64[K], statistics of the translations that the model chose, fading
    # Raises UsageError for a state whose document has another metric's statistics.

    def __init__(self, source: ExampleSource, start: Start, options: RiskOptions) -> None:
        super().__init__(space_with_bins(source.space, options.bin_regularizer), start, options)
        self.document = first_document(source.metric)
        if isinstance(start, OnlineState):
            if len(start.document) != len(self.document):
                raise UsageError(
                    "the oracle document of the state has "
                    f"{pluralize(len(start.document), 'statistic')}, but {source.metric.name} has "
                    f"{len(self.document)}; resume with the metric of the state"
                )
            self.document = np.array(start.document)

    def state(self, course: Course) -> OnlineState:
        """A copy of all that is needed to go on from here, the document included."""
        return replace(super().state(course), document=tuple(self.document.tolist()))


@dataclass(frozen=True)
class _RiskProblem:
    """Examples as a :class:`Problem`."""

    # Weights that follow those of the examples' features are of bins that no translation has.
    # threads: to look at sentences with; they change no result

    source: ExampleSource
    held_out: ExampleSource | None
    options: RiskOptions
    threads: int

    @property
    def num_sentences(self) -> int:
        """Sentences to learn from."""
        return len(self.source)

    def tasks(
        self, learner: OnlineLearner, batches: Iterable[NDArray[np.int64]], key: int
    ) -> Iterator[Callable[[], Gradient]]:
        """A task for each mini-batch, each sentence of which has the document before it.

        The best translations are looked for as tasks are taken, so that the document goes from
        sentence to sentence in their order, however late gradients are.

        batches: int64[b] each, numbers of sentences; key: of the epoch's random numbers
        """
        assert isinstance(learner, _RiskLearner)
        options, metric = self.options, self.source.metric
        epoch = learner.steps // -(-self.num_sentences // options.batch_size)
        model = options.temperature_in(epoch), options.mu_in(epoch)
        threads = 1 if options.staleness else self.threads
        for number, batch in enumerate(batches):
            weights = learner.settled()
            if not np.isfinite(weights[learner.met]).all():
                raise diverged(f"mini-batch {number + 1}")
            weights = weights[: len(self.source.space)]
            if options.staleness:
                weights = weights.copy()
            looks = (partial(_look, self.source, k, weights) for k in batch.tolist())
            tasks = []
            for example, statistics in run_tasks(looks, self.threads):
                tasks.append(partial(_expected, example, metric, weights, learner.document, *model))
                learner.document = extended(learner.document, statistics, options.document_decay)
            yield partial(_gradient, tasks, threads)

    def judge(self, weights: NDArray[np.float64]) -> EpochScore:
        """By the held-out examples where there are any, else by those learned from.

        weights: float64[num_features]
        """
        weights = weights[: len(self.source.space)]
        score = self.source.score(weights)
        held_out = None if self.held_out is None else self.held_out.score(weights)
        return EpochScore.of(score, held_out, self.source.metric.sign)


@np.errstate(over="ignore", invalid="ignore")  # weights that have run away are told as such
def _look(
    source: ExampleSource, number: int, weights: NDArray[np.float64]
) -> tuple[Example, NDArray[np.float64]]:
    """An example, and the statistics of its best translation: float64[K]."""
    example = source.example(number, weights)
    return example, example.best(weights).statistics[0]


@np.errstate(over="ignore", invalid="ignore")
def _expected(
    example: Example,
    metric: Metric,
    weights: NDArray[np.float64],
    document: NDArray[np.float64],
    temperature: float,
    mu: float,
) -> Expected:
    """The expected gain of a sentence and its gradient, or what stands for it with mu above 0."""
    if mu == 0.0:
        return example.expectation(weights, document, temperature)
    if temperature > 0.0:
        return example.secant(weights, document, temperature, mu)
    # the best alone are likely; fear by w h - mu gain is that by w h / mu - gain
    found = example.hope(weights, document, -mu).and_then(example.fear(weights / mu, document))
    sides = np.array([0.5, -0.5]) / mu
    gains = metric.gains_in(document, found.statistics)
    difference = (sides * found.scores(weights)).sum() + 0.5 * gains.sum()
    return Expected.of(float(difference), Ragged(*found.rows), sides, np.abs(sides))


def _gradient(tasks: Sequence[Callable[[], Expected]], threads: int) -> Gradient:
    """The gradient of a mini-batch, a task for each of its sentences."""
    found = [*run_tasks(tasks, threads)]
    ids = np.concatenate([one.ids for one in found]).astype(np.int64)
    features, slopes = distinct_sums(ids, -np.concatenate([one.slopes for one in found]))
    _, counts = distinct_sums(ids, np.ones(len(ids)))
    loss = -sum(one.gain for one in found)
    return Gradient(features.astype(np.int32), slopes, counts.astype(np.int64), loss)


def tune_risk(
    examples: ExampleSource | Examples,
    start: Start,
    options: RiskOptions,
    rng: np.random.Generator,
    *,
    held_out: ExampleSource | Examples | None = None,
    threads: int = 1,
    report: Report = ignore,
    save: Save | None = None,
) -> TuningResult:
    """Maximize expected gains sentence by sentence, by stochastic gradient steps.

    A gain is the metric of a translation within an oracle document b, which starts with 1 of each
    statistic and becomes 0.9 (b + statistics of the 1-best) after each sentence. With
    ``Bleu(document="chiang")`` it is that of [1]_, eq. 3. The loss is minus the expected gains.

    Parameters
    ----------
    examples : ExampleSource or Examples
        Lists, or any source, such as forests.
    start : Weights or OnlineState
        Initial weights, or the state of an earlier run with the same options, to resume.
    options : RiskOptions
    rng : numpy.random.Generator
    held_out : ExampleSource or Examples, optional
        Over the same features; choose the best epoch. Default: the examples.
    threads : int, default 1
        Used within mini-batches and with ``staleness``; does not change the result.
    report, save : callable, optional
        Called with each epoch, and with the state after it.

    Returns
    -------
    TuningResult
        Epoch 0 is the start.

    Raises
    ------
    DataError
        If weights become infinite.
    UsageError
        If held-out examples have other features, the state is of another metric, or a bin
        regularizer finds no neighboring bins.

    References
    ----------
    .. [1] Chiang, D. (2012). Hope and fear for discriminative training of statistical translation
       models. JMLR 13.
    """
    source, judge = sources_of(examples, held_out)
    return learn(
        _RiskProblem(source, judge, options, threads),
        _RiskLearner(source, start, options),
        rng,
        threads=threads,
        report=report,
        save=save,
    )
