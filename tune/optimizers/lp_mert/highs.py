"""Linear programs of LP-MERT, solved by HiGHS with cutting planes."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.align.execution import row_dots

__all__ = ["furthest_along", "greatest_margin"]

_FIRST_ROWS = 20
_NEW_ROWS = 20
_PRECISION = 1e-10  # HiGHS' finest

Floats = NDArray[np.float64]


def _silent_solver() -> Any:
    """A solver that writes nothing. HiGHS 1.16 shows its version as callbacks are enabled."""
    import highspy  # nobody else waits for it

    class Silent(highspy.Highs):
        def enableCallbacks(self) -> None:
            self.setOptionValue("output_flag", False)
            super().enableCallbacks()  # type: ignore[no-untyped-call]

    solver = Silent()  # type: ignore[no-untyped-call]
    solver.setOptionValue("output_flag", False)  # before 1.8 there is nothing to enable
    return solver


class _Program:
    """Variables within bounds, and what is to be the largest of them. More rows may follow."""

    # costs: float64[n]; limits: float64[n], in either direction

    def __init__(self, costs: Floats, limits: Floats) -> None:
        import highspy

        self.solver = _silent_solver()
        for name, value in (
            ("presolve", "off"),
            ("threads", 1),
            ("primal_feasibility_tolerance", _PRECISION),
            ("dual_feasibility_tolerance", _PRECISION),
        ):
            self.solver.setOptionValue(name, value)
        pairs = zip(limits.tolist(), costs.tolist(), strict=True)
        for number, (limit, cost) in enumerate(pairs):
            self.solver.addVar(-limit, limit)
            self.solver.changeColCost(number, -cost)
        self.infinity, self.optimal = highspy.kHighsInf, highspy.HighsModelStatus.kOptimal
        self.columns = np.arange(len(costs), dtype=np.int32)

    def add(self, rows: Floats, least: float) -> None:
        """Ask that each row has the product ``least`` or more. rows: float64[m, n]"""
        for row in rows:
            self.solver.addRow(least, self.infinity, len(self.columns), self.columns, row)

    def solve(self) -> tuple[bool, Floats]:
        """Whether there is a solution, and the variables as HiGHS leaves them: float64[n]."""
        self.solver.run()
        solved = self.solver.getModelStatus() == self.optimal
        return solved, np.array(self.solver.getSolution().col_value)


def greatest_margin(rows: Floats, near: Floats, enough: float) -> tuple[float, Floats]:
    """max t subject to rows . w >= t, -1 <= w <= 1: an upper bound of t, and the weights reached.

    Cutting planes: HiGHS begins with the rows that lose most under ``near`` and gets those that
    its weights violate, until none is violated, until the weights win by more than ``enough``, or
    until the bound is ``enough`` or less. Equations (2), (3) with a margin instead of ties.
    The weights are float64[D].

    rows: float64[m, D], m at least 1
    near: float64[D]
    """
    zeros = np.zeros(rows.shape[1])
    limits = np.append(zeros + 1.0, np.abs(rows).sum(1).max())
    program = _Program(np.append(zeros, 1.0), limits)
    used = np.zeros(len(rows), bool)
    new = np.argsort(row_dots(rows, near), kind="stable")[:_FIRST_ROWS]
    while True:
        used[new] = True
        program.add(np.column_stack([rows[new], np.full(len(new), -1.0)]), 0.0)
        _, solution = program.solve()  # weights of 0 and a margin of 0 are one at least
        weights, bound = solution[:-1], float(solution[-1])
        scores = row_dots(rows, weights)
        if bound <= enough or scores.min() > enough:
            return bound, weights
        violated = np.flatnonzero((scores < bound - _PRECISION) & ~used)
        if not len(violated):
            return bound, weights
        new = violated[np.argsort(scores[violated], kind="stable")[:_NEW_ROWS]]


def furthest_along(rows: Floats, direction: Floats, margin: float) -> Floats | None:
    """max w_0 . w subject to rows . w >= margin, |w_d| <= |w_0d|: w, float64[D], None for none.

    The program of section 3.2, c = w_0, with a margin instead of ties; cutting planes as above. The
    print bounds w by nothing; here w_0 solves the program of whatever it achieves. Where it is 0, w
    may be as far from 0 as the largest of its weights.

    rows: float64[m, D]; direction: float64[D], w_0
    """
    limits = np.abs(direction)
    program = _Program(direction, np.where(limits > 0.0, limits, limits.max(initial=0.0)))
    used = np.zeros(len(rows), bool)
    new = np.argsort(row_dots(rows, direction), kind="stable")[:_FIRST_ROWS]
    while True:
        used[new] = True
        program.add(rows[new], margin)
        solved, weights = program.solve()
        if not solved:
            return None
        scores = row_dots(rows, weights)
        violated = np.flatnonzero((scores < margin - _PRECISION) & ~used)
        if not len(violated):
            return weights
        new = violated[np.argsort(scores[violated], kind="stable")[:_NEW_ROWS]]
