"""isogloss rerank: the best hypotheses under learned weights, or the whole lists in new order."""

import argparse

import numpy as np
from numpy.typing import NDArray

from align.errors import DataError, UsageError
from align.files.writers import write_lines
from features.space import is_sparse
from tune.nbest.types import NBest
from tune.nbest.writer import nbest_lines
from tune.weights.weights import Weights

from ..console import Console
from ..tuning.list_inputs import list_scratch, read_lists, some_names

__all__ = ["ranked", "rerank"]

_FEW = 50  # features


def rerank(options: argparse.Namespace, console: Console) -> None:
    """The best hypothesis of each sentence, an empty line where there is none; or all, sorted."""
    if options.n_best and not options.sorted:
        raise UsageError("--n-best says how many are kept with --sorted; it is missing")
    with list_scratch(options) as scratch:
        lists = read_lists(
            options.nbest, options.sentences or 0, scratch=scratch, max_memory=options.max_memory
        )
        _write(lists, options, console)


def _write(lists: NBest, options: argparse.Namespace, console: Console) -> None:
    weights = Weights.read(options.weights)
    _warn_of_unknown(lists, weights, options.weights, console)
    scores = lists.rows.scores(weights.over(lists.space).values)
    order = ranked(lists, scores, options.n_best or (0 if options.sorted else 1))
    if options.sorted:
        write_lines(nbest_lines(lists, order, scores), options.output)
        return
    first = [own[0] if len(own) else -1 for own in order]
    write_lines((lists.texts[k] if k >= 0 else "" for k in first), options.output)


def ranked(lists: NBest, scores: NDArray[np.float64], size: int) -> list[NDArray[np.int64]]:
    """Hypotheses of each sentence, best first, of equal ones the first of the list first.

    scores: float64[num_hypotheses]; size: how many are kept of a sentence, 0 = all
    """
    result = []
    for sentence in range(len(lists)):
        own = lists.hypotheses(sentence)
        order = own.start + np.argsort(-scores[own.start : own.stop], kind="stable")
        result.append(order[: size or None])
    return result


def _warn_of_unknown(lists: NBest, weights: Weights, path: str, console: Console) -> None:
    """Tell of dense features without weight, and of weights that have no feature.

    Sparse weights lack theirs in most lists: of these only where the lists have few features at
    all. Raises DataError where no weight fits.
    """
    if not any(name in lists.space for name in weights):
        raise DataError(
            f"weights of {some_names(list(weights))}" if len(weights) else "no weight",
            f"weights of {some_names(list(lists.space))}",
            file=path,
        )
    lacking = [name for name in lists.space if name not in weights and not is_sparse(name)]
    if lacking:
        console.error(f"warning: {path} has no weight for {some_names(lacking)}; it counts as 0")
    few = len(lists.space) <= _FEW
    unknown = [n for n in weights if n not in lists.space and weights[n]]
    useless = [n for n in unknown if few or not is_sparse(n)]
    if useless:
        console.error(f"warning: {path}: the lists have no feature {some_names(useless)}")
