"""Links of a text of any size by a model, a part at a time.

Each part is kept as it is finished, where there is a folder for it, so that a killed run goes on
behind the last one.
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from isogloss.align.errors import UsageError, pluralize
from isogloss.align.execution.finished_parts import FinishedParts
from isogloss.align.execution.groups import Workers
from isogloss.align.files.inputs.shards import file_states
from isogloss.align.links.formats.burrito import TokenIds
from isogloss.align.links.gold_sample import GoldSample
from isogloss.align.links.links import Links
from isogloss.align.model.domain_posterior import format_posteriors
from isogloss.align.model.model import AlignmentModel
from isogloss.align.text.samples.streamed_bitext import StreamedBitext, TextPart
from isogloss.align.training.checkpoint import PARTS

from ...console import Console
from ..line_outputs import open_outputs, shown_beside
from ..link_formats import Frame, LinkLines
from ..link_tables import TableColumns, is_table, with_domains
from .link_sums import LinkSums
from .retokenization import Retokenizer
from .symmetrization import LinkOptions

__all__ = ["LinkFormats", "PartAligner", "WholeOutputs", "align_whole", "run_fingerprint"]


class WholeOutputs(NamedTuple):
    """Files that are written; ``-`` is standard output, None is nothing."""

    links: str
    posteriors: str | None
    t2s: str | None
    s2t: str | None
    pair_scores: str | None


class LinkFormats(NamedTuple):
    """The format of each output of links, empty where it isn't written.

    ids: token ids of the words, for burrito
    """

    links: str
    t2s: str
    s2t: str
    ids: tuple[TokenIds, TokenIds] | None


@dataclass
class _PartLines:
    """Lines of each output for the pairs of a part, none where the output isn't written."""

    num_pairs: int
    links: list[str]
    posteriors: list[str] = field(default_factory=list)
    t2s: list[str] = field(default_factory=list)
    s2t: list[str] = field(default_factory=list)
    pair_scores: list[str] = field(default_factory=list)
    sums: LinkSums = field(default_factory=LinkSums)


def run_fingerprint(training: str, text: StreamedBitext, decisions: Any) -> str:
    """A hash of all that decides what is written of the pairs of a text.

    training: fingerprint of the model; decisions: options, as JSON can hold them
    """
    files = []
    for file in (text.source, text.target, text.labels):
        if file is not None:
            files += file_states(file)
    return hashlib.sha256(json.dumps([training, files, decisions]).encode()).hexdigest()


@dataclass(frozen=True)
class PartAligner:
    """What is written of the pairs of a part.

    gold: links that are written for their pairs
    """

    model: AlignmentModel
    options: LinkOptions
    outputs: WholeOutputs
    formats: LinkFormats
    retokenizer: Retokenizer | None
    threads: int
    gold: GoldSample | None = None

    @property
    def tables(self) -> dict[str, TableColumns]:
        """The columns of those outputs that are tables."""
        outputs, columns = self.outputs, self.options.table_columns(self.model)
        others = [(name, TableColumns()) for name in (outputs.t2s, outputs.s2t) if name]
        named = [(outputs.links, columns), *others]
        return {name: columns for name, columns in named if is_table(name)}

    def lines(self, part: TextPart) -> _PartLines:
        """The lines of a part for all outputs."""
        model, threads, outputs = self.model, self.threads, self.outputs
        bitext = model.encode(part.bitext)
        posterior = model.domain_posteriors(bitext, threads)
        weights = _with_labels(posterior, part.labels, model)
        links = self.options.links(model, bitext, weights, threads, None, part.bitext)
        result = _PartLines(len(bitext), [])
        result.sums.add(bitext, links)
        if self.gold is not None:
            links = self.gold.part(part.first, part.first + len(bitext)).kept_in(links)
        if self.retokenizer is not None:
            links = self.retokenizer.links(links, part.bitext)
        ids = self.formats.ids
        result.links = _formatted(links, self.formats.links, ids, part)
        if outputs.links in self.tables and self.tables[outputs.links].domains:
            result.links = list(with_domains(result.links, model.domains, weights))
        if outputs.posteriors:
            result.posteriors = list(islice(format_posteriors(model.domains, posterior), 1, None))
        if outputs.t2s or outputs.s2t:
            directions = model.align_directions(bitext, threads, weights)
            formats = self.formats.t2s, self.formats.s2t
            result.t2s, result.s2t = (
                _formatted(links, format, ids, part) if format else []
                for links, format in zip(directions, formats, strict=True)
            )
        if outputs.pair_scores:
            result.pair_scores = list(self.options.pair_score_lines(model, bitext, threads))
        return result


def _formatted(
    links: Links, format: str, ids: tuple[TokenIds, TokenIds] | None, part: TextPart
) -> list[str]:
    """The lines of the links of a part."""
    return list(LinkLines(format, ids=ids, first=part.first).of(links, part.texts))


def _with_labels(
    posterior: NDArray[np.float64], labels: list[str], model: AlignmentModel
) -> NDArray[np.float64]:
    """P(domain) of pairs some of which have a label, as in training: float64[num_pairs, D]."""
    # posterior: without the labels
    numbers = {name: number for number, name in enumerate(model.domains)}
    label = np.array([numbers.get(name, -1) for name in labels], np.int64)
    known = np.flatnonzero(label >= 0)
    if not len(known):
        return posterior
    confidence = model.options.seed_confidence
    is_label = np.eye(len(numbers))[label[known]]
    prior = np.exp(model.log_prior)  # 0 of a domain that no pair was left for
    share = np.divide(is_label, prior, out=np.zeros_like(is_label), where=prior > 0.0)
    weights = posterior.copy()
    weights[known] = (
        is_label
        if confidence == 1.0
        else posterior[known] * (1.0 - confidence + confidence * share)
    )
    weights[known] /= weights[known].sum(1, keepdims=True)
    return weights


def align_whole(
    aligner: PartAligner,
    text: tuple[StreamedBitext, int],
    console: Console,
    finished: tuple[Path, str] | None = None,
    rows: range | None = None,
    *,
    in_order: bool = True,
    workers: Workers | None = None,
) -> None:
    """Write the links of all pairs, and what else is asked for.

    text: and how many pairs it has
    finished: folder of the state and fingerprint of the run; None = finished parts are not kept
    rows: numbers of the pairs that are aligned; None = all
    in_order: whether the sides of the text are those of the model, as far as is known
    workers: on a cluster, which align the parts; None = the threads of this process
    """
    kept = None
    if finished is not None:
        kept = FinishedParts(finished[0] / PARTS, _PartLines, finished[1])
    if workers is not None and aligner.retokenizer is not None:
        raise UsageError(
            "--retokenize cannot be used with --cluster; run `isogloss retokenize` afterwards"
        )
    model, options, outputs = aligner.model, aligner.options, aligner.outputs
    sums = LinkSums()
    shown = shown_beside(outputs.links, console)
    total = text[1] if rows is None else len(rows)
    opened = open_outputs(*outputs, tables=aligner.tables)
    with shown.progress("aligning", total, "pairs") as advance, opened as writes:
        writes[1](islice(format_posteriors(model.domains, np.empty((0, 0))), 1))
        frames = [Frame(getattr(aligner.formats, name, "")) for name in WholeOutputs._fields]
        for lines in _all_lines(aligner, text, kept, rows, console, workers):
            for write, frame, name in zip(writes, frames, WholeOutputs._fields, strict=True):
                write(frame.add(getattr(lines, name)))
            sums.include(lines.sums)
            advance(lines.num_pairs)
        for write, frame in zip(writes, frames, strict=True):
            write(frame.end())
    sums.tell(console, are_usual=in_order and options.are_usual(model.options))


def _all_lines(
    aligner: PartAligner,
    text: tuple[StreamedBitext, int],
    kept: FinishedParts[_PartLines] | None,
    rows: range | None,
    console: Console,
    workers: Workers | None,
) -> Iterator[_PartLines]:
    """The lines of each part, in order; those that were kept are read, the others are kept."""
    stream, num_pairs = text
    earlier = 0 if kept is None else len(kept)
    done = 0
    stored = None
    while kept is not None and done < earlier and (stored := kept.load(done)) is not None:
        done += 1
        if aligner.retokenizer is not None:
            aligner.retokenizer.skip(stored.num_pairs)
        yield stored
    if done:
        console.info(f"resuming after {pluralize(done, 'finished part')} of the text")
    elif earlier:
        console.info(
            "finished parts are of another text, of other options or damaged; aligning all parts "
            "of the text again"
        )
    parts = (part for part in stream.parts(num_pairs, done, rows) if part is not None)
    for number, lines in enumerate(_new_lines(aligner, parts, console, workers), start=done):
        if kept is not None:
            kept.save(number, lines)
        yield lines
    if aligner.retokenizer is not None and rows is None:
        aligner.retokenizer.finish()


def _new_lines(
    aligner: PartAligner, parts: Iterator[TextPart], console: Console, workers: Workers | None
) -> Iterator[_PartLines]:
    """The lines of parts, made here or by workers on a cluster."""
    from isogloss.align.execution.cluster_parts import part_workers  # Ray, which is seldom needed

    there = partial(replace, aligner)
    with part_workers(there, workers or aligner.threads, console.info) as pool:
        yield from pool.results(PartAligner.lines, parts)
