"""How much there is to gain: scores of the first, a random and the best choice from the lists."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..examples import Examples
from ..weights.weights import Weights

__all__ = ["MAX_SINGLE", "OracleScores", "measure_oracle", "oracle_choice"]

MAX_SINGLE = 100  # dense features that are tried one by one
_PASSES = 20  # of the search for the oracle; two to five are enough on real lists


@dataclass(frozen=True)
class OracleScores:
    """Corpus scores between which reranking can move, in the metric's reported unit.

    start: of the best hypotheses under the weights to start from
    first: of the first hypothesis of each list, the best one to the system that wrote the list
    random: of expected statistics, every hypothesis of a sentence being as likely as the others
    oracle: of the best choice that was found
    single: of the best hypotheses under the best dense feature alone
    feature: its name, with a minus sign where lower values are better; empty where there is none
    """

    start: float
    first: float
    random: float
    oracle: float
    single: float
    feature: str


def measure_oracle(examples: Examples, start: Weights) -> OracleScores:
    """Scores of the weights to start from, and of the first, a random and the best choice.

    Single features are tried where there are at most MAX_SINGLE dense ones.
    """
    first = examples.score(examples.sentence_offsets[:-1])
    single, feature = _best_single(examples) or (first, "")
    return OracleScores(
        examples.best_score(start),
        first,
        examples.random_score(),
        examples.score(oracle_choice(examples)),
        single,
        feature,
    )


def _best_single(examples: Examples) -> tuple[float, str] | None:
    """The score of the best dense feature alone, and its name; None where none is tried."""
    space, found = examples.space, list[tuple[float, str]]()
    if space.num_dense > MAX_SINGLE:
        return None
    for number, name in enumerate(space.names[: space.num_dense]):
        for sign in ("", "-"):
            weights = np.zeros(len(space))
            weights[number] = -1.0 if sign else 1.0
            found.append((examples.best_score(weights, 0.0), f"{sign}{name}"))
    return max(found, key=lambda pair: examples.metric.sign * pair[0], default=None)


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
