"""isogloss project: annotations carried over to the other side of a bitext."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from isogloss.align.errors import UsageError, pluralize
from isogloss.align.files.text_io import iter_lines, split_tokens
from isogloss.align.files.writers import uncompressed_name
from isogloss.align.links.formats.tables import lines_of_links
from isogloss.align.links.gold_links import link_lines
from isogloss.align.links.links import format_links
from isogloss.align.links.projection import GAPS, UNLINKED, ProjectionCounts, ProjectionOptions
from isogloss.align.text.annotations.carry import LinkLines, TargetText, carry_over
from isogloss.align.text.annotations.files import (
    FLAT_FORMATS,
    FORMATS,
    AnnotationForm,
    AnnotationReader,
    AnnotationWriter,
)
from isogloss.align.text.annotations.report import REPORT_COLUMNS
from isogloss.align.text.annotations.standoff import text_lines
from isogloss.align.text.annotations.tags import SCHEMES
from isogloss.align.text.recognition.recognition import check_text

from ...console import Console
from ...options import Bounds, Command, group, natural, option, output_file, positional
from ..line_outputs import open_outputs, output_beside, shown_beside
from ..link_formats import TokenIdOptions, token_id_options
from ..shared import CommonOptions, common_options, output_option

__all__ = ["COMMAND", "ProjectOptions", "run"]

_DEFAULT = ProjectionOptions()
_IN, _OUT, _HOW = "annotations", "output", "projection"


@dataclass(frozen=True)
class FormOptions:
    """How annotations are read and written.

    format: annotation format: CoNLL-like columns, one line of tags per sentence, JSON Lines or brat
        standoff (default: detected)
    scheme: tagging scheme (default: detected)
    tag_column: column of the tags, counted from 1 (default: the last)
    source_text: text of a standoff file, one sentence per line (default: NAME.txt for NAME.ann)
    to: output format (default: JSON Lines for *.jsonl, standoff for *.ann, else the format of
        ANNOTATIONS)
    confidence: write the confidence of each span as a third column or standoff note; JSON Lines
        whose spans are objects always contain it
    """

    format: str | None = option(default=None, choices=FORMATS, title=_IN)
    scheme: str | None = option(default=None, choices=SCHEMES, title=_IN)
    tag_column: int = option(default=0, parse=natural, metavar="N", title=_IN)
    source_text: str | None = option(default=None, metavar="FILE", title=_IN)
    to: str | None = option(default=None, choices=FORMATS, title=_OUT)
    confidence: bool = option(default=False, title=_OUT)


@dataclass(frozen=True)
class PolicyOptions:
    """What becomes of spans that the links don't carry over as a whole.

    gaps: projection of a discontinuous span: fill its gaps, keep its parts, or keep only its
        largest part
    max_gap: ignore links more than N words away from most links of the span
    unlinked: projection of a span without links: drop it, or extend it over the free words between
        neighboring links
    min_confidence: minimum confidence of a projected span, 0 to 1
    """

    gaps: str = option(default=_DEFAULT.gaps, choices=GAPS, title=_HOW)
    max_gap: int = option(default=_DEFAULT.max_gap, parse=natural, metavar="N", title=_HOW)
    unlinked: str = option(default=_DEFAULT.unlinked, choices=UNLINKED, title=_HOW)
    min_confidence: float = option(
        default=_DEFAULT.min_confidence, parse=Bounds(0.0, 1.0), metavar="PROB", title=_HOW
    )

    def settings(self, *, nested: bool) -> ProjectionOptions:
        """The same, for the library. nested: spans may overlap in the output"""
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        return ProjectionOptions(**given, nested=nested)


@dataclass(frozen=True)
class ProjectOptions:
    """Options of `isogloss project`.

    annotations: annotations of the source text; - = standard input
    links: alignments in Pharaoh format, preferably with probabilities (`align --scores`)
    target: tokenized target text of LINKS, one sentence per line
    source: tokenized source text of LINKS; required with --model, and if ANNOTATIONS are tokenized
        differently or have empty sentences
    target_text: target text to annotate, if its words are not separated by spaces; JSON Lines and
        standoff count its characters
    model: align the texts with this model instead of reading LINKS
    reverse: annotations belong to the second side of LINKS
    output: annotations of the target text (default: stdout)
    report: table of all source spans with their projections, lost spans included
    """

    annotations: str = positional("ANNOTATIONS")
    target: str = option(metavar="FILE")
    links: str | None = positional("LINKS", default=None)
    source: str | None = option(default=None, metavar="FILE")
    target_text: str | None = option(default=None, metavar="FILE")
    model: str | None = option(default=None, metavar="MODEL")
    reverse: bool = False
    output: str | None = output_option()
    report: str | None = option(default=None, metavar="FILE", parse=output_file)
    form: FormOptions = group(FormOptions)
    policy: PolicyOptions = group(PolicyOptions)
    ids: TokenIdOptions = token_id_options()
    common: CommonOptions = common_options()

    @property
    def output_suffixes(self) -> tuple[str, ...]:
        """Suffixes of what is written beside plain text."""
        return ("jsonl",) if self.form.to in (None, "jsonl") else ()

    @property
    def named_inputs(self) -> tuple[str, ...]:
        """The text of standoff, where it isn't named."""
        path = Path(self.annotations)
        is_beside = self.form.source_text is None and path.suffix == ".ann"
        return (str(path.with_suffix(".txt")),) if is_beside else ()


def run(options: ProjectOptions, console: Console) -> None:
    """Carry annotations over to the other side."""
    if (options.links is None) == (options.model is None):
        raise UsageError("pass either LINKS, or --model with --source and --target")
    form = options.form
    words = None if options.source is None else _words(options.source)
    reader = AnnotationReader(
        options.annotations,
        AnnotationForm(form.format, form.scheme, form.tag_column, form.source_text),
        words,
    )
    output = form.to or _format_by_name(options.output) or reader.format
    links = LinkLines(_link_lines(options), options.links or options.model, options.reverse)
    target = TargetText(_words(options.target), None, options.target, options.target_text)
    if options.target_text is not None:
        read = text_lines if output == "standoff" else iter_lines
        target.text = read(options.target_text)
    elif output == "standoff":
        target.text, target.text_file = text_lines(options.target), options.target
    settings = options.policy.settings(nested=output not in FLAT_FORMATS)

    def writer_of(reader: AnnotationReader) -> AnnotationWriter:
        return AnnotationWriter(
            output,
            reader.scheme,
            confidence=form.confidence,
            characters=options.target_text is not None,
        )

    total = ProjectionCounts()
    annotations = output_beside(options.output, [options.report])
    with (
        open_outputs(annotations, options.report) as (write, write_report),
        shown_beside(options.output, console).rows("projecting") as advance,
    ):
        write_report(["\t".join(REPORT_COLUMNS)])
        for block in carry_over(reader, links, target, settings, writer_of):
            total += block.counts
            write(block.lines)
            write_report(block.report)
            advance(block.sentences)
    reader.warn()
    _tell(total, options.policy, console)


def _format_by_name(output: str | None) -> str | None:
    """The format that the suffix of a file asks for, if only one has it."""
    suffix = Path(uncompressed_name(output or "")).suffix.lower()
    return {".jsonl": "jsonl", ".ann": "standoff"}.get(suffix)


def _words(path: str) -> Iterator[Sequence[str]]:
    check_text(path)
    return map(split_tokens, iter_lines(path))


def _link_lines(options: ProjectOptions) -> Iterator[str]:
    """Lines of LINKS, or of the links that a model finds."""
    if options.model is None:
        assert options.links is not None
        file = options.links
        return link_lines(lines_of_links(file), file, ids=options.ids.files)
    if options.source is None:
        raise UsageError("--model needs the text of both sides; pass --source as well")
    from isogloss.align.model.model import AlignmentModel
    from isogloss.align.text.readers import read_bitext

    sides = [options.source, options.target]
    bitext = read_bitext(*(sides[::-1] if options.reverse else sides))
    model = AlignmentModel.load(options.model)
    links = model.align(model.encode(bitext), threads=options.common.threads)
    return format_links(model.with_identical_words(links, bitext))


def _tell(counts: ProjectionCounts, policy: PolicyOptions, console: Console) -> None:
    """A line that says what became of the spans."""
    left_out = (
        (counts.unlinked, "without a link"),
        (counts.claimed, "overlapped by a span of higher confidence"),
        (counts.unsure, f"with a confidence below {policy.min_confidence:g}"),
    )
    told = [f"{number} {why}" for number, why in left_out if number]
    repaired = []
    if counts.cut:
        repaired.append(f"{counts.cut} shortened by spans of higher confidence")
    if counts.filled:
        repaired.append(f"{pluralize(counts.filled, 'word')} filled into gaps")
    if counts.strays:
        repaired.append(f"{pluralize(counts.strays, 'stray word')} removed")
    console.info(
        f"{pluralize(counts.read, 'span')} read, {counts.projected} projected"
        + (f"; skipped: {', '.join(told)}" if told else "")
        + (f"; {', '.join(repaired)}" if repaired else "")
    )


COMMAND = Command(
    ProjectOptions,
    run,
    (
        "isogloss project names.conll links --target corpus.es -o names.es.conll",
        "isogloss project spans.jsonl links --target corpus.es --gaps keep --min-confidence 0.5",
    ),
    first={
        "texts": ("target", "source", "target_text"),
        "annotations": ("format", "tag_column"),
        "links": ("reverse", "gaps", "unlinked", "min_confidence"),
        "output": ("output", "to", "confidence", "report"),
        "running": ("threads", "quiet"),
    },
)
