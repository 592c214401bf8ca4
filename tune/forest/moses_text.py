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

from isogloss.align.errors import DataError, UsageError, pluralize
from isogloss.align.files.text_io import FIELD_SEPARATOR, iter_lines, split_fields, split_tokens

from ..nbest.lines import finite_single, read_number
from ..nbest.writer import shortest_numbers
from .hypergraph import Edge, Hypergraph, tail_item

__all__ = ["moses_lines", "read_moses"]

_TITLE = "# target ||| features ||| source-covered"
_EDGE_FORM = "text ||| NAME=value ... ||| number of source words"
_MARKS = ("<s>", "</s>")  # no part of the text
_ENDS = re.compile(r"[ \t\r\n]|^$")
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
        raise self.fault("the file is truncated", expected)


class _Names:
    """Words and features by number, as they are met."""

    def __init__(self) -> None:
        self.words: dict[str, int] = {}
        self.features: dict[str, int] = {}


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
        raise lines.fault(f"the title is {title[:80]!r}", _TITLE)
    expected = "the numbers of nodes and edges, each at least 1"
    counts = _COUNTS.fullmatch(line := lines.next(expected).strip())
    if not counts or int(counts[1]) == 0:
        raise lines.fault(f"the line {line[:80]!r} is malformed", expected)
    names = _Names()
    nodes: list[list[Edge]] = []
    covered: list[int] = []
    for node in range(int(counts[1])):
        expected = f"the number of edges of node {node}, at least 1"
        line = lines.next(expected).strip()
        if not _COUNT.fullmatch(line) or int(line) == 0:
            raise lines.fault(f"the line {line[:80]!r} is malformed", expected)
        nodes.append([])
        for _ in range(int(line)):
            nodes[-1].append(_read_edge(lines, node, covered, names))
    if sum(map(len, nodes)) != int(counts[2]):
        raise lines.fault(
            f"the file has {pluralize(sum(map(len, nodes)), 'edge')}",
            f"{counts[2]}, as in its header",
        )
    _check_end(lines)
    try:
        return Hypergraph.from_edges(nodes, tuple(names.words), tuple(names.features))
    except UsageError as error:
        raise DataError(str(error), file=lines.path) from None


def _check_end(lines: _Lines) -> None:
    """Raises DataError where something follows."""
    try:
        rest = lines.next("")
    except DataError:
        return
    raise lines.fault(f"the line {rest[:80]!r} follows the last node", "the end of the file")


def _read_edge(lines: _Lines, node: int, covered: list[int], names: _Names) -> Edge:
    """Take an edge into a node apart."""
    # covered: source words of the nodes before, and of this one once its first edge is read
    line = lines.next(f"an edge of node {node}: {_EDGE_FORM}", comments=False)
    fields = split_fields(line)
    if len(fields) != 3 or not _COUNT.fullmatch(fields[2]):
        raise lines.fault(f"the line {line[:80]!r} is malformed", _EDGE_FORM)
    tails: list[int] = []
    items: list[int] = []
    for token in split_tokens(fields[0]):
        tail = _TAIL.fullmatch(token)
        if tail:
            if int(tail[1]) >= node:
                raise lines.fault(
                    f"an edge of node {node} has the tail node {int(tail[1])}",
                    "an earlier node, so that there is no cycle",
                )
            items.append(tail_item(len(tails)))
            tails.append(int(tail[1]))
        elif token not in _MARKS:
            items.append(names.words.setdefault(token, len(names.words)))
    of_node = int(fields[2])
    own = of_node - sum(covered[tail] for tail in tails)
    if own < 0:
        raise lines.fault(
            f"node {node} covers {of_node} source words",
            f"at least {of_node - own}, the sum of its tails",
        )
    edge = Edge(tails, items, _read_features(lines, fields[1], names.features), own)
    if len(covered) == node:
        covered.append(of_node)
    if of_node != covered[node]:
        raise lines.fault(
            f"node {node} covers {of_node} source words",
            f"{covered[node]}, as in its first edge",
        )
    return edge


def _read_features(lines: _Lines, field: str, names: dict[str, int]) -> list[tuple[int, float]]:
    row = []
    for token in split_tokens(field):
        name, _, value = token.rpartition("=")
        if not name or not name.isprintable():
            raise lines.fault(f"the feature {token[:80]!r} is malformed", "NAME=value")
        if written := _WRITTEN.fullmatch(name):
            name = f"{written[1]}.{int(written[2]) - 1}"
        try:
            number = finite_single(read_number(value), name)
        except ValueError as error:
            raise lines.fault(str(error), "a finite number") from None
        row.append((names.setdefault(name, len(names)), number))
    return row


def moses_lines(graph: Hypergraph) -> Iterator[str]:
    """The lines of a hypergraph in this form, which :func:`read_moses` reads again.

    Raises UsageError for a word that has the form of a node, ``[3]``, is a sentence's mark or a
    separator of fields, or holds what ends a word or a line.
    """
    for word in graph.words:
        if _TAIL.fullmatch(word) or word in (*_MARKS, FIELD_SEPARATOR) or _ENDS.search(word):
            raise UsageError(
                f"the word {word!r} cannot be written in the text of a Moses hypergraph"
            )
    yield _TITLE
    yield f"{graph.num_nodes} {graph.num_edges}"
    names = [_written(name) for name in graph.space.names]
    covered: list[int] = []
    for node in range(graph.num_nodes):
        first, last = graph.edge_offsets[node : node + 2].tolist()
        yield f"# node {node}"
        yield str(last - first)
        for edge in range(first, last):
            tails = graph.tails_of(edge)
            of_node = int(graph.covered[edge]) + sum(covered[tail] for tail in tails)
            yield f"{_text(graph, edge, tails)} ||| {_features(graph, edge, names)} ||| {of_node}"
        covered.append(of_node)


def _written(name: str) -> str:
    """A feature as Moses writes it."""
    named = _NAMED.fullmatch(name)
    return f"{named[1]}_{int(named[2]) + 1}" if named else name


def _text(graph: Hypergraph, edge: int, tails: list[int]) -> str:
    return " ".join(
        graph.words[item] if item >= 0 else f"[{tails[-1 - item]}]" for item in graph.items_of(edge)
    )


def _features(graph: Hypergraph, edge: int, names: list[str]) -> str:
    row = graph.rows.part(edge, edge + 1)
    values = zip(row.ids.tolist(), shortest_numbers(row.values), strict=True)
    return " ".join(f"{names[number]}={value}" for number, value in values)
