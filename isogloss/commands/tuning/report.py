"""isogloss report: a page about a run or a model: input, time, scores, curves, examples."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

from isogloss.align.errors import DataError, UsageError
from isogloss.align.files.outputs import check_output
from isogloss.align.files.records import Text, read_json
from isogloss.align.files.writers import write_lines
from isogloss.align.model.model import AlignmentModel
from isogloss.align.model.store import MODEL_FORMAT
from isogloss.align.text.readers import read_gold

from ...console import Console
from ...doctor.doctor import diagnose
from ...domains.domain_text import DomainText
from ...options import Command, group, option, output_file, positional
from ...runs.run_folder import MANIFEST, REPORT_PAGE
from ...tuning.folder import TuningFolder
from ...tuning.inputs import ListReading, read_tuning_input
from ...tuning.list_tuning import ListTuning
from ...tuning.run_names import TUNING_RUN
from ..line_blocks import line_blocks
from ..link_formats import TokenIdOptions, read_links_of, token_id_options
from ..model_text import DomainTextOptions
from ..shared import (
    CommonOptions,
    OptionalBitextOptions,
    common_options,
    gold_format_option,
)
from .recorded import recorded_command, recorded_options
from .tune import TuneOptions

if TYPE_CHECKING:
    from ...pages.page import Page
    from ...pages.report import Section

__all__ = ["COMMAND", "ReportOptions", "run"]


@dataclass(frozen=True)
class ReportOptions:
    """Options of `isogloss report`.

    folder: folder of `run` or `tune --out`, or a model folder
    output: page to write (default: report.html in RUN; for a model, MODEL.html beside it)
    links: alignments of SRC and TGT
    gold: gold alignments of SRC and TGT
    gold_format: format of --gold; talp = Pharaoh counted from 1 (default: recognized, talp by name)
    """

    folder: str = positional("RUN")
    bitext: OptionalBitextOptions = group(OptionalBitextOptions)
    output: str | None = option("-o", default=None, metavar="FILE.html", parse=output_file)
    links: str | None = option(default=None, metavar="LINKS")
    gold: str | None = option(default=None, metavar="FILE")
    gold_format: str | None = gold_format_option()
    ids: TokenIdOptions = token_id_options()
    common: CommonOptions = common_options()

    @property
    def output_suffixes(self) -> tuple[str, ...]:
        """Suffixes of what is written beside plain text."""
        return ("html",)


class _Kind(Struct):
    """What a manifest is of."""

    kind: Text


def run(options: ReportOptions, console: Console) -> None:
    """Write the page."""
    from ...pages.report import report_page  # loads Jinja

    folder = Path(options.folder)
    if not folder.is_dir():
        raise DataError(
            f"{folder} is a file" if folder.exists() else f"the folder {folder} does not exist",
            "a folder of `run` or `tune --out`, or a model folder",
        )
    is_model = MODEL_FORMAT.is_at(folder)
    usual = folder.with_name(f"{folder.name}.html") if is_model else folder / REPORT_PAGE
    output = usual if options.output is None else Path(options.output)
    check_output(output)
    if is_model:
        sections = list(_of_model(folder, options, console))
        page = report_page(f"Alignment model: {folder.absolute().name}", sections, output)
    else:
        page = _of_run(folder, output, options, console)
    write_lines([page.html()], output)
    console.info(f"open {output} in a browser")


def _of_run(folder: Path, output: Path, options: ReportOptions, console: Console) -> "Page":
    """The page of a run's folder."""
    from ...pages.report import report_page  # loads Jinja

    if options.bitext.source or options.links or options.gold:
        raise UsageError(
            "SRC, TGT, --links and --gold need a model folder; a run has its own texts"
        )
    file, threads = folder / MANIFEST, options.common.threads
    if not file.is_file():
        raise DataError(
            f"the folder {folder} has no {MANIFEST} and no {MODEL_FORMAT.header}",
            "a folder of `run` or `tune --out`, or a model folder",
        )
    if read_json(file, _Kind).kind == TUNING_RUN.kind:
        sections = list(_of_tuning(folder, threads, console))
        return report_page(f"Tuning run: {folder.absolute().name}", sections, output)
    from ...pipeline.run_sections import run_page  # all of the library: not for --help

    return run_page(folder, output, threads)


def _of_tuning(folder: Path, threads: int, console: Console) -> Iterator["Section"]:
    """Sections of a tuning run; n-best lists that have not changed are read again."""
    from ...pages.sections.inputs import InputFiles  # loads Jinja
    from ...tuning.run_sections import tuning_sections

    run = TuningFolder.open(folder)
    options, given = recorded_options(run, TuneOptions), None
    files = InputFiles(run.manifest["inputs"])
    if options.nbest and files.are_unchanged:
        metric = options.metric.read()
        reading = ListReading(options.lowercase, threads, fields=options.lists.mapping)
        folds = ListTuning.folds if options.judgement.folds is None else options.judgement.folds
        given = read_tuning_input(options.files, metric, reading, folds, console)
    usual = recorded_command(TuneOptions())
    changed = {name: value for name, value in run.command.items() if value != usual.get(name)}
    return tuning_sections(run, changed, files, given, threads)


def _of_model(folder: Path, options: ReportOptions, console: Console) -> Iterator["Section"]:
    """Sections of a model, and of the text, links and gold alignments that are given."""
    from ...doctor.sections import findings_section  # loads Jinja
    from ...domains.model_sections import domain_section, model_section

    given, threads = options.bitext.given, options.common.threads
    if given is None and (options.links or options.gold):
        raise UsageError("--links and --gold need the texts SRC and TGT")
    model = AlignmentModel.load(folder)
    yield model_section(model, "Model", [folder / MODEL_FORMAT.header])
    if given is None:
        yield domain_section(model, None, [], threads)
        return
    files = [Path(name) for name in (given.source, given.target) if name is not None]
    seen = diagnose(line_blocks(given), lowercase=given.form.lowercase)
    yield findings_section(seen, files)
    text = DomainTextOptions(given).read(model, threads, console)
    yield domain_section(model, text, files, threads)
    yield _alignments(text, model, options)


def _alignments(text: DomainText, model: AlignmentModel, options: ReportOptions) -> "Section":
    """Links of a text, those of the model where none are given, and how they fit the gold ones."""
    from ...pages.report import Section
    from ...pages.sections.alignments import (
        JudgedText,
        best_pairs,
        error_rate_tables,
        link_tables,
        worst_pairs,
    )

    if options.links is None:
        threads, posterior = options.common.threads, text.posterior
        links, name = model.align(text.bitext, threads=threads, posterior=posterior), "model"
    else:
        links = read_links_of(text.bitext, options.links, options.ids)
        name = Path(options.links).name
    parts = list(link_tables(text.bitext, {name: links}))
    if options.gold is None:
        return Section("Alignment", parts)
    gold = read_gold(
        options.gold,
        format=options.gold_format,
        num_pairs=len(text.bitext),
        ids=options.ids.files,
    )
    gold.possible.check_range(text.bitext.source.lengths, text.bitext.target.lengths, options.gold)
    lines = np.arange(1, len(text.bitext) + 1)
    judged = JudgedText(Path(options.gold).name, text.bitext, gold, {name: links}, lines)
    parts += error_rate_tables([judged], options.common.threads)
    parts += [*worst_pairs(judged, links), *best_pairs(judged, links)]
    return Section("Alignment", parts, [Path(options.gold)])


COMMAND = Command(
    ReportOptions,
    run,
    (
        "isogloss report isogloss-demo",
        "isogloss report m corpus.en corpus.es --links links --gold gold -o m.html",
    ),
    first={
        "input": ("links", "gold", "gold_format", "lowercase", "format", "langs"),
        "output": ("output",),
        "running": ("threads", "quiet"),
    },
)
