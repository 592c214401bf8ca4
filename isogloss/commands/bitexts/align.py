"""isogloss align: word alignment learned from a bitext."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import repeat
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from isogloss.align.errors import IsoglossError, UsageError
from isogloss.align.files.inputs.shards import files_of
from isogloss.align.files.outputs import is_stream
from isogloss.align.files.writers import together, write_lines
from isogloss.align.links.formats.burrito import TokenIds
from isogloss.align.links.links import Links
from isogloss.align.model.domain_posterior import format_posteriors
from isogloss.align.model.model import AlignmentModel
from isogloss.align.model.store import MODEL_FORMAT
from isogloss.align.text.bitext import Bitext
from isogloss.align.training.train import last_posteriors, training_posteriors

from ...console import Console
from ...options import Command, group, option, output_file
from ..link_formats import LinkLines, texts_again
from ..link_tables import TableColumns, is_table, with_domains, write_links
from ..named_files import inputs, outputs
from .retokenization import Retokenizer
from .symmetrization import LinkOptions
from .train import LearnedModel, TrainOptions, learn, remove_state
from .training_text import TrainingText, WholeText
from .whole_text import (
    LinkFormats,
    PartAligner,
    WholeOutputs,
    align_whole,
    run_fingerprint,
)

__all__ = ["COMMAND", "AlignOptions", "run"]

_PART = 1 << 20  # sentence pairs whose links are in memory at a time


@dataclass(frozen=True)
class AlignOptions(TrainOptions):
    """Options of `isogloss align`.

    output: symmetrized links (default: stdout)
    t2s: write the t2s alignments, at most one link per source word
    s2t: write the s2t alignments, at most one link per target word
    posteriors: write P(domain) of each sentence pair as TSV, estimated without its label
    keep_gold: write the gold alignments of --gold-sample for its sentence pairs
    """

    output: str | None = option("-o", default=None, metavar="FILE", parse=output_file)
    t2s: str | None = option(default=None, metavar="FILE", parse=output_file)
    s2t: str | None = option(default=None, metavar="FILE", parse=output_file)
    posteriors: str | None = option(default=None, metavar="FILE", parse=output_file)
    keep_gold: bool = False
    symmetrization: LinkOptions = group(LinkOptions)

    @property
    def link_outputs(self) -> dict[str | None, str]:
        """The format of each output of links, by its name."""
        files = [file for file in (self.t2s, self.s2t) if file]
        return self.symmetrization.formats(self.output, *files)

    @property
    def is_on_stdout(self) -> bool:
        """Whether the links go to standard output."""
        return self.output in (None, "-")


def run(options: AlignOptions, console: Console) -> None:
    """Train on a bitext and align it."""
    bitext, links = options.text.bitext, options.symmetrization
    if options.keep_gold and options.sample.gold_sample is None:
        raise UsageError("--keep-gold has no effect without --gold-sample; pass that as well")
    formats = options.link_outputs.values()
    ids = options.known.ids.read_for(formats)
    links.check_formats(formats, ids, bitext)
    retokenizer = None
    if links.retokenize is not None:
        if options.place.cluster is not None and options.text.train_on is not None:
            raise UsageError(
                "--retokenize cannot be used with --cluster and --train-on; run "
                "`isogloss retokenize` afterwards"
            )
        retokenizer = Retokenizer(links.retokenize, bitext, console)
    learned = learn(options, console, lambda: _outputs_stand(options))
    if learned is None:
        return
    if retokenizer is not None:
        retokenizer.look_at(learned.text.bitext)
    try:
        with console.stage("linking words"):
            if learned.text.whole is not None:
                _write_whole(options, learned, learned.text.whole, retokenizer, ids, console)
            else:
                _write_alignment(options, learned, retokenizer, ids)
    except BrokenPipeError:
        if options.is_on_stdout:  # whoever read the links wants no more of them
            remove_state(options, learned.state)
        raise
    remove_state(options, learned.state)


def _files(name: str) -> Iterator[Path]:
    """Local files that an option names, by a path, a folder or a pattern."""
    with suppress(IsoglossError):
        yield from (path for path in map(Path, files_of(name)) if path.is_file())


def _outputs_stand(options: AlignOptions) -> bool:
    """Whether a finished run has nothing left to write: its files are younger than all of it."""
    # Without a state that is certain: it is removed when they stand. What went to standard output
    # is not known to have arrived.
    if options.is_on_stdout:
        return False
    made = [Path(str(options.model)) / MODEL_FORMAT.header]
    if options.text.train_on is not None or options.symmetrization.retokenize:
        made += [file for name in inputs(options) for file in _files(name)]
    since = max(file.stat().st_mtime_ns for file in made)
    files = [Path(name) for name, is_folder in outputs(options) if not is_folder]
    return all(file.is_file() and file.stat().st_mtime_ns >= since for file in files)


def _write_alignment(
    options: AlignOptions,
    learned: LearnedModel,
    retokenizer: Retokenizer | None,
    ids: tuple[TokenIds, TokenIds] | None,
) -> None:
    """Write what is asked for of the pairs before the seed samples."""
    threads, text, external_links = options.common.threads, learned.text, learned.external_links
    formats = options.link_outputs

    model, bitext = _without_samples(learned.model, text)
    posterior, weighed = last_posteriors(model, threads), None

    def write(links: Iterable[Links], output: str | None, columns: TableColumns) -> None:
        format = formats[output]
        texts = texts_again(options.text.bitext, format)
        lines = LinkLines(format, texts, ids).whole(links)
        if columns.domains and is_table(output):
            lines = with_domains(lines, model.domains, posterior)
        write_links(lines, output, columns)

    if external_links is not None:
        external_links = external_links.first(text.num_pairs)
        if options.external_links_in != "training":
            weighed = model.weigh(bitext, external_links, threads, posterior)
    with together():
        if options.t2s or options.s2t:
            directions = model.align_directions(bitext, threads, posterior, weighed)
            for direction, path in zip(directions, (options.t2s, options.s2t), strict=True):
                if path:
                    write([direction], path, TableColumns())
        if options.posteriors:
            found = training_posteriors(model, threads)
            write_lines(format_posteriors(model.domains, found), options.posteriors)
        options.symmetrization.write_pair_scores(model, bitext, threads)
        given = external_links, text.known_links, learned.gold
        if all(links is None for links in given):
            parts = _links_by_part(options, model, bitext, posterior)
        else:
            whole = options.symmetrization.links(model, bitext, posterior, threads, weighed)
            options.known.tell(external_links, whole)
            if text.known_links is not None:
                whole = text.known_links.kept_in(whole)
            if options.keep_gold and learned.gold is not None:
                whole = learned.gold.kept_in(whole)
            parts = iter([whole])
        if retokenizer is not None:
            parts = (links for links, _ in retokenizer.parts(zip(parts, repeat(None)), bitext))
        write(parts, options.output, options.symmetrization.table_columns(model))


def _links_by_part(
    options: AlignOptions, model: AlignmentModel, bitext: Bitext, posterior: NDArray[np.float64]
) -> Iterator[Links]:
    """The links of a part of the text after the other. posterior: float64[num_pairs, D]"""
    find, threads = options.symmetrization.links, options.common.threads
    if len(bitext) <= _PART:  # its cells are still known
        yield find(model, bitext, posterior, threads)
        return
    for begin in range(0, len(bitext), _PART):
        rows = slice(begin, begin + _PART)
        yield find(model, bitext[rows], posterior[rows], threads)


def _write_whole(
    options: AlignOptions,
    learned: LearnedModel,
    whole: WholeText,
    retokenizer: Retokenizer | None,
    ids: tuple[TokenIds, TokenIds] | None,
    console: Console,
) -> None:
    """Write what is asked for of all pairs of the text that a sample was trained on."""
    links = options.symmetrization
    outputs = WholeOutputs(
        options.output or "-", options.posteriors, options.t2s, options.s2t, links.pair_scores
    )
    by_name = options.link_outputs
    formats = LinkFormats(
        by_name[options.output], by_name.get(options.t2s, ""), by_name.get(options.s2t, ""), ids
    )
    finished = None
    if learned.state is not None:
        decisions = [
            links.heuristic, links.posterior_threshold, links.scores, links.retokenize, formats[:3],
            ids and [side.lines for side in ids], [path is not None for path in outputs],
            options.keep_gold,
        ]  # fmt: skip
        run = run_fingerprint(learned.fingerprint, whole.stream, decisions)
        finished = learned.state.folder, run
    threads = options.common.threads
    gold = learned.gold if options.keep_gold else None
    aligner = PartAligner(learned.model, links, outputs, formats, retokenizer, threads, gold)
    workers = options.place.workers(threads)
    align_whole(aligner, whole[:2], console, finished, workers=workers)


def _without_samples(model: AlignmentModel, text: TrainingText) -> tuple[AlignmentModel, Bitext]:
    """The pairs before the seed samples, and the model with what it still knows of them."""
    assert model.trained_on is not None
    trained_on = model.trained_on.first(text.num_pairs)
    return replace(model, trained_on=trained_on), trained_on.bitext


def _next_step(options: AlignOptions) -> Sequence[str]:
    bitext, links = options.text.bitext, options.output
    if bitext.source == "-":
        return ()
    texts = [bitext.source] if bitext.target is None else [bitext.source, bitext.target]
    if links is None or is_stream(links):
        return ["apply", options.model or "MODEL", *texts]
    return ["extract", *texts, links, *bitext.form.given, "-o", "phrase-table.gz"]


COMMAND = Command(
    AlignOptions,
    run,
    (
        "isogloss align corpus.en corpus.es --model m -o links",
        "isogloss align mix.en.gz mix.es.gz --seed-sample legal=law.en,law.es --posteriors p.tsv",
    ),
    next_step=_next_step,
    first={
        "input": ("labels", "seed_sample", "train_on", "lowercase", "format"),
        "output": ("output", "to", "model", "scores", "posteriors", "overwrite"),
        "model": ("preset", "heuristic"),
        "running": ("threads", "quiet"),
    },
)
