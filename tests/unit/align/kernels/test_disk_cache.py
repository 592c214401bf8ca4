"""Files of compiled kernels: shipped ones first; what is damaged is passed over."""

import errno
import gc
import importlib.util
import logging
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from shutil import rmtree
from types import ModuleType, SimpleNamespace

import numba
import pytest
from numba import int64

from isogloss.align import kernel_cache, shipped_kernels
from isogloss.align.files.locks import lock
from isogloss.align.kernel_cache import KernelCacheWarning, OtherFolderWarning
from isogloss.align.kernels import disk_cache

MODULE = "isogloss_test_numbers"
SOURCE = """
from isogloss.align.kernels.lazy import njit

@njit(nogil=True, cache=True)
def twice(value):
    return 2 * value

@njit(nogil=True, cache=True)
def thrice(value):
    return 3 * value
"""


@pytest.fixture
def root(tmp_path, monkeypatch):
    """An installation with two kernels, one of which, ``twice``, was shipped."""
    kernels = tmp_path / "align" / "kernels"
    kernels.mkdir(parents=True)
    for name in ("align/__init__.py", "align/kernels/__init__.py"):
        (tmp_path / name).write_text("")
    (kernels / "numbers.py").write_text(SOURCE)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setitem(sys.modules, MODULE, ModuleType(MODULE))
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    monkeypatch.setattr(shipped_kernels, "PACKAGE", tmp_path)
    monkeypatch.setattr(shipped_kernels, "FOLDER", tmp_path / "align" / "compiled")
    monkeypatch.setattr(shipped_kernels, "misfit", lambda: None)
    shipped = disk_cache._Shipped(load(tmp_path).twice.py_func)
    dispatcher = numba.njit(load(tmp_path).twice.py_func)
    dispatcher.compile((int64,))
    shipped.save_overload((int64,), dispatcher.overloads[(int64,)])
    return tmp_path


def load(root: Path) -> ModuleType:
    """As in a program that starts now."""
    kernel_cache.can_be_kept.cache_clear()
    kernel_cache.warn_once.cache_clear()
    path = root / "align" / "kernels" / "numbers.py"
    spec = importlib.util.spec_from_file_location(MODULE, path)
    module = sys.modules[MODULE] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_shipped_kernels_are_read_and_others_are_compiled(root):
    numbers = load(root)
    assert numbers.twice.is_on_disk((int64,))
    assert not numbers.thrice.is_on_disk((int64,))
    assert not numbers.twice.compile((int64,))
    assert numbers.thrice.compile((int64,))
    assert (numbers.twice(4), numbers.thrice(4)) == (8, 12)
    kept = [path.name.partition("-")[0] for path in (root / "align").rglob("*.nbc")]
    assert sorted(kept) == ["numbers.thrice", "numbers.twice"]
    assert not list((root / "align" / "kernels").rglob("numbers.twice*"))
    again = load(root)
    assert again.thrice.is_on_disk((int64,))
    assert not again.thrice.compile((int64,))


def test_other_types_are_compiled(root):
    numbers = load(root)
    assert numbers.twice(1.5) == 3.0
    assert not (root / "align" / "compiled" / "align" / "kernels" / "x").exists()
    assert list((root / "align" / "kernels" / "__pycache__").glob("numbers.twice*.nbc"))


def test_kernels_of_another_version_are_passed_over(root):
    path = root / "align" / "kernels" / "numbers.py"
    path.write_text(SOURCE.replace("2 *", "5 *"))
    assert load(root).twice(4) == 20


def test_shipped_kernels_need_no_place_to_write(root, monkeypatch):
    (root / "blocked").write_text("")
    (root / "align" / "kernels" / "__pycache__").write_text("")  # can't be written to
    monkeypatch.setenv("XDG_CACHE_HOME", str(root / "blocked"))
    numbers = load(root)
    assert numbers.twice(4) == 8
    with pytest.warns(
        KernelCacheWarning, match="cannot be cached .* set NUMBA_CACHE_DIR to a folder"
    ):
        assert numbers.thrice(4) == 12
    assert list((root / "align" / "kernels").rglob("*.nb[ic]")) == []


@pytest.mark.parametrize("fault", ["full", "removed"])
def test_work_goes_on_where_what_was_compiled_can_not_be_kept(root, monkeypatch, fault):
    replace = os.replace

    def hurt(source, target):
        if fault == "full" and str(target).endswith(".nbi"):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        if fault == "removed":
            rmtree(root / "align" / "kernels" / "__pycache__")
        replace(source, target)

    numbers = load(root)
    monkeypatch.setattr(os, "replace", hurt)
    reason = {"full": "No space left on device", "removed": "No such file or directory"}[fault]
    with pytest.warns(KernelCacheWarning, match=rf"is not writable \({reason}\); set NUMBA_"):
        assert numbers.thrice(4) == 12
    monkeypatch.undo()
    assert numbers.thrice(5) == 15


def test_a_folder_of_the_user_is_written_to(root, monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(root / "cache"))
    numbers = load(root)
    assert (numbers.twice(4), numbers.thrice(4)) == (8, 12)
    assert [path.name.partition("-")[0] for path in (root / "cache").rglob("*.nbc")] == [
        "numbers.thrice"
    ]


def test_where_none_fit_kernels_are_compiled(root, monkeypatch):
    monkeypatch.setattr(shipped_kernels, "misfit", lambda: "none came")
    assert load(root).twice.compile((int64,))


def test_the_cache_does_what_numba_asks_of_one(root):
    kept = disk_cache._ShippedFirst(load(root).twice.py_func)
    context = SimpleNamespace()
    assert kept.cache_path == str(root / "align" / "kernels" / "__pycache__")
    kept.disable()
    context.refresh = lambda: None
    assert kept.load_overload((int64,), context) is None
    kept.enable()
    kept.flush()
    assert list(Path(kept.cache_path).iterdir())


# --- files that are damaged


def cut(content: bytes) -> bytes:
    return content[: len(content) // 2]


DAMAGE = {
    "cut off": cut,
    "empty": lambda content: b"",
    "garbage": lambda content: b"\x80x" * 9,
    "one bit": lambda content: content[:-99] + bytes([content[-99] ^ 1]) + content[-98:],
    "no checksum": lambda content: content[:-4],
}


def damage(folder: Path, suffix: str, kind: str) -> list[Path]:
    """Change a kernel's files of a kind; returns them."""
    paths = list(folder.rglob(f"numbers.t*.{suffix}"))
    for path in paths:
        path.write_bytes(DAMAGE[kind](path.read_bytes()))
    return paths


@pytest.fixture
def told(caplog):
    caplog.set_level(logging.INFO, "isogloss.align.kernels.disk_cache")
    return caplog


@pytest.mark.parametrize("kind", DAMAGE)
@pytest.mark.parametrize("suffix", ["nbi", "nbc"])
def test_damaged_shipped_kernels_are_passed_over(root, told, suffix, kind):
    paths = damage(root / "align" / "compiled", suffix, kind)
    before = [path.read_bytes() for path in paths]
    twice = load(root).twice
    assert not twice.is_on_disk((int64,))
    assert twice.compile((int64,))
    assert twice(4) == 8
    assert told.messages == [f"{paths[0]} is damaged; the file is skipped"]
    assert [path.read_bytes() for path in paths] == before
    assert not load(root).twice.compile((int64,))  # it was kept elsewhere


@pytest.mark.parametrize("kind", DAMAGE)
@pytest.mark.parametrize("suffix", ["nbi", "nbc"])
def test_damaged_kernels_of_the_user_are_compiled_anew_and_replaced(root, told, suffix, kind):
    numbers = load(root)
    assert numbers.thrice(4) == 12
    assert numbers.thrice(1.5) == 4.5
    paths = damage(root / "align" / "kernels" / "__pycache__", suffix, kind)
    thrice = load(root).thrice
    assert not thrice.is_on_disk((int64,))
    assert thrice.compile((int64,))
    assert thrice(4) == 12
    assert len(told.messages) == 1
    assert told.messages[0].removesuffix(" is damaged; the file is skipped") in map(str, paths)
    assert not load(root).thrice.compile((int64,))
    assert load(root).thrice(1.5) == 4.5


def test_what_a_damaged_index_named_is_removed(root):
    """Else its number might be given to other machine code before that is written."""
    numbers = load(root)
    assert (numbers.thrice(4), numbers.thrice(1.5)) == (12, 4.5)
    cache = root / "align" / "kernels" / "__pycache__"
    damage(cache, "nbi", "cut off")
    load(root).thrice(4)
    assert len(list(cache.glob("numbers.thrice*.nbc"))) == 1


@pytest.mark.parametrize("suffix", ["nbi", "nbc"])
def test_files_that_can_not_be_read_are_passed_over(root, told, suffix):
    for path in (root / "align" / "compiled").rglob(f"*.{suffix}"):
        path.unlink()
        path.mkdir()
    assert load(root).twice(4) == 8
    assert told.messages == [f"{path} cannot be read (Is a directory); the file is skipped"]


def test_a_kernel_whose_module_can_not_be_imported_is_passed_over(root, told, monkeypatch):
    gc.collect()  # what Numba still knows of it
    numbers = load(root)
    monkeypatch.setitem(sys.modules, MODULE, None)
    assert numbers.twice(4) == 8
    assert "refers to a missing module" in told.messages[0]


def test_another_place_than_was_asked_for_is_told(root, monkeypatch):
    (root / "blocked").write_text("")
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(root / "blocked" / "cache"))
    expected = r"NUMBA_CACHE_DIR \(.*blocked/cache\) is not writable, .* default folder; set"
    with pytest.warns(OtherFolderWarning, match=expected) as warned:
        assert load(root).thrice(4) == 12
    assert len(warned) == 1
    assert list((root / "align" / "kernels" / "__pycache__").glob("*.nbc"))


# --- versions of Numba that kernels were not tested with


NESTED = SOURCE.replace("return 3 * value", "return value + twice(value)")


def test_other_versions_compile_as_numba_does(root, monkeypatch):
    monkeypatch.setattr(kernel_cache, "TESTED", ("0.1.0",))
    for name in ("isogloss.align.kernels.disk_cache", "isogloss.align.kernels.inner"):
        monkeypatch.setitem(sys.modules, name, None)  # can't be imported
    (root / "align" / "kernels" / "numbers.py").write_text(NESTED)
    cache = root / "align" / "kernels" / "__pycache__"
    assert load(root).thrice(4) == 12
    assert [path.name.split("-")[0] for path in sorted(cache.glob("*.nbc"))] == [
        "numbers.thrice",
        "numbers.twice",
    ]
    assert not load(root).thrice.compile((int64,))


def test_other_versions_go_on_where_nothing_can_be_kept(root, monkeypatch):
    monkeypatch.setattr(kernel_cache, "TESTED", ("0.1.0",))
    (root / "blocked").write_text("")
    (root / "align" / "kernels" / "__pycache__").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(root / "blocked"))
    numbers = load(root)
    with pytest.warns(KernelCacheWarning, match="compiled kernels cannot be cached and are"):
        assert numbers.thrice(4) == 12


def test_two_processes_that_keep_two_types_at_once(root):
    """Each has read the index before the other wrote it: none may run what the other compiled."""
    numbers = [load(root), load(root)]
    types = [(int64,), (numba.float64,)]
    files = [disk_cache._Own(module.thrice.py_func) for module in numbers]
    indexes = [own._cache_file._load_index() for own in files]
    for own, index, argument in zip(files, indexes, types, strict=True):
        dispatcher = numba.njit(numbers[0].thrice.py_func)
        dispatcher.compile(argument)
        own._cache_file._load_index = lambda index=index: index
        own.save_overload(argument, dispatcher.overloads[argument])
    assert len([*(root / "align").rglob("*thrice*.nbc")]) == 2
    assert load(root).thrice(0.5) == 1.5
    assert load(root).thrice(2**60) == 3 * 2**60


def test_what_was_compiled_for_other_types_is_not_run(root):
    numbers = load(root)
    assert (numbers.thrice(2), numbers.thrice(0.5)) == (6, 1.5)
    first, second = sorted((root / "align").rglob("*thrice*.nbc"))
    first.write_bytes(second.read_bytes())
    again = load(root)
    assert (again.thrice(2**60), again.thrice(0.5)) == (3 * 2**60, 1.5)


def test_four_zero_bytes_are_no_file(root, told):
    assert load(root).thrice(2) == 6
    for path in (root / "align").rglob("*thrice*.nb[ic]"):
        path.write_bytes(bytes(4))
    assert load(root).thrice(2) == 6
    assert "is damaged; the file is skipped" in told.messages[0]


@pytest.fixture
def begun(root):
    """A process that has missed a kernel, and compiles it."""
    module = load(root)
    own = disk_cache._Own(module.thrice.py_func)
    compiled = numba.njit(module.thrice.py_func)
    compiled.compile((int64,))
    assert own.load_overload((int64,), compiled.targetctx) is None
    return own, compiled.overloads[(int64,)]


def test_a_kernel_that_another_process_compiles_is_waited_for(root, begun, monkeypatch):
    own, compiled = begun
    waits = threading.Event()
    monkeypatch.setattr(disk_cache.time, "sleep", lambda seconds: waits.set() or os.sched_yield())
    with ThreadPoolExecutor(1) as pool:
        is_compiled = pool.submit(load(root).thrice.compile, (int64,))
        assert waits.wait(60.0)
        own.save_overload((int64,), compiled)
        assert not is_compiled.result()


def test_what_another_process_does_not_end_is_compiled_here(root, begun, monkeypatch):
    monkeypatch.setattr(disk_cache, "_PATIENCE", 0.05)
    assert load(root).thrice.compile((int64,))


def test_a_kernel_is_compiled_where_files_can_not_be_locked(root, monkeypatch):
    def no_locks(descriptor):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(disk_cache, "lock", no_locks)
    assert load(root).thrice(4) == 12


def test_a_lock_ends_with_what_was_kept(root):
    assert load(root).thrice(4) == 12
    assert load(root).thrice(0.5) == 1.5  # another type of the same kernel: nobody is waited for
    own = disk_cache._Own(load(root).thrice.py_func)
    assert own.load_overload((int64,), numba.njit(own._py_func).targetctx) is not None
    path = Path(f"{own._cache_file._index_path}.lock")
    with path.open("rb+") as file:
        assert lock(file.fileno())


@pytest.mark.parametrize("place", ["cache", "cache/below"])
def test_a_folder_that_others_may_write_to_is_not_used(root, monkeypatch, place):
    """Whoever put a kernel there would have it run."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(root / "cache" / "below"))
    assert load(root).thrice.compile((int64,))
    assert not load(root).thrice.compile((int64,))
    (root / place).chmod(0o777)
    before = sorted((root / "cache").rglob("*"))
    match = rf"other users can write to {root / place}, and kernels are .*; set NUMBA_CACHE"
    with pytest.warns(KernelCacheWarning, match=match):
        assert load(root).thrice.compile((int64,))
    assert sorted((root / "cache").rglob("*")) == before


def test_a_sticky_folder_above_is_no_danger(root, monkeypatch):
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(root / "cache" / "below"))
    assert load(root).thrice.compile((int64,))
    (root / "cache").chmod(0o1777)
    assert not load(root).thrice.compile((int64,))


def test_a_file_that_others_may_write_to_is_passed_over(root):
    assert load(root).thrice.compile((int64,))
    assert not load(root).thrice.compile((int64,))
    next((root / "align").rglob("*thrice*.nbc")).chmod(0o666)
    assert load(root).thrice.compile((int64,))
    assert not load(root).thrice.compile((int64,))  # it was written anew
