"""isogloss run: the whole pipeline on the files of a configuration."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from ...console import Console
from ...options import Command, group, option, positional
from ..shared import GENERAL, MessageOptions, thread_count
from .shared import RerunOptions, run_and_report

if TYPE_CHECKING:
    from ...pipeline.config import RunConfig

__all__ = ["COMMAND", "RunOptions", "run"]


@dataclass(frozen=True)
class _ThreadOptions(MessageOptions):
    """Options of a command whose configuration may set the number of threads.

    threads: number of threads; 0 = all processors (default: from CONFIG.toml, else all, at most 8)
    """

    threads: int | None = option(default=None, parse=thread_count, metavar="N")


@dataclass(frozen=True)
class RunOptions:
    """Options of `isogloss run`.

    config: pipeline configuration (see docs/reference/configuration.md)
    out: output folder (default: from CONFIG.toml)
    plugin: Python file or entry point of an installed package with your own templates for
        the key `templates`; the code is executed
    """

    config: str = positional("CONFIG.toml")
    out: str | None = option(default=None, metavar="DIR")
    plugin: str | None = option(default=None, metavar="FILE.py|NAME")
    reproduce: RerunOptions = group(RerunOptions)
    common: _ThreadOptions = group(_ThreadOptions, title=GENERAL)

    @cached_property
    def settings(self) -> "RunConfig":
        """The configuration with the folder and the threads that are given.

        Raises DataError as it is read.
        """
        from ...pipeline.config import read_config  # all of the library: not for --help

        config = read_config(self.config, self.plugin)
        if self.common.threads is not None:
            config = replace(config, threads=self.common.threads)
        return config.with_out(Path(self.out)) if self.out else config

    @property
    def named_folders(self) -> list[Path]:
        """The folder of the run."""
        return [self.settings.out]

    @property
    def named_inputs(self) -> tuple[Path, ...]:
        """The files that the configuration names."""
        return self.settings.inputs


def run(options: RunOptions, console: Console) -> None:
    """Run the pipeline on the files of a configuration."""
    run_and_report(options.settings, options.reproduce, console)


def _next_step(options: RunOptions) -> Sequence[str]:
    models = [options.settings.out / f"{name}.model" for name in ("latent", "flat")]
    return ["apply", str(next(filter(Path.exists, models), models[-1])), "SRC", "TGT"]


COMMAND = Command(
    RunOptions,
    run,
    (
        "isogloss run examples/en-es-medical.toml",
        "isogloss run examples/en-fr-hansards.toml --resume",
    ),
    next_step=_next_step,
    first={
        "input": ("plugin",),
        "output": ("out", "resume", "overwrite"),
        "running": ("threads", "quiet"),
    },
)
