"""Slow twin of learning with hope and fear on lists (Chiang 2012, Algorithms 1 to 4)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import minimize

from tests.naive.mira import chiang_gain
from tune.examples import Examples
from tune.optimizers.structured.options import HingeOptions

Set = tuple[np.ndarray, np.ndarray]


def solve(sets: Sequence[Set], rates: np.ndarray, weights: np.ndarray) -> list[np.ndarray]:
    """Shares of each set at the optimum of eq. 6, by a general solver of its dual.

    sets: differences h(target) - h(d) of each, and losses
    """
    sizes = [len(losses) for _, losses in sets]
    differences = np.vstack([rows for rows, _ in sets])
    violations = np.concatenate([losses for _, losses in sets]) - differences @ weights
    gram = (differences * rates) @ differences.T
    ends = np.cumsum(sizes)
    constraints = [
        {
            "type": "eq",
            "fun": lambda shares, part=slice(end - size, end): shares[part].sum() - 1.0,
            "jac": lambda shares, part=slice(end - size, end): (
                np.isin(np.arange(len(shares)), np.arange(part.start, part.stop)) * 1.0
            ),
        }
        for size, end in zip(sizes, ends, strict=True)
    ]
    start = np.concatenate([np.full(size, 1.0 / size) for size in sizes])
    found = minimize(
        lambda shares: 0.5 * shares @ gram @ shares - shares @ violations, start,
        jac=lambda shares: gram @ shares - violations, bounds=[(0.0, 1.0)] * len(start),
        constraints=constraints, method="SLSQP", options={"ftol": 1e-15, "maxiter": 1000},
    )  # fmt: skip
    return np.split(found.x, ends[:-1])


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
        if options.reference == "local":
            nearest = np.argsort(-scores, kind="stable")[: options.local_size]
            return int(nearest[np.argmax(gains[nearest])])
        if options.reference == "max-bleu":
            return int(np.argmax(scores + 1e6 * gains))
        weight = options.hope_weight / (1 + options.hope_decay * self.steps)
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
                    self.rates = 1 / (1 / self.rates + options.precision * move**2)
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
