"""How much there is to gain: scores of the first, a random and the best choice from the lists."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from .examples import Examples
from .weights.weights import Weights

__all__ = ["OracleScores", "measure_oracle", "oracle_choice"]

_PASSES = 20  # of the search for the oracle; two to five are enough on real lists


@dataclass(frozen=True)
class OracleScores:
    """Corpus scores between which reranking can move, in the metric's reported unit.

    start: of the best hypotheses under the weights to start from
    first: of the first hypothesis of each list, the best one to the system that wrote the list
    random: of expected statistics, every hypothesis of a sentence being as likely as the others
    oracle: of the best choice that was found
    """

    start: float
    first: float
    random: float
    oracle: float


def measure_oracle(examples: Examples, start: Weights) -> OracleScores:
    """Scores of the weights to start from, and of the first, a random and the best choice."""
    return OracleScores(
        examples.best_score(start),
        examples.score(examples.sentence_offsets[:-1]),
        examples.random_score(),
        examples.score(oracle_choice(examples)),
    )


def oracle_choice(examples: Examples) -> NDArray[np.int64]:
    """Hypotheses of (nearly) the highest corpus score, one per sentence: int64[S].

    Begins with the best sentence scores and goes through the sentences, in order, taking whatever
    hypothesis raises the corpus score, until none does. A search: the true oracle of a score that
    is no sum over sentences may be a little higher.
    """
    bounds = examples.sentence_offsets.tolist()
    metric, statistics = examples.metric, examples.statistics
    chosen = np.array(
        [begin + np.argmax(examples.gains[begin:end]) for begin, end in pairwise(bounds)]
    )
    sums = statistics[chosen].sum(0)
    reached = metric.sign * float(metric.score(sums))
    for _ in range(_PASSES):
        before = reached
        for sentence, (begin, end) in enumerate(pairwise(bounds)):
            others = sums - statistics[chosen[sentence]] + statistics[begin:end]
            scores = metric.sign * metric.score(others)
            best = int(np.argmax(scores))
            if scores[best] > reached:
                reached, sums = float(scores[best]), others[best]
                chosen[sentence] = begin + best
        if reached == before:
            break
    return chosen
