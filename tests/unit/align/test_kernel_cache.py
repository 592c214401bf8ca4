"""Compiled kernels are those of the sources that are there."""

import grp
import importlib.util
import os
import pwd
import sys
from pathlib import Path
from shutil import rmtree
from types import ModuleType, SimpleNamespace

import numba
import numpy as np
import pytest

from isogloss.align import kernel_cache
from isogloss.align.kernel_cache import (
    CALLED,
    PACKAGE,
    KernelCacheError,
    advice,
    cache_folder,
    changeable_by_others,
    drop_outdated,
    shared_folder,
)
from isogloss.align.kernels.ragged import copy_spans

ROOMS = sorted(path for name in CALLED for path in (PACKAGE / name).glob("**/kernels"))

CALLER = """
from numba import njit
from isogloss_test_callee import value

@njit(nogil=True, cache=True)
def twice():
    return 2 * value()
"""
CALLEE = """
from numba import njit

@njit(nogil=True, cache=True)
def value():
    return {}
"""


def load(folder: Path, name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"isogloss_test_{name}", folder / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def root(tmp_path, monkeypatch):
    """A package with two kernels, one of which calls the other."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    folder = tmp_path / "align" / "kernels"
    folder.mkdir(parents=True)
    (folder.parent / "__init__.py").write_text("")
    (folder / "__init__.py").write_text("")
    (folder / "caller.py").write_text(CALLER)
    (folder / "callee.py").write_text(CALLEE.format(1))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield tmp_path
    for name in ("caller", "callee"):
        sys.modules.pop(f"isogloss_test_{name}", None)


def run(root: Path) -> int:
    """What a program that starts now gets."""
    drop_outdated(root / "align" / "kernels")
    for name in ("callee", "caller"):
        module = load(root / "align" / "kernels", name)
    return module.twice()


@pytest.mark.parametrize("elsewhere", [False, True])
def test_a_change_of_a_called_kernel_is_noticed(root, monkeypatch, elsewhere):
    if elsewhere:
        monkeypatch.setattr(numba.config, "CACHE_DIR", str(root / "cache"))
    cache = cache_folder(root / "align" / "kernels")
    assert cache.is_relative_to(root / "cache") == elsewhere
    assert run(root) == 2
    before = {path: path.stat().st_mtime_ns for path in cache.glob("*.nb[ic]")}
    assert len(before) == 4
    assert run(root) == 2
    assert before == {path: path.stat().st_mtime_ns for path in cache.glob("*.nb[ic]")}
    (root / "align" / "kernels" / "callee.py").write_text(CALLEE.format(5))
    assert run(root) == 10


def test_kernels_are_those_of_their_package_and_of_what_it_calls(root):
    features, tune = (root / name / "room" / "kernels" for name in ("features", "tune"))
    for folder in (features, tune):
        folder.mkdir(parents=True)
        for package in (folder, folder.parent, folder.parent.parent):
            (package / "__init__.py").write_text("")
        drop_outdated(folder)
        (cache_folder(folder) / "x.nbi").write_text("")
        drop_outdated(folder)
        assert (cache_folder(folder) / "x.nbi").exists()
    (root / "align" / "kernels" / "callee.py").write_text(CALLEE.format(5))
    for folder in (features, tune):
        drop_outdated(folder)
        assert not (cache_folder(folder) / "x.nbi").exists()
        (cache_folder(folder) / "x.nbi").write_text("")
    (root / "tune" / "room" / "kernels" / "other.py").write_text("")
    for folder in (features, tune):
        drop_outdated(folder)
    assert (cache_folder(features) / "x.nbi").exists()
    assert not (cache_folder(tune) / "x.nbi").exists()


def test_a_kernel_that_is_called_is_kept():
    values = np.zeros(1, np.int32)
    copy_spans(np.array([7], np.int32), np.array([0, 1]), np.array([0]), values)
    assert values.tolist() == [7]
    room = PACKAGE / "align" / "kernels"
    assert list(cache_folder(room).glob("ragged.copy_spans-*.nbi"))


def test_no_place_for_compiled_kernels(root, monkeypatch):
    blocked = root / "blocked"
    blocked.write_text("")
    folder = root / "align" / "kernels"
    (folder / "__pycache__").write_text("")  # as good as a folder that can't be written to
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocked))
    message = f"Numba cannot write compiled code to {folder / '__pycache__'} or to the user's"
    with pytest.raises(KernelCacheError, match=message) as caught:
        drop_outdated(folder)
    assert advice(caught.value) == str(caught.value)
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(root / "cache"))
    assert run(root) == 2


def test_outdated_kernels_that_can_not_be_removed(root, monkeypatch):
    run(root)
    (root / "align" / "kernels" / "callee.py").write_text(CALLEE.format(5))

    def refuse(self, missing_ok=False):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "unlink", refuse)
    with pytest.raises(
        KernelCacheError, match=r"outdated compiled kernels in .* set NUMBA_CACHE_DIR"
    ):
        drop_outdated(root / "align" / "kernels")


def test_a_stamp_that_can_not_be_written(root, monkeypatch):
    def refuse(self, text):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_text", refuse)
        assert run(root) == 2
    assert run(root) == 2


@pytest.mark.parametrize(("suffix", "content"), [("nbi", b""), ("nbi", b"\x80x"), ("nbc", b"x")])
def test_damaged_files_are_explained(root, suffix, content):
    run(root)
    cache = cache_folder(root / "align" / "kernels")
    for path in cache.glob(f"*.{suffix}"):
        path.write_bytes(content)
    with pytest.raises(Exception, match=r".*") as caught:
        run(root)
    assert advice(caught.value) == (
        f"compiled kernels cannot be stored in {cache} or loaded from it "
        f"({type(caught.value).__name__}: {caught.value}). Delete its *.nbi and *.nbc files, free "
        "disk space, or set NUMBA_CACHE_DIR to a folder you can write to"
    )


def test_a_full_disk_is_explained(root, monkeypatch):
    replace = os.replace

    def full(source, target):
        if str(target).endswith(".nbi"):
            raise OSError(28, "No space left on device")
        replace(source, target)

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="No space left") as caught:
        run(root)
    assert "compiled kernels cannot be stored" in str(advice(caught.value))


def test_a_damaged_stamp(root):
    run(root)
    (cache_folder(root / "align" / "kernels") / kernel_cache.STAMP).write_bytes(b"\xff\xfe")
    assert run(root) == 2


def test_the_reason_stands_before_what_to_do():
    error = KernelCacheError(f"no room; {kernel_cache.REMEDY}")
    assert error.reason == "no room"


def test_other_errors_are_not_explained():
    with pytest.raises(ValueError, match="x") as caught:
        raise ValueError("x")
    assert advice(caught.value) is None


# --- kept by the contents of their sources


ROOM = PACKAGE / "tune" / "decoder" / "kernels"


@pytest.fixture
def user_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    forget()
    yield tmp_path / "cache"
    forget()


def forget() -> None:
    """As in a process that begins."""
    kernel_cache._folder_of.cache_clear()
    kernel_cache._code_digest.cache_clear()


def test_kernels_are_kept_by_the_contents_of_their_sources(user_cache, monkeypatch):
    folder = shared_folder(ROOM)
    digest = kernel_cache._code_digest("tune", ())[:16]
    assert folder == user_cache / "isogloss/kernels" / f"tune-{digest}" / "tune/decoder/kernels"
    assert cache_folder(ROOM) == folder
    drop_outdated(ROOM)
    assert not list(user_cache.rglob(kernel_cache.STAMP))  # nothing there is ever outdated
    for name in kernel_cache.OTHER_CODE:
        with monkeypatch.context() as patch:
            patch.setenv(name, "2")
            assert shared_folder(ROOM) != folder
    monkeypatch.setattr(kernel_cache, "sources_digest", lambda root, package: "0" * 64)
    forget()
    assert shared_folder(ROOM) != folder


def test_kernels_of_other_sources_go_when_nobody_has_used_them_for_long(user_cache, monkeypatch):
    first = shared_folder(ROOM).parents[2]
    aged, recent = first.with_name("tune-aged"), first.with_name("align-recent")
    for folder in (aged, recent):
        (folder / "tune").mkdir(parents=True)
    os.utime(aged, (1.0, 1.0))
    forget()
    shared_folder(ROOM)
    assert aged.exists()  # only a folder that is new takes others away
    monkeypatch.setattr(kernel_cache, "sources_digest", lambda root, package: "0" * 64)
    forget()
    new = shared_folder(ROOM).parents[2]
    assert {path.name for path in first.parent.iterdir()} == {first.name, recent.name, new.name}


@pytest.mark.parametrize(
    "reason",
    [
        "numba", "NUMBA_CACHE_DIR", "NUMBA_CACHE_LOCATOR_CLASSES", "no cache", "another package",
        "others may write there", "another's", "no room",
    ],
)  # fmt: skip
def test_where_numba_chooses_the_place(user_cache, monkeypatch, reason):
    room = ROOM
    place = shared_folder(ROOM)
    forget()
    if reason == "numba":
        monkeypatch.setattr(kernel_cache, "is_tested", lambda: False)
    elif reason == "NUMBA_CACHE_DIR":
        monkeypatch.setattr(numba.config, "CACHE_DIR", str(user_cache))
    elif reason == "NUMBA_CACHE_LOCATOR_CLASSES":
        monkeypatch.setattr(numba.config, "CACHE_LOCATOR_CLASSES", "InTreeCacheLocator")
    elif reason == "no cache":
        rmtree(user_cache)
        user_cache.write_text("")
    elif reason == "others may write there":
        place.parents[2].chmod(0o770)
    elif reason == "another's":
        monkeypatch.setattr(kernel_cache.os, "geteuid", lambda: 4711)
    elif reason == "no room":
        rmtree(place)
        place.write_text("")
    else:
        room = user_cache / "kernels"
    assert shared_folder(room) is None


@pytest.mark.parametrize(("system", "place"), [("linux", ".cache"), ("darwin", "Library/Caches")])
def test_the_cache_of_a_user(monkeypatch, tmp_path, system, place):
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(kernel_cache.sys, "platform", system)
    assert kernel_cache._user_cache() == tmp_path / place
    monkeypatch.setenv("XDG_CACHE_HOME", "relative/path")  # the specification ignores it
    assert kernel_cache._user_cache() == tmp_path / place
    monkeypatch.setenv("HOME", "relative")
    assert kernel_cache._user_cache() is None


def test_what_is_compiled_of_sources_that_change_is_not_kept(user_cache, monkeypatch):
    assert not kernel_cache.have_changed(ROOM)
    monkeypatch.setattr(kernel_cache, "_BEGUN", 0.0)
    assert kernel_cache.have_changed(ROOM)
    assert not kernel_cache.have_changed(user_cache)
    assert not kernel_cache.can_be_kept.__wrapped__(ROOM)


# --- who may change what is kept


def test_who_can_change_a_folder(tmp_path, monkeypatch):
    folder = tmp_path / "a" / "b"
    folder.mkdir(parents=True)
    assert changeable_by_others(folder) is None
    for mode in (0o777, 0o757, 0o1777):
        folder.chmod(mode)
        assert changeable_by_others(folder) == folder
    folder.chmod(0o755)
    folder.parent.chmod(0o777)
    assert changeable_by_others(folder) == folder.parent
    folder.parent.chmod(0o1777)
    assert changeable_by_others(folder) is None
    folder.chmod(0o775)
    monkeypatch.setattr(kernel_cache, "_is_ours_alone", lambda group: False)
    if folder.stat().st_gid:  # root's group is root
        assert changeable_by_others(folder) == folder
    monkeypatch.setattr(kernel_cache, "_is_ours_alone", lambda group: True)
    assert changeable_by_others(folder) is None
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    (tmp_path / "open" / "link").symlink_to(folder)
    (tmp_path / "link").symlink_to("open/in")
    (tmp_path / "open" / "in").mkdir()
    for name in ("link", "open/link"):
        assert changeable_by_others(tmp_path / name) == tmp_path / "open"
    (tmp_path / "open").chmod(0o1777)
    assert changeable_by_others(tmp_path / "open" / "link") is None
    if os.geteuid() == 0:
        os.lchown(tmp_path / "open" / "link", 4711, -1)
        assert changeable_by_others(tmp_path / "open" / "link") == tmp_path / "open" / "link"
    if os.geteuid():  # what is root's alone is nobody else's
        monkeypatch.setattr(kernel_cache.os, "geteuid", lambda: 4711)
    else:
        os.chown(folder, 4711, -1)
    assert changeable_by_others(folder) is not None


def test_a_group_of_the_user_alone(monkeypatch):
    name = pwd.getpwuid(os.geteuid()).pw_name
    for group, members, is_ours in (
        (name, [], True), (name, [name], True), (name, [name, "another"], False),
        ("users", [], False),
    ):  # fmt: skip
        found = SimpleNamespace(gr_name=group, gr_mem=members)
        monkeypatch.setattr(grp, "getgrgid", lambda _, found=found: found)
        assert kernel_cache._is_ours_alone(1) == is_ours
