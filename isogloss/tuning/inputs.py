"""What `isogloss tune` learns from: lists, references, metric, weights to start from."""

from collections.abc import Sequence, Sized
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from isogloss.align.errors import DataError, UsageError, pluralize, some_names
from isogloss.align.files.scratch import ScratchArrays
from isogloss.features.space import FeatureSpace, is_sparse
from isogloss.tune.examples import Examples
from isogloss.tune.folds import MINIMUM_FOLDS
from isogloss.tune.metrics.casing import sees_case, warn_of_casing
from isogloss.tune.metrics.protocol import Metric
from isogloss.tune.nbest.moses_statistics import read_moses_statistics
from isogloss.tune.nbest.records.fields import RecordFields
from isogloss.tune.nbest.types import NBest
from isogloss.tune.references import References, warn_of_blank
from isogloss.tune.weights.regularizers import space_with_bins
from isogloss.tune.weights.weights import Weights

from ..console import Console
from ..runs.list_references import ReferenceFiles
from ..runs.list_weights import like_features
from .list_inputs import read_lists

__all__ = [
    "ListReading",
    "TuningFiles",
    "TuningInput",
    "check_held_out_features",
    "read_examples",
    "read_start",
    "read_tuning_input",
]


@dataclass(frozen=True)
class TuningFiles:
    """The files that a tuning run reads.

    nbest: n-best lists; refs: their references, where the lists hold none
    score_files: statistics of Moses' extractor, where ``nbest`` are its feature files
    held_out, held_out_refs: lists that choose the weights to keep, and their references
    weights: to start from, None = 0
    """

    nbest: tuple[str, ...]
    refs: tuple[str, ...] = ()
    score_files: tuple[str, ...] = ()
    held_out: tuple[str, ...] = ()
    held_out_refs: tuple[str, ...] = ()
    weights: str | None = None

    @property
    def every(self) -> list[str]:
        """All of them, the lists first."""
        weights = [self.weights] if self.weights else []
        lists = [*self.nbest, *self.score_files, *self.held_out]
        return [*lists, *self.refs, *self.held_out_refs, *weights]


@dataclass(frozen=True)
class ListReading:
    """How lists and references are read.

    lowercase: put hypotheses and references in lower case; threads: to measure hypotheses with
    scratch: a folder for lists that are not to be held in memory, None = in memory
    max_memory: bytes to bring them in order there with
    fields: which keys hold what in JSONL that is not ours
    bin_regularizer: a regularizer of bins, by which those that no list shows have weights, too
    """

    lowercase: bool = False
    threads: int = 1
    scratch: Path | None = None
    max_memory: int | None = None
    fields: RecordFields | None = None
    bin_regularizer: str = "none"


@dataclass(frozen=True)
class TuningInput:
    """What a tuning run learns from.

    examples: to learn from
    start: weights to start from, and those of features that the examples don't have
    held_out: examples that choose the epoch and run to keep, None = the folds do
    folds: to judge the gain by, 0 = none
    lists, references: the words, None where only statistics were given
    lowercase: whether these were put in lower case
    """

    examples: Examples
    start: Weights
    held_out: Examples | None
    folds: int
    lists: NBest | None
    references: References | None
    lowercase: bool


def read_examples(
    paths: Sequence[str],
    reference_paths: Sequence[str],
    metric: Metric,
    reading: ListReading,
    console: Console,
) -> Examples:
    """Read lists and their references, from files or from the lists themselves, and measure them.

    Raises DataError where lists and references differ in length, UsageError where both the lists
    and files hold references.
    """
    return _read_measured(paths, reference_paths, metric, reading, console)[0]


def _read_measured(
    paths: Sequence[str],
    reference_paths: Sequence[str],
    metric: Metric,
    reading: ListReading,
    console: Console,
) -> tuple[Examples, NBest, References | None]:
    files = ReferenceFiles.read(reference_paths) if reference_paths else None
    scratch = reading.scratch
    lists = read_lists(
        paths, files.num_sentences if files else 0, scratch=scratch,
        max_memory=reading.max_memory if scratch else None, fields=reading.fields,
    )  # fmt: skip
    if files is not None and lists.references is not None:
        raise UsageError(
            "the n-best list contains references, and --refs is given; pass one of them"
        )
    references = files.of([lists], console.info) if files else None
    if lists.references is not None:
        warn_of_blank(lists.references, ", ".join(paths))
    references = references or lists.references
    if reading.lowercase:
        lists = replace(lists, texts=lists.texts.lowercased())
        references = None if references is None else references.lowercased()
    elif references is not None and sees_case(metric):
        _warn_of_casing(lists, references, paths, reference_paths)
    examples = Examples.from_nbest(
        lists, references, metric, threads=reading.threads,
        empty=ScratchArrays(scratch) if scratch else np.empty,
    )  # fmt: skip
    return examples, lists, references


def _warn_of_casing(
    lists: NBest, references: References, paths: Sequence[str], reference_paths: Sequence[str]
) -> None:
    """As :func:`warn_of_casing`, of the first hypothesis of each sentence."""
    first = lists.sentence_offsets[:-1][np.diff(lists.sentence_offsets) > 0]
    names = ", ".join(paths), ", ".join(reference_paths) or "their references"
    warn_of_casing(lists.texts.select(first), references.texts, names)


def _read_statistics(files: TuningFiles, metric: Metric) -> Examples:
    """Feature and score files of Moses's extractor."""
    lists, statistics = read_moses_statistics(
        files.nbest, files.score_files, metric=metric.name.upper()
    )
    if statistics.shape[1] != metric.num_statistics:
        raise DataError(
            f"each hypothesis has {pluralize(statistics.shape[1], 'statistic')}",
            f"{metric.num_statistics}, the number for {metric.name}",
            file=files.score_files[0],
            remedy="Check that the extractor was run with this metric",
        )
    return Examples.from_statistics(lists, statistics, metric)


def read_start(
    path: str | None,
    space: FeatureSpace,
    console: Console,
    what: str = "lists",
    held_out: FeatureSpace | None = None,
) -> Weights:
    """Weights to start from: of the features of ``space``, 0 where no file is given, and behind
    these of other sparse features that the file has, of which nothing is learned.

    what: has the features, for messages
    held_out: features of what chooses the epoch, which shows what a table is called, too

    Warns of dense features without weight, and of weights of features that never occur.
    """
    if not path:
        return Weights.zeros(space)
    weights = Weights.load(path).renamed_for(*([space] if held_out is None else [space, held_out]))
    lacking = [name for name in space if name not in weights and not is_sparse(name)]
    if lacking:
        starts = "it starts" if len(lacking) == 1 else "they start"
        console.error(f"warning: {path} has no weight for {some_names(lacking)}; {starts} from 0")
    unknown = [name for name in weights if name not in space]
    for (one, several), names in _fates(unknown, held_out).items():
        verb, fate = ("does", one) if len(names) == 1 else ("do", several)
        console.error(f"warning: {path}: {some_names(names)} {verb} not occur in the {what}{fate}")
    if len(weights) and len(unknown) == len(weights):
        raise DataError(
            f"the file has no weight for any feature of the {what}, only for {some_names(unknown)}",
            f"weights for {some_names(list(space))}",
            file=path,
            remedy=like_features(unknown, space),
        )
    return weights.covering(space)


_Fate = tuple[str, str]
_SCORES = " and used to score held-out data"
_IGNORED = " and is ignored", " and are ignored"
_KEPT = "; its weight is kept", "; their weights are kept"
_USED = f"{_KEPT[0]}{_SCORES}", f"{_KEPT[1]}{_SCORES}"


def _fates(names: Sequence[str], held_out: FeatureSpace | None) -> dict[_Fate, list[str]]:
    """What becomes of weights that have no feature, and the names of those that it becomes of."""
    # Each fate in words for one weight, and for several.
    fates: dict[_Fate, list[str]] = {}
    for name in names:
        fate: _Fate = _KEPT if is_sparse(name) else _IGNORED
        if is_sparse(name) and held_out is not None and name in held_out:
            fate = _USED
        fates.setdefault(fate, []).append(name)
    return fates


def read_tuning_input(
    files: TuningFiles, metric: Metric, reading: ListReading, folds: int, console: Console
) -> TuningInput:
    """Everything that a tuning run learns from.

    folds: that are asked for; the result has none where there are too few sentences

    Raises DataError for bad input, and UsageError for neighbors where no bin has one on either
    side.
    """
    lists = references = None
    if files.score_files:
        examples = _read_statistics(files, metric)
    else:
        examples, lists, references = _read_measured(
            files.nbest, files.refs, metric, reading, console
        )
    space = space_with_bins(examples.space, reading.bin_regularizer)
    examples = replace(examples, space=space)  # ids stay
    held_out = _read_held_out(files, metric, reading, space, console) if files.held_out else None
    if not len(examples.space):
        raise DataError(
            "the hypotheses have no features",
            file=", ".join(files.nbest),
            remedy='Add features, such as "features": {"lm": -1.2} in JSONL',
        )
    folds = possible_folds(folds, examples, console)
    shown = None if held_out is None else held_out.space
    start = read_start(files.weights, space, console, "lists", shown)
    held_out = None if held_out is None else held_out.to_space(space, start)
    return TuningInput(examples, start, held_out, folds, lists, references, reading.lowercase)


def possible_folds(folds: int, examples: Sized, console: Console) -> int:
    """The number of folds, 0 where there are too few sentences for so many, which is warned of."""
    if folds >= MINIMUM_FOLDS and len(examples) < 2 * folds:
        console.error(
            f"warning: {pluralize(len(examples), 'sentence', 'is')} too few for {folds} folds; "
            "the gain is not measured on held-out data"
        )
        return 0
    return folds


def check_held_out_features(given: FeatureSpace, learned: FeatureSpace, file: str) -> None:
    """Raise DataError where what is held out has other features than what is learned from.

    Sparse features differ from text to text. Of dense ones either may lack some, as lists and
    forests leave out those that are 0; where each lacks some that the other has, they have other
    names for the same scores, and others would choose the weights.
    """
    foreign = [name for name in given.names[: given.num_dense] if name not in learned]
    lacking = [name for name in learned.names[: learned.num_dense] if name not in given]
    shared = any(name in learned for name in given)
    if shared and not (foreign and lacking):
        return
    seen = f"the file has no feature of the tuning set, only {some_names(list(given))}"
    if shared:
        seen = f"the file has the features {some_names(foreign)} instead of {some_names(lacking)}"
    raise DataError(
        seen, f"the features of the tuning set, {some_names(list(learned))}", file=file,
        remedy="Decode both with the same models and score names",
    )  # fmt: skip


def _read_held_out(
    files: TuningFiles,
    metric: Metric,
    reading: ListReading,
    learned: FeatureSpace,
    console: Console,
) -> Examples:
    """The held-out lists. learned: the features of the others"""
    held_out = read_examples(files.held_out, files.held_out_refs, metric, reading, console)
    check_held_out_features(held_out.space, learned, files.held_out[0])
    return held_out
