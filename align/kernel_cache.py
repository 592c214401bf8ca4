"""Where compiled kernels are kept on disk: never beside those of other sources.

Numba notices a change of a kernel's own file, but not of the kernels it calls from other files:
after an upgrade in place, code of the older version would run, with results of its own. So compiled
kernels are kept in a folder of the user's that is named by the contents of all their sources;
every installation and checkout of the same sources reads them there. If that folder cannot be
written to, or NUMBA_CACHE_DIR names another one, Numba chooses the place, and kernels of older
sources are removed from it when a kernel of a room is first called.
"""

import hashlib
import os
import stat
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, lru_cache
from pathlib import Path
from shutil import rmtree
from types import FunctionType
from typing import Any

from .files.parts import new_part

__all__ = [
    "CALLED",
    "OTHER_CODE",
    "PACKAGE",
    "TESTED",
    "KernelCacheError",
    "KernelCacheWarning",
    "OtherFolderWarning",
    "advice",
    "asked_when_missing",
    "cache_folder",
    "can_be_kept",
    "changeable_by_others",
    "drop_outdated",
    "have_changed",
    "is_tested",
    "make_ready",
    "refused_folder",
    "shared_folder",
    "sources_digest",
    "untested",
    "warn_not_kept",
    "warn_once",
]

TESTED = ("0.68.1",)  # versions of Numba whose inner parts are relied on
STAMP = "isogloss-kernels"  # a file that says of what sources the others are
# settings that ask Numba for other code
OTHER_CODE = [
    f"NUMBA_{name}"
    for name in (
        "BOUNDSCHECK", "CACHE_LOCATOR_CLASSES", "CPU_FEATURES", "CPU_NAME", "DEBUGINFO",
        "DISABLE_JIT", "ENABLE_AVX", "LOOP_VECTORIZE", "OPT", "SLP_VECTORIZE",
    )
]  # fmt: skip
_BEGUN = time.time()
_UNUSED = 30 * 86400.0  # seconds after which kernels of other sources are removed
PACKAGE = Path(__file__).parents[1]
# subpackages with kernels, and those whose kernels they call
CALLED = {"align": ("align",), "features": ("align", "features"), "tune": ("align", "tune")}
REMEDY = "set NUMBA_CACHE_DIR to a folder you can write to"
_Asked = Callable[[Callable[..., Any]], None]
_ASKED: list[_Asked] = []  # what programs have set for a while, the last one counts
_CACHING = str(Path("numba", "core", "caching.py"))


class KernelCacheError(RuntimeError):
    """There is no place for compiled kernels; the message says what to do about it."""

    @property
    def reason(self) -> str:
        """The message without what to do."""
        return str(self).removesuffix(f"; {REMEDY}")


class KernelCacheWarning(RuntimeWarning):
    """What is compiled here can't be kept."""


class OtherFolderWarning(RuntimeWarning):
    """What is compiled here is kept in another place than was asked for."""


def is_tested() -> bool:
    """Whether kernels were tested with the version of Numba that is installed."""
    import numba  # not before a kernel is called

    return str(numba.__version__) in TESTED


def untested() -> str:
    """What is to be said where they weren't."""
    import numba

    return (
        f"Numba {numba.__version__} has not been tested; Numba {' or '.join(TESTED)} compiles "
        "twice as fast"
    )


def drop_outdated(folder: Path) -> None:
    """Remove compiled kernels of a folder whose sources have changed since.

    The sources are all kernels of its subpackage, and of those whose kernels that one calls.

    Raises KernelCacheError where there is no folder to keep compiled kernels in, and where outdated
    ones can't be removed. With NUMBA_DISABLE_JIT nothing is compiled, and nothing is done.
    """
    import numba  # not before a kernel is called

    if getattr(numba.config, "DISABLE_JIT", 0) or shared_folder(folder) is not None:
        return
    package = next(path for path in (folder, *folder.parents) if path.name in CALLED)
    _drop_outdated(folder, sources_digest(package.parent, package.name))


def sources_digest(root: Path, package: str) -> str:
    """One for all that kernels of a subpackage are made of: sources, and Numba's version.

    root: the folder of the package
    """
    return _digest(tuple(map(_stamped, _sources(root, package))))


def shared_folder(folder: Path) -> Path | None:
    """Where kernels of a room are kept by the contents of their sources; it is made.

    None if Numba chooses the place: for a room of another package, a version of Numba that kernels
    were not tested with, settings of Numba that name a place, and a user's cache that cannot be
    written to, or that others may write to: what is kept there is code.
    """
    import numba

    config: Any = numba.config
    if config.CACHE_DIR or config.CACHE_LOCATOR_CLASSES or not is_tested():
        return None
    room = folder.relative_to(PACKAGE) if folder.is_relative_to(PACKAGE) else Path()
    cache = _user_cache()
    if cache is None or not set(room.parts[:1]) & CALLED.keys():
        return None
    settings = tuple(f"{name}={os.environ[name]}" for name in OTHER_CODE if name in os.environ)
    kernels = _folder_of(cache, room.parts[0], _code_digest(room.parts[0], settings))
    return kernels and _writable(kernels / room)


def have_changed(folder: Path) -> bool:
    """Whether sources of a room's kernels have changed since this process began.

    What it compiles then is of no sources that can be named, and is not kept.
    """
    if not folder.is_relative_to(PACKAGE):
        return False
    package = folder.relative_to(PACKAGE).parts[0]
    return any(path.stat().st_ctime > _BEGUN for path in _sources(PACKAGE, package))


def _sources(root: Path, package: str) -> list[Path]:
    """All modules of kernels of a subpackage, and of those whose kernels it calls."""
    return sorted(
        path for name in CALLED[package] for path in (root / name).glob("**/kernels/*.py")
    )


@cache
def _code_digest(package: str, settings: tuple[str, ...]) -> str:
    """One for the code of a subpackage's kernels: sources, versions, and settings of Numba."""
    import numpy as np

    sources = sources_digest(PACKAGE, package)  # and the version of Numba, which asks for its LLVM
    return hashlib.sha256(" ".join([np.__version__, sources, *settings]).encode()).hexdigest()


@cache
def _folder_of(cache: Path, package: str, digest: str) -> Path | None:
    """The folder of a subpackage's compiled kernels; unused ones of other sources are removed."""
    kernels = cache / "isogloss" / "kernels"
    folder = kernels / f"{package}-{digest[:16]}"
    try:
        is_new = not folder.is_dir()
        cache.mkdir(parents=True, exist_ok=True)
        for path in (kernels.parent, kernels, folder):
            path.mkdir(mode=0o700, exist_ok=True)
            if path.stat().st_uid != os.geteuid() or path.stat().st_mode & 0o022:
                return None
        os.utime(folder)  # it is in use
        for other in kernels.iterdir() if is_new else ():
            if time.time() - other.stat().st_mtime > _UNUSED:
                rmtree(other, ignore_errors=True)
    except OSError:
        return None
    return folder


def _writable(folder: Path) -> Path | None:
    """A folder, made if it is lacking; None if nothing can be written there."""
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
    return folder if os.access(folder, os.W_OK | os.X_OK) else None


def _user_cache() -> Path | None:
    """The user's folder of files that can be made again (XDG Base Directory Specification)."""
    # None if there is no such user. A relative path in XDG_CACHE_HOME counts as none.
    asked = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if asked.is_absolute():
        return asked
    home = Path(os.path.expanduser("~"))  # noqa: PTH111 Path's raises an error if there is none
    if not home.is_absolute():
        return None
    return home / "Library" / "Caches" if sys.platform == "darwin" else home / ".cache"


def cache_folder(folder: Path) -> Path:
    """Where what is compiled of the modules of a folder is kept.

    Raises KernelCacheError where it finds no place that can be written to.
    """
    import numba  # not before a kernel is called

    if (shared := shared_folder(folder)) is not None:
        return shared
    here = (lambda: None).__code__.replace(co_filename=str(folder / "__init__.py"))
    try:
        return Path(str(numba.njit(cache=True)(FunctionType(here, {})).stats.cache_path))
    except RuntimeError as error:
        raise KernelCacheError(
            f"Numba cannot write compiled code to {folder / '__pycache__'} or to the user's cache "
            f"folder; {REMEDY}"
        ) from error


def refused_folder() -> str | None:
    """What NUMBA_CACHE_DIR names, where it can't be written to: Numba keeps kernels elsewhere then.

    Raises KernelCacheError where there is no other place.
    """
    import numba

    asked: str = getattr(numba.config, "CACHE_DIR", "")
    if not asked or bool(numba.config.DISABLE_JIT):  # type: ignore[attr-defined]
        return None
    kept = cache_folder(Path(__file__).with_name("kernels"))
    return None if kept.is_relative_to(asked) else asked


def changeable_by_others(path: Path) -> Path | None:
    """What lets other users than this one and root change a file or folder; None if nothing does.

    The path itself, a link on its way, or a folder that it, or what it leads to, is in. In a folder
    with the sticky bit nobody can rename what isn't theirs. A group of this user alone counts as
    this user, root's as root; whose the folder / is, which nobody can exchange, does not count.
    """
    given, real = path.absolute(), path.resolve()
    for link in filter(Path.is_symlink, (given, *given.parents)):
        if link.lstat().st_uid not in (0, os.geteuid()):
            return link
    for place in dict.fromkeys((real, *real.parents, *given.parents)):
        found = place.stat()
        is_sticky = place != real and found.st_mode & stat.S_ISVTX
        has_group = found.st_mode & stat.S_IWGRP and found.st_gid
        by_group = has_group and not _is_ours_alone(found.st_gid)
        if found.st_uid not in (0, os.geteuid()) and place != place.parent:
            return place
        if not is_sticky and (found.st_mode & stat.S_IWOTH or by_group):
            return place
    return None


def _is_ours_alone(group: int) -> bool:
    """Whether a group is called as the user, and has no other members."""
    import grp
    import pwd

    try:
        name = pwd.getpwuid(os.geteuid()).pw_name
        found = grp.getgrgid(group)
        return found.gr_name == name and set(found.gr_mem) <= {name}
    except KeyError:  # without a name
        return False


@cache
def can_be_kept(folder: Path) -> bool:
    """Whether kernels of a folder can be kept on disk; outdated ones are removed.

    Looked at once per folder and process, before any of its kernels is read. Warns where they
    can't be (KernelCacheWarning), and where they are kept in another place than was asked for
    (OtherFolderWarning).
    """
    if have_changed(folder):
        return False
    try:
        drop_outdated(folder)
        refused = refused_folder()
        open_to_others = changeable_by_others(cache_folder(folder))
    except KernelCacheError:
        warn_not_kept("the cache folder is not writable")
        return False
    if open_to_others is not None:
        warn_not_kept(f"other users can write to {open_to_others}, and kernels are executable code")
        return False
    if refused is not None:
        warn_once(
            OtherFolderWarning,
            f"NUMBA_CACHE_DIR ({refused}) is not writable, so compiled kernels are cached in the "
            f"default folder; {REMEDY}",
        )
    return True


def warn_not_kept(reason: str) -> None:
    """Say that what is compiled isn't kept; the same text is shown once."""
    text = "compiled kernels cannot be cached and are compiled again in every process: "
    warn_once(KernelCacheWarning, f"{text}{reason}; {REMEDY}")


@cache
def warn_once(category: type[Warning], text: str) -> None:
    """Warn once in a process: Numba, as it compiles, has Python forget what it has warned of."""
    warnings.warn(text, category, stacklevel=3)


@contextmanager
def asked_when_missing(asked: _Asked) -> Iterator[None]:
    """Call something before a kernel is compiled that isn't on disk, while the block runs.

    asked: is told the kernel's function; afterwards the kernel is looked for once more
    """
    _ASKED.append(asked)
    try:
        yield
    finally:
        _ASKED.remove(asked)


def make_ready(function: Callable[..., Any]) -> bool:
    """Tell who wants to know that a kernel is missing; False where nobody does."""
    if not _ASKED:
        return False
    _ASKED[-1](function)
    return True


def _stamped(path: Path) -> tuple[Path, int, int]:
    stat = path.stat()
    return path, stat.st_mtime_ns, stat.st_size


@lru_cache(maxsize=8)
def _digest(sources: tuple[tuple[Path, int, int], ...]) -> str:
    """One for all rooms of a package: of the contents, read again where a stamp has changed."""
    import numba

    digest = hashlib.sha256(numba.__version__.encode())
    for path, _, _ in sources:
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()


def _drop_outdated(folder: Path, digest: str) -> None:
    cache = cache_folder(folder)  # nothing else than the kernels of this folder is kept there
    stamp = cache / STAMP
    with suppress(OSError):
        if stamp.read_bytes() == digest.encode():
            return
    try:
        for path in cache.glob("*.nb[ic]"):
            path.unlink(missing_ok=True)
    except OSError as error:
        raise KernelCacheError(
            f"outdated compiled kernels in {cache} cannot be removed ({error}); {REMEDY}"
        ) from error
    # otherwise they will be compiled and removed once more
    with suppress(OSError), new_part(stamp) as (part, descriptor):
        os.write(descriptor, digest.encode())
        part.replace(stamp)


def advice(error: BaseException) -> str | None:
    """A remedy for an error that came from reading or writing compiled kernels, else None."""
    if isinstance(error, KernelCacheError):
        return str(error)
    for frame, _ in traceback.walk_tb(error.__traceback__):
        folder = getattr(frame.f_locals.get("self"), "cache_path", None)
        if frame.f_code.co_filename.endswith(_CACHING) and folder is not None:
            return (
                f"compiled kernels cannot be stored in {folder} or loaded from it "
                f"({type(error).__name__}: {error}). Delete its *.nbi and *.nbc files, free disk "
                f"space, or {REMEDY}"
            )
    return None
