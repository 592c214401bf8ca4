"""K-best MIRA on dicts (Cherry & Foster 2012), with gains counted here.

All weights after each step are kept, and averaged when asked for. A gain is what a hypothesis does
within the oracle document: statistics are matches and n-grams of orders 1 to 4 in turn, and the
reference length, or errors and words.
"""

from collections.abc import Callable, Mapping, Sequence
from math import exp, prod

Features = Mapping[int, float]
Statistics = Sequence[float]
Gain = Callable[[Statistics, Statistics], float]  # of a hypothesis' statistics in a document


def bleu(statistics: Statistics) -> float:
    """Corpus BLEU, 0 to 1 (Papineni et al. 2002)."""
    matches, totals, reference = statistics[0:8:2], statistics[1:8:2], statistics[8]
    if 0 in matches:
        return 0.0
    precision = prod(m / n for m, n in zip(matches, totals, strict=True)) ** 0.25
    return precision * min(1.0, exp(1.0 - reference / totals[0]))


def together(document: Statistics, hypothesis: Statistics) -> list[float]:
    return [old + new for old, new in zip(document, hypothesis, strict=True)]


def cherry_foster_gain(document: Statistics, hypothesis: Statistics) -> float:
    """BLEU of both together, times the length of both references."""
    both = together(document, hypothesis)
    return bleu(both) * both[8]


def chiang_gain(document: Statistics, hypothesis: Statistics) -> float:
    """What the hypothesis adds to the document's BLEU, times the document's words (eq. 3)."""
    return document[1] * (bleu(together(document, hypothesis)) - bleu(document))


def error_rate_gain(document: Statistics, hypothesis: Statistics) -> float:
    """Minus the errors per word of both, in words of the document."""
    errors, words = together(document, hypothesis)
    return -errors / words * document[1]


class Mira:
    """C, decay of the document, options.

    chiang: b <- decay (b + h) after every sentence, in place of decay b + h where hope gains more
    """

    def __init__(self, weights: Sequence[float], document: Statistics, gain: Gain,
                 c: float, decay: float, safe: bool, model_background: bool,
                 chiang: bool = False) -> None:  # fmt: skip
        self.weights, self.document = list(weights), list(document)
        self.gain, self.c, self.decay = gain, c, decay
        self.safe, self.model_background = safe, model_background
        self.chiang = chiang
        self.visited: list[list[float]] = []

    def dot(self, features: Features) -> float:
        return sum(self.weights[name] * value for name, value in features.items())

    def sentence(self, rows: Sequence[Features], statistics: Sequence[Statistics]) -> float:
        score = [self.dot(row) for row in rows]
        gain = [self.gain(self.document, hypothesis) for hypothesis in statistics]
        every = range(len(rows))
        hope = max(every, key=lambda h: score[h] + gain[h])
        if self.safe and score[hope] != 0 and 5 * abs(gain[hope]) < abs(score[hope]):
            scale = 5 * abs(gain[hope]) / abs(score[hope])
            hope = max(every, key=lambda h: scale * score[h] + gain[h])
        fear = max(every, key=lambda h: score[h] - gain[h])
        gains_more = hope != fear and gain[hope] > gain[fear]
        loss = self.learn(rows[hope], rows[fear], gain[hope] - gain[fear]) if gains_more else 0.0
        oracle = max(every, key=lambda h: score[h]) if self.model_background else hope
        if self.chiang:
            self.document = [self.decay * b for b in together(self.document, statistics[oracle])]
        elif gains_more:
            self.document = together([self.decay * b for b in self.document], statistics[oracle])
        return loss

    def learn(self, hope: Features, fear: Features, margin: float) -> float:
        names = {*hope, *fear}
        difference = {k: hope.get(k, 0.0) - fear.get(k, 0.0) for k in names}
        loss = margin - self.dot(difference)
        if loss > 0:
            square = sum(value * value for value in difference.values())
            rate = min(self.c, loss / square) if square else 0.0
            for name, value in difference.items():
                self.weights[name] += rate * value
            self.visited.append(list(self.weights))
        return max(loss, 0.0)

    def average(self) -> list[float]:
        if not self.visited:
            return self.weights
        return [sum(column) / len(self.visited) for column in zip(*self.visited, strict=True)]
