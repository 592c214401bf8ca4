"""isogloss rerank: the best hypotheses under learned weights, or the whole lists in new order."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from align.errors import DataError, UsageError, some_names
from align.files.writers import write_lines
from features.space import is_sparse
from tune.nbest.types import NBest
from tune.nbest.writer import nbest_lines
from tune.weights.weights import Weights

from ...console import Console
from ...options import Command, group, option, positional, positive
from ...tuning.list_inputs import list_scratch, read_lists
from ..shared import CommonOptions, ListFields, MappedLists, common_options, output_option

__all__ = ["COMMAND", "RerankOptions", "run"]

_FEW = 50  # features


@dataclass(frozen=True)
class RerankOptions:
    """Options of `isogloss rerank`.

    nbest: Moses', cdec's, JSONL
    weights: weights that tuning has written, `NAME value` lines or moses.ini
    sorted: write the lists instead, re-scored, best first
    n_best: hypotheses kept, with --sorted
    sentences: lines of the source, where the last ones may have no hypothesis; ids lie below N
    output: best hypotheses, one line per sentence (default: stdout)
    """

    nbest: tuple[str, ...] = positional("NBEST")
    weights: str = option("-w", metavar="FILE")
    sorted: bool = False
    n_best: int | None = option("-n", default=None, parse=positive, metavar="N")
    sentences: int | None = option(default=None, parse=positive, metavar="N")
    output: str | None = output_option()
    lists: ListFields = group(ListFields)
    mapped: MappedLists = group(MappedLists, title="lists larger than memory")
    common: CommonOptions = common_options()


def run(options: RerankOptions, console: Console) -> None:
    """The best hypothesis of each sentence, an empty line where there is none; or all, sorted."""
    if options.n_best and not options.sorted:
        raise UsageError("--n-best says how many hypotheses --sorted keeps; give --sorted, too")
    memory = options.mapped.max_memory
    with list_scratch(memory, options.mapped.tmpdir) as scratch:
        lists = read_lists(
            options.nbest, options.sentences or 0, scratch=scratch, max_memory=memory,
            fields=options.lists.mapping,
        )  # fmt: skip
        _write(lists, options, console)


def _write(lists: NBest, options: RerankOptions, console: Console) -> None:
    weights = Weights.read(options.weights)
    _warn_of_unknown(lists, weights, options.weights, console)
    scores = lists.rows.scores(weights.over(lists.space).values)
    order = _ranked(lists, scores, options.n_best or (0 if options.sorted else 1))
    if options.sorted:
        write_lines(nbest_lines(lists, order, scores), options.output)
        return
    best = [hypotheses[0] if len(hypotheses) else -1 for hypotheses in order]
    write_lines((lists.texts[k] if k >= 0 else "" for k in best), options.output)


def _ranked(lists: NBest, scores: NDArray[np.float64], size: int) -> list[NDArray[np.int64]]:
    """Hypotheses of each sentence, best first, of equal ones the first of the list first.

    scores: float64[num_hypotheses]; size: how many are kept of a sentence, 0 = all
    """
    order = []
    for sentence in range(len(lists)):
        rows = lists.hypotheses(sentence)
        by_score = rows.start + np.argsort(-scores[rows.start : rows.stop], kind="stable")
        order.append(by_score[: size or None])
    return order


def _warn_of_unknown(lists: NBest, weights: Weights, path: str, console: Console) -> None:
    """Warn of dense features without weight, and of weights that have no feature.

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
    unknown = [name for name in weights if name not in lists.space and weights[name]]
    useless = [name for name in unknown if few or not is_sparse(name)]
    if useless:
        console.error(f"warning: {path}: the lists have no feature {some_names(useless)}")


COMMAND = Command(
    RerankOptions,
    run,
    (
        "isogloss rerank list.gz --weights weights.json -o best.txt",
        "isogloss rerank lists.jsonl --weights weights.json --sorted -o sorted.jsonl",
    ),
)
