"""Files that machine code of kernels is read from: what was shipped, then the user's own.

Behind what Numba writes to a file stands its CRC-32, where Numba doesn't look. A file that was cut
off, overwritten or can't be read is passed over, and the kernel compiled anew: machine code is run
as it was written, or not at all.

This rests on parts of Numba that are not its public interface: it is loaded with versions that it
was tested with (:data:`isogloss.align.kernel_cache.TESTED`), with others Numba's own cache does the
work.
"""

import glob
import hashlib
import io
import logging
import os
import pickle
import sys
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cached_property
from pathlib import Path
from typing import Any

import numba
from numba.core import caching, environment, runtime

from .. import shipped_kernels
from ..files.locks import lock
from ..kernel_cache import (
    can_be_kept,
    changeable_by_others,
    have_changed,
    make_ready,
    shared_folder,
    warn_not_kept,
)
from .reporting import reported

__all__ = ["cache_on_disk", "cached_files", "is_cached"]

_CHECKSUM = 4  # bytes
_NAME_BYTES = 6  # of a hash that is the name of a file
_PATIENCE = 60.0  # seconds to wait for another process that compiles the same kernel
_PAUSE = 0.02  # seconds between two looks
_LOG = logging.getLogger(__name__)
_environments: Any = environment
_runtime: Any = runtime
_Locator: Any = caching.InTreeCacheLocator
_UserLocator: Any = caching.UserProvidedCacheLocator
_ResultFiles: Any = caching.CompileResultCacheImpl
_IndexAndData: Any = caching.IndexDataCacheFile
_FunctionCache: Any = caching.FunctionCache
_Cache: Any = caching._Cache


def cache_on_disk(dispatcher: Any) -> None:
    """Have a dispatcher look for its machine code among what was shipped, then in Numba's cache.

    Warns (KernelCacheWarning) where neither is to be had, as nothing can be written: at once where
    no shipped kernels fit, else when one is missing. What is compiled then is not kept.
    """
    if getattr(numba.config, "DISABLE_JIT", 0):
        return  # it is the function itself
    function = dispatcher.py_func
    is_ours = Path(function.__code__.co_filename).is_relative_to(shipped_kernels.PACKAGE)
    fits = is_ours and shipped_kernels.misfit() is None
    dispatcher._cache = _ShippedFirst(function) if fits else _own_cache(function)


def is_cached(dispatcher: Any, signature: tuple[Any, ...]) -> bool:
    """Whether the machine code for some types of arguments is on disk, so that none is made."""
    caches, codegen = [dispatcher._cache], dispatcher.targetctx.codegen()
    if isinstance(caches[0], _ShippedFirst):
        caches = [caches[0]._shipped, caches[0]._own]
    return any(
        kept._cache_file.holds(kept._index_key(signature, codegen))
        for kept in caches
        if isinstance(kept, _Checked)
    )


def cached_files(folder: Path, room: Path) -> list[Path]:
    """What Numba keeps of the kernels of a room, in a folder that NUMBA_CACHE_DIR names."""
    kept = _UserLocator.get_suitable_cache_subpath(str(room / "__init__.py"))
    return sorted((folder / kept).glob("*.nb[ic]"))


class _Damaged(Exception):
    """A file is not what was written, or of no use here."""


def _check(path: str) -> None:
    """Raises _Damaged where a file can't be read, or has changed; a missing one is none of both."""
    try:
        content = memoryview(Path(path).read_bytes())
    except FileNotFoundError:
        return
    except OSError as error:
        raise _Damaged(f"{path} cannot be read ({error.strerror})") from error
    if len(content) <= _CHECKSUM or _sum(content[:-_CHECKSUM]) != content[-_CHECKSUM:]:
        raise _Damaged(f"{path} is damaged")


def _sum(content: bytes | memoryview) -> bytes:
    return zlib.crc32(content).to_bytes(_CHECKSUM, "little")


class _Reader(pickle.Unpickler):
    """Reads what was saved of a kernel."""

    def find_class(self, module: str, name: str) -> Any:
        """As ever, but for what makes an environment."""
        if (module, name) == (_environments.__name__, "_rebuild_env"):
            return _environment
        return super().find_class(module, name)


def _environment(module: str, constants: list[Any], name: str) -> Any:
    """The environment of a function that a kernel calls, as Numba makes it."""
    # Of its module compiled code uses no more than the name: Numba's own are not imported, since
    # they bring along all that kernels are compiled with, and SciPy's linear algebra.
    if not module.startswith(f"{numba.__name__}.") or module in sys.modules:
        return _environments._rebuild_env(module, constants, name)
    made = _environments.lookup_environment(name)
    if made is None:
        made = _environments.Environment({"__name__": module})
        made.consts[:] = constants
        made.env_name = name
        _environments.Environment._memo[name] = made
    return made


class _CheckedFiles(_IndexAndData):  # type: ignore[misc]
    """The index of a kernel and the files that it names."""

    def __init__(self, folder: str, name: str, stamp: Any) -> None:
        super().__init__(folder, name, stamp)
        self._told: set[str] = set()

    def check(self, path: str) -> None:
        """Raises _Damaged for a file that is not as it was written."""
        _check(path)

    def load(self, key: Any) -> Any:
        """What was saved; None where it wasn't, or is damaged."""
        try:
            return super().load(key)
        except _Damaged as damage:
            if str(damage) not in self._told:
                _LOG.info("%s; the file is skipped", damage)
                self._told.add(str(damage))
            return None

    def holds(self, key: Any) -> bool:
        """Whether there is something to load, undamaged."""
        try:
            path = self._data_path(self._load_index()[key])
            self.check(path)
            return Path(path).exists()
        except (KeyError, _Damaged):
            return False

    def save(self, key: Any, data: Any) -> None:
        """Keep something under a name that nothing else has.

        Numba counts the files of an index: two processes that read it at the same time would give
        two things one name. Of an index that was written twice, the last entry is what is lost.
        Where it is damaged, nobody knows what the other files hold: they are removed.
        """
        try:
            kept = self._load_index()
        except _Damaged:
            kept = {}
            stem = glob.escape(self._index_name.removesuffix(".nbi"))
            for path in Path(self._cache_path).glob(f"{stem}*.nb[ic]"):
                path.unlink(missing_ok=True)
        digest = hashlib.sha256(repr(key).encode()).digest()
        name = self._data_name(int.from_bytes(digest[:_NAME_BYTES], "big"))
        self._save_data(name, data)
        if kept.get(key) != name:
            self._save_index({**kept, key: name})

    def _load_index(self) -> Any:
        self.check(self._index_path)
        return super()._load_index()

    def _load_data(self, name: str) -> Any:
        path = self._data_path(name)
        self.check(path)
        try:
            return _Reader(io.BytesIO(Path(path).read_bytes())).load()
        except ImportError as error:
            raise _Damaged(f"{path} refers to a missing module ({error})") from error

    @contextmanager
    def _open_for_write(self, filepath: str) -> Iterator[io.BytesIO]:
        whole = io.BytesIO()
        yield whole
        with super()._open_for_write(filepath) as file:
            file.write(whole.getvalue() + _sum(whole.getvalue()))


class _OwnIndex(_CheckedFiles):
    """The same where others might have written, too."""

    def check(self, path: str) -> None:
        """Raises _Damaged for a file that others can change, too."""
        super().check(path)
        with suppress(FileNotFoundError):
            if changeable_by_others(Path(path)) is not None:
                raise _Damaged(f"{path} is writable by other users")


class _Checked(_FunctionCache):  # type: ignore[misc]
    """Numba's own, with files that are checked."""

    _files = _CheckedFiles

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file = self._files(self._cache_path, self._impl.filename_base, stamp)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """What was compiled for these types of arguments, and no others."""
        # Numba would load all that it compiles with, half a second and 60 MB: only its runtime,
        # which hands out memory, is needed by what was compiled
        _runtime.rtsys.initialize(target_context)
        with self._guard_against_spurious_io_errors():
            found = self._load_overload(sig, target_context)
        return found if found is None or tuple(found.signature.args) == tuple(sig) else None


class _ByContents(_Locator):  # type: ignore[misc]
    """The folder that is named by the contents of all sources: nothing in it is outdated."""

    def __init__(self, py_func: Any, py_file: str) -> None:
        super().__init__(py_func, py_file)
        self._cache_path = str(shared_folder(Path(py_file).parent))

    def get_source_stamp(self) -> Any:
        return "by contents"

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> "_ByContents | None":
        return (
            super().from_function(py_func, py_file) if shared_folder(Path(py_file).parent) else None
        )


class _OwnFiles(_ResultFiles):  # type: ignore[misc]
    """Names of files, and where they are: Numba's places last."""

    _locator_classes = (_ByContents, *_ResultFiles._locator_classes)


class _Own(_Checked):
    """What is compiled on this machine; others may write there while this process waits."""

    # Processes that miss the same kernel at once take turns: the first one compiles it. It has the
    # kernel's lock from when it doesn't find it until it has kept it.

    _impl_class = _OwnFiles
    _files = _OwnIndex

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._turn = ExitStack()  # holds the lock

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        self._turn.close()
        found = super().load_overload(sig, target_context)
        if found is None and make_ready(self._py_func):
            found = super().load_overload(sig, target_context)
        if found is None and self._wait_for_turn():
            found = super().load_overload(sig, target_context)
        if found is not None:
            self._turn.close()
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        """Long work doesn't end because the disk is full or somebody has removed the folder.

        What was compiled of sources that have changed meanwhile is not kept.
        """
        with self._turn:
            if have_changed(Path(self._py_func.__code__.co_filename).parent):
                return
            try:
                super().save_overload(sig, data)
            except OSError as error:
                warn_not_kept(f"{self.cache_path} is not writable ({error.strerror})")

    def _wait_for_turn(self) -> bool:
        """Lock the kernel; True if another process had it locked, and may have compiled it."""
        # Where it can't be locked, and after a minute, this process compiles it, too.
        with suppress(OSError):
            flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC
            descriptor = os.open(f"{self._cache_file._index_path}.lock", flags, 0o600)
            self._turn.callback(os.close, descriptor)
            if lock(descriptor):
                return False
            with reported(self._py_func.__qualname__):
                end = time.monotonic() + _PATIENCE
                while not lock(descriptor) and time.monotonic() < end:
                    time.sleep(_PAUSE)
            return True
        return False


def _own_cache(function: Callable[..., Any]) -> Any:
    """Numba's cache of a function; none where nothing can be written."""
    if can_be_kept(Path(function.__code__.co_filename).parent):
        return _Own(function)
    return caching.NullCache()


class _ReadOnly(_Locator):  # type: ignore[misc]
    """The folder that came with the installation."""

    def __init__(self, py_func: Any, py_file: str) -> None:
        super().__init__(py_func, py_file)
        self._cache_path = str(shipped_kernels.FOLDER / shipped_kernels.room_folder(py_file))

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> "_ReadOnly":
        return cls(py_func, py_file)


class _ShippedFiles(_ResultFiles):  # type: ignore[misc]
    """Names of files, and how their contents are read."""

    _locator_classes = (_ReadOnly,)


class _Shipped(_Checked):
    """Reads what was compiled for any processor of the level."""

    _impl_class = _ShippedFiles

    def _index_key(self, sig: Any, codegen: Any) -> Any:
        signature, (system, _, _), code = super()._index_key(sig, codegen)
        return signature, (system, shipped_kernels.LEVEL, ""), code


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
