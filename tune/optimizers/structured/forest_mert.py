"""MERT on all derivations of forests, by their envelopes (Macherey et al. 2008; Kumar et al. 2009).

Whatever gives an envelope along a line of weights can be climbed on, n-best lists as well; for
these alone, `isogloss.tune.optimizers.mert` does the same on arrays, much faster.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.ragged import offsets_of
from isogloss.align.execution import run_tasks
from isogloss.features.space import FeatureSpace

from ...metrics.protocol import Metric
from ...results import Report, TuningResult, ignore
from ...weights.weights import Weights
from ..batch import Progress
from ..line_search import Changes, Surface, merged_surface
from ..mert import MertOptions, climb_landscape
from .lists import sources_of
from .protocol import Example, ExampleSource

__all__ = ["ExampleLandscape", "Sentences", "tune_forest_mert"]

_WAITING = 64  # sentences that may be done before the one that is waited for
_ROUNDING = 1e-9  # of a sum, that two ways to add it up may be apart

_T = TypeVar("_T")
_Floats = NDArray[np.float64]


def tune_forest_mert(
    source: ExampleSource,
    start: Weights,
    options: MertOptions,
    rng: np.random.Generator,
    *,
    held_out: ExampleSource | None = None,
    untuned: Sequence[str] = (),
    threads: int = 1,
    report: Report = ignore,
) -> TuningResult:
    """Maximize the metric by the climbs of :func:`..mert.tune_mert`, on forests.

    Parameters
    ----------
    source : ExampleSource
    start : Weights
        Initial weights, matched by name.
    options : MertOptions
    rng : numpy.random.Generator
    held_out : ExampleSource, optional
        Choose the best epoch; default: the source.
    untuned : sequence of str, default ()
        Features that keep their weights, up to the common factor of ``normalize``.
    threads : int, default 1
        Does not change the result.
    report : callable, optional
        Called with each epoch.

    Returns
    -------
    TuningResult
        Epoch 0 is the start.

    Raises
    ------
    UsageError
        If there are only sparse features, too many of them, the initial weight of a positive
        feature is below 0, held-out examples have other features, or a score is not finite.
    """
    source, other = sources_of(source, held_out)
    origin = start.to_space(source.space).values
    features = options.tuned(source.space)
    features = features[~np.isin(features, [source.space.id(name) for name in untuned])]
    sentences = Sentences.of(source, origin, threads)
    landscape = ExampleLandscape.of(sentences, origin, features)
    judge = None if other is None else Sentences.of(other, origin, threads)
    return climb_landscape(landscape, origin, options, rng, Progress(sentences, judge, report))


@dataclass(frozen=True)
class Sentences:
    """All sentences of a source, which are asked at once."""

    source: ExampleSource
    examples: tuple[Example, ...]
    threads: int = 1

    @classmethod
    def of(cls, source: ExampleSource, weights: _Floats, threads: int = 1) -> "Sentences":
        """weights: float64[num_features], of a search, if the source needs one"""
        examples = tuple(source.example(number, weights) for number in range(len(source)))
        return cls(source, examples, threads)

    @property
    def space(self) -> FeatureSpace:
        """The features."""
        return self.source.space

    @property
    def metric(self) -> Metric:
        """What translations were measured by."""
        return self.source.metric

    def best_score(self, weights: _Floats, scale: float = 1.0) -> float:
        """Metric of the best translations.

        weights: float64[num_features]; scale: a factor that they have beside weights that are kept
        """
        sums, judged = np.zeros(self.metric.num_statistics), weights / scale
        for best in self._answers(lambda example: example.best(judged)):
            sums += best.statistics[0]
        return float(self.metric.score(sums))

    def surface(self, weights: _Floats, direction: _Floats) -> Surface:
        """The metric of the best translations under weights + step direction, for all steps.

        weights, direction: float64[num_features]
        """
        found = list(self._answers(lambda example: example.envelope(weights, direction)))
        bounds = offsets_of([len(hypotheses) for hypotheses, _ in found])
        statistics = np.concatenate([hypotheses.statistics for hypotheses, _ in found])
        steps = np.concatenate([crossings for _, crossings in found])
        after = np.delete(np.arange(bounds[-1]), bounds[:-1])
        room = np.empty((len(steps), statistics.shape[1]))
        changes = Changes(steps, after - 1, after)
        return merged_surface(self.metric, statistics, bounds[:-1], changes, room)

    def spread(self, feature: int) -> float:
        """How much a feature differs within sentences: half of its range, root mean square."""
        unit = np.zeros(len(self.space))
        unit[feature] = 1.0
        halves = np.zeros(len(self.examples))
        envelopes = self._answers(lambda example: example.envelope(0.0 * unit, unit))
        for number, (hypotheses, _) in enumerate(envelopes):
            low, high = hypotheses.scores(unit)[[0, -1]]
            if high - low > _ROUNDING * max(abs(low), abs(high)):
                halves[number] = 0.5 * (high - low)
        return float(np.sqrt(np.square(halves).mean()))

    def _answers(self, question: Callable[[Example], _T]) -> Iterator[_T]:
        tasks = (partial(question, example) for example in self.examples)
        return run_tasks(tasks, self.threads, _WAITING)


@dataclass(frozen=True)
class ExampleLandscape:
    """The metric over the weights of D features, see `..landscape.Landscape`.

    origin: float64[num_features], weights of the features that aren't tuned
    features: int64[D]; spreads: float64[D], of :meth:`Sentences.spread`
    """

    sentences: Sentences
    origin: _Floats
    features: NDArray[np.int64]
    spreads: _Floats

    @classmethod
    def of(
        cls, sentences: Sentences, origin: _Floats, tuned: NDArray[np.int64]
    ) -> "ExampleLandscape":
        """Over those of some features that differ within a sentence.

        origin: float64[num_features]; tuned: int64[k], features
        """
        spreads = np.array([sentences.spread(feature) for feature in tuned.tolist()])
        differ = spreads > 0.0
        return cls(sentences, origin, tuned[differ], spreads[differ])

    @property
    def space(self) -> FeatureSpace:
        """All features, tuned or not."""
        return self.sentences.space

    @property
    def metric(self) -> Metric:
        """That of the examples."""
        return self.sentences.metric

    def best_score(self, weights: _Floats) -> float:
        """Metric of the best translations. weights: float64[num_features]"""
        return self.sentences.best_score(weights)

    def position(self) -> "_Position":
        """A new one."""
        return _Position(self)


class _Position:
    """Weights of all features, and the last direction."""

    def __init__(self, landscape: ExampleLandscape) -> None:
        self._landscape = landscape
        self._weights = self._along = landscape.origin

    def score(self, weights: _Floats) -> float:
        """Stand at some weights; the metric there. weights: float64[D]"""
        self._weights = self._landscape.origin.astype(np.float64)
        self._weights[self._landscape.features] = weights
        return self._landscape.best_score(self._weights)

    def surface(self, direction: _Floats, feature: int | None = None) -> Surface:
        """The metric along a direction: float64[D]; ``feature`` makes no difference."""
        self._along = np.zeros(len(self._weights))
        self._along[self._landscape.features] = direction
        return self._landscape.sentences.surface(self._weights, self._along)

    def move(self, step: float) -> None:
        """Go so far along the last direction."""
        self._weights = self._weights + step * self._along
