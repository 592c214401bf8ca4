"""Fewer rules: by count, score, rank among those of the same source, significance."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.ragged import run_lengths, run_starts
from isogloss.align.errors import (
    OptionError,
    UsageError,
    WrongTypeError,
    check_argument,
    check_options,
    check_types,
)
from isogloss.align.execution.calls import ExplainedClass, public
from isogloss.align.execution.keywords import chosen_options
from isogloss.align.text.bitext import Bitext
from isogloss.align.text.corpus import Corpus

from ..table.phrase_table import LOWEST_LOG, PhraseTable
from ..table.phrases import phrase_texts
from ..table.rules import select_rules
from .significance import SignificanceTest, check_occurrences, negative_log_p, parse_threshold

__all__ = [
    "UNSEEN",
    "Pruning",
    "drop_below",
    "drop_insignificant",
    "drop_rare",
    "keep_best",
    "keep_near_best",
    "model_scores",
    "prune",
]

UNSEEN = ("error", "drop", "keep")  # rules that no sentence pair of the text holds
_SLACK = 1e-9  # relative; what is printed as 0.03 is not below 0.3 * 0.1

# a score by name, or weights by name for the logarithms of scores and for sparse features
Ranking = str | Mapping[str, float]


def _column(table: PhraseTable, name: str) -> NDArray[np.float64]:
    if name not in table.score_names:
        raise UsageError(f"unknown score {name!r}; the table has {', '.join(table.score_names)}")
    return np.asarray(table.scores[:, table.score_names.index(name)])


def model_scores(table: PhraseTable, weights: Mapping[str, float]) -> NDArray[np.float64]:
    """Weighted sum of a rule's log scores and sparse features: float64[num_rules].

    Weights of other features (language model, distortion) don't count.

    Raises UsageError where no weight is of a feature of the table.
    """
    names = (*table.score_names, *table.sparse_names)
    if weights.keys().isdisjoint(names):
        raise UsageError(
            f"the weights ({', '.join(list(weights)[:5]) or 'none'}) match no score; the table has "
            f"{', '.join(names[:5])}"
        )
    dense = np.array([weights.get(name, 0.0) for name in table.score_names])
    sparse = np.array([weights.get(name, 0.0) for name in table.sparse_names], np.float64)
    logs = np.full(table.scores.shape, LOWEST_LOG)
    np.log(table.scores, out=logs, where=table.scores > 0.0)
    # a sum per rule: a matrix product would round by the size of the block
    weighted = (np.maximum(logs, LOWEST_LOG) * dense).sum(axis=1)
    return np.asarray(weighted + table.sparse.scores(sparse))


def _values(table: PhraseTable, ranking: Ranking) -> NDArray[np.float64]:
    return _column(table, ranking) if isinstance(ranking, str) else model_scores(table, ranking)


def _selected(table: PhraseTable, keep: NDArray[np.bool_]) -> PhraseTable:
    return table if keep.all() else select_rules(table, np.flatnonzero(keep))


def drop_rare(table: PhraseTable, minimum: float) -> PhraseTable:
    """The rules with c(f, e) of at least ``minimum``.

    Raises UsageError for a table without counts.
    """
    if len(table) and not table.counts.any():
        raise UsageError("the table has no counts; a minimum count needs c(f, e) of each rule")
    return _selected(table, table.counts[:, 2] >= minimum)


def drop_below(table: PhraseTable, name: str, minimum: float) -> PhraseTable:
    """The rules whose score ``name`` is at least ``minimum``.

    Raises UsageError for an unknown score.
    """
    return _selected(table, _column(table, name) >= minimum)


def keep_near_best(table: PhraseTable, ratio: float, ranking: Ranking) -> PhraseTable:
    """The rules whose score is at least ``ratio`` times the best one of their source phrase.

    By weights: whose model score is at least the best one plus log ``ratio``.

    Raises UsageError for an unknown score or one below 0, weights of no feature, a ratio outside
    0..1.
    """
    if not 0.0 < ratio <= 1.0:
        raise OptionError("ratio", "above 0 and at most 1", ratio)
    values = _values(table, ranking)
    if not len(table):
        return table
    starts = run_starts(table.rule_source)
    best = np.repeat(np.maximum.reduceat(values, starts), run_lengths(starts, len(table)))
    if isinstance(ranking, str):
        if values.min() < 0.0:
            raise UsageError(
                f"a ratio needs probabilities, but the score {ranking!r} contains {values.min():g}"
            )
        return _selected(table, values >= ratio * best * (1.0 - _SLACK))
    return _selected(table, values >= best + np.log(ratio) - _SLACK)


def keep_best(table: PhraseTable, limit: int, ranking: Ranking) -> PhraseTable:
    """The best ``table_limit`` rules of each source phrase (histogram pruning).

    Of equal ones those whose target text is first in byte order.

    Raises UsageError for an unknown score, weights of no feature, a limit below 1.
    """
    if limit < 1:
        raise OptionError("limit", "at least 1", limit)
    values = _values(table, ranking)
    sizes = run_lengths(run_starts(table.rule_source), len(table))
    large = np.flatnonzero(np.repeat(sizes > limit, sizes))
    if not len(large):
        return table
    order = large[np.lexsort((-values[large], table.rule_source[large]))]
    group = table.rule_source[order]
    last = np.searchsorted(group, group) + limit - 1  # the last rule of each source to be kept
    tied = order[values[order] == values[order[last]]]
    text_rank = np.zeros(len(table), np.int64)
    text_rank[tied] = _text_rank(table.target, table.rule_target[tied])
    order = order[np.lexsort((text_rank[order], -values[order], group))]
    keep = np.ones(len(table), np.bool_)
    keep[order[np.arange(len(order)) > last]] = False
    return _selected(table, keep)


def _text_rank(phrases: Corpus, rules: NDArray[np.int32]) -> NDArray[np.int64]:
    """Rank of the phrase of each rule in the order that tables have: int64[num_rules]."""
    used, inverse = np.unique(rules.astype(np.int64), return_inverse=True)
    texts = [f"{text} |||".encode() for text in phrase_texts(phrases.select(used))]
    rank = np.empty(len(texts), np.int64)
    rank[sorted(range(len(texts)), key=texts.__getitem__)] = np.arange(len(texts))
    return np.asarray(rank[inverse])


def drop_insignificant(
    table: PhraseTable, test: SignificanceTest, threshold: float, unseen: str = "error"
) -> PhraseTable:
    """The rules with a -log p of at least ``threshold``; see :func:`parse_threshold`.

    A rule that no sentence pair of the text holds is an error, or dropped or kept whatever the
    threshold: ``unseen`` is one of ``UNSEEN``.

    Raises DataError for such a rule, UsageError for another word than these.
    """
    if unseen not in UNSEEN:
        raise OptionError("unseen", f"one of {', '.join(UNSEEN)}", unseen)
    counts = test.counts(table)
    if unseen == "error":
        check_occurrences(table, counts)
    keep = negative_log_p(counts, test.num_pairs) >= threshold
    absent = counts[:, 2] == 0
    return _selected(table, (keep & ~absent) | (absent & (unseen == "keep")))


@public
@dataclass(frozen=True)
class Pruning(metaclass=ExplainedClass):
    """Criteria of :func:`prune`, applied in this order; a rule must pass all of them.

    Parameters
    ----------
    min_count : float, default 0.0
        Minimum of c(f, e); 0 = off.
    min_score : mapping of str to float, optional
        Minimum of each named score.
    ratio : float, default 0.0
        Minimum ratio to the best score of the source phrase, at most 1; 0 = off.
    table_limit : int, default 0
        Maximum number of rules per source phrase, the best ones; 0 = off.
    rank_by : str or mapping of str to float, default "p(e|f)"
        Score that ``ratio`` and ``table_limit`` compare, or feature weights to compute it.
    significance : str, optional
        Minimum of -log p of Fisher's exact test [1]_: a number, or "a+e" or "a-e".
    unseen : {"error", "drop", "keep"}, default "error"
        What the significance test does with rules that occur in no sentence pair of the text.

    Raises
    ------
    UsageError
        If a value is out of range.

    References
    ----------
    .. [1] Johnson, Martin, Foster and Kuhn (2007), "Improving translation quality by discarding
       most of the phrasetable", EMNLP.

    Examples
    --------
    >>> import isogloss as ig
    >>> ig.Pruning(table_limit=20).table_limit
    20
    """

    min_count: float = 0.0
    min_score: Mapping[str, float] = field(default_factory=dict)
    ratio: float = 0.0
    table_limit: int = 0
    rank_by: Ranking = "p(e|f)"
    significance: str | None = None
    unseen: str = "error"

    def __post_init__(self) -> None:
        check_types(self)
        check_options(
            self,
            (
                (self.min_count >= 0.0, "min_count", "at least 0"),
                (0.0 <= self.ratio <= 1.0, "ratio", "between 0 (off) and 1"),
                (self.table_limit >= 0, "table_limit", "at least 0"),
                (self.unseen in UNSEEN, "unseen", f"one of {', '.join(UNSEEN)}"),
            ),
        )
        if self.significance is not None:
            parse_threshold(self.significance, 1)


@public
def prune(
    table: PhraseTable,
    options: Pruning | None = None,
    text: Bitext | SignificanceTest | None = None,
    **changes: Any,
) -> PhraseTable:
    """Return the rules that pass; scores stay as they are, as with Moses' filter-pt.

    Parameters
    ----------
    table : PhraseTable
        A table, or a block of one that splits no source phrase: blocks don't change the result.
    options : Pruning, optional
        Which rules pass; default: those of ``changes``.
    text : Bitext or SignificanceTest, optional
        For ``significance``: the bitext that the table was extracted from, or, for many
        blocks, its index, made once.
    **changes
        Single options by name, such as ``table_limit=20``.

    Returns
    -------
    PhraseTable

    Raises
    ------
    UsageError
        If there is no such option, or none at all, a value is out of range, the table lacks a
        score, or significance is asked for without a text.
    DataError
        If a rule does not occur in the text.
    WrongTypeError
        If an argument is of another type.

    Examples
    --------
    >>> from isogloss.align import Bitext, Links
    >>> from isogloss.features import extract
    >>> bitext = Bitext.from_pairs([("the house", "la casa"), ("the garden", "el jardín")])
    >>> table = extract(bitext, Links.from_pairs([[(0, 0), (1, 1)], [(0, 0), (1, 1)]]))
    >>> len(table["the"]), len(prune(table, Pruning(table_limit=1))["the"])
    (2, 1)
    """
    check_argument(table, PhraseTable, "table", "a PhraseTable", "PhraseTable.load(path)")
    if options is None and not changes:
        raise UsageError("pass at least one pruning criterion, such as table_limit=20")
    if isinstance(options, Bitext):
        raise WrongTypeError("options must be Pruning, not a Bitext; use text=bitext")
    pruning = chosen_options(options, Pruning(), changes, "table_limit=20")
    if pruning.significance is not None and text is None:
        raise UsageError("significance needs the text from which the table was extracted")
    if pruning.min_count:
        table = drop_rare(table, pruning.min_count)
    for name, minimum in pruning.min_score.items():
        table = drop_below(table, name, minimum)
    if pruning.ratio:
        table = keep_near_best(table, pruning.ratio, pruning.rank_by)
    if pruning.table_limit:
        table = keep_best(table, pruning.table_limit, pruning.rank_by)
    if pruning.significance is not None and text is not None:
        test = SignificanceTest(text) if isinstance(text, Bitext) else text
        threshold = parse_threshold(pruning.significance, test.num_pairs)
        table = drop_insignificant(table, test, threshold, pruning.unseen)
    return table
