"""isogloss reproduce: a tuning run repeated from its folder, byte for byte."""

from dataclasses import dataclass, replace
from pathlib import Path

from isogloss.align.errors import DataError, UsageError
from isogloss.align.files.outputs import real_path

from ...console import Console
from ...options import Command, group, option, output_folder, positional
from ...tuning.folder import TuningFolder, differing_files
from ..shared import CommonOptions, MappedLists, common_options
from .recorded import recorded_options
from .tune import FolderOptions, TuneOptions
from .tune import run as tune

__all__ = ["COMMAND", "RerunOptions", "run"]


@dataclass(frozen=True)
class RerunOptions:
    """Options of `isogloss reproduce`.

    folder: run folder of `isogloss tune --out`
    out: output folder for the new run
    resume: resume an interrupted run
    overwrite: replace an existing run in NEW
    decoder_command: decoder command of the run; required to allow its execution
    plugin: file or entry point with the templates of the run; required to allow its execution
    """

    folder: str = positional("RUN")
    out: str = option(metavar="NEW", parse=output_folder)
    resume: bool = False
    overwrite: bool = False
    decoder_command: str | None = option(default=None, metavar="CMD")
    plugin: str | None = option(default=None, metavar="FILE.py|NAME")
    mapped: MappedLists = group(MappedLists, title="large n-best lists")
    common: CommonOptions = common_options()

    @property
    def named_inputs(self) -> list[str]:
        """The files that the run has read."""
        return list(TuningFolder.open(Path(self.folder)).manifest["inputs"])


def run(options: RerunOptions, console: Console) -> None:
    """Repeat a run from its manifest into a new folder; say whether all files are the same."""
    folder, out = Path(options.folder), Path(options.out)
    if real_path(out).is_relative_to(real_path(folder)):
        raise UsageError(
            f"--out {out} is inside the folder of the run; choose another folder, which is then "
            "compared with it"
        )
    before = TuningFolder.open(folder)
    before.check_inputs()
    recorded = recorded_options(before, TuneOptions)
    loop = recorded.loop
    command, code = loop.decoder_command, loop.plugin
    _check_code("--decoder-command", "a decoder command", command, options.decoder_command)
    _check_code("--plugin", "the code of a plugin", code, options.plugin)
    again = replace(
        recorded,
        folder=FolderOptions(options.out, options.resume, options.overwrite),
        mapped=options.mapped,
        common=replace(recorded.common, threads=options.common.threads),
    )
    tune(again, console)
    different = differing_files(folder, out)
    if different:
        raise DataError(
            f"these files differ from {options.folder}: {', '.join(different)}",
            file=options.out,
            remedy="The run used --no-deterministic, which is not deterministic"
            if not recorded.optimizer_values.get("deterministic", True)
            else "Compare the versions of isogloss, NumPy and SciPy, and the machines",
        )
    console.info("every file is the same, byte for byte")


def _check_code(flag: str, what: str, recorded: str | None, given: str | None) -> None:
    """Raise UsageError unless the user knows what is to be run: the folder may be a stranger's."""
    if recorded == given:
        return
    if given is None:
        raise UsageError(f"the run executes {what}; to allow it, pass {flag} {recorded!r}")
    raise UsageError(
        f"{flag} must be {recorded!r}, as in the run, got {given!r}"
        if recorded
        else f"{flag} was not used by the run; omit it"
    )


COMMAND = Command(
    RerunOptions,
    run,
    ("isogloss reproduce run --out again", "isogloss reproduce run --out again --resume"),
    first={
        "output": ("out", "resume", "overwrite"),
        "code of the run": ("decoder_command", "plugin"),
        "large n-best lists": ("max_memory", "tmpdir"),
        "running": ("threads", "quiet"),
    },
)
