"""Compiled kernels that Numba keeps on disk: those of older sources are taken away.

Numba notices a change of a kernel's own file, but not of the kernels it calls from other files:
after an upgrade in place, code of the older version would run, with results of its own. They are
looked at when the package is imported.
"""

import hashlib
import os
import traceback
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from types import FunctionType

import numba

__all__ = ["advice", "cache_folder", "drop_outdated"]

STAMP = "isogloss-kernels"  # a file that says of what sources the others are
# packages with kernels, and those whose kernels they call
CALLED = {"align": ("align",), "features": ("align", "features"), "tune": ("tune",)}
REMEDY = "set NUMBA_CACHE_DIR to a folder that you may write to"
_CACHING = str(Path(numba.__file__).parent / "core" / "caching.py")


def drop_outdated(root: Path) -> None:
    """Take away what was compiled from other sources than the kernels below ``root``.

    Raises RuntimeError where there is no folder to keep compiled kernels in.
    """
    for package, called in CALLED.items():
        folder = root / package / "kernels"
        if folder.is_dir():
            _drop_outdated(folder, _digest(root / name / "kernels" for name in called))


def cache_folder(folder: Path) -> Path:
    """Where Numba keeps what it compiles of the modules of a folder.

    Raises RuntimeError where it finds no place that can be written to.
    """
    here = (lambda: None).__code__.replace(co_filename=str(folder / "__init__.py"))
    try:
        return Path(str(numba.njit(cache=True)(FunctionType(here, {})).stats.cache_path))
    except RuntimeError as error:
        raise RuntimeError(
            f"neither {folder / '__pycache__'} nor the user's cache folder can be written to, "
            f"where Numba keeps compiled code; {REMEDY}"
        ) from error


def _digest(folders: Iterable[Path]) -> str:
    digest = hashlib.sha256(numba.__version__.encode())
    for folder in folders:
        for path in sorted(folder.glob("*.py")):
            digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()


def _drop_outdated(folder: Path, digest: str) -> None:
    cache = cache_folder(folder)  # nothing else than the kernels of this folder is kept there
    stamp = cache / STAMP
    with suppress(OSError):
        if stamp.read_text() == digest:
            return
    try:
        for path in cache.glob("*.nb[ic]"):
            path.unlink(missing_ok=True)
    except OSError as error:
        raise RuntimeError(
            f"outdated compiled kernels in {cache} can't be removed ({error}); {REMEDY}"
        ) from error
    own = cache / f"{STAMP}.{os.getpid()}.part"
    with suppress(OSError):  # they will be compiled and removed once more
        own.write_text(digest)
        own.replace(stamp)


def advice(error: BaseException) -> str | None:
    """What to do about an error that came from reading or writing compiled kernels, else None."""
    for frame, _ in traceback.walk_tb(error.__traceback__):
        place = getattr(frame.f_locals.get("self"), "cache_path", None)
        if frame.f_code.co_filename == _CACHING and place is not None:
            return (
                f"compiled kernels can't be kept in {place} or read from there "
                f"({type(error).__name__}: {error}). Delete its *.nbi and *.nbc files, make room "
                f"there, or {REMEDY}"
            )
    return None


drop_outdated(Path(__file__).resolve().parents[1])
