"""Moses's text of hypergraphs."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.align.errors import DataError, UsageError
from isogloss.tune.forest.inference import k_best, viterbi
from isogloss.tune.forest.moses_text import moses_lines, read_moses
from tests.naive import forest as naive
from tests.naive.forest import MOSES_TEXT as TEXT


def written(folder: Path, text: str) -> Path:
    path = folder / "0"
    path.write_text(text, encoding="utf-8")
    return path


def test_what_stands_in_the_file(tmp_path: Path) -> None:
    graph = read_moses(written(tmp_path, TEXT))
    assert list(graph.space.names) == ["TM0.0", "TM0.1", "LM0", "WT_du~the", "WT_x"]
    assert (graph.num_nodes, graph.num_edges, graph.covered.tolist()) == (3, 4, [0, 2, 2, 1])
    best = k_best(graph, graph.scores(np.array([1.0, 1, 1, 1, 1])), 5)
    assert best.scores.tolist() == [1.5, -3.75]
    assert [best.text(graph, k) for k in range(2)] == [["of", "house"], ["in", "the", "house"]]


@settings(max_examples=40)
@given(st.integers(0, 10**6))
def test_what_is_written_is_read_again(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    graph = naive.random_graph(np.random.default_rng(seed), nodes=4)
    # one covered number for each node, as the form has it
    sums: list[int] = []
    for node in range(graph.num_nodes):
        edges = range(*graph.edge_offsets[node : node + 2].tolist())
        of_tails = [
            sum(sums[k] for k in graph.tails[slice(*graph.tail_offsets[edge : edge + 2])])
            for edge in edges
        ]
        sums.append(max(of_tails) + 1)
        graph.covered[list(edges)] = [sums[node] - total for total in of_tails]
    path = written(tmp_path_factory.mktemp("moses"), "\n".join(moses_lines(graph)) + "\n")
    again = read_moses(path)
    assert [*moses_lines(again)] == [*moses_lines(graph)]
    for name in ("edge_offsets", "tail_offsets", "item_offsets", "covered"):
        np.testing.assert_array_equal(getattr(again, name), getattr(graph, name))
    weights = np.array([1.0, -2.0, 0.5, 3.0])
    names = list(graph.space.names)
    values = np.array([weights[names.index(name)] for name in again.space.names])
    np.testing.assert_array_equal(again.scores(values), graph.scores(weights))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "# target",
            "# source",
            r"line 1: the title is '# source .*; expected # target \|\|\| features",
        ),
        (
            "3 4\n",
            "0 4\n",
            "line 2: the line '0 4' is malformed; expected the numbers of nodes and edges",
        ),
        (
            "3 4\n",
            "3 x\n",
            "line 2: the line '3 x' is malformed; expected the numbers of nodes and edges",
        ),
        ("3 4\n", "3 5\n", "line 12: the file has 4 edges; expected 5, as in its header"),
        (
            "3 4\n",
            "4 4\n",
            "line 12: the file is truncated; expected the number of edges of node 3",
        ),
        (
            "3 4\n",
            "2 3\n",
            "line 11: the line '1' follows the last node; expected the end",
        ),
        (
            "# node 1\n2\n",
            "# node 1\n0\n",
            "line 7: the line '0' is malformed; expected the number of edges of node 1",
        ),
        (
            "# node 1\n2\n",
            "# node 1\n-2\n",
            "line 7: the line '-2' is malformed; expected the number of edges of node 1",
        ),
        ("[0] of |||", "[0] of ||", r"line 9: .*; expected text \|\|\| NAME=value"),
        ("||| 3", "||| 3.5", r"line 12: .*; expected text \|\|\| NAME=value"),
        (
            "[0] of",
            "[1] of",
            "line 9: an edge of node 1 has the tail node 1; expected an earlier node",
        ),
        ("||| 3", "||| 1", "line 12: node 2 covers 1 source words; expected at least 2, the sum"),
        ("TM0_1=0.5 ||| 2", "TM0_1=0.5 ||| 4", "line 9: node 1 covers 4 source words; expected 2,"),
        ("LM0=-3", "LM0=-3x", "line 9: '-3x' is not a number; expected a finite number"),
        ("LM0=-3", "LM0=1e39", "line 9: the value of .* is not finite in single precision"),
        ("LM0=-3", "LM0", "line 9: the feature 'LM0' is malformed; expected NAME=value"),
        ("LM0=-3", "L\x1bM0=-3", "line 9: .*; expected NAME=value"),
    ],
)
def test_bad_files_name_the_line(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in TEXT
    with pytest.raises(DataError, match=message):
        read_moses(written(tmp_path, TEXT.replace(old, new, 1)))


def test_words_that_look_like_nodes_cannot_be_written() -> None:
    for word in ("[3]", "<s>", "|||", "a b", "a\n", ""):
        graph = naive.build([0, 1], [([], [0], [])], lambda columns, w=word: columns.update(
            words=(w, "b")))  # fmt: skip
        with pytest.raises(
            UsageError, match=r"the word .* cannot be written in the text of a Moses"
        ):
            [*moses_lines(graph)]


def test_moses_own_hypergraph(shared_data: Path) -> None:
    graph = read_moses(shared_data / "nbest" / "hypergraph-sparse.hg.gz")
    assert (graph.num_nodes, graph.num_edges) == (1248, 4032)
    assert int(graph.covered.sum()) > 0
    weights = np.random.default_rng(1).normal(size=len(graph.space))
    scores = graph.scores(weights)
    found = k_best(graph, scores, 100, distinct=False)
    assert found.scores[0] == viterbi(graph, scores).scores[0]
    np.testing.assert_allclose(found.features(graph).scores(weights), found.scores, rtol=1e-9)
