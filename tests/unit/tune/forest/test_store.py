"""Stored forests: what is written is read again, and what is damaged is an error."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.errors import DataError, ModelError
from isogloss.features.space import FeatureSpace
from isogloss.tune import Hypergraph, read_forests
from isogloss.tune.forest.store import forest_writer, open_forests
from isogloss.tune.optimizers.structured.forests import ForestSource
from isogloss.tune.references import References
from tests.naive import forest as naive
from tests.naive.tampering import tamper

COLUMNS = ("edge_offsets", "tail_offsets", "tails", "item_offsets", "items", "covered")


def same(one: Hypergraph, other: Hypergraph) -> bool:
    """Whether all of two hypergraphs is equal, whatever the numbers of features."""
    names = [
        [space.names[k] for k in graph.rows.ids]
        for graph in (one, other)
        for space in (graph.space,)
    ]
    return (
        all(np.array_equal(getattr(one, name), getattr(other, name)) for name in COLUMNS)
        and all(getattr(one, name).dtype == getattr(other, name).dtype for name in COLUMNS)
        and names[0] == names[1]
        and np.array_equal(one.rows.values, other.rows.values)
        and np.array_equal(one.rows.offsets, other.rows.offsets)
        and list(one.words) == list(other.words)
    )


def write(folder: Path, graphs: list[Hypergraph | None], **more: Any) -> Path:
    with forest_writer(folder, **more) as writer:
        for graph in graphs:
            writer.add(graph)
    return folder


@st.composite
def sentences(draw: st.DrawFn) -> list[Hypergraph | None]:
    """Forests, some over another space or without words or features, and none at all."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    graphs: list[Hypergraph | None] = []
    for kind in draw(st.lists(st.sampled_from("abc-"), max_size=5)):
        graph = naive.random_graph(rng, nodes=int(rng.integers(1, 6)), longest=4)
        if kind == "b":
            graph = replace(
                graph,
                space=FeatureSpace(["Länge", "LM0", "PT_a", "WT_ж"]),
                words=("ж", "", "a b\n"),
            )
        elif kind == "c":
            graph = replace(graph, rows=Ragged.empty(graph.num_edges), space=FeatureSpace(()))
        graphs.append(None if kind == "-" else graph)
    return graphs


@settings(max_examples=30)
@given(sentences())
def test_what_is_written_is_read_again(
    tmp_path_factory: pytest.TempPathFactory, graphs: list[Hypergraph | None]
) -> None:
    place = tmp_path_factory.mktemp("forests")
    forests = read_forests(write(place / "f", graphs))
    assert len(forests) == len(graphs)
    assert forests.found.tolist() == [k for k, graph in enumerate(graphs) if graph is not None]
    for number, graph in enumerate(graphs):
        if graph is None:
            with pytest.raises(DataError, match=f"f: sentence {number} has no forest"):
                forests[number]
        else:
            assert same(forests[number], graph)
            assert forests[number].space is forests.space
    chosen = forests.select(forests.found)
    assert all(same(one, other) for one, other in zip(chosen, filter(None, graphs), strict=True))
    if not forests.lacking.size:
        write(place / "again", [*forests])
        for file in (place / "f").iterdir():
            assert file.read_bytes() == (place / "again" / file.name).read_bytes()


def test_features_are_one_space(tmp_path: Path) -> None:
    graph = naive.random_graph(np.random.default_rng(1), nodes=3)
    other = replace(graph, space=FeatureSpace(["New", "LM0", "PT_b", "AL_x"]))
    write(tmp_path / "f", [graph, other], names=["Distortion0"])
    forests = open_forests(tmp_path / "f", verify=True)
    assert list(forests.space) == ["Distortion0", "LM0", "TM0", "New", "PT_a", "PT_b", "AL_x"]
    assert same(forests[0], graph)
    assert same(forests[1], other)
    assert repr(forests).startswith("Forests(2 sentences, 0 without a forest, FeatureSpace(4 dense")
    assert [one.num_edges for one in forests[:]] == [graph.num_edges] * 2
    with pytest.raises(IndexError):
        forests[2]


def test_forests_over_another_space_and_in_lower_case(tmp_path: Path) -> None:
    graph = naive.random_graph(np.random.default_rng(1), nodes=3)
    graph = replace(graph, words=tuple(word.upper() for word in graph.words))
    forests = open_forests(write(tmp_path / "f", [graph]))
    space = FeatureSpace(["New", "TM0"])
    found = replace(forests, over=space, lowercase=True)[0]
    assert found.words == tuple(word.lower() for word in graph.words)
    assert found.space is space
    of_its_own = np.array([3.0 * (name == "TM0") for name in forests.space])
    expected = forests[0].scores(of_its_own)
    np.testing.assert_allclose(found.scores(np.array([9.0, 3.0])), expected, atol=1e-12)
    assert expected.any()


def test_a_folder_that_exists_and_one_that_is_not_finished(tmp_path: Path) -> None:
    graph = naive.random_graph(np.random.default_rng(1), nodes=3)
    folder = write(tmp_path / "f", [graph])
    with pytest.raises(ModelError, match="f exists; choose another folder or pass `over"):
        write(folder, [graph])
    with pytest.raises(RuntimeError, match="stopped"), forest_writer(folder, overwrite=True) as new:
        new.add(graph)
        raise RuntimeError("stopped")
    assert [file.name for file in tmp_path.iterdir()] == ["f"]
    assert same(open_forests(folder)[0], graph)
    assert len(open_forests(write(folder, [graph] * 2, overwrite=True))) == 2


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two sentences, the first without a forest; the second of 3 nodes, 3 edges, 6 items."""
    edges = [([], [0], [(0, 1.0)]), ([], [1, 2], [(2, 2.0)]), ([0, 1], [-2, 0, -1], [(1, -1.0)])]
    return write(tmp_path / "f", [None, naive.build([0, 1, 2, 3], edges)])


def put(place: int, value: Any) -> Callable[[np.ndarray], np.ndarray]:
    def changed(array: np.ndarray) -> np.ndarray:
        array = array.copy()
        array[place] = value
        return array

    return changed


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("tails", put(1, 2), "edge 2 (into node 2) has the tail node 2; tails must"),
        ("tails", put(0, -1), "edge 2 (into node 2) has the tail node -1; tails must"),
        ("node_edges", put(1, 0), "the offsets of the hypergraph do not match its"),
        ("node_edges", put(slice(0, 2), [0, 2]), "node 0 has no edge; every node needs at least"),
        ("node_edges", put(slice(0, 2), [3, -1]), "the offsets of the hypergraph do"),
        ("edge_tails", put(slice(0, 2), [1, -1]), "the offsets of the hypergraph do"),
        ("edge_features", put(slice(0, 2), [3, -1]), "the offsets of the hypergraph"),
        ("items", put(1, 3), "edge 1 (into node 1) has a word that is not"),
        ("items", put(3, -3), "the text of edge 2 (into node 2) must have each"),
        ("covered", put(2, -1), "edge 2 (into node 2) cannot cover -1 source words"),
        ("feature_ids", put(0, 4), "the hypergraph has a feature that its feature space lacks"),
        ("feature_values", put(1, np.inf), "the feature values of edge 1 (into node 1) must be"),
        ("word_bytes", put(0, 2), "offsets must run from 0 to the length of the content"),
        ("word_bytes", put(slice(0, 2), [3, -1]), "the length of a word is negative"),
        ("words", put(0, 255), "string 0 is not UTF-8; expected undamaged text"),
    ],
)  # fmt: skip
def test_hypergraphs_that_are_damaged(
    folder: Path, name: str, change: Callable[[np.ndarray], np.ndarray], message: str
) -> None:
    array = np.load(folder / f"{name.replace('__', '.')}.npy")
    tamper(folder, "forests.json", **{name: change(array)})
    forests = open_forests(folder, verify=True)
    with pytest.raises(
        ModelError, match=re.escape(f"f is damaged at sentence 1: {message}")
    ) as caught:
        forests[1]
    assert str(caught.value).endswith(". Write the forests again")


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("tails", lambda array: array[:1], "sentences.tails must start at 0 and end at 1"),
        ("covered", lambda array: array[:1], "covered is int32[1]; expected int32[3]"),
        ("tails", lambda array: array.astype(np.int64), "tails is int64[2]; expected int32["),
        ("sentences__edges", put(1, 5), "sentences.edges must not decrease"),
        ("sentences__edges", lambda array: array[1:], "sentences.edges is int64[2]; expec"),
        ("names__content", put(0, 10), "M0' is invalid"),
        ("names__content", put(slice(0, 3), list(b"TM0")), "feature names must be unique"),
        ("names__content", put(0, 95), "dense features must come before sparse"),
    ],
)  # fmt: skip
def test_arrays_that_do_not_fit(
    folder: Path, name: str, change: Callable[[np.ndarray], np.ndarray], message: str
) -> None:
    array = np.load(folder / f"{name.replace('__', '.')}.npy")
    tamper(folder, "forests.json", **{name: change(array)})
    with pytest.raises(ModelError, match=re.escape(message)):
        open_forests(folder)


def test_other_versions_and_bytes(folder: Path, tmp_path: Path) -> None:
    tamper(folder, "forests.json", {"version": [2, 0]})
    with pytest.raises(
        ModelError, match=r"format version 2; this program reads 1. Update isogloss"
    ):
        read_forests(folder)
    tamper(folder, "forests.json", {"version": [1, 0], "sentences": -1})
    with pytest.raises(ModelError, match=r"forests.json is damaged .*Write the forests again"):
        read_forests(folder)
    with pytest.raises(ModelError, match=r"not a folder of forests: it has no forests.json"):
        open_forests(tmp_path)
    (folder / "tails.npy").write_bytes((folder / "tails.npy").read_bytes()[:-1] + b"\1")
    tamper(folder, "forests.json", {"sentences": 2})
    (folder / "tails.npy").write_bytes((folder / "tails.npy").read_bytes()[:-1] + b"\2")
    with pytest.raises(ModelError, match=r"tails.npy has changed since it was written"):
        open_forests(folder)


def test_learners_take_stored_forests(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    graphs = [naive.random_graph(rng, nodes=4) for _ in range(2)]
    graphs[1] = replace(graphs[1], space=graphs[0].space)
    forests = open_forests(write(tmp_path / "f", [*graphs, None]))
    references = References.from_texts([["a b c"], ["b"], ["a"]])
    with pytest.raises(DataError, match="f: sentence 2 has no forest; expected"):
        ForestSource(forests, references)
    source = ForestSource(forests.select(forests.found), references.select(forests.found))
    weights = rng.normal(size=4)
    expected = ForestSource(graphs, references.select(np.arange(2)))
    assert source.score(weights) == expected.score(weights)
    document = np.array([20.0, 30, 12, 28, 7, 26, 4, 24, 31])
    hopes = [each.example(1, weights).hope(weights, document) for each in (source, expected)]
    assert hopes[0].scores(weights) == hopes[1].scores(weights)
    assert hopes[0].statistics.tolist() == hopes[1].statistics.tolist()
