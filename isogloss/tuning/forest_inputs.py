"""What `isogloss tune --forests` learns from: forests that are there, references, weights."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from isogloss.align.errors import DataError, DataWarning, UsageError, pluralize
from isogloss.features.space import FeatureSpace
from isogloss.tune.forest.forests import Forests
from isogloss.tune.forest.reader import read_forests
from isogloss.tune.optimizers.structured.forests import ForestSource
from isogloss.tune.references import References, read_references
from isogloss.tune.weights.regularizers import space_with_bins
from isogloss.tune.weights.weights import Weights

from ..console import Console
from .inputs import check_held_out_features, read_start

__all__ = ["ForestFiles", "ForestInput", "ForestText", "read_forest_input"]


@dataclass(frozen=True)
class ForestFiles:
    """The files of a run on forests.

    forests: as `isogloss.tune.read_forests` takes them; refs: references of their sentences
    held_out, held_out_refs: forests that choose the weights to keep, and their references
    weights: to start from, None = 0
    """

    forests: str
    refs: tuple[str, ...]
    held_out: str | None = None
    held_out_refs: tuple[str, ...] = ()
    weights: str | None = None

    @property
    def every(self) -> list[str]:
        """All of them, the forests first."""
        others = [name for name in (self.held_out, self.weights) if name]
        return [self.forests, *self.refs, *self.held_out_refs, *others]


@dataclass(frozen=True)
class ForestText:
    """Sentences that have a forest, and their references."""

    graphs: Forests
    references: References

    def __len__(self) -> int:
        return len(self.graphs)

    def to_space(self, space: FeatureSpace, keeping: Weights | None = None) -> "ForestText":
        """The same over another space, see :class:`isogloss.tune.forest.forests.Forests`."""
        return replace(self, graphs=replace(self.graphs, over=space, keeping=keeping))

    def select(self, rows: NDArray[np.int64]) -> "ForestText":
        """Some sentences. rows: int64[m], places in this text"""
        return ForestText(self.graphs.select(rows), self.references.select(rows))

    def source(self, like: ForestSource | None = None, **options: object) -> ForestSource:
        """What learners ask. like: another one, of the same options"""
        if like is not None:
            return replace(like, graphs=self.graphs, references=self.references)
        return ForestSource(self.graphs, self.references, **options)  # type: ignore[arg-type]


@dataclass(frozen=True)
class ForestInput:
    """What a run learns from.

    text: to learn from; held_out: chooses the epoch and run to keep, None = folds do, or the text
    space: the features that are learned
    start: weights to start from, and those of features that no forest has
    """

    text: ForestText
    held_out: ForestText | None
    space: FeatureSpace
    start: Weights


def read_forest_input(
    files: ForestFiles, console: Console, *, lowercase: bool = False, bin_regularizer: str = "none"
) -> ForestInput:
    """Everything that a run on forests learns from; each forest is looked at once.

    Says how much it is, and of sentences without a forest that they are left out.

    bin_regularizer: a regularizer of bins, by which those that no forest has have weights, too

    Raises DataError and ModelError for forests and references that can't be read, or don't fit, and
    UsageError for weights by which a forest's scores are too large; both name the sentence. Another
    UsageError for neighbors where no bin has one on either side.
    """
    text = _read(files.forests, files.refs, console, None, lowercase)
    space = space_with_bins(text.graphs.space, bin_regularizer)
    held_out = None
    if files.held_out:
        held_out = _read(files.held_out, files.held_out_refs, console, space, lowercase)
    shown = None if held_out is None else held_out.graphs.space
    start = read_start(files.weights, space, console, "forests", shown)
    text = text.to_space(space)
    held_out = None if held_out is None else held_out.to_space(space, start)
    values = start.to_space(space).values
    for part in (text, held_out):
        if part is not None:
            edges = _check(part, values)
            name = "held-out: " if part is held_out else ""
            console.info(
                f"{name}{pluralize(len(part), 'sentence')}, "
                f"{pluralize(edges, 'hypergraph edge')}, {pluralize(len(space), 'feature')} "
                f"({space.num_dense} dense)"
            )
    return ForestInput(text, held_out, space, start)


def _read(
    path: str, refs: Sequence[str], console: Console, learned: FeatureSpace | None, lowercase: bool
) -> ForestText:
    """Forests and references of the sentences that have both."""
    # learned: features of what is learned from, where these are held out
    with warnings.catch_warnings():  # what is left out is told below, with the references
        warnings.filterwarnings("ignore", ".* ha(s|ve) no forest", DataWarning)
        forests = read_forests(path)
    found = forests.found
    if not len(found):
        raise DataError("the folder or file has no forest", "one for each sentence", file=path)
    references = read_references(refs, lowercase=lowercase)
    if len(references) < len(forests) or (forests.whole and len(references) > len(forests)):
        raise DataError(
            f"there are references for {pluralize(len(references), 'sentence')}",
            f"{len(forests)}, the number of forests in {path}",
            file=refs[0],
        )
    if learned is not None:
        check_held_out_features(forests.space, learned, path)
    lacking = np.setdiff1d(np.arange(len(references)), found)
    if len(lacking):
        console.error(
            f"warning: {path}: {pluralize(len(lacking), 'sentence', 'has')} no forest (first: "
            f"{lacking[0]}, counted from 0); "
            f"{'it is' if len(lacking) == 1 else 'they are'} skipped, with the references"
        )
    graphs = replace(forests.select(found), lowercase=lowercase)
    return ForestText(graphs, references.select(found))


def _check(text: ForestText, weights: NDArray[np.float64]) -> int:
    """Look at each forest; how many edges they have. weights: float64[num_features]"""
    forests = text.graphs
    edges = 0
    for number, sentence in enumerate(forests.numbers.tolist()):
        graph = forests[number]
        edges += graph.num_edges
        try:
            graph.scores(weights)
        except UsageError as error:
            raise UsageError(f"{forests.place}, sentence {sentence}: {error}") from error
    return edges
