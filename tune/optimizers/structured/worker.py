"""A learner with the sentences that it may learn from, in this process or on a cluster."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from isogloss.align.errors import DataError, pluralize
from isogloss.align.execution.cluster import ClusterPool
from isogloss.align.execution.workers import LocalPool
from isogloss.features.space import FeatureSpace

from ...results import Advance, pass_over
from .learner import Learner, LearnerState
from .options import HingeOptions
from .protocol import ExampleSource
from .working_sets import WorkingSet

__all__ = ["Cluster", "Worker", "learner_rates", "open_team"]


@dataclass(frozen=True)
class Cluster:
    """Where learners are, in place of threads.

    address: of a Ray cluster, HOST:PORT, `auto`, or `local` for processes of this machine
    make: makes the source where a learner is, such as from files that each node has; it is pickled.
        None = the source itself is
    advance: is called with the number of sentences that were learned from since the last call
    """

    address: str
    make: Callable[[], ExampleSource] | None = None
    advance: Advance = pass_over


@dataclass
class Worker:
    """A learner, and the source of its sentences."""

    source: ExampleSource
    options: HingeOptions
    _learner: Learner = field(init=False, repr=False)

    def go_on_from(self, state: LearnerState) -> None:
        """Forget all, and learn from this state on."""
        rates = learner_rates(self.options, self.source.space)
        self._learner = Learner(self.source.metric, self.options, rates, state)

    def learn(
        self, sentence: int | None, received: Sequence[WorkingSet]
    ) -> tuple[WorkingSet | None, float]:
        """Learn from a sentence and the working sets of others, or, without one, from these.

        Returns what `Learner.step` does, None and 0 without a sentence.
        """
        if sentence is None:
            self._learner.receive(received)
            return None, 0.0
        example = self.source.example(sentence, self._learner.weights)
        return self._learner.step(example, received)

    def state(self) -> LearnerState:
        """What the learner needs to go on."""
        return self._learner.state


def learner_rates(options: HingeOptions, space: FeatureSpace) -> NDArray[np.float64]:
    """The rate of each feature for one of the learners: float64[len(space)].

    Raises UsageError for a prefix that fits no feature.
    """
    rates = options.rates(space)
    if options.parallel == "asynchronous" and options.update in ("sgd", "perceptron"):
        rates /= options.workers  # as their steps add up (section 6.2)
    return rates


def open_team(
    source: ExampleSource, options: HingeOptions, threads: int | Cluster
) -> AbstractContextManager[LocalPool[Worker] | ClusterPool[Worker]]:
    """The workers, to be opened. threads: that they share, or the cluster that they are on"""
    if isinstance(threads, int):
        members = [Worker(source, options) for _ in range(options.workers)]
        return LocalPool(members, min(threads, options.workers))
    make = threads.make or partial(_as_it_is, source)
    there = partial(_worker_there, make, options, _digest(source))
    return ClusterPool(there, options.workers, threads.address)


def _as_it_is(source: ExampleSource) -> ExampleSource:
    return source


def _worker_there(
    make: Callable[[], ExampleSource], options: HingeOptions, digest: tuple[int, int, str]
) -> Worker:
    """A worker on a node. Raises DataError for other sentences or features than those here."""
    source = make()
    found = _digest(source)
    if found != digest:
        raise DataError(
            f"a node of the cluster has {pluralize(found[0], 'sentence')} and "
            f"{pluralize(found[1], 'feature')}",
            f"the same {pluralize(digest[0], 'sentence')} and {pluralize(digest[1], 'feature')} as "
            "on this node",
            remedy="Copy the same files under the same names to each node",
        )
    return Worker(source, options)


def _digest(source: ExampleSource) -> tuple[int, int, str]:
    """Number of sentences, of features, and a checksum of the names of these."""
    names = sha256()
    for name in source.space.names:
        names.update(f"{name}\n".encode("utf-8", "surrogatepass"))
    return len(source), len(source.space), names.hexdigest()
