"""LP-MERT: minimum error rate training by linear programs (Galley & Quirk 2011)."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from isogloss.align.errors import (
    MAX_SAMPLES,
    UsageError,
    check_options,
    check_types,
    pluralize,
    range_checks,
    some_names,
)

from ...examples import Examples
from ...results import Report, TuningResult, ignore
from ...weights.fixed import fixed_features, take_one_prefix
from ...weights.weights import Weights
from ..batch import Progress, start_values
from ..mert import MertOptions, tune_mert
from .beam import BeamSearch
from .branch_and_bound import search_best_first
from .incumbent import Found, Incumbent
from .lazy import ExactProber, enumerate_range
from .linear_programs import LinearOptimizer, PointLists
from .losses import by_sentence, least_loss, loss_name, sentence_losses

__all__ = ["LpMertOptions", "LpMertResult", "tune_lp_mert"]

Floats = NDArray[np.float64]
_SEARCHES, _OBJECTIVES = ("beam", "exact", "lazy"), ("corpus", "sentence")
_COSINES, _SOLVERS = ("exact", "heuristic"), ("dual", "highs")
_BEAM = {"needs": ("search", ("beam",))}  # what the command line refuses with another search
_EXACT = {"needs": ("search", ("exact", "lazy"))}


@dataclass(frozen=True)
class LpMertOptions:
    """Options of LP-MERT.

    With ``tied`` there are fewer dimensions, with which exact searches are much faster; the common
    factor may be below 0. The exact constraint of ``cosine`` misses no combination that weights
    within it achieve; the paper's heuristic looks at the one solution of its linear program, and
    proves nothing. Exact searches minimize the sum of sentence losses. Beam searches begin with the
    result of MERT by its defaults, and end early if the weights stay.

    search: beam (approximate), exact (for a few sentences) or lazy (exact, with lazy
    enumeration)
    objective: what is optimized: the metric of the corpus or of sentences
    cosine: minimum cosine to the initial weights; 0 = any
    cosine_method: cosine constraint: exact or heuristic
    tied: prefix of features whose initial weights are scaled by one common factor
    beam: maximum number of constraints per linear program
    passes: maximum number of passes
    mert: start from the MERT solution
    tries: number of infeasible combinations before a range is skipped
    max_checks: maximum number of combinations; 0 = no limit
    solver: dual (active set with LP fallback) or highs (linear programs only)
    margin: minimum margin of the winning hypotheses, if the largest scaled weight is 1
    """

    search: str = field(default="beam", metadata={"choices": _SEARCHES})
    objective: str = field(default="corpus", metadata={**_BEAM, "choices": _OBJECTIVES})
    cosine: float = field(default=0.0, metadata=_EXACT)
    cosine_method: str = field(default="exact", metadata={**_EXACT, "choices": _COSINES})
    tied: tuple[str, ...] = field(default=(), metadata=_EXACT)
    beam: int = field(default=1000, metadata=_BEAM)
    passes: int = field(default=3, metadata=_BEAM)
    mert: bool = field(default=True, metadata=_BEAM)
    tries: int = field(default=20, metadata=_BEAM)
    max_checks: int = field(default=0, metadata=_EXACT)
    solver: str = field(default="dual", metadata={"choices": _SOLVERS})
    margin: float = 1e-9

    def __post_init__(self) -> None:
        take_one_prefix(self, "tied")
        check_types(self)
        checks = [
            (self.search in _SEARCHES, "search", "beam, exact or lazy"),
            (self.objective in _OBJECTIVES, "objective", "corpus or sentence"),
            (0 <= self.cosine <= 1, "cosine", "between 0 and 1"),
            (self.cosine_method in _COSINES, "cosine_method", "exact or heuristic"),
            *range_checks(self, "beam", least=2, most=MAX_SAMPLES),
            *range_checks(self, "passes", "tries"),
            (self.max_checks >= 0, "max_checks", "at least 0"),
            (self.solver in _SOLVERS, "solver", "dual or highs"),
            (0 < self.margin < 1, "margin", "above 0 and below 1"),
            (self.cosine == 0 or self.search != "beam", "cosine", '0 with `search="beam"`'),
            (all(self.tied), "tied", "prefixes of feature names"),
            (not self.tied or self.search != "beam", "tied", 'empty with `search="beam"`'),
            (
                self.cosine > 0 or self.cosine_method == "exact",
                "cosine",
                'above 0 with `cosine_method="heuristic"`',
            ),
        ]
        check_options(self, checks)


@dataclass(frozen=True, eq=False, repr=False)
class LpMertResult(TuningResult):
    """Weights and the cost of the search.

    loss: sum over sentences of edits, or of 1 - gain, of the hypotheses that the weights choose
    exact: whether no weights have less but such as choose in a tie (within the cosine, where one
    was asked for, and with the proportions of tied features); always where the loss is the least
    there is
    checked: int64[S + 1], combinations of so many sentences that were tested
    magnitude: log10 of the number of combinations of hypotheses with different features
    programs: linear programs solved; unsure: verdicts without weights or certificate, 0 if exact
    loss_name: what is summed; least: the sum of the sentences' least losses
    cosine: that was asked for, 0 = none; tied: prefixes of features that keep their proportions
    """

    loss: float
    exact: bool
    checked: NDArray[np.int64]
    magnitude: float
    programs: int
    unsure: int
    loss_name: str = "1 - gain"
    least: float = -np.inf
    cosine: float = 0.0
    tied: tuple[str, ...] = ()

    @property
    def note(self) -> str:
        """Whether the search was exact, and of what, and what was checked."""
        near = f" within a cosine of {self.cosine:g} of the initial weights" if self.cosine else ""
        if self.tied:
            near += (
                f"{' and' * bool(near)} with the weights of {some_names(self.tied)} in proportion"
            )
        found = "not proved optimal"
        if self.loss <= self.least:
            found = f"no choice of hypotheses has a smaller loss ({self.loss_name})"
        elif self.exact:
            found = f"no weights{near} have a smaller loss ({self.loss_name}), except for ties"
        full, partial = self.checked[-1], self.checked[:-1].sum()
        return (
            f"{found}; checked {full} of 10^{self.magnitude:.1f} complete and {partial} partial "
            f"combinations with {pluralize(self.programs, 'linear program')}"
        )


def tune_lp_mert(
    examples: Examples,
    start: Weights,
    options: LpMertOptions,
    rng: np.random.Generator,
    *,
    held_out: Examples | None = None,
    threads: int = 1,
    report: Report = ignore,
) -> LpMertResult:
    """Minimize the sum of sentence losses of the 1-best by linear programs (LP-MERT).

    The loss of a hypothesis is its number of edits for TER, WER and CER; with one reference length
    per sentence, the least sum has the best corpus score. For other metrics it is 1 - gain, so the
    sum ([1]_, eq. 1) is not the corpus score, except for columns. A combination of hypotheses is
    achieved if some weights score each above all others of its sentence with other features, by the
    tolerance; ties of equal features go to the first in the list. Beam search returns the best
    weights found, never worse than the start or the result of MERT in the objective. Start, MERT
    and each pass are epochs.

    Parameters
    ----------
    examples : Examples
    start : Weights
        Initial weights, matched by name.
    options : LpMertOptions
    rng : numpy.random.Generator
        For MERT only.
    held_out : Examples, optional
        Choose the best epoch; default: the examples, by the objective.
    threads : int, default 1
        For MERT only; does not change the result.
    report : callable, optional
        Called with each epoch.

    Returns
    -------
    LpMertResult
        Epoch 0 is the start.

    Raises
    ------
    DataError
        If a number is not finite, or there are too many features.
    UsageError
        If all initial weights are 0 and there is a cosine, or a prefix matches no feature.

    References
    ----------
    .. [1] Galley, M. and Quirk, C. (2011). Optimal search for minimum error rate training. EMNLP.
    """
    origin = start_values(examples, start)
    tied = fixed_features(examples.space.names, options.tied, "tied")
    points = PointLists.of(
        examples, sentence_losses(examples), uniform=options.cosine > 0, fixed=tied, start=origin
    )
    center = points.scaled(origin)
    if options.cosine > 0 and len(center) and not center.any():
        raise UsageError(
            "the cosine constraint (`cosine=...`) needs initial weights that are not all 0; pass "
            "other initial weights, or omit it"
        )
    cosine = options.cosine if len(center) else 0.0  # where no feature differs there is no angle
    optimizer = LinearOptimizer(
        points, options.margin, cosine, center, options.solver == "highs",
        options.cosine_method == "heuristic",
    )  # fmt: skip
    judge = _Judge(examples, held_out, report, options)
    judge.add(origin)
    exact = False
    if options.search == "beam":
        first = origin
        if options.mert:
            mert = tune_mert(judge.judged, start, MertOptions(), rng, threads=threads)
            first = mert.weights.values
            judge.scale = mert.scale
            judge.add(first)
        beam = BeamSearch(optimizer, judge.judged, first, options.beam, options.tries)
        for _ in range(options.passes):
            if not beam.run():
                break
            judge.add(beam.best)
    else:
        exact = _search_exactly(optimizer, origin, options.search, options.max_checks, judge)
    return judge.result(optimizer, exact)


class _Judge:
    """Weights by their place among the epochs, and which of them are the best."""

    def __init__(
        self,
        examples: Examples,
        held_out: Examples | None,
        report: Report,
        options: LpMertOptions,
    ) -> None:
        self.examples = examples
        self.losses = sentence_losses(examples)
        corpus = options.search == "beam" and options.objective == "corpus"
        self.tied = options.tied
        self.judged = examples if corpus else by_sentence(examples)
        self.progress = Progress(examples, held_out, report)
        self.by_score = corpus or held_out is not None
        self.tried: list[Floats] = []
        self.scale = 1.0  # of what follows the start

    def loss(self, weights: Floats) -> float:
        """Sum of the losses of what weights choose."""
        return float(self.losses[self.examples.best(weights)].sum())

    def add(self, weights: Floats) -> None:
        """The next weights; the start is first."""
        self.tried.append(weights.copy())
        self.progress.add(weights, self.loss(weights), self.scale)

    def result(self, optimizer: LinearOptimizer, exact: bool) -> LpMertResult:
        """The best weights: by held-out score, else by the objective; of equal ones the first."""
        epochs = tuple(self.progress.epochs)
        if self.by_score:
            number = self.progress.result().best_epoch
        else:
            number = min(range(len(epochs)), key=lambda k: epochs[k].loss)
        loss, least = epochs[number].loss, least_loss(self.examples)
        return LpMertResult(
            Weights(self.progress.examples.space, self.tried[number]),
            number,
            epochs,
            loss,
            loss <= least or (exact and optimizer.unsure == 0 and number == len(epochs) - 1),
            optimizer.checked,
            float(np.log10(np.diff(optimizer.points.offsets)).sum()),
            optimizer.programs,
            optimizer.unsure,
            loss_name(self.examples),
            least,
            optimizer.cosine,
            self.tied,
            scale=self.scale if number else 1.0,
        )


def _search_exactly(
    optimizer: LinearOptimizer, start: Floats, search: str, max_checks: int, judge: _Judge
) -> bool:
    """Put the best weights among the epochs; False where the search was given up."""
    points, center = optimizer.points, optimizer.points.scaled(start)
    incumbent = Incumbent(optimizer, Found(center, judge.loss(start)))
    if search == "exact":
        exact = search_best_first(incumbent, center, max_checks)
    else:
        prober = ExactProber(optimizer, center, max_checks)
        best = next(enumerate_range(prober, 0, len(points)), None)
        exact = prober.patient(0)
        if best is not None and best.loss < incumbent.limit:
            incumbent.best = Found(best.weights, best.loss)
    if incumbent.best.weights is not center:
        judge.add(points.restored(incumbent.best.weights, start))
        # features that never differ are not among the points, and may yet drown what is
        exact &= judge.progress.epochs[-1].loss <= incumbent.best.loss + 1e-9
    return exact and not optimizer.as_printed
