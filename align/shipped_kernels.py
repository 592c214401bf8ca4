"""Compiled kernels that came with the installation, read before Numba's own cache is looked at.

A platform wheel holds the folder ``align/compiled``: what Numba keeps on disk of all kernels,
compiled for processors of level x86-64-v3 in place of one machine's own, and a file that says what
it was made for. Where that is what runs here, kernels are read from there and nothing is compiled.
Where it isn't, or a kernel is missing, Numba compiles as ever. Nothing is written to that folder.
"""

import os
import sys
import warnings
from collections.abc import Callable
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import msgspec
import numba
from numba.core import caching

from .errors import DataError
from .files.records import Text, read_json
from .kernel_cache import (
    CALLED,
    REMEDY,
    KernelCacheError,
    KernelCacheWarning,
    drop_outdated,
    make_ready,
    sources_digest,
)

__all__ = [
    "FOLDER",
    "LEVEL",
    "MADE_FOR",
    "OTHER_CODE",
    "account",
    "is_kept",
    "keep_on_disk",
    "kept_files",
    "made_here",
    "misfit",
    "processor",
    "room_folder",
]

LEVEL = "x86-64-v3"  # processors since 2013 (Intel), 2015 (AMD), as LLVM calls them
FOLDER = Path(__file__).with_name("compiled")
MADE_FOR = "made-for.json"
# what processors of the level have, and an older one may lack
FEATURES = (
    "avx", "avx2", "bmi", "bmi2", "cx16", "f16c", "fma", "lzcnt", "movbe", "popcnt", "sahf",
    "sse3", "sse4.1", "sse4.2", "ssse3", "xsave",
)  # fmt: skip
# settings that ask Numba for other code
OTHER_CODE = [
    f"NUMBA_{name}"
    for name in (
        "BOUNDSCHECK", "CACHE_LOCATOR_CLASSES", "CPU_FEATURES", "CPU_NAME", "DEBUGINFO",
        "DISABLE_JIT", "ENABLE_AVX", "LOOP_VECTORIZE", "OPT", "SLP_VECTORIZE",
    )
]  # fmt: skip
_ROOT = Path(__file__).parents[1]
_Locator: Any = caching.InTreeCacheLocator
_UserLocator: Any = caching.UserProvidedCacheLocator
_Files: Any = caching.CompileResultCacheImpl
_FunctionCache: Any = caching.FunctionCache
_Cache: Any = caching._Cache


class _MadeFor(msgspec.Struct):
    """What kernels were made for, as :func:`made_here` gives it."""

    python: Text
    numba: Text
    system: Text
    sources: dict[str, Text]


def made_here() -> dict[str, Any]:
    """What kernels that are compiled now and here are made for: Python, Numba, system, sources."""
    return {
        "python": sys.implementation.cache_tag,
        "numba": str(numba.__version__),
        "system": str(llvm.get_process_triple()),
        "sources": {package: sources_digest(_ROOT, package) for package in CALLED},
    }


@cache
def misfit(folder: Path = FOLDER) -> str | None:
    """Why the compiled kernels of a folder are not for this process; None where they are."""
    if not (folder / MADE_FOR).is_file():
        return "none came with this installation"
    asked = [name for name in OTHER_CODE if name in os.environ]
    if asked:
        return f"{asked[0]} asks for other code"
    here = made_here()
    try:
        made_for = msgspec.to_builtins(read_json(folder / MADE_FOR, _MadeFor))
        other = [name for name in here if made_for[name] != here[name]]
    except DataError:
        return f"{folder / MADE_FOR} is damaged"
    if other:
        name, made = other[0], made_for[other[0]]
        if name == "sources":
            return "those of the installation were made from other sources"
        return f"those of the installation are for {name} {made}, this is {here[name]}"
    features = llvm.get_host_cpu_features()
    lacking = [name for name in FEATURES if not features.get(name)]
    if lacking:
        return f"those of the installation need a processor with {', '.join(lacking)}"
    return None


def processor() -> str:
    """What LLVM calls the processor of this machine."""
    return str(llvm.get_host_cpu_name())


def kept_files(cache: Path, room: Path) -> list[Path]:
    """What Numba keeps of the kernels of a folder, in a folder that NUMBA_CACHE_DIR names."""
    kept = _UserLocator.get_suitable_cache_subpath(str(room / "__init__.py"))
    return sorted((cache / kept).glob("*.nb[ic]"))


def room_folder(file: str) -> Path:
    """Where shipped kernels of a module are, below FOLDER. Raises ValueError for another's."""
    return Path(*Path(file).parent.relative_to(_ROOT).parts)


def account() -> str:
    """In words, whether compiled kernels of the installation are used, and why not."""
    reason = misfit()
    if reason is None:
        return f"those of the installation, for {LEVEL} processors"
    return f"compiled on this machine; {reason}"


def keep_on_disk(dispatcher: Any) -> None:
    """Have a dispatcher look for its machine code among what was shipped, then in Numba's cache.

    Warns (KernelCacheWarning) where neither is to be had, as nothing can be written: at once where
    no shipped kernels fit, else when one is missing. What is compiled then is not kept.
    """
    if getattr(numba.config, "DISABLE_JIT", 0):
        return  # it is the function itself
    function = dispatcher.py_func
    is_ours = Path(function.__code__.co_filename).is_relative_to(_ROOT)
    fits = is_ours and misfit() is None
    dispatcher._cache = _ShippedFirst(function) if fits else _own_cache(function)


def _own_cache(function: Callable[..., Any]) -> Any:
    """Numba's cache of a function; what was compiled from older sources is removed first.

    None of either where that can't be done.
    """
    try:
        _drop_outdated(Path(function.__code__.co_filename).parent)
    except KernelCacheError:
        _warn("nothing can be written where Numba keeps them")
        return caching.NullCache()
    return _Own(function)


def _warn(reason: str) -> None:
    """Say that what is compiled isn't kept; the same text is shown once."""
    text = "kernels that are compiled now can't be kept, and are compiled again each time, as "
    warnings.warn(f"{text}{reason}; {REMEDY}", KernelCacheWarning, stacklevel=2)


def is_kept(dispatcher: Any, signature: tuple[Any, ...]) -> bool:
    """Whether the machine code for some types of arguments is on disk, so that none is made."""
    caches, codegen = [dispatcher._cache], dispatcher.targetctx.codegen()
    if isinstance(caches[0], _ShippedFirst):
        caches = [caches[0]._shipped, caches[0]._own]
    return any(
        kept._index_key(signature, codegen) in kept._cache_file._load_index()
        for kept in caches
        if isinstance(kept, _FunctionCache)
    )


@cache
def _drop_outdated(folder: Path) -> None:
    """Once per folder and process, before any of its kernels is read from disk."""
    drop_outdated(folder)


class _Own(_FunctionCache):  # type: ignore[misc]
    """Numba's own, which others may write to while this process waits."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        found = super().load_overload(sig, target_context)
        if found is None and make_ready(self._py_func):
            found = super().load_overload(sig, target_context)
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        """Long work doesn't end because the disk is full or somebody has removed the folder."""
        try:
            super().save_overload(sig, data)
        except OSError as error:
            _warn(f"{self.cache_path} can't be written to ({error.strerror})")


class _ReadOnly(_Locator):  # type: ignore[misc]
    """The folder that came with the installation."""

    def __init__(self, py_func: Any, py_file: str) -> None:
        super().__init__(py_func, py_file)
        self._cache_path = str(FOLDER / room_folder(py_file))

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> "_ReadOnly":
        return cls(py_func, py_file)


class _ShippedFiles(_Files):  # type: ignore[misc]
    """Names of files, and how their contents are read."""

    _locator_classes = (_ReadOnly,)


class _Shipped(_FunctionCache):  # type: ignore[misc]
    """Reads what was compiled for any processor of the level."""

    _impl_class = _ShippedFiles

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        signature, (system, _, _), code = super()._index_key(sig, codegen)
        return signature, (system, LEVEL, ""), code


class _ShippedFirst(_Cache):  # type: ignore[misc]
    """The shipped kernels, then Numba's own cache, which is made when it is first needed."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function, self._shipped = function, _Shipped(function)

    @cached_property
    def _own(self) -> Any:
        return _own_cache(self._function)

    @property
    def cache_path(self) -> str:
        """The folder that is written to."""
        return str(self._own.cache_path)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        found = self._shipped.load_overload(sig, target_context)
        return self._own.load_overload(sig, target_context) if found is None else found

    def save_overload(self, sig: Any, data: Any) -> None:
        self._own.save_overload(sig, data)

    def enable(self) -> None:
        self._shipped.enable()
        self._own.enable()

    def disable(self) -> None:
        self._shipped.disable()
        self._own.disable()

    def flush(self) -> None:
        self._own.flush()
