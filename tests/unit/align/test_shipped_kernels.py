"""Kernels that came compiled: read where they fit, passed over where they don't."""

import errno
import importlib.util
import json
import os
import sys
from pathlib import Path
from shutil import rmtree
from types import ModuleType, SimpleNamespace

import numba
import pytest
from numba import int64

from align import shipped_kernels
from align.kernel_cache import KernelCacheWarning
from align.shipped_kernels import LEVEL, MADE_FOR, OTHER_CODE, account, made_here, misfit

SOURCE = """
from align.kernels.lazy import njit

@njit(nogil=True, cache=True)
def twice(value):
    return 2 * value

@njit(nogil=True, cache=True)
def thrice(value):
    return 3 * value
"""
FEATURES = dict.fromkeys(shipped_kernels.FEATURES, True)


@pytest.fixture(autouse=True)
def no_settings(monkeypatch):
    for name in OTHER_CODE:
        monkeypatch.delenv(name, raising=False)
    misfit.cache_clear()
    yield
    misfit.cache_clear()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Made for what runs here, on a processor of the level."""
    monkeypatch.setattr(shipped_kernels.llvm, "get_host_cpu_features", lambda: FEATURES)
    place = tmp_path / "compiled"
    place.mkdir()
    (place / MADE_FOR).write_text(json.dumps(made_here()))
    return place


def test_what_was_made_for_this_process_fits(folder):
    assert misfit(folder) is None


def test_none_came_with_the_installation(tmp_path):
    assert misfit(tmp_path) == "none came with this installation"


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("python", "cpython-39", f"are for python cpython-39, this is {made_here()['python']}"),
        ("numba", "0.61.0", f"are for numba 0.61.0, this is {numba.__version__}"),
        ("system", "arm64-apple", f"are for system arm64-apple, this is {made_here()['system']}"),
        ("sources", {"align": "0"}, "were made from other sources"),
    ],
)
def test_they_were_made_for_something_else(folder, name, value, reason):
    (folder / MADE_FOR).write_text(json.dumps(made_here() | {name: value}))
    assert misfit(folder) == f"those of the installation {reason}"


def test_an_older_processor(folder, monkeypatch):
    older = FEATURES | {"fma": False, "avx2": False}
    monkeypatch.setattr(shipped_kernels.llvm, "get_host_cpu_features", lambda: older)
    assert misfit(folder) == "those of the installation need a processor with avx2, fma"


def test_settings_that_ask_for_other_code(folder, monkeypatch):
    monkeypatch.setenv("NUMBA_OPT", "1")
    assert misfit(folder) == "NUMBA_OPT asks for other code"


@pytest.mark.parametrize(
    "text", ["{", "{}", "[]", "[" * 9**5, '{"python": 3}', '{"numba": "1", "numba": "2"}']
)
def test_damage_is_told(folder, text):
    (folder / MADE_FOR).write_text(text)
    assert misfit(folder) == f"{folder / MADE_FOR} is damaged"


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        (None, f"those of the installation, for {LEVEL} processors"),
        ("none came", "compiled on this machine; none came"),
    ],
)
def test_what_is_told_of_them(monkeypatch, reason, told):
    monkeypatch.setattr(shipped_kernels, "misfit", lambda: reason)
    assert account() == told


# --- kernels that read them


@pytest.fixture
def root(tmp_path, monkeypatch):
    """An installation with two kernels, one of which, ``twice``, was shipped."""
    kernels = tmp_path / "align" / "kernels"
    kernels.mkdir(parents=True)
    for name in ("align/__init__.py", "align/kernels/__init__.py"):
        (tmp_path / name).write_text("")
    (kernels / "numbers.py").write_text(SOURCE)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")
    monkeypatch.setattr(shipped_kernels, "_ROOT", tmp_path)
    monkeypatch.setattr(shipped_kernels, "FOLDER", tmp_path / "align" / "compiled")
    monkeypatch.setattr(shipped_kernels, "misfit", lambda: None)
    shipped = shipped_kernels._Shipped(load(tmp_path).twice.py_func)
    dispatcher = numba.njit(load(tmp_path).twice.py_func)
    dispatcher.compile((int64,))
    shipped.save_overload((int64,), dispatcher.overloads[(int64,)])
    return tmp_path


def load(root: Path) -> ModuleType:
    """As in a program that starts now."""
    shipped_kernels._drop_outdated.cache_clear()
    path = root / "align" / "kernels" / "numbers.py"
    spec = importlib.util.spec_from_file_location("isogloss_test_numbers", path)
    module = importlib.util.module_from_spec(spec)
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
        KernelCacheWarning, match="can't be kept, .* set NUMBA_CACHE_DIR to a folder"
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
    with pytest.warns(KernelCacheWarning, match=rf"can't be written to \({reason}\); set NUMBA_"):
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
    kept = shipped_kernels._ShippedFirst(load(root).twice.py_func)
    context = SimpleNamespace()
    assert kept.cache_path == str(root / "align" / "kernels" / "__pycache__")
    kept.disable()
    context.refresh = lambda: None
    assert kept.load_overload((int64,), context) is None
    kept.enable()
    kept.flush()
    assert list(Path(kept.cache_path).iterdir())
