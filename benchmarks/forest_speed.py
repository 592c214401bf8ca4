"""CPU of what is asked of forests, by edge, beside what it takes to move their arrays once."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.tune.forest.bleu import BleuForest, linear_gains
from isogloss.tune.forest.hypergraph import Hypergraph
from isogloss.tune.forest.inference import edge_probabilities, expectation, k_best, viterbi
from isogloss.tune.forest.kernels.inside import gradient

__all__ = ["Size", "copy_bandwidth", "measure_size", "print_growth", "print_sizes"]

LIST = 100
REPEATS = 3
COPIED = 1 << 27  # bytes, more than any cache of one core

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Cost:
    """What an operation took on all sentences. edges: that it looked at; bytes: of its arrays."""

    seconds: float
    edges: int
    bytes: int


@dataclass(frozen=True)
class Size:
    """Forests of one size. label: how they were made; costs: by operation"""

    label: str
    costs: dict[str, Cost]


def copy_bandwidth() -> float:
    """Bytes read and written per CPU second when a large array is copied."""
    source = np.ones(COPIED // 8)
    target = np.zeros_like(source)
    return 2 * COPIED / _least(lambda: np.copyto(target, source))


def _least(action: Callable[[], Any]) -> float:
    """CPU seconds of the fastest of some repeats."""
    spent = []
    for _ in range(REPEATS):
        begin = time.process_time()
        action()
        spent.append(time.process_time() - begin)
    return min(spent)


def _bytes(arrays: Iterable[NDArray[Any]]) -> int:
    return sum(array.nbytes for array in arrays)


def _operations(
    graph: Hypergraph, weights: Floats, words: Sequence[Sequence[str]], background: Floats
) -> Iterator[tuple[str, Callable[[], Any], int, int]]:
    """Name, what is done, edges, and bytes of the arrays it reads and writes, for one sentence."""
    scores = graph.scores(weights)
    forest = BleuForest.of(graph, words)
    many, split = graph.num_edges, len(forest.edge_of)
    inside = _bytes(graph.edges) + 2 * scores.nbytes + 8 * graph.num_nodes
    texts = _bytes((graph.items, graph.item_offsets))
    made = _bytes((*forest.edges, forest.edge_of, forest.statistics))
    own = _bytes(forest.edges) + 8 * split
    nodes = 8 * (len(forest.edges.edge_offsets) - 1)

    def linear() -> None:
        gains = linear_gains(forest, background)
        forest.best_with(scores, gains)
        forest.best_with(scores, -gains)

    def reranking() -> None:
        forest.hope(scores, background)
        forest.fear(scores, background)

    gains = linear_gains(forest, background)
    tilted = scores[forest.edge_of]
    yield "best derivation", lambda: viterbi(graph, scores), many, inside
    yield "100 best", lambda: k_best(graph, scores, LIST), many, inside + texts
    yield (
        "inside-outside", lambda: edge_probabilities(graph, scores), many,
        inside + scores.nbytes + 8 * graph.num_nodes,
    )  # fmt: skip
    yield (
        "expectation and gradient", lambda: expectation(graph, scores, scores), many,
        inside + 3 * scores.nbytes + 24 * graph.num_nodes,
    )  # fmt: skip
    yield (
        "splitting nodes", lambda: BleuForest.of(graph, words), split,
        _bytes(graph.edges) + texts + made,
    )  # fmt: skip
    # hope and fear both, for each the statistics, scores and edges; of nodes value, edge, sums
    yield (
        "hope and fear, reranking", reranking, 2 * split,
        2 * (own + forest.statistics.nbytes + 11 * nodes),
    )  # fmt: skip
    yield (
        "hope and fear, linear BLEU", linear, 2 * split,
        2 * (own + 8 * split + 2 * nodes) + forest.statistics.nbytes,
    )  # fmt: skip
    yield (
        "expectation, split nodes", lambda: gradient(forest.edges, tilted, gains, 1.0), split,
        own + 4 * 8 * split + 4 * nodes,
    )  # fmt: skip


def measure_size(
    label: str,
    graphs: Sequence[Hypergraph],
    weights: Floats,
    references: Sequence[Sequence[Sequence[str]]],
    background: Floats,
) -> Size:
    """Every operation on every forest, each the least of some repeats; all is compiled before.

    weights: float64[num_features]; references: of each sentence, as words
    background: float64[9], an oracle document
    """
    costs: dict[str, Cost] = {}
    for graph, words in zip(graphs, references, strict=True):
        for name, action, edges, size in _operations(graph, weights, words, background):
            before = costs.get(name, Cost(0.0, 0, 0))
            costs[name] = Cost(
                before.seconds + _least(action), before.edges + edges, before.bytes + size
            )
    return Size(label, costs)


def print_sizes(sizes: Sequence[Size], bandwidth: float) -> dict[str, Any]:
    """A line for each operation and size: ns an edge, the floor, edges per second."""
    print(f"copying moves {bandwidth / 1e9:.1f} GB a CPU second")
    print(f"{'':28}{'forests':12}{'edges':>12}{'ns an edge':>12}{'floor':>8}{'times':>7}"
          f"{'M edges/s':>11}")  # fmt: skip
    record: dict[str, Any] = {"bytes per second": bandwidth}
    for name in sizes[0].costs:
        for size in sizes:
            cost = size.costs[name]
            each, floor = 1e9 * cost.seconds / cost.edges, 1e9 * cost.bytes / bandwidth / cost.edges
            print(f"{name:28}{size.label:12}{cost.edges:12,}{each:12.1f}{floor:8.1f}"
                  f"{each / floor:7.1f}{1e3 / each:11.1f}")  # fmt: skip
            record.setdefault(name, {})[size.label] = {**vars(cost), "ns": each, "floor ns": floor}
    return record


def print_growth(sizes: Sequence[Size]) -> dict[str, float]:
    """The exponent of the cost by edges, from the smallest forests to the largest: 1 is linear."""
    print("exponent of the cost in edges, from the first size to the last")
    record = {}
    for name, first in sizes[0].costs.items():
        last = sizes[-1].costs[name]
        record[name] = float(
            np.log(last.seconds / first.seconds) / np.log(last.edges / first.edges)
        )
        print(f"{name:28}{record[name]:8.2f}")
    return record
