"""Phrase-based search: options of one sentence to a graph of hypotheses, and its k best."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.align.errors import MAX_SAMPLES, OptionError, UsageError, check_types, pluralize
from isogloss.align.files.memory import free_memory

from .kernels.coverage import WINDOW
from .kernels.future_cost import Options, Sentence, prepare_sentence
from .kernels.kbest import best_derivations
from .kernels.lattice import FIRST, Arcs, Lattice, Nodes, trimmed
from .kernels.ngram import NgramArrays
from .kernels.reordering import NUM_CLASSES, Reordering
from .kernels.search import search_lattice
from .kernels.stacks import Constraint, Parameters
from .language_model import LanguageModels

__all__ = ["KBest", "SearchGraph", "SearchSettings", "TranslationOptions", "kbest", "search"]

UNCONSTRAINED = Constraint(np.zeros(0, np.int32), False)
TOO_LARGE = "the scores are too large to add up; scale the weights down"
UNASKED = 1 << 30  # bytes that a stack may take before it is asked how many are free
POPS_PER_DERIVATION = 50  # a search for k distinct strings gives up after so many k derivations


@dataclass(frozen=True)
class TranslationOptions:
    """Translation options of one sentence, sorted by (begin, end).

    num_source_words: length of the sentence.
    begin, end: int32[num], source span [begin, end) of each option.
    score: float64[num], weighted sum of all features but language model and distortion.
    words: int32[num_models, num_words], ids of the target words in each language model.
    word_offsets: int64[num + 1], option k is ``words[:, word_offsets[k]:word_offsets[k + 1]]``.
    surface: int32[num_words], ids that tell the target words apart (unknown words share a
        language-model id).

    Raises UsageError for columns that do not fit together, options that are not sorted or lie
    outside the sentence, scores that are not finite, and a source word without an option of
    length 1 or of a span that no other option overlaps in part.
    """

    num_source_words: int
    begin: NDArray[np.int32]
    end: NDArray[np.int32]
    score: NDArray[np.float64]
    words: NDArray[np.int32]
    word_offsets: NDArray[np.int64]
    surface: NDArray[np.int32]

    def __post_init__(self) -> None:
        num, length = len(self.begin), self.num_source_words
        if not num == len(self.end) == len(self.score) == len(self.word_offsets) - 1:
            raise UsageError("the columns of the translation options must have the same length")
        if (
            self.words.ndim != 2
            or self.words.shape[1] != len(self.surface)
            or self.word_offsets[0] != 0
            or self.word_offsets[-1] != len(self.surface)
            or (np.diff(self.word_offsets) < 0).any()
        ):
            raise UsageError("the word offsets of the translation options do not match the words")
        begin, end = self.begin.astype(np.int64), self.end.astype(np.int64)
        if num and not (begin.min() >= 0 and (begin < end).all() and end.max() <= length):
            raise UsageError("a translation option lies outside the sentence")
        if (np.diff(begin * (length + 1) + end) < 0).any():
            raise UsageError("translation options must be sorted by begin and end")
        if not np.isfinite(self.score).all():
            raise UsageError(
                "the score of a translation option must be finite; scale the weights or scores down"
            )
        alone = np.zeros(length, np.bool_)
        alone[begin[end - begin == 1]] = True
        if not alone.all() and not _in_pieces(begin, end, np.flatnonzero(~alone)):
            raise UsageError(
                "every source word needs a translation option of length 1, or one whose span no "
                "other option crosses"
            )


def _in_pieces(begin: NDArray[np.int64], end: NDArray[np.int64], words: NDArray[np.int64]) -> bool:
    """Whether each word lies in an option's span that is covered as a whole or not at all."""
    # begin, end: int64[num], spans of the options; words: int64[n]
    for word in words.tolist():
        around = np.flatnonzero((begin <= word) & (word < end))
        spans = zip(begin[around].tolist(), end[around].tolist(), strict=True)
        if not any(
            ((end <= first) | (begin >= last) | ((begin <= first) & (end >= last))).all()
            for first, last in spans
        ):
            return False
    return True


@dataclass(frozen=True)
class SearchSettings:
    """Limits of the search; :class:`isogloss.tune.DecoderSettings` describes them.

    Values are in these ranges: ``stack_size`` from 1 to MAX_SAMPLES, ``distortion_limit`` from -1
    to 64, ``beam_threshold`` at most 0, ``pop_limit`` from 0 to MAX_SAMPLES.

    Raises UsageError for a value out of range.
    """

    stack_size: int = 100
    distortion_limit: int = 6
    beam_threshold: float = 0.0
    pop_limit: int = 0

    def __post_init__(self) -> None:
        check_types(self)
        if not 1 <= self.stack_size <= MAX_SAMPLES:
            raise OptionError("stack_size", f"between 1 and {MAX_SAMPLES}", self.stack_size)
        if not 0 <= self.pop_limit <= MAX_SAMPLES:
            expected = f"between 1 and {MAX_SAMPLES}, or 0 for none"
            raise OptionError("pop_limit", expected, self.pop_limit)
        if not -1 <= self.distortion_limit <= WINDOW:
            expected = f"between 0 and {WINDOW}, or -1 for none"
            raise OptionError("distortion_limit", expected, self.distortion_limit)
        if not self.beam_threshold <= 0.0:
            expected = "below 0 (the logarithm of a ratio), or 0 for none"
            raise OptionError("beam_threshold", expected, self.beam_threshold)


@dataclass(frozen=True)
class SearchGraph:
    """Recombined hypotheses (nodes) and the phrases that lead to them (arcs).

    Node 0 is the empty hypothesis, the last node the goal; arcs run from lower to higher nodes
    and are sorted by ``node``; every node lies on a way from the start to the goal.

    node_score: float64[num_nodes], best score of each node.
    arc_offsets: int64[num_nodes + 1], arcs into node v are [arc_offsets[v], arc_offsets[v + 1]).
    previous_node, option, node: int32[num_arcs], the phrase ``option`` after ``previous_node``.
    score: float64[num_arcs], option score + weighted language models + weighted distortion.
    language_model: float64[num_arcs, num_models], natural log, with </s> on arcs into the goal.
    distortion: float64[num_arcs], -|end of the previous phrase - begin|, in words.
    """

    node_score: NDArray[np.float64]
    arc_offsets: NDArray[np.int64]
    previous_node: NDArray[np.int32]
    option: NDArray[np.int32]
    node: NDArray[np.int32]
    score: NDArray[np.float64]
    language_model: NDArray[np.float64]
    distortion: NDArray[np.float64]

    @property
    def goal(self) -> int:
        """The node of all complete hypotheses; 0 (the start) for a sentence without words, -1 where
        there is no translation.
        """
        return len(self.node_score) - 1


@dataclass(frozen=True)
class KBest:
    """Derivations of one sentence, best first.

    option: int32[total], options of each derivation in target order.
    offsets: int64[num + 1], derivation k is ``option[offsets[k]:offsets[k + 1]]``.
    score: float64[num], model score.
    language_model: float64[num, num_models], natural logs, without weights.
    distortion: float64[num], in words, without weight.
    """

    option: NDArray[np.int32]
    offsets: NDArray[np.int64]
    score: NDArray[np.float64]
    language_model: NDArray[np.float64]
    distortion: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.score)


def search(
    options: TranslationOptions,
    language_models: LanguageModels,
    weights: tuple[Sequence[float], float],
    settings: SearchSettings,
    reordering: Reordering | None = None,
    constraint: Constraint = UNCONSTRAINED,
) -> SearchGraph:
    """Graph of the translations that a beam search finds (Koehn et al. 2003, Koehn 2004).

    weights: those of the language models, and that of the distortion.
    constraint: what translations are or begin with; where none fits, the graph has no node

    Hypotheses of equal coverage, equal last source position and equal language-model state
    (Heafield 2011) are recombined, where with ``reordering``, weighted scores of the options'
    orientations, the last phrases also score alike what may follow. A sentence without words gives
    the start node alone.
    Raises UsageError for a weight that is not finite, words that the language model does not
    have, weights and scores of orientations that don't fit, a sentence of more than 64 words
    without distortion limit, weights so large that scores overflow, and a search that may need more
    memory than is free.
    """
    of_models, of_distortion = np.array(weights[0], np.float64), float(weights[1])
    _check_input(options, language_models, of_models, of_distortion)
    limit = settings.distortion_limit
    if limit < 0 and options.num_source_words > WINDOW:
        raise UsageError(
            f"without a distortion limit, a sentence must have at most {WINDOW} words, got "
            f"{options.num_source_words}; set `distortion_limit=...`"
        )
    if options.num_source_words == 0:
        return _graph_of_nodes(int(len(constraint.surface) == 0), len(of_models))
    if reordering is None:
        num = len(options.begin)
        nothing = np.zeros((1, 1)), np.zeros(num, np.int32)
        reordering = Reordering(np.zeros((num, 1)), *nothing, False, False)
    _check_reordering(reordering, len(options.begin))
    columns, num_source_words = _columns(options), options.num_source_words
    arrays = language_models.arrays
    bounded = settings.pop_limit == 0  # a limit of pops takes options by rank, not all in bounds
    sentence = prepare_sentence(columns, reordering, num_source_words, arrays, of_models, bounded)
    limit = limit if limit >= 0 else WINDOW
    beam = float(settings.beam_threshold) or -np.inf
    sizes = settings.stack_size, beam, settings.pop_limit
    parameters = Parameters(of_models, of_distortion, limit, *sizes, UNASKED)
    nodes, num_nodes, arcs, num_arcs = _lattice(sentence, arrays, parameters, constraint)
    if nodes.place[num_nodes - 1, FIRST] < num_source_words:
        if not constraint.whole and not len(constraint.surface):
            raise UsageError(TOO_LARGE)
        return _graph_of_nodes(0, len(of_models))
    graph = SearchGraph(*trimmed(nodes, num_nodes, arcs, num_arcs, columns.begin))
    if not (np.isfinite(graph.node_score).all() and np.isfinite(graph.score).all()):
        raise UsageError(TOO_LARGE)
    return graph


def _lattice(
    sentence: Sentence, arrays: NgramArrays, parameters: Parameters, constraint: Constraint
) -> tuple[Nodes, int, Arcs, int]:
    """The lattice of a search and its sizes. Raises UsageError for more memory than is free."""
    *lattice, room = search_lattice(sentence, arrays, parameters, constraint)
    if room > 0:
        free = free_memory()
        free = np.iinfo(np.int64).max if free is None else free
        most = max(free // 3 * 2, UNASKED)  # what grows is copied: the old array is half of it
        *lattice, room = search_lattice(
            sentence, arrays, parameters._replace(most_bytes=most), constraint
        )
        if room > 0:
            raise UsageError(
                f"the search of a sentence of {pluralize(len(sentence.future.rest) - 1, 'word')} "
                f"may need {1.5 * room / 1e9:.1f} GB for the hypotheses of one stack, and "
                f"{free / 1e9:.1f} GB of memory are available. Lower the stack size, the "
                "distortion limit or the table limit, or set a pop limit"
            )
    nodes, num_nodes, arcs, num_arcs = lattice
    return nodes, num_nodes, arcs, num_arcs


def _columns(options: TranslationOptions) -> Options:
    """The options as kernels take them."""
    return Options(
        _plain(options.begin, np.int32),
        _plain(options.end, np.int32),
        _plain(options.score, np.float64),
        _plain(options.words, np.int32),
        _plain(options.word_offsets, np.int64),
        _plain(options.surface, np.int32),
    )


def _check_input(
    options: TranslationOptions,
    language_models: LanguageModels,
    of_models: NDArray[np.float64],
    of_distortion: float,
) -> None:
    """Raises UsageError for weights that aren't finite, and words and weights of other models."""
    if not np.isfinite([*of_models, of_distortion]).all():
        raise UsageError("the weights of language models and distortion must be finite")
    if not len(of_models) == len(options.words) == len(language_models.tables):
        raise UsageError(
            f"the decoder has {pluralize(len(language_models.tables), 'language model')}, but "
            f"there are weights for {len(of_models)} and word ids for {len(options.words)}"
        )
    for words, table in zip(options.words, language_models.tables, strict=True):
        if len(words) and not 0 <= words.min() <= words.max() < len(table.arrays.unigrams):
            raise UsageError("a target word is not an id of the language model; use its encode()")


def _check_reordering(reordering: Reordering, num_options: int) -> None:
    """Raises UsageError for columns that don't fit, groups there are not, numbers not finite."""
    previous, after, group, phrases, blocks = reordering
    columns = NUM_CLASSES ** (phrases + blocks)
    if not len(previous) == len(group) == num_options or not (
        previous.shape[1] == after.shape[1] == columns
    ):
        raise UsageError("the orientation scores do not match the translation options")
    if num_options and not 0 <= group.min() <= group.max() < len(after):
        raise UsageError(
            "a translation option names a group of orientation scores that does not exist"
        )
    if not (np.isfinite(previous).all() and np.isfinite(after).all()):
        raise UsageError("orientation scores must be finite; scale the weights or scores down")


def kbest(graph: SearchGraph, options: TranslationOptions, k: int, distinct: bool = True) -> KBest:
    """The exact k best derivations of the graph, best first; fewer if it has no more.

    ``distinct`` keeps only the best derivation of each target string (by ``options.surface``) and
    gives up after 50 k derivations. Equal scores stand in the order of the arcs.
    Raises UsageError for k below 1.
    """
    if k < 1:
        raise OptionError("k", "at least 1", k)
    if graph.goal <= 0:
        num = graph.goal + 1
        scores = np.zeros((num, graph.language_model.shape[1]))
        nothing = np.zeros(0, np.int32), np.zeros(num + 1, np.int64), np.zeros(num)
        return KBest(*nothing, scores, np.zeros(num))
    arcs, offsets, score = best_derivations(
        Lattice(
            graph.node_score,
            graph.arc_offsets,
            graph.previous_node,
            graph.option,
            graph.node,
            graph.score,
            graph.language_model,
            graph.distortion,
        ),
        _plain(options.surface, np.int32),
        _plain(options.word_offsets, np.int64),
        k,
        distinct,
        POPS_PER_DERIVATION * k if distinct else np.iinfo(np.int64).max,
    )
    language_model, distortion = (
        np.add.reduceat(column[arcs], offsets[:-1])
        for column in (graph.language_model, graph.distortion)
    )
    return KBest(graph.option[arcs], offsets, score, language_model, distortion)


def _plain(column: NDArray[Any], dtype: type[Any]) -> NDArray[Any]:
    """The column, copied if need be: Numba compiles anew for other types, read-only ones too."""
    return np.require(column, dtype, ["C", "W"])


def _graph_of_nodes(num: int, num_models: int) -> SearchGraph:
    """The start alone, which is the goal, or not even that. num: 1 or 0"""
    ids, values, scores = np.zeros(0, np.int32), np.zeros(0), np.zeros((0, num_models))
    offsets = np.zeros(num + 1, np.int64)
    return SearchGraph(np.zeros(num), offsets, ids, ids, ids, values, scores, values)
