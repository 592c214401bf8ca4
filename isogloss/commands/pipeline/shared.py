"""What both commands that run the pipeline have in common."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from isogloss.align.files.writers import write_lines

from ...console import Console, write_stdout

if TYPE_CHECKING:
    from ...pipeline.config import RunConfig

__all__ = ["RerunOptions", "run_and_report"]


@dataclass(frozen=True)
class RerunOptions:
    """What becomes of a folder that holds a run already.

    resume: resume an interrupted run
    overwrite: replace an existing run
    """

    resume: bool = False
    overwrite: bool = False


def run_and_report(config: "RunConfig", reproduce: RerunOptions, console: Console) -> str:
    """Run the pipeline; its report goes to report.txt in its folder and to stdout."""
    from ...pipeline.pipeline import run_pipeline  # all of the library: not for --help
    from ...pipeline.report import format_report

    manifest = run_pipeline(config, console, resume=reproduce.resume, overwrite=reproduce.overwrite)
    text = format_report(manifest)
    write_lines(text.rstrip("\n").split("\n"), config.out / "report.txt")
    write_stdout(text)
    return text
