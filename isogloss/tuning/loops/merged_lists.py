"""What the lists of a batch run hold, all together: how much could be gained, and folds of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from isogloss.tune.examples import Examples
from isogloss.tune.experiment import Outcome, Plan, TuningSet, carry_out
from isogloss.tune.methods import Learner
from isogloss.tune.optimizers.oracle import measure_oracle
from isogloss.tune.weights.weights import Weights

from ...console import Console
from ..folder import TuningFolder
from ..inputs import possible_folds
from ..report import GainTests, fold_lines, oracle_lines

__all__ = ["MergedLists"]


@dataclass(frozen=True)
class MergedLists:
    """The lists of all iterations in one, to be judged as lists of another decoder are.

    start: weights to start from
    plan: its folds are of sentences; each learns from the lists of the others, as they are
    """

    examples: Examples
    start: Weights
    learner: Learner
    plan: Plan

    def judge(
        self, tests: GainTests, folder: TuningFolder | None, console: Console
    ) -> tuple[list[str], Mapping[str, Any]]:
        """Scores between which the lists can move, and what folds gained, in words and as numbers.

        folder: keeps what each fold has learned, and what is there is not learned again
        """
        start = self.start.renamed_for(self.examples.space).to_space(self.examples.space)
        oracle = measure_oracle(self.examples, start)
        lines = oracle_lines(self.examples, oracle)
        lines[0] = f"all lists together: {lines[0]}"
        numbers = {"potential": vars(oracle)}
        folds = possible_folds(self.plan.folds, self.examples, console)
        if not folds:
            return lines, numbers
        plan = Plan(1, folds, self.plan.seed)
        outcomes = self._outcomes(plan, start, tests.threads, folder, console)
        judged, compared = fold_lines(self.examples, start, plan, outcomes, tests)
        lines += [f"on these lists, {line}" for line in judged]
        return lines, {**numbers, "folds": compared}

    def _outcomes(
        self,
        plan: Plan,
        start: Weights,
        threads: int,
        folder: TuningFolder | None,
        console: Console,
    ) -> list[Outcome]:
        tasks = [task for task in plan.tasks() if task.fold is not None]
        given, outcomes = TuningSet(self.examples, start), list[Outcome]()
        with console.progress("folds", len(tasks)) as advance:
            for task in tasks:
                outcome = folder.read_outcome(task, self.examples.space) if folder else None
                if outcome is None:
                    outcome = carry_out(task, plan, self.learner, given, threads=threads)
                    if folder:
                        folder.write_outcome(outcome)
                elif folder:
                    folder.check_choices(outcome, plan, self.examples)
                outcomes.append(outcome)
                advance(1)
        return outcomes
