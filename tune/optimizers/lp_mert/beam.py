"""LP-MERT with a beam: small linear programs around the best weights (section 3.2, second part)."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.ragged import per_entry
from isogloss.align.execution import row_dots

from ...examples import Examples
from ..line_search import Columns, LineSearcher, best_step, common_step
from .lazy import Combination, enumerate_range
from .linear_programs import LinearOptimizer

__all__ = ["BeamSearch"]

Floats = NDArray[np.float64]

_MARGIN = 0.01
"""How far the weights go for what has to win; the line search goes on from there."""


class BeamSearch:
    """Passes of lazy enumeration that improve the weights as they find combinations.

    Of the differences of a combination those that score highest under the best weights take part
    in its linear program, ``beam`` of them; it counts as interior where the combination itself
    would not be among them. What the best weights choose of a range is its last combination, and
    comes next after ``tries`` that were interior, so that time is linear in the number of ranges.
    Weights found are not taken as they are (the paper): an exact line search from the best weights
    through them says which on that line are best on all sentences. One is made in a pass for each
    range of two lists or more, for the first combination that is found there.

    best: float64[num_features], the best weights; gain: their score, higher is better
    """

    def __init__(
        self, optimizer: LinearOptimizer, examples: Examples, start: Floats, beam: int, tries: int
    ) -> None:
        self.optimizer, self.examples = optimizer, examples
        self.beam, self.tries = beam, tries
        self.points = optimizer.points
        self.columns = Columns.of(examples, self.points.features)
        self.searcher = LineSearcher(examples)
        self.orders = [self.points.by_loss(s) for s in range(len(self.points))]
        others = start.copy()
        others[self.points.features] = 0.0
        self.constant = examples.scores(others)
        self._move(start, examples.metric.sign * examples.best_score(start))

    def _move(self, weights: Floats, gain: float) -> None:
        """Take weights as the best ones."""
        points = self.points
        self.best, self.gain = weights, gain
        self.scaled = points.scaled(weights)
        self.model = row_dots(points.columns.T, self.scaled)
        self.scores = self.columns.scores(weights[points.features], self.constant)
        ends = points.offsets.tolist()
        self.model_choices = [b + int(self.model[b:e].argmax()) for b, e in pairwise(ends)]

    def run(self) -> bool:
        """One pass; whether it improved on the weights."""
        before = self.gain
        self.looked = set[tuple[int, int]]()
        next(enumerate_range(self, 0, len(self.points)), None)
        return self.gain > before

    def leaves(self, sentence: int) -> Iterator[tuple[int, float]]:
        """Points of a list with their losses, by loss."""
        for point in self.orders[sentence].tolist():
            yield point, float(self.points.losses[point])

    def last(self, begin: int, end: int) -> Combination:
        """What the best weights choose."""
        chosen = self.model_choices[begin:end]
        return Combination(tuple(chosen), float(self.points.losses[chosen].sum()), self.scaled)

    def patient(self, misses: int) -> bool:
        """Whether so few combinations of the range were interior that it goes on."""
        return misses < self.tries

    def probe(self, begin: int, points: tuple[int, ...], near: Floats | None) -> Floats | None:
        """COMBINE with a beam, LINOPTIMIZER, and a look at the weights it finds: float64[D].

        near: float64[D], weights to stay near to
        """
        offsets = self.points.offsets[begin : begin + len(points) + 1]
        first, chosen = int(offsets[0]), np.array(points)
        winners = per_entry(chosen, offsets)
        ahead = self.model[first : offsets[-1]] - self.model[winners]
        ahead[chosen - first] = -np.inf
        if int((ahead > 0.0).sum()) >= self.beam:
            return None
        kept = np.flatnonzero(ahead > -np.inf)
        if len(kept) >= self.beam:
            kept = np.argpartition(-ahead, self.beam - 1)[: self.beam - 1]
        columns = self.points.columns
        differences = np.zeros((len(columns), len(kept) + 1))
        differences[:, 1:] = columns[:, first + kept] - columns[:, winners[kept]]
        weights = self.optimizer.find_among(differences, self.scaled, len(points), _MARGIN)
        here = begin, len(points)
        if weights is not None and len(points) > 1 and here not in self.looked:
            self.looked.add(here)
            self._look(weights)
        return weights

    def _look(self, weights: Floats) -> None:
        """Search the line from the best weights through these; move where that helps."""
        features = self.points.features
        direction = self.points.restored(weights, self.best)[features] - self.best[features]
        if not direction.any():
            return
        surface = self.searcher.surface(self.scores, self.columns.scores(direction))
        unit = common_step(self.columns.spreads, self.best[features], direction)
        gains = self.examples.metric.sign * surface.scores
        step = best_step(surface.boundaries, gains, unit)
        if step != 0.0:
            moved = self.best.copy()
            moved[features] += step * direction
            gain = self.examples.metric.sign * self.examples.best_score(moved)
            if gain > self.gain + 1e-9 * max(1.0, abs(self.gain)):
                self._move(moved, gain)
