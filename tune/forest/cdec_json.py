"""cdec's JSON of forests: an object in which edges and the nodes that they make follow each other.

    {"rules": [1, "[X] ||| la [X,1] ||| the [1]", ...], "features": ["LM", ...],
     "edges": [{"tail": [0], "feats": [0, -1.5], "rule": 1}], "node": {"in_edges": [0]}, ...}

Keys come more than once, in the order that counts. ``[1]`` in a rule's target side stands for the
text of the first tail. The last node is the goal.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from isogloss.align.errors import DataError, UsageError
from isogloss.align.files.records import LARGEST_FILE, parse_json, shown
from isogloss.align.files.text_io import read_lines, split_fields, split_tokens

from ..nbest.lines import finite_single
from ..nbest.writer import shortest_numbers
from .hypergraph import Edge, Hypergraph, tail_item

__all__ = ["cdec_text", "parse_cdec", "read_cdec"]

_SOURCE_TAIL = re.compile(r"\[[^\[\]]*\]")
_TARGET_TAIL = re.compile(r"\[(?:[^\[\],]*,)?([1-9][0-9]{0,8})\]")
_RULE_FORM = "[X] ||| source ||| target, with each tail once as [1], [2], ..."
_UNKNOWN = "*"  # in place of source words, which a hypergraph does not hold


class _Fault(Exception):
    """What is wrong: seen, expected."""


class _Forest:
    """What was read so far."""

    def __init__(self) -> None:
        self.rules: dict[int, tuple[list[int], int]] = {0: ([], 0)}
        self.features: list[int] = []
        self.names: dict[str, int] = {}
        self.words: dict[str, int] = {}
        self.edges: list[Edge] = []
        self.nodes: list[list[int]] = []
        self.used: set[int] = set()

    def add(self, key: str, value: Any) -> None:
        """Take one part of the object. Raises _Fault."""
        if key == "rules":
            self._add_rules(value)
        elif key == "features":
            self.features = [self._feature(name) for name in _list(value, "features")]
        elif key == "edges":
            for edge in _list(value, "edges"):
                self._add_edge(edge)
        elif key == "node":
            self._add_node(value)
        elif key != "is_sorted":
            raise _Fault(f"the key {key!r} is unknown", "rules, features, edges, node or is_sorted")

    def _add_rules(self, value: Any) -> None:
        rules = _list(value, "rules")
        for number, text in zip(rules[::2], rules[1::2], strict=False):
            if not _is_count(number) or not isinstance(text, str):
                raise _Fault(
                    f"the rule {shown(number)}, {shown(text)} is malformed", "a number and a string"
                )
            self.rules[number] = self._rule(text)
        if len(rules) % 2:
            raise _Fault(
                f"the rule {shown(rules[-1])} has no string", "alternating numbers and strings"
            )

    def _rule(self, text: str) -> tuple[list[int], int]:
        """Items of the target side, and how many source words there are."""
        fields = split_fields(text)
        if len(fields) < 3:
            raise _Fault(f"the rule {shown(text)} is malformed", _RULE_FORM)
        items = []
        for token in split_tokens(fields[2]):
            tail = _TARGET_TAIL.fullmatch(token)
            items.append(
                tail_item(int(tail[1]) - 1)
                if tail
                else self.words.setdefault(token, len(self.words))
            )
        sources = split_tokens(fields[1])
        return items, sum(_SOURCE_TAIL.fullmatch(token) is None for token in sources)

    def _feature(self, name: Any) -> int:
        if not isinstance(name, str) or not name.isprintable() or split_tokens(name) != [name]:
            raise _Fault(
                f"the feature name {shown(name)} is invalid", "a printable name without whitespace"
            )
        return self.names.setdefault(name, len(self.names))

    def _add_edge(self, value: Any) -> None:
        parts = dict(_pairs(value, f"edge {len(self.edges)}"))
        if unknown := parts.keys() - {"tail", "feats", "rule", "spans"}:
            raise _Fault(
                f"edge {len(self.edges)} has the unknown key {min(unknown)!r}",
                "tail, feats, rule or spans",
            )
        tails = _list(parts.get("tail") or [], f"tails of edge {len(self.edges)}")
        for tail in tails:
            if not _is_count(tail) or tail >= len(self.nodes):
                raise _Fault(
                    f"edge {len(self.edges)} has the tail {shown(tail)}",
                    "the number of an earlier node",
                )
        rule = parts.get("rule", 0)
        if isinstance(rule, str):
            items, covered = self._rule(rule)
        elif _is_count(rule) and rule in self.rules:
            items, covered = self.rules[rule]
        else:
            raise _Fault(
                f"edge {len(self.edges)} has the unknown rule {shown(rule)}", 'a rule of "rules"'
            )
        if rule == 0:
            items = [tail_item(k) for k in range(len(tails))]
        self.edges.append(Edge(tails, items, self._row(parts.get("feats") or []), covered))

    def _row(self, value: Any) -> list[tuple[int, float]]:
        values = _list(value, f"features of edge {len(self.edges)}")
        row = []
        for feature, number in zip(values[::2], values[1::2], strict=False):
            if _is_count(feature) and feature < len(self.features):
                feature = self.features[feature]
            elif isinstance(feature, str):
                feature = self._feature(feature)
            else:
                raise _Fault(
                    f"edge {len(self.edges)} has the unknown feature {shown(feature)}",
                    f"a name, or a number below {len(self.features)}",
                )
            try:
                good = isinstance(number, int | float) and not isinstance(number, bool)
                row.append((feature, finite_single(float(number) if good else np.nan, "")))
            except (ValueError, OverflowError):
                raise _Fault(
                    f"edge {len(self.edges)} has the feature value {shown(number)}",
                    "a finite number",
                ) from None
        if len(values) % 2:
            raise _Fault(
                f"the last feature of edge {len(self.edges)} has no value",
                "alternating features and values",
            )
        return row

    def _add_node(self, value: Any) -> None:
        node = len(self.nodes)
        parts = dict(_pairs(value, f"node {node}"))
        edges = _list(parts.get("in_edges") or [], f"in_edges of node {node}")
        for edge in edges:
            if not _is_count(edge) or edge >= len(self.edges) or edge in self.used:
                raise _Fault(
                    f"node {node} has the edge {shown(edge)}",
                    "the numbers of earlier edges, each once",
                )
            self.used.add(edge)
        if not edges:
            raise _Fault(f"node {node} has no edge", "at least one in in_edges")
        self.nodes.append(edges)


def read_cdec(path: str | Path) -> Hypergraph:
    """The forest of one sentence, plain or compressed.

    Raises DataError as :func:`parse_cdec` does, and for a line of more than 256 MiB.
    """
    text = "\n".join(read_lines(path, longest=LARGEST_FILE))
    try:
        return parse_cdec(text)
    except DataError as error:
        raise error.placed(path) from None


def parse_cdec(text: str) -> Hypergraph:
    """The forest of one sentence.

    An edge without a rule (or with rule 0) has the texts of its tails one after the other.
    Raises DataError for what is no JSON, other keys, edges or nodes that there are not (yet), an
    edge in no node, a node without an edge, rules without a text of each tail, and values that are
    not finite.
    """
    forest = _Forest()
    try:
        for key, value in _pairs(parse_json(text, pairs=True), "the text"):
            forest.add(key, value)
        if len(forest.used) < len(forest.edges):
            lost = min(set(range(len(forest.edges))) - forest.used)
            raise _Fault(f"edge {lost} belongs to no node", "each edge in the in_edges of one node")
        nodes = [[forest.edges[edge] for edge in node] for node in forest.nodes]
        return Hypergraph.from_edges(nodes, tuple(forest.words), tuple(forest.names))
    except _Fault as fault:
        raise DataError(*fault.args) from None
    except UsageError as error:
        raise DataError(str(error)) from None


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _list(value: Any, name: str) -> list[Any]:
    """A list. Raises _Fault for anything else; an object is a list of pairs, tuples."""
    if not isinstance(value, list) or (value and isinstance(value[0], tuple)):
        raise _Fault(f"{name} is {shown(value)}", "a list")
    return value


def _pairs(value: Any, name: str) -> list[tuple[str, Any]]:
    """The pairs of an object. Raises _Fault for anything else."""
    if not isinstance(value, list) or not all(isinstance(pair, tuple) for pair in value):
        raise _Fault(f"{name} is {shown(value)}", "an object")
    return value


def cdec_text(graph: Hypergraph) -> str:
    """A hypergraph in this form, in one line; source words, which it does not hold, are ``*``.

    Raises UsageError for a word that has the form of a tail, ``[1]`` or ``[X,1]``, and of a field
    separator.
    """
    for word in graph.words:
        if _TARGET_TAIL.fullmatch(word) or word == "|||":
            raise UsageError(f"the word {word!r} cannot be written in the text of a cdec forest")
    rules: dict[str, int] = {}
    nodes = [*_nodes(graph, rules)]
    listed = [part for text, number in rules.items() for part in (number, text)]
    parts = [("rules", listed), ("features", list(graph.space.names)), *nodes]
    members = (f"{json.dumps(key)}:{json.dumps(value, ensure_ascii=False)}" for key, value in parts)
    return "{" + ",".join(members) + "}"


def _nodes(graph: Hypergraph, rules: dict[str, int]) -> Iterator[tuple[str, Any]]:
    """The edges of each node, then the node. rules: numbers of rules, longer afterwards"""
    for node in range(graph.num_nodes):
        numbers = range(*graph.edge_offsets[node : node + 2].tolist())
        edges = []
        for edge in numbers:
            tails = graph.tails_of(edge)
            row = graph.rows.part(edge, edge + 1)
            values = map(float, shortest_numbers(row.values))
            feats = [part for pair in zip(row.ids.tolist(), values, strict=True) for part in pair]
            rule = rules.setdefault(_rule_text(graph, edge, len(tails)), len(rules) + 1)
            edges.append({"tail": tails, "feats": feats, "rule": rule})
        yield "edges", edges
        yield "node", {"in_edges": list(numbers)}


def _rule_text(graph: Hypergraph, edge: int, arity: int) -> str:
    source = [_UNKNOWN] * int(graph.covered[edge]) + [f"[X,{k + 1}]" for k in range(arity)]
    target = [graph.words[item] if item >= 0 else f"[{-item}]" for item in graph.items_of(edge)]
    return f"[X] ||| {' '.join(source)} ||| {' '.join(target)}"
