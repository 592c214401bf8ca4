"""The search graph of a sentence in Moses's text form: a line per hypothesis."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from .model import Decoder
from .rule_options import Translations
from .search import SearchGraph

__all__ = ["search_graph_lines"]


def search_graph_lines(decoder: Decoder, found: Translations, sentence: int) -> Iterator[str]:
    """Lines as ``moses -output-search-graph`` writes them.

    A phrase behind a node is a hypothesis, numbered from 1 on, what it follows first; 0 is the
    empty one. The best of those that lead to a node stands for it, the others are recombined with
    it. ``forward`` is the next hypothesis of the best translation through this one (-1 at the end),
    ``fscore`` its score. Only hypotheses that lead to a whole translation are there, so that there
    is no line where there is no translation.
    """
    graph, options = found.graph, found.options.options
    if graph.goal < 0:
        return
    scores = graph.node_score[graph.previous_node] + graph.score
    best = _best_of_nodes(graph, scores)
    rest, following = _best_behind(graph)
    covered = _words_covered(graph, options.end - options.begin)
    yield f"{sentence} hyp=0 stack=0 forward={following[0]} fscore={rest[0]:g}"
    columns = graph.previous_node, graph.option, graph.node, scores, graph.score
    for number, (previous, option, node, score, gain) in enumerate(
        zip(*(column.tolist() for column in columns), strict=True), start=1
    ):
        recombined = "" if best[node] == number else f" recombined={best[node]}"
        words = decoder.option_text(found.options, option)
        yield (
            f"{sentence} hyp={number} stack={covered[node]} back={best[previous]} score={score:g} "
            f"transition={gain:g}{recombined} forward={following[node]} "
            f"fscore={score + rest[node]:g} covered={options.begin[option]}-"
            f"{options.end[option] - 1} out={words}"
        )


def _best_of_nodes(graph: SearchGraph, scores: NDArray[np.float64]) -> list[int]:
    """The hypothesis that stands for each node, the first of equal ones."""
    best = [0] * (graph.goal + 1)
    highest = [-np.inf] * (graph.goal + 1)
    for number, (node, score) in enumerate(
        zip(graph.node.tolist(), scores.tolist(), strict=True), start=1
    ):
        if score > highest[node]:
            best[node], highest[node] = number, score
    return best


def _best_behind(graph: SearchGraph) -> tuple[list[float], list[int]]:
    """The best score from each node to the goal, and the hypothesis that begins it, -1 = none."""
    rest = [-np.inf] * graph.goal + [0.0]
    following = [-1] * (graph.goal + 1)
    columns = graph.previous_node.tolist(), graph.node.tolist(), graph.score.tolist()
    for number, (previous, node, score) in reversed(
        list(enumerate(zip(*columns, strict=True), start=1))
    ):
        if score + rest[node] >= rest[previous]:
            rest[previous], following[previous] = score + rest[node], number
    return rest, following


def _words_covered(graph: SearchGraph, lengths: NDArray[np.int32]) -> list[int]:
    """Source words that each node covers. lengths: int32[num_options]"""
    covered = [0] * (graph.goal + 1)
    columns = graph.previous_node, lengths[graph.option], graph.node
    for previous, length, node in zip(*(column.tolist() for column in columns), strict=True):
        covered[node] = covered[previous] + length
    return covered
