"""isogloss apply: other text aligned with a learned model."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from isogloss.align.errors import DataError, UsageError
from isogloss.align.files.outputs import is_stream
from isogloss.align.files.writers import together
from isogloss.align.links.external_links import ExternalLinks
from isogloss.align.links.formats.burrito import TokenIds
from isogloss.align.links.formats.gold_formats import BURRITO
from isogloss.align.links.links import Links
from isogloss.align.model.model import AlignmentModel
from isogloss.align.model.parameters import DOMAIN_WEIGHTINGS, POSTERIOR
from isogloss.align.text.bitext import Bitext
from isogloss.align.text.pair_collector import PairSettings, bitext_blocks
from isogloss.align.text.samples.streamed_bitext import StreamedBitext

from ...console import Console
from ...options import Command, group, option, positional
from ..line_outputs import open_outputs, shown_beside
from ..link_formats import Frame, LinkLines, texts_again, texts_of
from ..link_tables import is_table, with_domains, write_links
from ..model_text import TextCheck
from ..shared import (
    BitextOptions,
    ClusterOptions,
    CommonOptions,
    LengthLimitOptions,
    common_options,
    output_option,
)
from .external_links import ExternalLinkOptions
from .link_sums import LinkSums
from .retokenization import Retokenizer
from .symmetrization import LinkOptions
from .whole_text import LinkFormats, PartAligner, WholeOutputs, align_whole

__all__ = ["COMMAND", "ApplyOptions", "run"]

_BLOCK = 4096  # pairs of standard input that are aligned at a time, where they are there


@dataclass(frozen=True)
class ApplyOptions:
    """Options of `isogloss apply`.

    model: model folder written by `train` or `align --model`
    domains: decode with these domains only
    domain_weighting: domain weights for the best paths of a heuristic: source = P(D|e), joint =
        P(D|f,e), argmax = only the most probable domain by P(D|e) (default: the model's)
    output: links (default: stdout)
    part: align only part K of N equal parts of the text; `isogloss merge` joins the outputs
    on_error: action for a malformed line of standard input: stop, or empty to write an empty line
        and continue
    """

    model: str = positional("MODEL")
    bitext: BitextOptions = group(BitextOptions)
    limit: LengthLimitOptions = group(LengthLimitOptions)
    output: str | None = output_option()
    symmetrization: LinkOptions = group(LinkOptions)
    domains: str | None = option(default=None, metavar="NAME,...")
    domain_weighting: str | None = option(default=None, choices=DOMAIN_WEIGHTINGS)
    known: ExternalLinkOptions = group(ExternalLinkOptions)
    part: str | None = option(default=None, metavar="K/N")
    on_error: Literal["stop", "empty"] = "stop"
    place: ClusterOptions = group(ClusterOptions)
    common: CommonOptions = common_options()

    @property
    def link_outputs(self) -> dict[str | None, str]:
        """The format of the output, by its name."""
        return self.symmetrization.formats(self.output)

    @property
    def answers(self) -> bool:
        """Whether pairs come from standard input, and links go out as they are found."""
        bitext = self.bitext
        return is_stream(bitext.source) and bitext.target is None and not self._scores_pairs

    @property
    def _scores_pairs(self) -> bool:
        return self.symmetrization.pair_scores is not None


def run(options: ApplyOptions, console: Console) -> None:
    """Align other text with a model; pairs of standard input are answered line by line."""
    if options.on_error == "empty" and not options.answers:
        raise UsageError(
            "--on-error empty needs sentence pairs on standard input: isogloss apply MODEL -"
        )
    options.symmetrization.check_threshold()
    (format,) = options.link_outputs.values()
    ids = options.known.ids.read_for([format])
    options.symmetrization.check_formats([format], ids, options.bitext, keeps_text=options.answers)
    _check_part(options.part, format)
    options.place.workers(options.common.threads)
    model = AlignmentModel.load(options.model)
    if options.domains:
        model = model.restricted(options.domains.split(","))
    model = _weighed(model, options)
    check = TextCheck(model, options.bitext)
    if options.answers:
        _check_stream(options)
        sums = _answer(model, check, ids, options, console)
        in_order = check.tell(console)
        sums.tell(console, are_usual=in_order and options.symmetrization.are_usual(model.options))
        return
    bitext = options.bitext
    files = [file for file in (bitext.source, bitext.target) if file is not None]
    if options.known.external_links or any(map(is_stream, files)):
        _apply_in_memory(model, check, ids, options, console)
    else:
        _apply_in_parts(model, check, ids, options, console)


def _check_stream(options: ApplyOptions) -> None:
    """Raise UsageError for options that need more than a stream of pairs."""
    if options.known.external_links:
        raise UsageError(
            "--external-links needs the whole text and cannot be used with standard input; "
            "pass the text as a file"
        )
    if options.part is not None:
        raise UsageError("--part needs the text in a file and cannot be used with standard input")
    if options.symmetrization.retokenize:
        raise UsageError(
            "--retokenize needs the text in a file and cannot be used with standard input"
        )
    _check_here(options)


def _apply_in_parts(
    model: AlignmentModel,
    check: TextCheck,
    ids: tuple[TokenIds, TokenIds] | None,
    options: ApplyOptions,
    console: Console,
) -> None:
    """Align a text of any size."""
    bitext, links = options.bitext, options.symmetrization
    form = bitext.form
    settings = PairSettings(
        form.format, form.languages, form.lowercase, max_length=options.limit.max_length,
        columns=form.named_columns,
    )  # fmt: skip
    stream = StreamedBitext(bitext.source, bitext.target, settings)
    head = stream.head()
    check.add(head)
    in_order = check.tell(console)
    retokenizer = None
    if links.retokenize:
        retokenizer = Retokenizer(links.retokenize, bitext, console)
        retokenizer.look_at(head)
    del head
    (format,) = options.link_outputs.values()
    outputs = WholeOutputs(options.output or "-", None, None, None, links.pair_scores)
    formats = LinkFormats(format, "", "", ids)
    number = stream.count()
    rows = _rows_of_part(options.part, number)
    if retokenizer is not None and rows is not None and rows.start:
        retokenizer.skip(rows.start)
    workers = options.place.workers(options.common.threads)
    aligner = PartAligner(model, links, outputs, formats, retokenizer, options.common.threads)
    align_whole(aligner, (stream, number), console, rows=rows, in_order=in_order, workers=workers)


def _check_part(part: str | None, format: str) -> None:
    """Raise UsageError, before the work, for what is no part, and one that is no file by itself."""
    _rows_of_part(part, 0)
    if part is not None and format == BURRITO:
        raise UsageError(
            "--part writes lines to be joined, but burrito is one JSON object; write the parts as "
            "text, then type `isogloss convert LINKS --to burrito`"
        )


def _rows_of_part(part: str | None, num_pairs: int) -> range | None:
    """The pairs of K/N, None for all of them. Raises UsageError for another text."""
    if part is None:
        return None
    match = re.fullmatch(r"([0-9]{1,9})/([0-9]{1,9})", part)
    number, count = map(int, match.groups()) if match else (0, 0)
    if not 1 <= number <= count:
        raise UsageError(f"--part must be K/N, such as 3/64, with K from 1 to N, got {part!r}")
    return range((number - 1) * num_pairs // count, number * num_pairs // count)


def _check_here(options: ApplyOptions) -> None:
    """Raise UsageError for text that a cluster can't be given."""
    if options.place.cluster is not None:
        raise UsageError(
            "--cluster needs a text in files, without --external-links; write the text to files"
        )


def _apply_in_memory(
    model: AlignmentModel,
    check: TextCheck,
    ids: tuple[TokenIds, TokenIds] | None,
    options: ApplyOptions,
    console: Console,
) -> None:
    """Align a text that can be read only once, or whose external links are weighed as a whole."""
    _check_here(options)
    if options.part is not None:
        raise UsageError(
            "--part needs a text in files, without --external-links; write the text to files"
        )
    (format,) = options.link_outputs.values()
    threads = options.common.threads
    text = options.bitext.read(max_length=options.limit.max_length)
    check.add(text)
    in_order = check.tell(console)
    bitext, external_links = model.encode(text), options.known.read(text)
    shown = shown_beside(options.output, console)
    with together(), shown.progress("aligning", len(bitext), "pairs") as advance:
        options.symmetrization.write_pair_scores(model, bitext, threads)
        sums = LinkSums()
        links = _links(model, (text, bitext), external_links, options, sums, advance)
        if options.symmetrization.retokenize:
            retokenizer = Retokenizer(options.symmetrization.retokenize, options.bitext, console)
            retokenizer.look_at(text)
            links = retokenizer.parts(links, text)
        lines = LinkLines(format, texts_again(options.bitext, format), ids)
        columns = options.symmetrization.table_columns(model)
        if columns.domains and is_table(options.output):
            domains = model.domains
            rows = (with_domains(lines.of(part), domains, weights) for part, weights in links)
            write_links(chain.from_iterable(rows), options.output, columns)
        else:
            write_links(lines.whole(part for part, _ in links), options.output, columns)
    sums.tell(console, are_usual=in_order and options.symmetrization.are_usual(model.options))


def _links(
    model: AlignmentModel,
    texts: tuple[Bitext, Bitext],
    external_links: ExternalLinks | None,
    options: ApplyOptions,
    sums: LinkSums,
    advance: Callable[[int], None],
) -> Iterator[tuple[Links, NDArray[np.float64]]]:
    """Links and P(domain) of a text, float64[num_pairs, num_domains], a part of it at a time."""
    # so many pairs at a time that all threads are at work on them
    # texts: as it is written, and over the model's vocabularies
    (text, bitext), threads = texts, options.common.threads
    posterior = weighed = None
    if external_links is not None:
        posterior = model.domain_posteriors(bitext, threads)
        weighed = model.weigh(bitext, external_links, threads, posterior)
    for begin, part in bitext.parts():
        known = None
        if posterior is None or weighed is None:
            weights = model.domain_posteriors(part, threads)
        else:
            weights = posterior[begin : begin + len(part)]
            known = weighed.part(begin, len(part))
        written = text[begin : begin + len(part)]
        links = options.symmetrization.links(model, part, weights, threads, known, written)
        if begin == 0:
            options.known.tell(external_links, links)
        sums.add(part, links)
        yield links, weights
        advance(len(part))


def _answer(
    model: AlignmentModel,
    check: TextCheck,
    ids: tuple[TokenIds, TokenIds] | None,
    options: ApplyOptions,
    console: Console,
) -> LinkSums:
    """Align pairs of standard input as they come, and write the links of each at once."""
    form, threads = options.bitext.form, options.common.threads
    faults, sums = _Faults(console), LinkSums()
    (format,) = options.link_outputs.values()
    lines, frame = LinkLines(format, ids=ids), Frame(format)
    settings = PairSettings(
        form.format, form.languages, form.lowercase, max_length=options.limit.max_length,
        forgive=faults.add if options.on_error == "empty" else None, columns=form.named_columns,
    )  # fmt: skip
    tables = {}
    if options.output is not None and is_table(options.output):
        tables[options.output] = options.symmetrization.table_columns(model)
    with open_outputs(options.output or "-", tables=tables) as (write,):
        for text in bitext_blocks(options.bitext.source, settings, most=_BLOCK):
            check.add(text)
            bitext = model.encode(text)
            posterior = model.domain_posteriors(bitext, threads)
            links = options.symmetrization.links(model, bitext, posterior, threads, None, text)
            found = lines.of(links, texts_of(text))
            if any(columns.domains for columns in tables.values()):
                found = with_domains(found, model.domains, posterior)
            write(frame.add(found))
            sums.add(bitext, links)
        lines.check_size()
        write(frame.end())
    faults.sum_up()
    return sums


class _Faults:
    """Lines that can't be read: the first is told at once, how many there are in the end."""

    def __init__(self, console: Console) -> None:
        self._console, self._count = console, 0

    def add(self, number: int, error: DataError) -> None:
        """One more."""
        self._count += 1
        if self._count == 1:
            self._console.error(
                f"warning: standard input, line {number}: {error.fault}. An empty line is written "
                "for it and for later malformed lines"
            )

    def sum_up(self) -> None:
        """Say how many there were, if there were more."""
        if self._count > 1:
            self._console.error(f"warning: {self._count} lines of standard input are malformed")


def _weighed(model: AlignmentModel, options: ApplyOptions) -> AlignmentModel:
    """The model with the weights that are asked for. Raises UsageError where none are used."""
    if options.domain_weighting is None:
        return model
    if options.symmetrization.name(model.options) == POSTERIOR:
        raise UsageError(
            "--domain-weighting has no effect on links that are chosen by posterior; pass "
            "--heuristic as well, such as grow-diag-final"
        )
    return replace(model, options=model.options.replace(domain_weighting=options.domain_weighting))


COMMAND = Command(
    ApplyOptions,
    run,
    (
        "isogloss apply m new.en new.es -o links",
        "isogloss apply m - < pairs.tsv > new.links",
    ),
    first={
        "input": ("lowercase", "format", "langs"),
        "output": ("output", "scores", "pair_scores"),
        "links": ("heuristic", "posterior_threshold", "domains", "external_links"),
        "running": ("on_error", "threads", "quiet"),
    },
)
