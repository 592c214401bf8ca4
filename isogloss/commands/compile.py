"""isogloss compile: compile all kernels now, not when they are first called."""

from dataclasses import dataclass

from isogloss.align.execution import MAX_THREADS

from ..compilation.aot import compile_all, processors
from ..console import Console
from ..options import Bounds, Command, option
from .shared import MessageOptions, message_options

__all__ = ["COMMAND", "CompileOptions", "run"]


@dataclass(frozen=True)
class CompileOptions:
    """Options of `isogloss compile`.

    jobs: number of processes, each using up to 0.8 GB (default: one per processor)
    portable: compile for any x86-64-v3 processor into the installation, for images and clusters of
        different machines
    """

    jobs: int | None = option("-j", default=None, parse=Bounds(1, MAX_THREADS), metavar="N")
    portable: bool = False
    common: MessageOptions = message_options()


def run(options: CompileOptions, console: Console) -> None:
    """Compile what is on the list of kernels and not on disk yet."""
    import numba

    from isogloss.align.errors import UsageError, pluralize
    from isogloss.align.kernel_cache import REMEDY, KernelCacheError, refused_folder
    from isogloss.align.shipped_kernels import FOLDER

    from ..compilation.portable import compile_portable
    from ..compilation.signatures import read_list

    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        raise UsageError("cannot compile kernels while NUMBA_DISABLE_JIT is set; unset it")
    if not options.portable and (refused := refused_folder()):
        raise KernelCacheError(
            f"NUMBA_CACHE_DIR is {refused}, which cannot be written to; {REMEDY}"
        )
    jobs, lines = options.jobs or processors(), read_list()
    with console.progress("compiling", len(lines)) as advance:
        if options.portable:
            done = compile_portable(FOLDER, jobs=jobs, advance=advance)
        else:
            done = compile_all(lines, jobs, advance)
    console.info(
        f"{pluralize(done.compiled, 'kernel')} {_were(done.compiled)} compiled, "
        f"{done.found} {_were(done.found)} cached"
    )


def _were(number: int) -> str:
    return "was" if number == 1 else "were"


COMMAND = Command(
    CompileOptions,
    run,
    ("isogloss compile --jobs 4", "isogloss compile --portable"),
    first={
        "compilation": ("jobs", "portable"),
        "running": ("quiet",),
    },
)
