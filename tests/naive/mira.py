"""K-best MIRA on dicts: all weights after each step are kept, and averaged when asked for."""

from collections.abc import Callable, Mapping, Sequence

Features = Mapping[int, float]
GainsIn = Callable[[Sequence[float], Sequence[float]], float]


class Mira:
    """gain_in: gain of a hypothesis' statistics within a background."""

    def __init__(self, weights: Sequence[float], background: Sequence[float], gain_in: GainsIn,
                 c: float, decay: float, safe: bool, model_background: bool,
                 fades_newest: bool = False) -> None:  # fmt: skip
        self.weights, self.background = list(weights), list(background)
        self.gain_in, self.c, self.decay = gain_in, c, decay
        self.safe, self.model_background = safe, model_background
        self.fades_newest = fades_newest
        self.visited: list[list[float]] = []

    def dot(self, features: Features) -> float:
        return sum(self.weights[name] * value for name, value in features.items())

    def sentence(self, rows: Sequence[Features], statistics: Sequence[Sequence[float]]) -> float:
        score = [self.dot(row) for row in rows]
        gain = [self.gain_in(self.background, one) for one in statistics]
        every = range(len(rows))
        hope = max(every, key=lambda h: score[h] + gain[h])
        if self.safe and score[hope] != 0 and 5 * abs(gain[hope]) < abs(score[hope]):
            scale = 5 * abs(gain[hope]) / abs(score[hope])
            hope = max(every, key=lambda h: scale * score[h] + gain[h])
        fear = max(every, key=lambda h: score[h] - gain[h])
        if hope == fear or gain[hope] <= gain[fear]:
            return 0.0
        names = {*rows[hope], *rows[fear]}
        difference = {k: rows[hope].get(k, 0.0) - rows[fear].get(k, 0.0) for k in names}
        loss = gain[hope] - gain[fear] - self.dot(difference)
        if loss > 0:
            square = sum(value * value for value in difference.values())
            rate = min(self.c, loss / square) if square else 0.0
            for name, value in difference.items():
                self.weights[name] += rate * value
            self.visited.append(list(self.weights))
        oracle = max(every, key=lambda h: score[h]) if self.model_background else hope
        self.background = [
            self.decay * (old + new) if self.fades_newest else self.decay * old + new
            for old, new in zip(self.background, statistics[oracle], strict=True)
        ]
        return max(loss, 0.0)

    def average(self) -> list[float]:
        if not self.visited:
            return self.weights
        return [sum(column) / len(self.visited) for column in zip(*self.visited, strict=True)]
