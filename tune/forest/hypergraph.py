"""A hypergraph: all derivations of a sentence, in the space of what their parts share."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.equality import ComparedByContent
from isogloss.align.arrays.ragged import offsets_of, row_numbers
from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.errors import UsageError, check_path, pluralize
from isogloss.align.execution.calls import ExplainedClass, public
from isogloss.features.space import FeatureSpace, is_sparse

from ..weights.given import GivenWeights, values_over
from .kernels.inside import Edges, largest_derivations
from .stored_hypergraph import HYPERGRAPH_FORMAT, read_columns, write_columns

__all__ = ["Edge", "Hypergraph", "tail_item"]

MAX_PARTS = 1_000_000  # edges and words of a derivation
LARGEST_SCORE = 1e300  # of an edge, so that no derivation's is infinite


def tail_item(number: int) -> int:
    """Return the entry of ``items`` for the text of a tail.

    Parameters
    ----------
    number : int
        Position among the edge's tails, from 0.

    Returns
    -------
    int
        Below 0.
    """
    return -1 - number


class Edge(NamedTuple):
    """A hyperedge for :meth:`Hypergraph.from_edges`.

    Attributes
    ----------
    tails : sequence of int
        Nodes.
    items : sequence of int
        Target side: indices of words, or :func:`tail_item` for the text of a tail.
    features : sequence of (int, float)
        Indices of feature names, and values.
    covered : int
        Number of source words covered, without those of the tails.
    """

    tails: Sequence[int]
    items: Sequence[int]
    features: Sequence[tuple[int, float]]
    covered: int


@public
@dataclass(frozen=True, eq=False)
class Hypergraph(ComparedByContent, metaclass=ExplainedClass):
    """Derivations of a sentence (Chiang 2012, section 2.2): V nodes and E edges.

    Edges are sorted by head, and every node comes after the tails of its edges, so the graph has no
    cycle. The last node is the goal. Nodes that no derivation of the goal uses are allowed.

    Parameters
    ----------
    edge_offsets : ndarray of int64, shape (V + 1,)
        Edges into node v are [edge_offsets[v], edge_offsets[v + 1]).
    tail_offsets : ndarray of int64, shape (E + 1,)
        Tails of each edge.
    tails : ndarray of int32, shape (n_tails,)
        Nodes.
    item_offsets : ndarray of int64, shape (E + 1,)
        Target side of each edge.
    items : ndarray of int32, shape (n_items,)
        Indices of ``words``, or :func:`tail_item`, each tail of the edge once.
    words : sequence of str
        Target words.
    rows : Ragged
        Feature vectors of the edges over ``space``. Ids from ``len(space)`` on are the features of
        ``kept``.
    space : FeatureSpace
        Features whose weights are learned.
    covered : ndarray of int32, shape (E,)
        Source words that each edge covers, without those of its tails.
    kept : ndarray of float64, shape (n_kept,)
        Fixed weights of features outside the space, which count in every score; default: none.

    Raises
    ------
    UsageError
        If columns don't fit together, a node has no edge, edges are out of order or have a cycle, a
        text lacks a tail, or a derivation has more than 1,000,000 edges and words.

    Examples
    --------
    >>> graph = Hypergraph.from_edges([[Edge([], [0], [(0, 0.5)], 1)]], ("house",), ["LM0"])
    >>> graph, graph.scores({"LM0": 2}).tolist()
    (Hypergraph(1 nodes, 1 edges, 1 features), [1.0])
    """

    edge_offsets: NDArray[np.int64]
    tail_offsets: NDArray[np.int64]
    tails: NDArray[np.int32]
    item_offsets: NDArray[np.int64]
    items: NDArray[np.int32]
    words: Sequence[str]
    rows: Ragged
    space: FeatureSpace
    covered: NDArray[np.int32]
    kept: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))

    def __post_init__(self) -> None:
        _check_columns(self)
        _check_edges(self)
        _check_texts(self)
        _check_sizes(self)

    @classmethod
    def from_edges(
        cls, nodes: Sequence[Sequence[Edge]], words: Sequence[str], names: Sequence[str]
    ) -> "Hypergraph":
        """Return the hypergraph of the edges into each node.

        Parameters
        ----------
        nodes : sequence of sequence of Edge
            Edges into each node; the last node is the goal.
        words : sequence of str
            Target words.
        names : sequence of str
            Feature names; the space has the dense ones first.

        Returns
        -------
        Hypergraph

        Raises
        ------
        UsageError
            As the class does, or if a feature has no name.
        """
        edges = [edge for node in nodes for edge in node]
        ordered = sorted(range(len(names)), key=lambda number: is_sparse(names[number]))
        place = np.empty(len(names), np.int32)
        place[ordered] = np.arange(len(names))
        rows = Ragged.from_rows([edge.features for edge in edges])
        unnamed = rows.ids[(rows.ids < 0) | (rows.ids >= len(names))]
        if len(unnamed):
            raise UsageError(
                f"the number of a feature must be at least 0 and below {len(names)}, got "
                f"{unnamed[0]}"
            )
        return cls(
            offsets_of([len(node) for node in nodes]),
            offsets_of([len(edge.tails) for edge in edges]),
            np.array([tail for edge in edges for tail in edge.tails], np.int32),
            offsets_of([len(edge.items) for edge in edges]),
            np.array([item for edge in edges for item in edge.items], np.int32),
            words,
            Ragged(place[rows.ids], rows.values, rows.offsets),
            FeatureSpace(names[number] for number in ordered),
            np.array([edge.covered for edge in edges], np.int32),
        )

    @classmethod
    def load(cls, path: str | Path) -> "Hypergraph":
        """Read a hypergraph that :meth:`save` has written.

        :func:`isogloss.tune.read_forests` reads the forests of other programs.

        Parameters
        ----------
        path : str or Path
            A folder.

        Returns
        -------
        Hypergraph

        Raises
        ------
        ModelError
            If the folder is missing, damaged or of another version.
        """
        check_path(path)
        return HYPERGRAPH_FORMAT.read(path, lambda stored: cls(**read_columns(stored)))

    def save(self, path: str | Path, *, overwrite: bool | None = None) -> None:
        """Write the hypergraph to a folder.

        Parameters
        ----------
        path : str or Path
            A folder.
        overwrite : bool, optional
            Whether an existing file or folder is replaced, or else an error. Default: a file is
            replaced, a folder is an error.

        Raises
        ------
        ModelError
            If the path exists and may not be replaced.
        OutputError
            If it can't be written.
        """
        with HYPERGRAPH_FORMAT.write(path, overwrite=overwrite) as new:
            write_columns(new, vars(self))

    def tails_of(self, edge: int) -> list[int]:
        """Return the tail nodes of an edge.

        Parameters
        ----------
        edge : int

        Returns
        -------
        list of int
        """
        first, last = self.tail_offsets[edge : edge + 2].tolist()
        tails: list[int] = self.tails[first:last].tolist()
        return tails

    def items_of(self, edge: int) -> list[int]:
        """Return the target side of an edge as entries of ``items``.

        Parameters
        ----------
        edge : int

        Returns
        -------
        list of int
        """
        first, last = self.item_offsets[edge : edge + 2].tolist()
        items: list[int] = self.items[first:last].tolist()
        return items

    @property
    def num_nodes(self) -> int:
        """Number of nodes, V."""
        return len(self.edge_offsets) - 1

    @property
    def num_edges(self) -> int:
        """Number of edges, E."""
        return len(self.tail_offsets) - 1

    @property
    def edges(self) -> Edges:
        """The arrays that kernels take."""
        return Edges(self.edge_offsets, self.tail_offsets, self.tails)

    def scores(self, weights: GivenWeights | NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the model score of each edge.

        Parameters
        ----------
        weights : Weights, dict of float or ndarray of float64, shape (n_features,)
            By name, or an array in the order of the space.

        Returns
        -------
        ndarray of float64, shape (E,)

        Raises
        ------
        UsageError
            If an array has another length, or a score is not finite or above 1e300 in magnitude.
        """
        scores = self.rows.scores(values_over(weights, self.space, self.kept))
        self.check_scores(scores)
        return scores

    def check_scores(self, scores: NDArray[np.float64]) -> None:
        """Check that there is one score per edge, of a size that can be summed.

        Parameters
        ----------
        scores : ndarray of float64, shape (E,)

        Raises
        ------
        UsageError
            If there are more or fewer, or one is not finite or above 1e300 in magnitude.
        """
        if len(scores) != self.num_edges:
            number = pluralize(self.num_edges, "value")
            raise UsageError(f"scores must have {number}, one per edge, got {len(scores)}")
        faults = np.flatnonzero(~(np.abs(scores) <= LARGEST_SCORE))
        if len(faults):
            raise UsageError(
                f"the score of {self.edge_name(faults[0])} is {scores[faults[0]]}; scale the "
                "weights or features down"
            )

    def edge_name(self, edge: int | np.integer) -> str:
        """An edge and the node that it makes, as messages name them."""
        return f"edge {edge} (into node {self.heads[edge]})"

    @property
    def heads(self) -> NDArray[np.int64]:
        """Head of each edge: ndarray of int64, shape (E,)."""
        return row_numbers(self.edge_offsets)

    def __repr__(self) -> str:
        return (
            f"Hypergraph({self.num_nodes:,} nodes, {self.num_edges:,} edges, "
            f"{len(self.space):,} features)"
        )


def _check_columns(graph: Hypergraph) -> None:
    """Raises UsageError for columns that differ in length, and offsets that fall."""
    num = graph.num_edges
    if not num == len(graph.item_offsets) - 1 == len(graph.rows) == len(graph.covered):
        raise UsageError("the edge columns of the hypergraph must have the same length")
    for offsets, total in (
        (graph.edge_offsets, num),
        (graph.tail_offsets, len(graph.tails)),
        (graph.item_offsets, len(graph.items)),
        (graph.rows.offsets, len(graph.rows.ids)),
    ):
        if offsets[0] != 0 or offsets[-1] != total or (np.diff(offsets) < 0).any():
            raise UsageError("the offsets of the hypergraph do not match its columns")
    if graph.num_nodes == 0:
        raise UsageError("a hypergraph needs at least one node, the goal")
    num_features = len(graph.space) + len(graph.kept)
    if len(graph.rows.ids) and not (
        0 <= graph.rows.ids.min() <= graph.rows.ids.max() < num_features
    ):
        raise UsageError("the hypergraph has a feature that its feature space lacks")
    if not np.isfinite(graph.rows.values).all():
        edge = row_numbers(graph.rows.offsets)[~np.isfinite(graph.rows.values)][0]
        raise UsageError(f"the feature values of {graph.edge_name(edge)} must be finite")


def _check_edges(graph: Hypergraph) -> None:
    """Raises UsageError for a node that nothing derives, or edges that are in no order."""
    alone = np.flatnonzero(np.diff(graph.edge_offsets) == 0)
    if len(alone):
        raise UsageError(f"node {alone[0]} has no edge; every node needs at least one")
    edge = row_numbers(graph.tail_offsets)
    faults = np.flatnonzero((graph.tails < 0) | (graph.tails >= graph.heads[edge]))
    if len(faults):
        first = faults[0]
        raise UsageError(
            f"{graph.edge_name(edge[first])} has the tail node {graph.tails[first]}; tails must "
            "come before the head, so that there is no cycle"
        )
    faults = np.flatnonzero(graph.covered < 0)
    if len(faults):
        raise UsageError(
            f"{graph.edge_name(faults[0])} cannot cover {graph.covered[faults[0]]} source words"
        )


def _check_texts(graph: Hypergraph) -> None:
    """Raises UsageError for words that there are not, and a tail that isn't in the text once."""
    if (graph.items >= len(graph.words)).any():
        edge = row_numbers(graph.item_offsets)[graph.items >= len(graph.words)][0]
        raise UsageError(
            f"{graph.edge_name(edge)} has a word that is not among the words of the hypergraph"
        )
    of_tails = graph.items < 0
    edge = row_numbers(graph.item_offsets)[of_tails]
    number = -1 - graph.items[of_tails].astype(np.int64)
    arity = np.diff(graph.tail_offsets)
    inside = number < arity[edge]
    named = np.zeros(len(graph.tails), np.int64)
    np.add.at(named, graph.tail_offsets[edge[inside]] + number[inside], 1)
    faults = np.concatenate([edge[~inside], row_numbers(graph.tail_offsets)[named != 1]])
    if len(faults):
        first = faults.min()
        raise UsageError(
            f"the text of {graph.edge_name(first)} must have each of its {arity[first]} tails once"
        )


def _check_sizes(graph: Hypergraph) -> None:
    """Raises UsageError for derivations that are too large to be listed."""
    sizes = 1.0 + np.diff(graph.item_offsets)
    largest = largest_derivations(graph.edges, sizes)
    faults = np.flatnonzero(largest > MAX_PARTS)
    if len(faults):
        raise UsageError(
            f"node {faults[0]} has a derivation of more than {MAX_PARTS:,} edges and words; "
            "use the forest of one sentence"
        )
