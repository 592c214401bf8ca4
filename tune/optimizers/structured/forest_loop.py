"""Forest MERT with our decoder: search all, join with earlier forests, climb, and again."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple, Protocol

import numpy as np

from isogloss.align.errors import check_options, check_types, range_checks
from isogloss.align.execution import run_tasks

from ...decoder.derivations import Derivations
from ...decoder.model import FIXED_FEATURES, Decoder
from ...forest.hypergraph import Hypergraph
from ...forest.union import union
from ...metrics.bleu import Bleu
from ...online.decoder_loop import (
    Callbacks,
    TuningText,
    decoded_lists,
    translation_score,
)
from ...results import Advance, Epoch, TuningResult
from ...weights.weights import Weights
from ..mert import MertOptions
from .decoded import searched
from .forest_mert import tune_forest_mert
from .forests import ForestSource

__all__ = [
    "ForestCallbacks",
    "ForestLoopOptions",
    "ForestStep",
    "SearchedForest",
    "Steps",
    "search_forests",
    "tune_on_forests",
]

_WAITING = 16  # sentences that may be done before the one that is waited for


@dataclass(frozen=True)
class ForestLoopOptions:
    """What is kept of forests, what is climbed on them, and when the loop ends.

    density: edges kept of a forest, for each edge of its best derivation; None = all
    iterations: at most so often weights are learned
    least_change: it ends where no weight moved by more than this share of the largest one
    """

    density: float | None = 50.0
    iterations: int = 15
    least_change: float = 1e-5
    mert: MertOptions = field(default_factory=MertOptions)
    metric: Bleu = field(default_factory=Bleu)

    def __post_init__(self) -> None:
        check_types(self)
        checks = [
            (self.density is None or self.density >= 1, "density", "at least 1"),
            *range_checks(self, "iterations"),
            (self.least_change >= 0, "least_change", "at least 0"),
        ]
        check_options(self, checks)


class ForestStep(NamedTuple):
    """Weights that an iteration has learned, and minus the metric they reach on its forests.

    scale: see :class:`isogloss.tune.results.TuningResult`
    """

    weights: Weights
    loss: float
    scale: float = 1.0


class Steps(Protocol):
    """What the iterations of a loop have learned, kept to go on from."""

    def read(self, number: int) -> ForestStep | None:
        """What an iteration has learned, None where it has not."""
        ...

    def write(self, number: int, step: ForestStep) -> None:
        """Keep it."""
        ...


@dataclass(frozen=True)
class ForestCallbacks(Callbacks):
    """What is called while weights are learned.

    steps: keeps what each iteration has learned; what it has from an earlier run is not learned
    again, only searched with
    """

    steps: Steps | None = None


def tune_on_forests(
    decoder: Decoder,
    text: TuningText,
    options: ForestLoopOptions | None = None,
    *,
    start: Weights | None = None,
    held_out: TuningText | None = None,
    seed: int = 1,
    threads: int = 1,
    callbacks: ForestCallbacks | None = None,
) -> TuningResult:
    """Batch MERT (Och 2003, section 7) on all that searches find, in place of n-best lists.

    In each iteration the text is translated, each sentence's forest is joined with its earlier
    ones (Macherey et al. 2008), and MERT begins with the weights of before. An epoch is an
    iteration, its score that of the decoder's translations; the best is returned, the start
    included: by ``held_out`` where given.

    start: default: Moses' starting weights; callbacks: ``save`` is not called

    Raises UsageError and DataError for sentences that can't be searched, which they name.
    """
    options, callbacks = options or ForestLoopOptions(), callbacks or ForestCallbacks()
    weights, loss = decoder.weights(start), 0.0
    tried, scales, epochs = [weights], [1.0], list[Epoch]()
    forests: list[Hypergraph] = []

    while True:
        searched = search_forests(
            decoder, text.sentences, weights,
            density=options.density, threads=threads, advance=callbacks.advance,
        )  # fmt: skip
        lists = decoded_lists(decoder, [one.best for one in searched])
        statistics = options.metric.statistics(lists, text.references, threads=threads)
        reached, other = float(options.metric.score(statistics.sum(0))), None
        if held_out is not None:
            other = translation_score(decoder, held_out, weights.values, options.metric, threads)
        loss = loss if epochs else 0.0 - reached
        epochs.append(Epoch(len(epochs), loss, reached, weights.num_active, other))
        callbacks.report(epochs[-1])
        if len(epochs) > options.iterations:
            break
        found = [one.graph for one in searched]
        forests = [union(pair) for pair in zip(forests, found, strict=True)] if forests else found
        step = callbacks.steps.read(len(epochs)) if callbacks.steps else None
        if step is None:
            source = ForestSource(forests, text.references, metric=options.metric)
            rng = np.random.default_rng([seed, len(epochs)])
            step = _climbed(source, weights, options.mert, rng, threads)
            if callbacks.steps:
                callbacks.steps.write(len(epochs), step)
        learned = step.weights.to_space(decoder.space)
        if _change(weights, learned) <= options.least_change:
            break
        weights, loss = learned, step.loss
        tried.append(weights)
        scales.append(scales[-1] * step.scale)
    best = epochs.index(max(epochs, key=lambda epoch: epoch.rank(options.metric.sign)))
    return TuningResult(tried[best], best, tuple(epochs), scale=scales[best])


def _climbed(
    source: ForestSource,
    weights: Weights,
    options: MertOptions,
    rng: np.random.Generator,
    threads: int,
) -> ForestStep:
    result = tune_forest_mert(
        source, weights, options, rng, untuned=FIXED_FEATURES, threads=threads
    )
    return ForestStep(result.weights, result.epochs[result.best_epoch].loss, result.scale)


def _change(before: Weights, after: Weights) -> float:
    """The largest difference of a weight, as a share of the largest weight before or after."""
    largest = max(np.abs(before.values).max(), np.abs(after.values).max())
    return float(np.abs(after.values - before.values).max() / (largest or 1.0))


class SearchedForest(NamedTuple):
    """The forest of a sentence, and the decoder's translation."""

    graph: Hypergraph
    best: Derivations


def search_forests(
    decoder: Decoder,
    sentences: Sequence[Sequence[str]],
    weights: Weights,
    *,
    density: float | None = None,
    threads: int = 1,
    advance: Advance | None = None,
) -> list[SearchedForest]:
    """Each sentence's forest and translation, in order, for any number of threads.

    weights: over the decoder's space
    density: edges kept of each, for each edge of its best derivation; None = all
    advance: is called with 1 after each sentence

    Raises UsageError for a sentence that the decoder's limits don't allow, and DataError for one
    whose search needs more memory than there is; both name it.
    """
    tasks = (partial(_searched, decoder, sentence, weights, density) for sentence in sentences)
    results = []
    for result in run_tasks(tasks, threads, _WAITING):
        results.append(result)
        if advance is not None:
            advance(1)
    return results


def _searched(
    decoder: Decoder, sentence: Sequence[str], weights: Weights, density: float | None
) -> SearchedForest:
    found, graph = searched(decoder, sentence, weights, density)
    return SearchedForest(graph, decoder.derivations(found))
