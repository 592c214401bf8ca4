"""Slow twins of inference in hypergraphs: every derivation is listed."""

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from math import prod
from typing import NamedTuple

import numpy as np

from isogloss.align.arrays.ragged import row_numbers
from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.text.string_array import Texts
from isogloss.features.space import FeatureSpace
from isogloss.tune.examples import Examples
from isogloss.tune.forest.bleu import BleuForest
from isogloss.tune.forest.hypergraph import Hypergraph
from isogloss.tune.forest.kernels.inside import Edges
from isogloss.tune.metrics.protocol import Metric
from isogloss.tune.nbest.types import NBest
from isogloss.tune.references import References

MOSES_TEXT = """# target ||| features ||| source-covered
3 4
# node 0
1
<s> |||  ||| 0
# node 1
2
[0] in the  ||| TM0_1=-1.5 TM0_2=2 LM0=-8.25 WT_du~the=1  ||| 2
[0] of ||| LM0=-3 TM0_2=1 TM0_1=0.5 ||| 2
# node 2
1
[1] house </s> ||| WT_x=1 WT_x=2 ||| 3
"""


class Listed(NamedTuple):
    """A derivation: its edges, one before those of its tails, and its words."""

    edges: tuple[int, ...]
    text: tuple[str, ...]

    def total(self, values: Sequence[float]) -> float:
        return sum(values[edge] for edge in self.edges)


def derivations(graph: Hypergraph, node: int | None = None) -> Iterator[Listed]:
    """All derivations of a node, by default the goal."""
    node = graph.num_nodes - 1 if node is None else node
    for edge in range(*graph.edge_offsets[node : node + 2].tolist()):
        tails = graph.tails[slice(*graph.tail_offsets[edge : edge + 2])].tolist()
        for parts in product(*([*derivations(graph, tail)] for tail in tails)):
            words: list[str] = []
            for item in graph.items[slice(*graph.item_offsets[edge : edge + 2])].tolist():
                words += parts[-1 - item].text if item < 0 else [graph.words[item]]
            behind = [number for part in parts for number in part.edges]
            yield Listed((edge, *behind), tuple(words))


def listed_examples(
    graphs: Sequence[Hypergraph], references: References, metric: Metric
) -> Examples:
    """All derivations as n-best lists."""
    every = [[*derivations(graph)] for graph in graphs]
    rows = [
        Ragged(row.ids, row.values, np.array([0, len(row.ids)]))
        for graph, of_graph in zip(graphs, every, strict=True)
        for row in (graph.rows.select(np.array(one.edges)) for one in of_graph)
    ]
    lists = NBest(
        np.cumsum([0, *map(len, every)]),
        Texts.from_strings(" ".join(one.text) for of_graph in every for one in of_graph),
        Ragged.joined(rows),
        graphs[0].space,
    )
    return Examples.from_nbest(lists, references, metric)


def count(graph: Hypergraph) -> int:
    """How many derivations the goal has."""
    of_node: list[int] = []
    for node in range(graph.num_nodes):
        of_node.append(0)
        for edge in range(*graph.edge_offsets[node : node + 2].tolist()):
            tails = graph.tails[slice(*graph.tail_offsets[edge : edge + 2])].tolist()
            of_node[node] += prod(of_node[tail] for tail in tails)
    return of_node[-1]


def probabilities(listed: Sequence[Listed], scores: Sequence[float], t: float) -> np.ndarray:
    """P(d) ~ exp(score / T)."""
    values = np.array([one.total(scores) for one in listed]) / t
    weights = np.exp(values - values.max())
    return weights / weights.sum()


def second_order(
    graph: Hypergraph, scores: Sequence[float], values: Sequence[float], dimension: int
) -> tuple[float, np.ndarray, np.ndarray]:
    """E[B], E[h] and E[B h] by the semiring of Chiang (2012), A.4, vectors at every node."""
    rows = np.zeros((graph.num_edges, dimension))
    for edge in range(graph.num_edges):
        row = graph.rows.part(edge, edge + 1)
        np.add.at(rows[edge], row.ids, row.values)
    num = graph.num_nodes
    inside, of_b = np.zeros(num), np.zeros(num)
    of_h, of_bh = np.zeros((num, dimension)), np.zeros((num, dimension))
    for node in range(num):
        parts = []
        for edge in range(*graph.edge_offsets[node : node + 2].tolist()):
            tails = graph.tails[slice(*graph.tail_offsets[edge : edge + 2])].tolist()
            b = values[edge] + of_b[tails].sum()
            h = rows[edge] + of_h[tails].sum(0)
            bh = b * h + sum(of_bh[tail] - of_b[tail] * of_h[tail] for tail in tails)
            parts.append((np.exp(scores[edge]) * inside[tails].prod(), b, h, bh))
        inside[node] = sum(part[0] for part in parts)
        for weight, b, h, bh in parts:
            share = weight / inside[node]
            of_b[node] += share * b
            of_h[node] += share * h
            of_bh[node] += share * bh
    return of_b[-1], of_h[-1], of_bh[-1]


def random_graph(
    rng: np.random.Generator, *, nodes: int = 6, chain: bool = False, longest: int = 2
) -> Hypergraph:
    """A hypergraph of few derivations; ``chain``: edges of one tail at most, as in lattices."""
    edges: list[tuple[list[int], list[int], list[tuple[int, float]]]] = []
    offsets = [0]
    for node in range(nodes):
        for _ in range(int(rng.integers(1, 4))):
            most = min(node, 1 if chain else 2)
            tails = rng.integers(0, node, size=rng.integers(0, most + 1)).tolist() if node else []
            size = 2 if longest == 2 else rng.integers(0, longest + 1)
            items = [-1 - k for k in range(len(tails))] + rng.integers(0, 3, size=size).tolist()
            rng.shuffle(items)
            row = [(int(k), float(rng.normal())) for k in rng.integers(0, 4, size=2)]
            edges.append((tails, items, row))
        offsets.append(len(edges))
    return build(offsets, edges)


def build(
    edge_offsets: Sequence[int],
    edges: Sequence[tuple[Sequence[int], Sequence[int], Sequence[tuple[int, float]]]],
    change: Callable[[dict[str, object]], None] = lambda _: None,
) -> Hypergraph:
    """A hypergraph of edges (tails, items, features); ``change`` what it is made of before."""
    columns: dict[str, object] = {
        "edge_offsets": np.array(edge_offsets, np.int64),
        "tail_offsets": np.cumsum([0, *(len(edge[0]) for edge in edges)]),
        "tails": np.array([tail for edge in edges for tail in edge[0]], np.int32),
        "item_offsets": np.cumsum([0, *(len(edge[1]) for edge in edges)]),
        "items": np.array([item for edge in edges for item in edge[1]], np.int32),
        "words": ("a", "b", "c"),
        "rows": Ragged.from_rows([edge[2] for edge in edges]),
        "space": FeatureSpace(["LM0", "TM0", "PT_a", "PT_b"]),
        "covered": np.ones(len(edges), np.int32),
    }
    change(columns)
    return Hypergraph(**columns)  # type: ignore[arg-type]


def statistics_of(forest: BleuForest, wanted: Sequence[int]) -> np.ndarray:
    """What the split edges of one derivation add up to. wanted: its edges in the hypergraph"""
    heads = row_numbers(forest.edges.edge_offsets).tolist()
    bounds = forest.edges.tail_offsets.tolist()
    numbers = {
        (int(edge), *forest.edges.tails[bounds[number] : bounds[number + 1]].tolist()): number
        for number, edge in enumerate(forest.edge_of)
    }
    used: list[int] = []
    nodes: list[int] = []
    for edge in reversed(wanted):
        tails = [nodes.pop() for _ in forest.graph.tails_of(edge)]
        used.append(numbers[edge, *tails])
        nodes.append(heads[used[-1]])
    return forest.statistics[used].sum(0)


def unclipped(text: Sequence[str], references: Sequence[Sequence[str]], order: int = 4) -> list:
    """Matches and totals of orders 1 to 4 by turns, matches as often as they come (eq. 18)."""
    result = []
    for n in range(1, order + 1):
        grams = [tuple(text[k : k + n]) for k in range(len(text) - n + 1)]
        known = {tuple(ref[k : k + n]) for ref in references for k in range(len(ref) - n + 1)}
        result += [sum(gram in known for gram in grams), len(grams)]
    return result


def listed_edges(edges: Edges, node: int | None = None) -> list[tuple[int, ...]]:
    """The edges of all derivations of a node, by default the last."""
    node = len(edges.edge_offsets) - 2 if node is None else node
    found = []
    for edge in range(*edges.edge_offsets[node : node + 2].tolist()):
        tails = edges.tails[slice(*edges.tail_offsets[edge : edge + 2])].tolist()
        for parts in product(*(listed_edges(edges, tail) for tail in tails)):
            found.append((edge, *(number for part in parts for number in part)))
    return found


def reranked(
    edges: Edges,
    scores: np.ndarray,
    statistics: np.ndarray,
    gain: Callable[[np.ndarray], float],
) -> list[int]:
    """The best derivation of the last node, where each node keeps one (Chiang 2012, 5.2)."""
    kept: list[list[int]] = []
    for node in range(len(edges.edge_offsets) - 1):
        candidates = []
        for edge in range(*edges.edge_offsets[node : node + 2].tolist()):
            tails = edges.tails[slice(*edges.tail_offsets[edge : edge + 2])].tolist()
            tree = [edge, *(number for tail in tails for number in kept[tail])]
            value = scores[tree].sum() + gain(statistics[tree].sum(0))
            candidates.append((round(float(value), 9), -edge, tree))
        kept.append(max(candidates)[2])
    return kept[-1]
