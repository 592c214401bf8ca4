"""Moses's text of hypergraphs (``-output-search-graph-hypergraph``): a file for each sentence.

    # target ||| features ||| source-covered
    NODES EDGES
    # node 0
    number of its edges
    [0] of the word ||| LM0=-8.5 TM0_1=-1.2 WT_du~of=1  ||| 3

``[0]`` stands for the text of node 0, and the last field for how many source words the node of the
edge covers. The last node is the goal.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from align.errors import DataError, UsageError
from align.files.text_io import iter_lines, split_fields, split_tokens
from align.ragged import offsets_of
from align.sparse_rows import Ragged
from features.space import FeatureSpace, is_sparse

from ..nbest.lines import finite_single, read_number
from ..nbest.writer import shortest_numbers
from .hypergraph import Hypergraph, tail_item

__all__ = ["moses_lines", "read_moses"]

_TITLE = "# target ||| features ||| source-covered"
_EDGE_FORM = "text ||| NAME=value ... ||| number of source words"
_MARKS = ("<s>", "</s>")  # no part of the text
_TAIL = re.compile(r"\[([0-9]{1,9})\]")
_COUNT = re.compile(r"[0-9]{1,9}")
_COUNTS = re.compile(r"([0-9]{1,9}) ([0-9]{1,9})")
# the values of a dense feature are NAME_1, NAME_2, ... here, NAME.0, NAME.1, ... elsewhere
_WRITTEN = re.compile(r"([^_]*[0-9])_([1-9][0-9]{0,8})")
_NAMED = re.compile(r"([^_]*[0-9])\.([0-9]{1,8})")


class _Lines:
    """The lines of a file without its comments, counted."""

    def __init__(self, path: str | Path) -> None:
        self.path, self.number = path, 0
        self._lines = iter_lines(path)

    def fault(self, seen: str, expected: str, remedy: str = "") -> DataError:
        return DataError(seen, expected, file=self.path, line=self.number, remedy=remedy)

    def next(self, expected: str, *, comments: bool = True) -> str:
        """The next one. Raises DataError at the end of the file."""
        for line in self._lines:
            self.number += 1
            if not (comments and line.startswith("#")):
                return line
        raise self.fault("the file ends here", expected)


class _Columns:
    """The columns of a hypergraph while it is read."""

    def __init__(self) -> None:
        self.tails: list[list[int]] = []
        self.items: list[list[int]] = []
        self.rows: list[list[tuple[int, float]]] = []
        self.covered: list[int] = []
        self.words: dict[str, int] = {}
        self.names: dict[str, int] = {}


def read_moses(path: str | Path) -> Hypergraph:
    """The hypergraph of one sentence, plain or compressed.

    ``<s>`` and ``</s>`` are left out of the text; values of a dense feature, ``TM0_1``, are called
    ``TM0.0`` and so on, as in n-best lists.
    Raises DataError, with the line, for another title, a count that isn't one, fields that there
    are not, a node that isn't before its edge's, a node without an edge, a value that isn't a
    number or not finite, a node that covers less than its parts, and what follows the last node.
    """
    lines = _Lines(path)
    title = lines.next(_TITLE, comments=False)
    if title.rstrip() != _TITLE:
        raise lines.fault(repr(title[:80]), _TITLE)
    expected = "numbers of nodes and edges, at least one of each"
    counts = _COUNTS.fullmatch(line := lines.next(expected).strip())
    if not counts or int(counts[1]) == 0:
        raise lines.fault(repr(line[:80]), expected)
    columns = _Columns()
    sizes: list[int] = []
    covered: list[int] = []
    for node in range(int(counts[1])):
        expected = f"the number of edges of node {node}, at least 1"
        line = lines.next(expected).strip()
        if not _COUNT.fullmatch(line) or int(line) == 0:
            raise lines.fault(repr(line[:80]), expected)
        sizes.append(int(line))
        for number in range(sizes[-1]):
            of_node = _read_edge(lines, node, covered, columns)
            if number and of_node != covered[node]:
                raise lines.fault(
                    f"node {node} covers {of_node} source words",
                    f"{covered[node]}, as its first edge has it",
                )
            covered[node:] = [of_node]
    if len(columns.tails) != int(counts[2]):
        raise lines.fault(f"{len(columns.tails)} edges", f"{counts[2]}, as at the beginning")
    _check_end(lines)
    return _graph(lines, columns, sizes)


def _check_end(lines: _Lines) -> None:
    """Raises DataError where something follows."""
    try:
        rest = lines.next("")
    except DataError:
        return
    raise lines.fault(repr(rest[:80]), "the end of the file after the last node")


def _read_edge(lines: _Lines, node: int, covered: list[int], columns: _Columns) -> int:
    """Take an edge into a node apart; returns how many source words the node covers.

    covered: of the nodes before
    """
    line = lines.next(f"an edge of node {node}: {_EDGE_FORM}", comments=False)
    fields = split_fields(line)
    if len(fields) != 3 or not _COUNT.fullmatch(fields[2]):
        raise lines.fault(repr(line[:80]), _EDGE_FORM)
    tails: list[int] = []
    items: list[int] = []
    for token in split_tokens(fields[0]):
        tail = _TAIL.fullmatch(token)
        if tail:
            if int(tail[1]) >= node:
                raise lines.fault(
                    f"node {int(tail[1])} in an edge of node {node}",
                    "nodes before it, so that there is no cycle",
                )
            items.append(tail_item(len(tails)))
            tails.append(int(tail[1]))
        elif token not in _MARKS:
            items.append(columns.words.setdefault(token, len(columns.words)))
    of_node = int(fields[2])
    own = of_node - sum(covered[tail] for tail in tails)
    if own < 0:
        raise lines.fault(
            f"node {node} covers {of_node} source words",
            f"at least {of_node - own}, as the nodes that it is made of",
        )
    columns.tails.append(tails)
    columns.items.append(items)
    columns.covered.append(own)
    columns.rows.append(_read_features(lines, fields[1], columns.names))
    return of_node


def _read_features(lines: _Lines, field: str, names: dict[str, int]) -> list[tuple[int, float]]:
    row = []
    for token in split_tokens(field):
        name, _, value = token.rpartition("=")
        if not name or not name.isprintable():
            raise lines.fault(repr(token[:80]), "NAME=value")
        if written := _WRITTEN.fullmatch(name):
            name = f"{written[1]}.{int(written[2]) - 1}"
        try:
            number = finite_single(read_number(value), name)
        except ValueError as error:
            raise lines.fault(str(error), "a finite number") from None
        row.append((names.setdefault(name, len(names)), number))
    return row


def _graph(lines: _Lines, columns: _Columns, sizes: list[int]) -> Hypergraph:
    """The hypergraph of what was read: dense features first."""
    names = sorted(columns.names, key=is_sparse)
    number = np.empty(len(names), np.int32)
    number[[columns.names[name] for name in names]] = np.arange(len(names))
    rows = Ragged.from_rows(columns.rows)
    try:
        return Hypergraph(
            offsets_of(sizes),
            offsets_of([len(tails) for tails in columns.tails]),
            np.array([tail for tails in columns.tails for tail in tails], np.int32),
            offsets_of([len(items) for items in columns.items]),
            np.array([item for items in columns.items for item in items], np.int32),
            tuple(columns.words),
            Ragged(number[rows.ids], rows.values, rows.offsets),
            FeatureSpace(names),
            np.array(columns.covered, np.int32),
        )
    except UsageError as error:
        raise DataError(str(error), file=lines.path) from None


def moses_lines(graph: Hypergraph) -> Iterator[str]:
    """The lines of a hypergraph in this form, which :func:`read_moses` reads again.

    Raises UsageError for a word that has the form of a node, ``[3]``, or is a sentence's mark.
    """
    for word in graph.words:
        if _TAIL.fullmatch(word) or word in _MARKS:
            raise UsageError(f"the word {word!r} can't stand in Moses's text of hypergraphs")
    yield _TITLE
    yield f"{graph.num_nodes} {graph.num_edges}"
    names = [_written(name) for name in graph.space.names]
    covered: list[int] = []
    for node in range(graph.num_nodes):
        first, last = graph.edge_offsets[node : node + 2].tolist()
        yield f"# node {node}"
        yield str(last - first)
        for edge in range(first, last):
            tails = graph.tails[slice(*graph.tail_offsets[edge : edge + 2])].tolist()
            of_node = int(graph.covered[edge]) + sum(covered[tail] for tail in tails)
            yield f"{_text(graph, edge, tails)} ||| {_features(graph, edge, names)} ||| {of_node}"
        covered.append(of_node)


def _written(name: str) -> str:
    """A feature as Moses writes it."""
    named = _NAMED.fullmatch(name)
    return f"{named[1]}_{int(named[2]) + 1}" if named else name


def _text(graph: Hypergraph, edge: int, tails: list[int]) -> str:
    items = graph.items[slice(*graph.item_offsets[edge : edge + 2])].tolist()
    return " ".join(graph.words[item] if item >= 0 else f"[{tails[-1 - item]}]" for item in items)


def _features(graph: Hypergraph, edge: int, names: list[str]) -> str:
    row = graph.rows.part(edge, edge + 1)
    values = zip(row.ids.tolist(), shortest_numbers(row.values), strict=True)
    return " ".join(f"{names[number]}={value}" for number, value in values)
