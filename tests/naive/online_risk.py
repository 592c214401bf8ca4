"""Slow twin of online minimum risk (Chiang 2012, A): all translations of a sentence are listed."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from isogloss.tune.forest.hypergraph import Hypergraph
from isogloss.tune.online.epochs import stream_key
from isogloss.tune.optimizers.structured.risk import RiskOptions
from tests.naive.adagrad import EagerUpdates
from tests.naive.forest import derivations, unclipped
from tests.naive.mira import bleu


class Translation(NamedTuple):
    """Features; statistics, which the document takes in; counts, by which gains are measured."""

    features: np.ndarray
    statistics: np.ndarray
    counts: np.ndarray


Gain = Callable[[np.ndarray, Translation], float]
"""Of a translation within an oracle document."""


class After(NamedTuple):
    """What an epoch leaves."""

    weights: np.ndarray
    document: np.ndarray
    loss: float


def of_graph(
    graph: Hypergraph, references: Sequence[str], measure: Callable[[str], np.ndarray]
) -> list[Translation]:
    """All derivations of a forest. measure: clipped statistics of a text"""
    words = [reference.split() for reference in references]
    result = []
    for one in derivations(graph):
        features = np.zeros(len(graph.space))
        for edge in one.edges:
            row = graph.rows.part(edge, edge + 1)
            np.add.at(features, row.ids, row.values.astype(np.float64))
        counts = np.array(unclipped(one.text, words), np.float64)
        result.append(Translation(features, measure(" ".join(one.text)), counts))
    return result


def linear_gain(document: np.ndarray, translation: Translation) -> float:
    """B to first order, but for what is the same for all (Chiang 2012, A.3)."""
    matches, totals, reference = document[0:8:2], document[1:8:2], document[8]
    if 0.0 in matches:
        return 0.0
    change = 0.0
    for k in range(4):
        change += translation.counts[2 * k] / (4 * matches[k])
        change -= translation.counts[2 * k + 1] / (4 * totals[k])
    if reference >= totals[0]:
        change += reference * translation.counts[1] / totals[0] ** 2
    return float(totals[0] * bleu(document.tolist()) * change)


def likely(scores: np.ndarray, temperature: float) -> np.ndarray:
    """P(d) ~ exp(score / T); the first of the best alone where T = 0."""
    if temperature == 0.0:
        return np.arange(len(scores)) == scores.argmax()
    odds = np.exp((scores - scores.max()) / temperature)
    return odds / odds.sum()


def log_sum(scores: np.ndarray, temperature: float) -> float:
    """T log of the sum of exp(score / T); the best where T = 0."""
    if temperature == 0.0:
        return float(scores.max())
    most = scores.max()
    return float(most + temperature * np.log(np.exp((scores - most) / temperature).sum()))


def slopes(
    features: np.ndarray, scores: np.ndarray, gains: np.ndarray, temperature: float, mu: float
) -> tuple[float, np.ndarray]:
    """The expected gain and its gradient (eq. 22), or with mu those between hope and fear (A.2)."""
    features = features - features[0]  # so that what all share cancels out to the last bit
    if mu == 0.0:
        mean = likely(scores, temperature) @ gains
        worth = likely(scores, temperature) * (gains - mean) / temperature
        return float(mean), worth @ features
    hope, fear = scores + mu * gains, scores - mu * gains
    change = likely(hope, temperature).astype(float) - likely(fear, temperature)
    gain = log_sum(hope, temperature) - log_sum(fear, temperature)
    return gain / (2 * mu), change @ features / (2 * mu)


def order_of(sentences: int, key: int, epoch: int) -> list[int]:
    """The order of an epoch, the first of which is 1."""
    return np.random.default_rng(stream_key(key, epoch)).permutation(sentences).tolist()


def epochs(
    sentences: Sequence[Sequence[Translation]],
    weights: Sequence[float],
    options: RiskOptions,
    seed: int,
    gain: Gain,
) -> Iterator[After]:
    """Mini-batches in random order; the document is that of the sentences before, one by one."""
    updates = EagerUpdates(
        weights, options.rate, [options.l1] * len(weights), rule=options.update,
        decay=options.decay, l2=options.l2,
    )  # fmt: skip
    document = np.ones(len(sentences[0][0].statistics))
    key = int(np.random.default_rng(seed).integers(1 << 63))
    for epoch in range(options.epochs):
        temperature = max(options.temperature * options.cooling**epoch, options.coldest)
        temperature = temperature if options.temperature else 0.0
        mu = max(options.mu * options.mu_decay**epoch, options.least_mu) if options.mu else 0.0
        order = order_of(len(sentences), key, epoch + 1)
        loss = 0.0
        for begin in range(0, len(order), options.batch_size):
            total = np.zeros(len(weights))
            for number in order[begin : begin + options.batch_size]:
                listed = sentences[number]
                features = np.array([one.features for one in listed])
                scores = features @ updates.weights
                gains = np.array([gain(document, one) for one in listed])
                expected, slope = slopes(features, scores, gains, temperature, mu)
                loss, total = loss - expected, total - slope
                document = options.document_decay * (document + listed[scores.argmax()].statistics)
            updates.step(dict(enumerate(total.tolist())))
        yield After(np.array(updates.weights), document, loss)
