"""isogloss doctor: what may go wrong with a bitext, before it is aligned; the installation."""

import json as json_text
import sys
from dataclasses import asdict, dataclass

from isogloss.align.errors import DataError, UsageError
from isogloss.align.files.outputs import is_stream
from isogloss.align.files.tables.sheets import write_sheet
from isogloss.align.files.text_io import iter_lines

from ...console import Console, print_table, write_stdout
from ...doctor.doctor import Diagnosis, diagnose, findings_table, format_figures, format_findings
from ...doctor.line_report import line_report, shortened_findings
from ...options import Command, group, option, output_file
from ..line_blocks import forms_of_sides, line_blocks
from ..shared import MessageOptions, OptionalBitextOptions, message_options

__all__ = ["COMMAND", "DoctorOptions", "run"]


@dataclass(frozen=True)
class DoctorOptions:
    """Options of `isogloss doctor`.

    links: links to check against the text
    labels: domain labels, one name or - per line
    installation: check the installation (versions, compiled kernels) instead of a bitext
    json: print all statistics and findings as JSON, with up to 100,000 line numbers
        for each finding
    report: table with a row for each line of a finding: finding, line, source, target (TSV)
    """

    bitext: OptionalBitextOptions = group(OptionalBitextOptions)
    links: str | None = option(default=None, metavar="FILE")
    labels: str | None = option(default=None, metavar="FILE")
    installation: bool = False
    json: bool = False
    report: str | None = option(default=None, metavar="FILE", parse=output_file)
    common: MessageOptions = message_options()


def run(options: DoctorOptions, console: Console) -> None:
    """Say what a bitext is like and what is likely to go wrong with it.

    Raises DataError where align fails on it.
    """
    bitext = options.bitext.given
    if options.installation == (bitext is not None):
        raise UsageError("pass either a bitext or --installation")
    if bitext is None:
        _refuse_others(options)
        _tell_installation(options.json)
        return
    if options.report and is_stream(bitext.source):
        raise UsageError(
            "--report reads the text twice and cannot be used with standard input or a pipe; pass "
            "the text as a file"
        )
    diagnosis = diagnose(
        line_blocks(bitext),
        labels=iter_lines(options.labels) if options.labels else None,
        links=iter_lines(options.links) if options.links else None,
        lowercase=options.bitext.form.lowercase,
        forms=forms_of_sides(bitext),
    )
    if options.report:
        write_sheet(line_report(diagnosis.findings, line_blocks(bitext)), options.report, "tsv")
    if options.report or options.json:
        _tell_shortened(diagnosis, console)
    if options.json:
        write_stdout(json_text.dumps(asdict(diagnosis), ensure_ascii=False) + "\n")
    else:
        write_stdout(format_figures(diagnosis) + "\n")
        if sys.stdout.isatty():
            print_table(findings_table(diagnosis.findings))
        else:
            write_stdout(format_findings(diagnosis.findings))
    if stopping := dict.fromkeys(found.name for found in diagnosis.findings if found.stops_align):
        raise DataError(
            f"align fails on this input: {', '.join(stopping)}", remedy="See the warnings"
        )


def _tell_shortened(diagnosis: Diagnosis, console: Console) -> None:
    """Warn of findings of more lines than are listed."""
    for finding in shortened_findings(diagnosis.findings):
        console.error(
            f"warning: {finding.name}: only the first {len(finding.lines):,} of "
            f"{finding.count:,} lines are listed"
        )


def _refuse_others(options: DoctorOptions) -> None:
    """Raises UsageError for what is said of a bitext where there is none."""
    given = {
        "links": options.links,
        "labels": options.labels,
        "report": options.report,
        **vars(options.bitext.form),
    }
    for name, value in given.items():
        if value:
            raise UsageError(
                f"--{name} has no effect with --installation, which accepts only --json"
            )


def _tell_installation(json: bool) -> None:
    from ...doctor.installation import installation  # loads Numba

    figures = installation()
    if json:
        write_stdout(json_text.dumps(figures, ensure_ascii=False) + "\n")
    else:
        write_stdout("".join(f"{name}: {value}\n" for name, value in figures.items()))


COMMAND = Command(
    DoctorOptions,
    run,
    (
        "isogloss doctor corpus.en corpus.es --labels labels",
        "isogloss doctor corpus.en corpus.es --links links --report lines.tsv",
    ),
    first={
        "input": ("labels", "links", "lowercase", "format", "langs"),
        "installation": ("installation",),
        "output": ("report", "json"),
        "running": ("quiet",),
    },
)
