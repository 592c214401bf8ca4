"""Hypergraph.save and Hypergraph.load."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from isogloss.align.errors import ModelError, WrongTypeError
from isogloss.tune import Hypergraph
from isogloss.tune.forest.hypergraph import Edge, tail_item

GRAPH = Hypergraph.from_edges(
    [
        [Edge([], [0, 1], [(0, 0.5)], 1), Edge([], [2], [], 1)],
        [Edge([0], [tail_item(0), 2], [(0, 1.0), (1, -2.0)], 1)],
    ],
    ("a", "b", "é"),
    ["PT_a", "LM0"],
)


@pytest.mark.parametrize("graph", [GRAPH, replace(GRAPH, words=["a", "b", "é"])])
def test_round_trip(tmp_path: Path, graph: Hypergraph) -> None:
    graph.save(tmp_path / "graph")
    again = Hypergraph.load(tmp_path / "graph")
    assert again == replace(graph, words=tuple(graph.words))
    assert again.scores({"LM0": 1.0}).tolist() == GRAPH.scores({"LM0": 1.0}).tolist()


def test_folders_that_there_are(tmp_path: Path) -> None:
    GRAPH.save(tmp_path / "graph")
    with pytest.raises(ModelError, match="graph exists"):
        GRAPH.save(tmp_path / "graph")
    GRAPH.save(tmp_path / "graph", overwrite=True)
    np.save(tmp_path / "graph" / "tails.npy", np.array([5], np.int32))
    with pytest.raises(ModelError, match=r"damaged: tails\.npy"):
        Hypergraph.load(tmp_path / "graph")
    with pytest.raises(ModelError, match="is not a hypergraph folder"):
        Hypergraph.load(tmp_path)
    with pytest.raises(WrongTypeError, match="path must be a path, not 3"):
        Hypergraph.load(3)  # type: ignore[arg-type]
