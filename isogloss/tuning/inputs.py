"""What `isogloss tune` learns from: lists, references, metric, weights to start from."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from align.errors import DataError, UsageError
from align.files.scratch import ScratchArrays
from features.space import FeatureSpace, is_sparse
from tune.examples import Examples
from tune.folds import MINIMUM_FOLDS
from tune.metrics import metric_named
from tune.metrics.protocol import Metric
from tune.nbest.moses_statistics import read_moses_statistics
from tune.nbest.types import NBest
from tune.references import References, read_references, warn_of_blank
from tune.weights.weights import Weights

from ..console import Console
from .list_inputs import read_lists, some_names

__all__ = [
    "TuningInput",
    "read_examples",
    "read_metric",
    "read_start",
    "read_tuning_input",
]


@dataclass(frozen=True)
class TuningInput:
    """examples: to learn from; start: weights to start from; held_out: to choose by, if given;
    folds: to judge by, 0 = none; lists, references: where the hypotheses' words are, None where
    only statistics were given; lowercase: whether these were put in lower case
    """

    examples: Examples
    start: Weights
    held_out: Examples | None
    folds: int
    lists: NBest | None
    references: References | None
    lowercase: bool


def read_metric(options: argparse.Namespace) -> Metric:
    """The metric that the options name."""
    own = {}
    if options.bleu_smoothing:
        own["smoothing"] = options.bleu_smoothing
    if options.reference_length:
        own["reference_length"] = options.reference_length
    if options.oracle_document:
        own["document"] = options.oracle_document
    return metric_named(options.metric, **own)


def read_examples(
    paths: Sequence[str],
    reference_paths: Sequence[str],
    metric: Metric,
    options: argparse.Namespace,
    *,
    scratch: Path | None = None,
) -> Examples:
    """Read lists and their references and measure them: see :func:`_read_measured`."""
    return _read_measured(paths, reference_paths, metric, options, scratch)[0]


def _read_measured(
    paths: Sequence[str],
    reference_paths: Sequence[str],
    metric: Metric,
    options: argparse.Namespace,
    scratch: Path | None,
) -> tuple[Examples, NBest, References | None]:
    """Read lists and their references, from files or from the lists themselves, and measure them.

    scratch: a folder for lists that are not to be held in memory

    Raises DataError where lists and references differ in length.
    """
    references = read_references(reference_paths) if reference_paths else None
    lists = read_lists(
        paths, len(references) if references else 0, scratch=scratch,
        max_memory=options.max_memory if scratch else None,
    )  # fmt: skip
    if references is not None and lists.references is not None:
        raise UsageError("references are in the list and in --refs; give one of them")
    if lists.references is not None:
        warn_of_blank(lists.references, ", ".join(paths))
    references = references or lists.references
    if options.lowercase:
        lists = replace(lists, texts=lists.texts.lowercased())
        references = None if references is None else references.lowercased()
    examples = Examples.from_nbest(
        lists, references, metric, threads=options.threads,
        empty=ScratchArrays(scratch) if scratch else np.empty,
    )  # fmt: skip
    return examples, lists, references


def _read_statistics(options: argparse.Namespace, metric: Metric) -> Examples:
    """Feature and score files of Moses's extractor."""
    if options.refs:
        raise UsageError("--score-files hold what references would tell; --refs is not needed")
    for name in ("reference_length", "lowercase", "max_memory"):
        if getattr(options, name):
            raise UsageError(f"--{name.replace('_', '-')} changes nothing with --score-files")
    lists, statistics = read_moses_statistics(options.nbest, options.score_files)
    if statistics.shape[1] != metric.num_statistics:
        raise DataError(
            f"{statistics.shape[1]} statistics of each hypothesis",
            f"{metric.num_statistics}, as {metric.name} has",
            file=options.score_files[0],
            remedy="Was the extractor run with another metric?",
        )
    return Examples.from_statistics(lists, statistics, metric)


def read_start(path: str | None, space: FeatureSpace, console: Console) -> Weights:
    """Weights to start from, over ``space``; 0 where no file is given.

    Dense features without weight, and weights of features that never occur, are told of.
    """
    if not path:
        return Weights.zeros(space)
    weights = Weights.read(path)
    lacking = [name for name in space if name not in weights and not is_sparse(name)]
    if lacking:
        console.error(f"warning: {path} has no weight for {some_names(lacking)}; they start from 0")
    unknown = [name for name in weights if name not in space]
    if unknown:
        console.error(
            f"warning: {path}: {some_names(unknown)} never occur in the lists; passed over"
        )
    if len(weights) and len(unknown) == len(weights):
        raise DataError(
            f"no weight of a feature in the lists, but of {some_names(unknown)}",
            f"weights of {some_names(list(space))}",
            file=path,
        )
    return weights.over(space)


def read_tuning_input(
    options: argparse.Namespace, console: Console, scratch: Path | None = None
) -> TuningInput:
    """Everything that the options name.

    scratch: a folder for lists that are not to be held in memory

    Raises DataError for bad input and UsageError for options that don't fit together.
    """
    metric = read_metric(options)
    lists = references = None
    if options.score_files and options.held_out:
        raise UsageError(
            "--held-out can't be used with --score-files; let --folds choose, or give n-best lists "
            "with --refs"
        )
    if options.score_files:
        examples = _read_statistics(options, metric)
    else:
        examples, lists, references = _read_measured(
            options.nbest, options.refs, metric, options, scratch
        )
    held_out = None
    if options.held_out:
        held_out = read_examples(
            options.held_out, options.held_out_refs, metric, options, scratch=scratch
        )
        if not any(name in examples.space for name in held_out.space):
            raise DataError(
                f"no feature of the lists, but {some_names(list(held_out.space))}",
                f"some of {some_names(list(examples.space))}",
                file=options.held_out[0],
            )
        held_out = held_out.over(examples.space)
    elif options.held_out_refs:
        raise UsageError("--held-out-refs are the references of --held-out LIST; it is missing")
    folds = options.folds
    if folds >= MINIMUM_FOLDS and len(examples) < 2 * folds:
        console.error(
            f"warning: {len(examples)} sentences are too few for {folds} folds: the gain is not "
            "judged on sentences that weren't learned from"
        )
        folds = 0
    start = read_start(options.weights, examples.space, console)
    return TuningInput(examples, start, held_out, folds, lists, references, options.lowercase)
