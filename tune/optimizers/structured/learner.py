"""A learner with hope and fear: one sentence after the other (Chiang 2012, Algorithms 1 to 4)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ...kernels.bleu import ORDER
from ...metrics.bleu import LENGTH
from ...metrics.protocol import Metric
from .document import extended
from .options import HingeOptions
from .protocol import Example, Hypotheses
from .working_sets import Change, QuadraticProgram, WorkingSet

__all__ = ["Learner", "LearnerState"]

_MAX_BLEU = -1e6  # mu with which the model chooses among equal gains only


@dataclass(frozen=True)
class LearnerState:
    """What a learner needs to go on.

    weights: float64[num_features]
    squares: float64[num_features], of arow: the sum of x^2 over all steps
    drift: float64[num_features]; the sum of the weights after each step is steps * weights - drift
    document: float64[K], the oracle document
    """

    weights: NDArray[np.float64]
    squares: NDArray[np.float64]
    drift: NDArray[np.float64]
    document: NDArray[np.float64]
    steps: int

    def total(self) -> NDArray[np.float64]:
        """The sum of the weights after each step: float64[num_features] (Daume 2006, p. 19)."""
        return self.steps * self.weights - self.drift

    def moved_to(self, weights: NDArray[np.float64]) -> "LearnerState":
        """The same with other weights to go on from. weights: float64[num_features]"""
        drift = self.drift + self.steps * (weights - self.weights)
        return replace(self, weights=weights, drift=drift)


class Learner:
    """Weights, and what changes them from sentence to sentence.

    rates: float64[num_features], eta, or the variances of arow before the first step
    state: to go on from
    """

    def __init__(
        self, metric: Metric, options: HingeOptions, rates: NDArray[np.float64], state: LearnerState
    ) -> None:
        self.metric, self.options, self.rates = metric, options, rates
        self.weights, self.squares = state.weights.copy(), state.squares.copy()
        self.drift, self.document, self.steps = state.drift.copy(), state.document, state.steps
        self._variances = rates / (1.0 + options.precision_step * rates * self.squares)

    @property
    def state(self) -> LearnerState:
        """What it needs to go on, for as long as it makes no step."""
        return LearnerState(self.weights, self.squares, self.drift, self.document, self.steps)

    def step(
        self, example: Example, received: Sequence[WorkingSet] = ()
    ) -> tuple[WorkingSet | None, float]:
        """Learn from a sentence, and from the working sets of other learners with it.

        Returns the sentence's working set, for others to learn from, None where there is nothing
        to learn, and the loss: how far fear violates its margin before the sentence is learned
        from, with what was received learned already.
        """
        best, target = example.best(self.weights), self._target(example)
        own, loss = None, 0.0
        if target is None:
            self.receive(received)
        elif self.options.update in ("mira", "arow"):
            own, loss = self._keep_margins(example, target, received)
        else:
            fear = best if self.options.update == "perceptron" else self._fear(example)
            own, loss = self._descend(target, fear, received)
        self.document = extended(self.document, best.statistics[0], self.options.document_decay)
        self.steps += 1
        return own, loss

    def receive(self, received: Sequence[WorkingSet]) -> None:
        """Learn from working sets of other learners alone."""
        if self.options.update in ("mira", "arow"):
            program = QuadraticProgram(received)
            self._optimize(program)
            self._settle(program)
        else:
            for members in received:
                self._follow(members)

    def _fear(self, example: Example) -> Hypotheses:
        return example.fear(self.weights, self.document)

    def _target(self, example: Example) -> Hypotheses | None:
        """The translation that weights move to (section 4); None to pass the sentence over."""
        options, document = self.options, self.document
        if options.oracle == "hope":
            return example.hope(self.weights, document, options.mu(self.steps))
        if options.oracle == "local":
            found = example.n_best(self.weights, options.local_size)
            return found.single(int(np.argmax(self.metric.gains_in(document, found.statistics))))
        found = example.hope(self.weights, document, _MAX_BLEU)
        passed_over = options.oracle == "bold" and not _is_reference(found.statistics[0])
        return None if passed_over else found

    def _loss(self, target: Hypotheses, other: Hypotheses) -> float:
        """The gain of one minus that of another, both measured on their texts (section 2.4)."""
        both = np.concatenate([target.statistics, other.statistics])
        gains = self.metric.gains_in(self.document, both)
        return float(gains[0] - gains[1])

    def _descend(
        self, target: Hypotheses, fear: Hypotheses, received: Sequence[WorkingSet]
    ) -> tuple[WorkingSet | None, float]:
        """A step down the subgradient of the hinge (Algorithm 1), and those of others."""
        own = WorkingSet.of(target).and_also(fear, self._loss(target, fear))
        loss = float(own.violations(self.weights)[1])
        follows = loss > 0.0 or self.options.update == "perceptron"
        for members in [own, *received] if follows else received:
            self._follow(members)
        return own if follows else None, max(loss, 0.0)

    def _follow(self, members: WorkingSet) -> None:
        change = Change.between(members.members, np.array([0.0, 1.0]))
        self._record(change, moving=True)

    def _keep_margins(
        self, example: Example, target: Hypotheses, received: Sequence[WorkingSet]
    ) -> tuple[WorkingSet | None, float]:
        """Widen the working set by fear until fear violates its margin no more than the set."""
        # The sets of others are optimized from the first on, not only once the sentence's own
        # grows.
        program = QuadraticProgram([WorkingSet.of(target), *received])
        loss, first = 0.0, True
        while True:
            if received or not first:
                self._optimize(program)
            fear = self._fear(example)
            wider = program.sets[0].and_also(fear, self._loss(target, fear))
            violations = wider.violations(self.weights)
            if first:
                loss, first = max(float(violations[-1]), 0.0), False
            if violations[-1] <= violations[:-1].max() + self.options.epsilon:
                break
            program.widen(0, wider)
        self._settle(program)
        return program.sets[0] if len(program.sets[0]) > 1 else None, loss

    def _optimize(self, program: QuadraticProgram) -> None:
        if program.sets:
            program.optimize(self.weights, self._rates(), self.options.epsilon)

    def _rates(self) -> NDArray[np.float64]:
        decay = self.options.decay
        return self._variances / (1.0 + decay * self.steps) if decay else self._variances

    def _settle(self, program: QuadraticProgram) -> None:
        """Take steps that were made into the sum of weights; arow grows more certain by them."""
        changes = program.changes()
        for change in changes:
            self._record(change, moving=False)
        if self.options.update == "arow":
            for ids, values in changes:
                self.squares[ids] += values**2
                certainty = self.options.precision_step * self.rates[ids] * self.squares[ids]
                self._variances[ids] = self.rates[ids] / (1.0 + certainty)

    def _record(self, change: Change, *, moving: bool) -> None:
        """Add a step to what the sum of weights is made of. moving: and to the weights"""
        ids, values = change
        step = self._rates()[ids] * values
        if moving:
            self.weights[ids] += step
        self.drift[ids] += self.steps * step


def _is_reference(statistics: NDArray[np.float64]) -> bool:
    """Whether all n-grams match, and the length is that of a reference. statistics: float64[9]"""
    matches, totals = statistics[0 : 2 * ORDER : 2], statistics[1 : 2 * ORDER : 2]
    return bool((matches == totals).all() and totals[0] == statistics[LENGTH])
