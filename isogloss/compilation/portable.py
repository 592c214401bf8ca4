"""Compiled kernels for every processor of a level, as a wheel or a container's image holds them.

    python -m isogloss.compilation.portable FOLDER CACHE

writes them to a folder; the build of a wheel does so. What was compiled is kept in CACHE, too,
for the next build.
"""

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from isogloss.align import kernel_cache
from isogloss.align.errors import IsoglossError, OutputError, UsageError
from isogloss.align.files.writers import atomic_folder
from isogloss.align.kernel_cache import CALLED, PACKAGE, KernelCacheError, is_tested
from isogloss.align.shipped_kernels import LEVEL, MADE_FOR, OTHER_CODE, made_here

from .aot import Compiled, compile_all, processors
from .signatures import read_list

__all__ = ["compile_portable"]


def compile_portable(
    folder: Path,
    cache: Path | None = None,
    jobs: int | None = None,
    advance: Callable[[int], None] = lambda count: None,
) -> Compiled:
    """Compile all kernels of the list for processors of the level, and put them into a folder.

    cache: where Numba keeps what it compiles (default: beside the folder, while this runs);
    jobs, advance: see :func:`isogloss.compilation.aot.compile_all`

    Raises UsageError where settings ask Numba for other code, and for a version of Numba that this
    was not tested with; IsoglossError where the folder can't be made. An older folder is kept until
    the new one is whole.
    """
    asked = [name for name in OTHER_CODE if name in os.environ]
    if asked:
        raise UsageError(f"{asked[0]} is set and changes the compiled code; unset it")
    if not is_tested():
        import numba

        tested = " or ".join(kernel_cache.TESTED)
        raise UsageError(
            f"--portable needs a tested version of Numba, {tested}, got {numba.__version__}"
        )
    with _new_folder(folder) as part:
        settings = {
            "NUMBA_CPU_NAME": LEVEL,
            "NUMBA_CPU_FEATURES": "",
            "NUMBA_CACHE_DIR": str(cache or part / "cache"),
        }
        compiled = compile_all(read_list(), jobs or processors(), advance, settings)
        _gather(Path(settings["NUMBA_CACHE_DIR"]), part)
        if cache is None:
            shutil.rmtree(part / "cache")
    return compiled


@contextmanager
def _new_folder(folder: Path) -> Iterator[Path]:
    try:
        with atomic_folder(folder) as part:
            yield part
    except OutputError as error:
        raise IsoglossError(
            f"{folder.parent} cannot be written to: {error.cause.strerror}. Run the command "
            "with write access to the installation, or run `isogloss compile` without --portable"
        ) from error
    except KernelCacheError as error:
        raise IsoglossError(f"{error.reason}; free disk space in {folder.parent}") from error


def _gather(cache: Path, folder: Path) -> None:
    """Copy what Numba keeps of each room; then say what it was made for."""
    from isogloss.align.kernels.disk_cache import (
        cached_files,  # of versions of Numba that it was tested with
    )

    rooms = sorted(path for name in CALLED for path in (PACKAGE / name).glob("**/kernels"))
    for room in rooms:
        files = cached_files(cache, room)
        place = folder / room.relative_to(PACKAGE)
        if files:
            place.mkdir(parents=True)
        for path in files:
            shutil.copyfile(path, place / path.name)
    made_for = json.dumps(made_here(), indent=1) + "\n"
    (folder / MADE_FOR).write_text(made_for, encoding="utf-8")


def _main() -> None:
    try:
        compile_portable(Path(sys.argv[1]), Path(sys.argv[2]))
    except IsoglossError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    _main()
