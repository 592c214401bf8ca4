"""Extraction by workers on a Ray cluster, which share a folder with this process."""

from collections.abc import Iterator
from functools import cached_property, partial
from pathlib import Path
from threading import local
from typing import Any

from isogloss.align.execution.cluster_parts import PartWorkers, part_workers
from isogloss.align.execution.groups import Workers
from isogloss.align.execution.mapped_values import store_mapped
from isogloss.align.files.writers import atomic_files
from isogloss.align.links.links import Links
from isogloss.align.text.bitext import Bitext

from .domain_weights import DomainWeights
from .extract import PreparedExtraction, Scorer, made_folder
from .extraction_options import ExtractionOptions
from .rule_store import RuleShards, RuleStore
from .write_extracted import ExtractedFormatter, FormattedBlock

__all__ = ["cluster_blocks"]

_COPIED = 1 << 20  # bytes at a time


class _TableShards(RuleShards):
    """Shards that are scored and written, too."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._threads: Any = local()  # a formatter has room for one block

    @cached_property
    def _scorer(self) -> Scorer:
        scorer: Scorer = self.given("scorer")
        return scorer

    def _formatter(self) -> ExtractedFormatter:
        if not hasattr(self._threads, "formatter"):
            self._threads.formatter = ExtractedFormatter(self._scorer.options.reordering)
        formatter: ExtractedFormatter = self._threads.formatter
        return formatter

    def write(self, task: tuple[int, list[tuple[int, int, int]]]) -> tuple[tuple[str, ...], int]:
        """Score a shard and write its lines. task: its number, and where its totals are

        Returns the names of the scores, and the number of rules.
        """
        number, spans = task
        shard = self.load(number)
        if not len(shard):
            return (), 0
        scored = self._scorer.block(self.text, shard, self.totals(number, spans))
        block = self._formatter().block(scored)
        kinds = [block.table, *block.reordering]
        with atomic_files(*_files(self.folder, number, len(kinds))) as files:
            for file, lines in zip(files, kinds, strict=True):
                for part in lines:
                    file.write(part)
        return block.score_names, block.size


def _files(folder: Path, number: int, kinds: int) -> list[Path]:
    """The files of a shard: its part of the phrase table, and of each reordering table."""
    return [folder / f"lines.{number}.{kind}" for kind in range(kinds)]


def cluster_blocks(
    bitext: Bitext,
    links: Links,
    options: ExtractionOptions,
    weights: DomainWeights,
    workers: Workers,
    scratch_folder: Path | None = None,
) -> Iterator[FormattedBlock]:
    """The lines of what :func:`extract_blocks` gives, byte for byte, made by workers on a cluster.

    Each counts ranges of first source words, adds up ranges of target phrases, then scores and
    writes its ranges. What they give each other is in a folder in ``scratch_folder``, which all
    nodes must see.

    Raises what :func:`extract_blocks` raises, UsageError as :class:`ClusterGroup` does, and for a
    folder that a node doesn't see, and WorkerLostError where workers are lost more often than they
    may be.
    """
    prepared = PreparedExtraction.of(bitext, links, options, weights)
    with (
        made_folder(scratch_folder) as folder,
        part_workers(partial(_TableShards, folder), workers) as pool,
    ):
        store = RuleStore(prepared.text, options.max_memory, folder, pool)
        if sum(store.sizes):
            store_mapped(prepared.scorer(store), folder / "scorer")
            yield from _blocks(store, folder, pool, len(options.reordering))


def _blocks(
    store: RuleStore, folder: Path, pool: PartWorkers, models: int
) -> Iterator[FormattedBlock]:
    found = pool.results(_TableShards.write, enumerate(store.spans()), single=True)
    for number, (score_names, size) in enumerate(found):
        if size:
            files = _files(folder, number, 1 + models)
            table, *reordering = map(_gone_lines, files)
            yield FormattedBlock(score_names, size, sum(store.sizes), table, tuple(reordering))


def _gone_lines(file: Path) -> Iterator[bytes]:
    """The lines of a file, many at a time, which is removed behind the last one."""
    with file.open("rb") as stream:
        while part := stream.read(_COPIED):
            yield part
    file.unlink()
