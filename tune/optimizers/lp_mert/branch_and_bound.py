"""Exact LP-MERT by branch and bound: best bound first, with a look ahead at every list."""

import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count

import numpy as np
from numpy.typing import NDArray

from .incumbent import Incumbent

__all__ = ["search_best_first"]

Floats = NDArray[np.float64]


@dataclass
class _State:
    """Points chosen from some lists, which weights achieve together."""

    # taken: their lists; chosen: int64[S], read at these; refuted: bool[H], points that no weights
    #   achieve beside the chosen ones; weights: some that achieve these
    # cheapest: of each other list the point of least loss that is not refuted, with weights once it
    #   is known to go with the chosen ones
    # witnesses: weights that achieve the chosen points, with what they choose of all lists,
    #   int64[S]

    taken: list[int]
    chosen: NDArray[np.int64]
    refuted: NDArray[np.bool_]
    weights: Floats
    bound: float
    cheapest: dict[int, tuple[int, Floats | None]]
    witnesses: list[tuple[Floats, NDArray[np.int64]]]

    def witness(self, sentence: int, point: int) -> Floats | None:
        """Weights that are known to achieve a point beside the chosen ones."""
        return next((w for w, points in self.witnesses if points[sentence] == point), None)


class _Search:
    """Open states, and branches of states that are looked through, by bound."""

    def __init__(self, incumbent: Incumbent, max_checks: int) -> None:
        self.incumbent, self.optimizer = incumbent, incumbent.optimizer
        self.max_checks = max_checks
        points = self.points = incumbent.points
        self.orders = [points.by_loss(s).tolist() for s in range(len(points))]
        self.losses = points.losses.tolist()
        self.heap: list[tuple[float, int, int, _State, Iterator[int] | None, int]] = []
        self.ticks = count()

    def push(
        self, bound: float, state: _State, rest: Iterator[int] | None = None, point: int = -1
    ) -> None:
        """Put a state, or a branch of it, in line; of equal bounds the deeper one is first."""
        if bound < self.incumbent.limit:
            entry = (bound, -len(state.taken), next(self.ticks), state, rest, point)
            heapq.heappush(self.heap, entry)

    def root(self, start: Floats) -> _State:
        """Nothing is chosen."""
        cheapest: dict[int, tuple[int, Floats | None]] = {
            sentence: (order[0], None) for sentence, order in enumerate(self.orders)
        }
        bound = sum(self.losses[point] for point, _ in cheapest.values())
        chosen = np.zeros(len(self.points), np.int64)
        refuted = np.zeros(len(self.losses), bool)
        return _State([], chosen, refuted, start, bound, cheapest, [])

    def test(self, state: _State, sentence: int, point: int) -> Floats | None:
        """Weights that achieve a point beside the chosen ones; all it chooses is considered."""
        known = state.witness(sentence, point)
        if known is not None:
            return known
        state.chosen[sentence] = point
        lists = np.array([*state.taken, sentence])
        weights = self.optimizer.find(lists, state.chosen, state.weights)
        if weights is None:
            state.refuted[point] = True
            return None
        chosen = self.incumbent.consider(weights)
        if chosen is not None:
            state.witnesses.append((weights, chosen))
        return weights

    def look_ahead(self, state: _State) -> bool:
        """Advance each list to its cheapest point that goes with the chosen ones.

        False where the bound passes that of another state, or the limit, before it is done.
        """
        for sentence in state.cheapest:
            point, known = state.cheapest[sentence]
            while known is None:
                if state.bound >= self.incumbent.limit or (
                    self.heap and state.bound > self.heap[0][0]
                ):
                    return False
                known = self.test(state, sentence, point)
                if known is None:
                    following = self.following(state, sentence, point)
                    if following < 0:
                        state.bound = np.inf
                        return False
                    state.bound += self.losses[following] - self.losses[point]
                    point = following
                state.cheapest[sentence] = point, known
        return state.bound < self.incumbent.limit

    def following(self, state: _State, sentence: int, point: int) -> int:
        """The next point of a list, by loss, that is not refuted; -1 behind the last one."""
        order = self.orders[sentence]
        behind = order[order.index(point) + 1 :]
        return next((other for other in behind if not state.refuted[other]), -1)

    def branch(self, state: _State) -> None:
        """Choose from the list whose points, as far as the limit allows them, cost most on average.

        Half of the states or fewer than where the list with the fewest such points is chosen.
        """
        slack = self.incumbent.limit - state.bound

        def cost(sentence: int) -> float:
            least = self.losses[state.cheapest[sentence][0]]
            order = (p for p in self.orders[sentence] if not state.refuted[p])
            costs = [c for p in order if (c := self.losses[p] - least) < slack]
            return float(sum(costs) / len(costs))

        sentence = max(state.cheapest, key=cost)
        order = self.orders[sentence]
        first = state.cheapest[sentence][0]
        self.next_branch(state, iter(order[order.index(first) :]), sentence)

    def next_branch(self, state: _State, rest: Iterator[int], sentence: int) -> None:
        """Put the next point of a list in line."""
        for point in rest:
            if not state.refuted[point]:
                more = self.losses[point] - self.losses[state.cheapest[sentence][0]]
                self.push(state.bound + more, state, rest, point)
                return

    def child(self, state: _State, point: int, bound: float) -> _State | None:
        """A state in which one more point is chosen; None where no weights achieve that."""
        sentence = int(np.searchsorted(self.points.offsets, point, "right")) - 1
        cheapest, weights = state.cheapest[sentence]
        if point != cheapest:
            weights = self.test(state, sentence, point)
        if weights is None:
            return None
        chosen = state.chosen.copy()
        chosen[sentence] = point
        others = {k: (first, None) for k, (first, _) in state.cheapest.items() if k != sentence}
        witnesses = [(w, points) for w, points in state.witnesses if points[sentence] == point]
        taken, refuted = [*state.taken, sentence], state.refuted.copy()
        return _State(taken, chosen, refuted, weights, bound, dict(others), witnesses)

    def run(self, start: Floats) -> bool:
        """Search until no bound is below the incumbent's loss; False where checks ran out."""
        self.push(-np.inf, self.root(start))
        while self.heap and self.heap[0][0] < self.incumbent.limit:
            if 0 < self.max_checks <= int(self.optimizer.checked.sum()):
                return False
            bound, _, _, state, rest, point = heapq.heappop(self.heap)
            if rest is not None:
                sentence = int(np.searchsorted(self.points.offsets, point, "right")) - 1
                self.next_branch(state, rest, sentence)
                child = self.child(state, point, bound)
                if child is None:
                    continue
                state = child
            if self.look_ahead(state):
                if len(state.cheapest) > 1:
                    self.branch(state)
            else:
                self.push(state.bound, state)
        return True


def search_best_first(
    incumbent: Incumbent, start: NDArray[np.float64], max_checks: int = 0
) -> bool:
    """Improve the incumbent until no combination that weights achieve has less loss.

    A state is a combination of points of some lists. Its bound is their loss and, of each other
    list, that of the cheapest point that weights achieve beside them: no combination of all lists
    has less. The state with the least bound is expanded first, so that none is whose bound is over
    the least loss, as in lazy enumeration; but every list is looked at in every state, while in
    Algorithm 2 the halves meet at the top only.

    start: float64[D], where to begin; max_checks: 0, or combinations after which to give up.
    Returns whether the search is complete.
    """
    return _Search(incumbent, max_checks).run(start)
