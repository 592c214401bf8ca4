"""isogloss demo: the whole pipeline on the bundled data."""

from dataclasses import dataclass
from pathlib import Path

from isogloss.align.files.writers import write_lines

from ...console import Console
from ...options import Command, group, option, output_folder
from ...runs.run_folder import REPORT_PAGE
from ..shared import SeededOptions, seeded_options
from .shared import RerunOptions, run_and_report

__all__ = ["COMMAND", "DemoOptions", "run"]


@dataclass(frozen=True)
class DemoOptions:
    """Options of `isogloss demo`.

    out: output folder
    copy_data: copy the bundled data to this new folder, and run nothing
    """

    out: str = option(default="isogloss-demo", metavar="DIR", parse=output_folder)
    copy_data: str | None = option(default=None, metavar="DIR", parse=output_folder)
    reproduce: RerunOptions = group(RerunOptions)
    common: SeededOptions = seeded_options()


def run(options: DemoOptions, console: Console) -> None:
    """Run the pipeline on the bundled data."""
    # all of the library: not for --help
    from ...pipeline.demo import bundled_folder, copy_sample, demo_config
    from ...pipeline.demo_pages import write_demo_pages
    from ...pipeline.run_sections import run_page

    if options.copy_data is not None:
        names = copy_sample(options.copy_data)
        console.error(f"copied {len(names)} files to {options.copy_data}")
        return
    threads = options.common.threads
    config = demo_config(Path(options.out), options.common.seed, threads)
    report = run_and_report(config, options.reproduce, console)
    output = config.out / REPORT_PAGE
    write_lines([run_page(config.out, output, threads).html()], output)
    page = write_demo_pages(bundled_folder(), config.out, report, threads)
    shown = Path(options.out) / page.relative_to(config.out)
    console.info(f"open {shown} in a browser")


COMMAND = Command(
    DemoOptions,
    run,
    ("isogloss demo --out demo-out", "isogloss demo --copy-data data"),
    next_step=lambda options: () if options.copy_data else ("run", "CONFIG.toml"),
    first={
        "output": ("out", "copy_data", "resume", "overwrite"),
        "running": ("threads", "seed", "quiet"),
    },
)
