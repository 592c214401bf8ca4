"""Several forests as one: all of their derivations."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from isogloss.align.errors import UsageError
from isogloss.tune.forest.hypergraph import Hypergraph
from isogloss.tune.forest.union import union
from tests.naive import forest as naive


def listed(graph: Hypergraph) -> Counter[tuple[object, ...]]:
    """Derivations by their text, the features of each edge, and what each edge covers."""
    return Counter(
        (
            one.text,
            *(
                (*rows.ids.tolist(), *rows.values.tolist(), int(graph.covered[edge]))
                for edge in one.edges
                for rows in [graph.rows.part(edge, edge + 1)]
            ),
        )
        for one in naive.derivations(graph)
    )


@pytest.mark.parametrize("seed", range(20))
def test_the_derivations_are_those_of_all(seed: int) -> None:
    rng = np.random.default_rng(seed)
    first, second, third = (
        naive.random_graph(rng, nodes=int(rng.integers(1, 5)), chain=seed % 2 == 0)
        for _ in range(3)
    )
    second = replace(second, words=("c", "d", "a"), space=first.space)
    third = replace(
        third, space=first.space, covered=rng.integers(0, 3, third.num_edges).astype(np.int32)
    )
    graphs = [first, second, third]
    joined = union(graphs)
    assert listed(joined) == sum(map(listed, graphs), Counter())
    assert joined.num_nodes == sum(graph.num_nodes - 1 for graph in graphs) + 1
    assert joined.space is first.space
    again = union([union([first, second]), third])
    assert listed(again) == listed(joined)


def test_one_alone_is_itself_and_words_may_be_missing() -> None:
    graph = naive.random_graph(np.random.default_rng(1))
    assert union([graph]) is graph
    silent = naive.build([0, 1], [([], [], [])], lambda columns: columns.update(words=()))
    silent = replace(silent, space=graph.space)
    assert listed(union([silent, graph])) == listed(silent) + listed(graph)
    assert listed(union([silent, silent])) == Counter({((), (1,)): 2})


def test_forests_that_do_not_fit() -> None:
    one, other = (naive.random_graph(np.random.default_rng(k)) for k in range(2))
    with pytest.raises(UsageError, match="a union needs at least one forest, got none"):
        union([])
    with pytest.raises(UsageError, match="all forests must have the same feature space"):
        union([one, other])
