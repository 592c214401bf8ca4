"""Slow twin of learning with hope and fear on lists (Chiang 2012, Algorithms 1 to 4)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from isogloss.tune.examples import Examples
from isogloss.tune.optimizers.structured.options import HingeOptions
from tests.naive.mira import chiang_gain

Set = tuple[np.ndarray, np.ndarray]


def solve(sets: Sequence[Set], rates: np.ndarray, weights: np.ndarray) -> list[np.ndarray]:
    """Shares of each set at the optimum of eq. 6: its dual, until the duality gap says so.

    Steps are those of Frank and Wolfe with pairs (Lacoste-Julien & Jaggi 2015), each exact. A
    general solver (SLSQP) stops short of the optimum where its BLAS adds in another order.

    sets: differences h(target) - h(d) of each, and losses
    """
    sizes = [len(losses) for _, losses in sets]
    differences = np.vstack([rows for rows, _ in sets])
    violations = np.concatenate([losses for _, losses in sets]) - differences @ weights
    gram = (differences * rates) @ differences.T
    bounds = np.cumsum([0, *sizes])
    parts = [np.arange(begin, end) for begin, end in pairwise(bounds)]
    shares = np.concatenate([np.full(size, 1.0 / size) for size in sizes])
    for _ in range(100_000):
        slopes = violations - gram @ shares
        gaps = [slopes[part].max() - slopes[part] @ shares[part] for part in parts]
        if sum(gaps) < 1e-13:
            return np.split(shares, bounds[1:-1])
        part = parts[int(np.argmax(gaps))]
        used = part[shares[part] > 0.0]
        up, down = part[np.argmax(slopes[part])], used[np.argmin(slopes[used])]
        square = gram[up, up] + gram[down, down] - 2.0 * gram[up, down]
        surplus, step = slopes[up] - slopes[down], shares[down]
        if surplus < step * square:
            step = surplus / square
        shares[up] += step
        shares[down] -= step
    raise AssertionError(f"a duality gap of {sum(gaps)} is left")


@dataclass
class Twin:
    """A learner on lists, all of whose hypotheses are in every working set."""

    examples: Examples
    options: HingeOptions
    weights: np.ndarray
    rates: np.ndarray
    document: np.ndarray = field(default_factory=lambda: np.ones(9))
    sum: np.ndarray | float = 0.0
    steps: int = 0

    def features(self, sentence: int) -> np.ndarray:
        numbers = self.examples.hypotheses(sentence)
        rows = np.zeros((len(numbers), len(self.examples.space)))
        for place, number in enumerate(numbers):
            row = self.examples.rows.part(number, number + 1)
            np.add.at(rows[place], row.ids, row.values.astype(float))
        return rows

    def target(self, scores: np.ndarray, gains: np.ndarray) -> int:
        options = self.options
        if options.oracle == "local":
            nearest = np.argsort(-scores, kind="stable")[: options.local_size]
            return int(nearest[np.argmax(gains[nearest])])
        if options.oracle == "max-bleu":
            return int(np.argmax(scores + 1e6 * gains))
        weight = options.hope_metric_weight / (1 + options.hope_decay * self.steps)
        return int(np.argmax(scores + weight * gains))

    def step(self, sentence: int, received: Sequence[Set] = ()) -> Set:
        """Returns the sentence's differences and losses."""
        options, rows = self.options, self.features(sentence)
        numbers = self.examples.hypotheses(sentence)
        statistics = self.examples.statistics[numbers.start : numbers.stop]
        scores = rows @ self.weights
        gains = np.array([chiang_gain(self.document, row) for row in statistics])
        target = self.target(scores, gains)
        own = rows[target] - rows, gains[target] - gains
        rates = self.rates / (1 + options.decay * self.steps)
        if options.update in ("sgd", "perceptron"):
            other = np.argmax(scores if options.update == "perceptron" else scores - gains)
            own = own[0][[target, other]], own[1][[target, other]]
            if options.update == "perceptron" or own[1][1] - own[0][1] @ self.weights > 0:
                self.weights = self.weights + rates * own[0][1]
            for differences, _ in received:
                self.weights = self.weights + rates * differences[1]
        else:
            sets = [own, *received]
            shares = solve(sets, rates, self.weights)
            pairs = zip(shares, sets, strict=True)
            moves = [part @ differences for part, (differences, _) in pairs]
            self.weights = self.weights + rates * np.sum(moves, axis=0)
            if options.update == "arow":
                for move in moves:
                    self.rates = 1 / (1 / self.rates + options.precision_step * move**2)
        self.document = options.document_decay * (self.document + statistics[np.argmax(scores)])
        self.sum = self.sum + self.weights
        self.steps += 1
        return own


def run(twin: Twin, epochs: int, orders: Callable[[int], np.ndarray]) -> list[np.ndarray]:
    """The mean of the weights after each epoch. orders: of the sentences, by epoch"""
    results = []
    for epoch in range(1, epochs + 1):
        for sentence in orders(epoch).tolist():
            twin.step(sentence)
        results.append(twin.sum / twin.steps)
    return results
