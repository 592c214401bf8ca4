"""isogloss run: the whole pipeline on the files of a configuration."""

from dataclasses import dataclass
from pathlib import Path

from ...console import Console
from ...options import Command, group, option, positional
from ..shared import CommonOptions, common_options
from .shared import RerunOptions, run_and_report

__all__ = ["COMMAND", "RunOptions", "run"]


@dataclass(frozen=True)
class RunOptions:
    """Options of `isogloss run`.

    config: see examples/ and docs/pipeline.md
    out: folder, instead of the configuration's
    templates_from: templates of your own for `templates` of the configuration: a file of Python,
        which is run, or the name of an installed package's entry point
    """

    config: str = positional("CONFIG.toml")
    out: str | None = option(default=None, metavar="DIR")
    templates_from: str | None = option(default=None, metavar="FILE.py|NAME")
    rerun: RerunOptions = group(RerunOptions)
    common: CommonOptions = common_options()


def run(options: RunOptions, console: Console) -> None:
    """Run the pipeline on the files of a configuration."""
    from ...pipeline.config import read_config  # all of the library: not for --help

    config = read_config(options.config, options.templates_from)
    if options.out:
        config = config.with_out(Path(options.out))
    run_and_report(config, options.rerun, console)


COMMAND = Command(
    RunOptions,
    run,
    (
        "isogloss run examples/en-es-medical.toml",
        "isogloss run examples/en-fr-hansards.toml --resume",
    ),
)
