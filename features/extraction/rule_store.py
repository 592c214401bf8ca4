"""The rules of a bitext in shards, with the totals of their target phrases over all shards.

Shards are counted one by one, by any process that sees their folder. Each leaves the counts of its
rules sorted by target phrase, in runs, which are then added up for a range of target phrases at a
time: rule after rule, shard after shard, so that fractions are rounded alike in any number of them.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from socket import gethostname
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from isogloss.align.errors import UsageError
from isogloss.align.execution.cluster_parts import LocalParts, PartWorkers
from isogloss.align.execution.mapped_values import load_mapped, store_mapped

from .counts import PreparedBitext, RuleCounts, count_range, shard_bounds
from .kernels.counting import add_rows
from .phrases import first_places
from .smoothing import CountsOfCounts

__all__ = ["RuleShards", "RuleStore", "TargetRuns"]

BUCKETS = 256  # of target phrases, the least that is added up at a time
_BYTES_PER_TOTAL = 64
_RANGES = 4  # for each thread of a cluster, so that none waits for the longest one


@dataclass(frozen=True)
class TargetRuns:
    """Counts of the rules of a shard by bucket of their target phrase.

    order: int32[num_targets], target phrases by bucket; keys: int64[num_targets], theirs
    places: int32[num_rules], where the target phrase of each rule stands in that order
    counts: float64[num_rules, K]
    target_bounds, rule_bounds: int64[BUCKETS + 1], where each bucket begins
    """

    order: NDArray[np.int32]
    keys: NDArray[np.int64]
    places: NDArray[np.int32]
    counts: NDArray[np.float64]
    target_bounds: NDArray[np.int64]
    rule_bounds: NDArray[np.int64]

    @classmethod
    def of(cls, shard: RuleCounts) -> "TargetRuns":
        """Sort the rules of a shard, which stay in their order within a bucket."""
        buckets = (shard.target_keys % BUCKETS).astype(np.uint8)
        order = np.argsort(buckets, kind="stable").astype(np.int32)
        places = np.empty(len(order), np.int32)
        places[order] = np.arange(len(order), dtype=np.int32)
        of_rules = buckets[shard.rule_target]
        rules = np.argsort(of_rules, kind="stable")
        return cls(
            order, shard.target_keys[order], places[shard.rule_target[rules]], shard.counts[rules],
            _bounds(buckets), _bounds(of_rules),
        )  # fmt: skip

    def targets(self, first: int, end: int) -> slice:
        """Where the target phrases of some buckets stand in the order."""
        return slice(*self.target_bounds[[first, end]].tolist())

    def rules(self, first: int, end: int) -> slice:
        """Where their rules stand."""
        return slice(*self.rule_bounds[[first, end]].tolist())


def _bounds(buckets: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Where each bucket begins and the last one ends, once they are sorted: int64[BUCKETS + 1]."""
    return np.append(0, np.cumsum(np.bincount(buckets, minlength=BUCKETS)))


class _Counted(NamedTuple):
    """What is told of a shard. target_bounds: int64[BUCKETS + 1], its target phrases by bucket"""

    num_rules: int
    target_bounds: NDArray[np.int64]
    counts_of_counts: CountsOfCounts


class RuleShards:
    """A folder of shards, and the tasks that are done in it, by any process that sees it.

    text: None = as another process has put it there
    """

    def __init__(self, folder: Path, text: PreparedBitext | None = None) -> None:
        self.folder, self._text = folder, text

    def put_text(self) -> None:
        """Let other processes see the text. Raises OutputError where it can't be written."""
        store_mapped(self._text, self.folder / "text")

    @cached_property
    def text(self) -> PreparedBitext:
        """The text. Raises UsageError where the folder isn't seen."""
        return self.given("text") if self._text is None else self._text

    def given(self, name: str) -> Any:
        """What another process has put there. Raises UsageError where the folder isn't seen."""
        try:
            return load_mapped(self.folder / name)
        except OSError as error:
            raise UsageError(
                f"{self.folder} cannot be read on node {gethostname()} of the cluster "
                f"({error.strerror}); pass --tmpdir with a folder that all nodes share"
            ) from error

    def count(self, task: tuple[int, tuple[int, int, int]]) -> _Counted:
        """Count a shard. task: its number, and its range of first source words"""
        number, bound = task
        shard = count_range(self.text, *bound)
        runs = TargetRuns.of(shard)
        store_mapped(shard, self.folder / f"shard.{number}")
        store_mapped(runs, self.folder / f"runs.{number}")
        counts_of_counts = CountsOfCounts.from_counts(shard.counts[:, 0])
        return _Counted(len(shard), runs.target_bounds, counts_of_counts)

    def add_totals(self, task: tuple[int, int, int]) -> None:
        """Add up the counts of some target phrases. task: first bucket, end, number of shards"""
        first, end, size = task
        keys = [run.keys[run.targets(first, end)].copy() for run in self._runs(size)]
        distinct, joined = first_places(np.concatenate(keys))
        columns = self.text.weights.shape[1] + 1
        totals, begin = np.zeros((len(distinct), columns)), 0
        for run, own in zip(self._runs(size), keys, strict=True):
            phrases = joined[begin : begin + len(own)].astype(np.int64)
            rules = run.rules(first, end)
            places = run.places[rules] - run.target_bounds[first]
            add_rows(run.counts[rules], phrases[places], totals)
            begin += len(own)
        store_mapped(totals[joined], self.folder / f"totals.{first}")

    def _runs(self, size: int) -> Iterator[TargetRuns]:
        """Those of all shards, each mapped for as long as it is looked at."""
        return (self.given(f"runs.{number}") for number in range(size))

    def load(self, number: int) -> RuleCounts:
        """A shard."""
        shard: RuleCounts = self.given(f"shard.{number}")
        return shard

    def totals(self, number: int, spans: list[tuple[int, int, int]]) -> NDArray[np.float64]:
        """The totals of a shard's target phrases: float64[num_targets, K + 1].

        spans: first bucket of each part of the totals, and from where to where they are in it
        """
        runs: TargetRuns = self.given(f"runs.{number}")
        found = [self.given(f"totals.{first}")[begin:end] for first, begin, end in spans]
        result = np.empty((len(runs.order), found[0].shape[1]))
        result[runs.order] = np.concatenate(found)
        return result


class RuleStore:
    """The rules of a bitext, shard by shard, with the totals of their target phrases.

    One shard stays in memory; several are in ``folder``.

    pool: workers on a cluster, which have a RuleShards of the folder; None = this process
    sizes: number of rules of each shard; counts_of_counts: of all rules
    """

    def __init__(
        self,
        text: PreparedBitext,
        max_memory: int,
        folder: Path,
        pool: PartWorkers | None = None,
    ) -> None:
        self._shards = RuleShards(folder, text)
        self._kept: RuleCounts | None = None
        self._bounds: list[NDArray[np.int64]] = []  # of target phrases, shard by shard
        self._parts: list[tuple[int, int]] = []  # ranges of buckets
        if pool is None:
            bounds = shard_bounds(text, max_memory)
            pool = LocalParts(lambda: self._shards)
            if len(bounds) == 1:
                self._keep(count_range(text, *bounds[0]))
                return
        else:
            self._shards.put_text()
            max_memory //= pool.threads
            bounds = shard_bounds(text, max_memory, _RANGES * pool.size * pool.threads)
        counted: list[_Counted] = list(
            pool.results(RuleShards.count, enumerate(bounds), single=True)
        )
        self.sizes = [shard.num_rules for shard in counted]
        self.counts_of_counts = sum(
            (shard.counts_of_counts for shard in counted), start=CountsOfCounts()
        )
        self._bounds = [shard.target_bounds for shard in counted]
        self._parts = self._ranges(max_memory, pool.size * pool.threads)
        tasks = ((first, end, len(counted)) for first, end in self._parts)
        for _ in pool.results(RuleShards.add_totals, tasks, single=True):
            pass

    def _keep(self, shard: RuleCounts) -> None:
        self._kept, self.sizes = shard, [len(shard)]
        self.counts_of_counts = CountsOfCounts.from_counts(shard.counts[:, 0])

    def _ranges(self, max_memory: int, workers: int) -> list[tuple[int, int]]:
        """Ranges of buckets whose totals fit in memory, one for each worker at least."""
        total = int(sum(bounds[-1] for bounds in self._bounds))
        parts = min(max(-(-total * _BYTES_PER_TOTAL // max_memory), workers), BUCKETS)
        edges = [part * BUCKETS // parts for part in range(parts + 1)]
        return list(pairwise(edges))

    def __len__(self) -> int:
        return len(self.sizes)

    @property
    def orientations(self) -> NDArray[np.float64]:
        """Sums over all rules: float64[kinds, 2, 4]."""
        shape = len(self._shards.text.used_kinds), 2, 4
        sums = np.zeros((1, math.prod(shape) + 1))
        for number in range(len(self)):
            # one rule after the other, so that fractions are rounded alike in all shards
            shard = self._shards.load(number) if self._kept is None else self._kept
            rows = shard.orientations.reshape(len(shard), math.prod(shape))
            add_rows(rows, np.zeros(len(shard), np.int64), sums)
        return sums[0, :-1].reshape(shape)

    def spans(self) -> Iterator[list[tuple[int, int, int]]]:
        """Where the totals of each shard are, see :meth:`RuleShards.totals`."""
        begins = [0] * len(self._parts)
        for bounds in self._bounds:
            ends = [
                begin + int(bounds[end] - bounds[first])
                for begin, (first, end) in zip(begins, self._parts, strict=True)
            ]
            firsts = [first for first, _ in self._parts]
            yield list(zip(firsts, begins, ends, strict=True))
            begins = ends

    def __iter__(self) -> Iterator[tuple[RuleCounts, NDArray[np.float64]]]:
        """Each shard, and of each of its target phrases c(e), float64[num_target_phrases, K], and
        in a last column the number of rules.
        """
        if self._kept is not None:
            shard = self._kept
            totals = np.zeros((len(shard.target), shard.counts.shape[1] + 1))
            add_rows(shard.counts, shard.rule_target.astype(np.int64), totals)
            yield shard, totals
            return
        for number, spans in enumerate(self.spans()):
            yield self._shards.load(number), self._shards.totals(number, spans)
