"""Kernels compiled ahead, in processes of their own."""

import json
import os
import signal
import warnings
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from isogloss.align import kernel_cache
from isogloss.align.errors import DataError, IsoglossError, UsageError
from isogloss.align.kernel_cache import KernelCacheError, KernelCacheWarning
from isogloss.align.shipped_kernels import LEVEL, MADE_FOR, OTHER_CODE, made_here
from isogloss.compilation import aot, portable
from isogloss.compilation.aot import Compiled, compile_all, compile_kernel, processors
from isogloss.compilation.portable import compile_portable
from isogloss.compilation.signatures import read_list
from tests.tiers import sampled

QUICK = [line for line in read_list() if line.startswith("isogloss.align.kernels.ragged.copy_")][:3]


@pytest.mark.thorough
@pytest.mark.parametrize("jobs", sampled([1, 2], 2))
def test_what_is_there_is_not_compiled_again(tmp_path: Path, jobs: int) -> None:
    settings = {"NUMBA_CACHE_DIR": str(tmp_path)}
    told: list[int] = []
    assert compile_all(QUICK[:2], jobs, told.append, settings) == Compiled(2, 0)
    assert sum(told) == 2
    assert len(list(tmp_path.glob("*/*.nbc"))) == 2
    assert compile_all(QUICK, jobs, environment=settings) == Compiled(1, 2)
    assert os.environ.get("NUMBA_CACHE_DIR") != str(tmp_path)


def test_a_line_that_is_none(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"'nothing' .*expected a kernel with the types"):
        compile_all(["nothing"], 1, environment={"NUMBA_CACHE_DIR": str(tmp_path)})


def killed(kernels: object) -> None:
    """In place of the first task."""
    os.kill(os.getpid(), signal.SIGKILL)


def aborted(kernels: object) -> None:
    os.kill(os.getpid(), signal.SIGABRT)


def exiting(kernels: object) -> None:
    os._exit(3)


@pytest.mark.parametrize(
    ("first_task", "told"),
    [
        (killed, "was killed, probably for lack of memory; lower --jobs"),
        (aborted, "was ended by SIGABRT; try again, or lower --jobs"),
        (exiting, "ended with status 3; try again"),
    ],
)
def test_a_process_that_is_ended_from_outside(
    first_task: Callable[[object], None], told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(aot, "drop_outdated_of", first_task)
    with pytest.raises(IsoglossError, match=f"one of 2 compiling processes {told}"):
        compile_all([QUICK[0]], 2)


def test_what_can_not_be_kept_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """A command goes on without it; compiling ahead would be for nothing."""

    def compile_unkept(signature: object) -> bool:
        warnings.warn("it can't be kept", KernelCacheWarning, stacklevel=1)
        return True

    entry = SimpleNamespace(kernel=SimpleNamespace(compile=compile_unkept), signature=())
    monkeypatch.setattr("isogloss.compilation.signatures.parse_line", lambda line: entry)
    with pytest.raises(KernelCacheError, match="it can't be kept"):
        compile_kernel(["a line"])


def unkept(kernels: object) -> None:
    """In place of the first task."""
    raise KernelCacheError(f"no room in x; {kernel_cache.REMEDY}")


def unreadable(signature: object) -> bool:
    """In place of compiling: as Numba fails where it reads what it kept."""
    cache = SimpleNamespace(cache_path="/there")
    code = compile("def load(self):\n raise OSError(5, 'broken')", "numba/core/caching.py", "exec")
    space: dict[str, Callable[[object], bool]] = {}
    exec(code, space)
    return space["load"](cache)


def test_kept_files_that_can_not_be_used_are_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    """In the process that fails: the one that waits doesn't know where the error came from."""
    entry = SimpleNamespace(kernel=SimpleNamespace(compile=unreadable), signature=())
    monkeypatch.setattr("isogloss.compilation.signatures.parse_line", lambda line: entry)
    expected = r"compiled kernels cannot be stored in /there or loaded from it \(OSError: \[Errno"
    with pytest.raises(KernelCacheError, match=expected):
        compile_kernel(["a line"])
    monkeypatch.setattr(entry, "kernel", SimpleNamespace(compile=lambda signature: 1 // 0))
    with pytest.raises(ZeroDivisionError):
        compile_kernel(["a line"])


@pytest.mark.thorough
def test_damage_is_told_by_the_process_that_waits(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    settings = {"NUMBA_CACHE_DIR": str(tmp_path)}
    assert compile_all(QUICK[:2], 1, environment=settings) == Compiled(2, 0)
    damaged = sorted(tmp_path.glob("*/*.nbc"))[0]
    damaged.write_bytes(b"")
    caplog.set_level("INFO", "isogloss.align.kernels.disk_cache")
    assert compile_all(QUICK[:2], 1, environment=settings) == Compiled(1, 1)
    assert caplog.messages == [f"{damaged} is damaged; the file is skipped"]
    assert compile_all(QUICK[:2], 1, environment=settings) == Compiled(0, 2)


def test_there_is_a_processor() -> None:
    assert 1 <= processors() <= (os.cpu_count() or 1)


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """A short list, and no settings of Numba."""
    monkeypatch.setattr(portable, "read_list", lambda: QUICK)
    for name in OTHER_CODE:
        monkeypatch.delenv(name, raising=False)


@pytest.mark.thorough
@pytest.mark.usefixtures("few")
def test_portable_kernels_are_gathered(tmp_path: Path) -> None:
    folder = tmp_path / "compiled"
    folder.mkdir()
    (folder / "older").write_text("")
    assert compile_portable(folder, jobs=1) == Compiled(len(QUICK), 0)
    assert [path.name for path in tmp_path.iterdir()] == ["compiled"]
    assert json.loads((folder / MADE_FOR).read_text()) == made_here()
    rooms = [str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_dir()]
    assert rooms == ["align", "align/kernels"]
    assert len(list(folder.glob("align/kernels/*.nbc"))) == len(QUICK)
    indices = [path.read_bytes() for path in folder.glob("align/kernels/*.nbi")]
    assert indices
    assert all(LEVEL.encode() in index for index in indices)


@pytest.mark.thorough
@pytest.mark.usefixtures("few")
def test_what_was_compiled_for_the_last_build_is_used(tmp_path: Path) -> None:
    for number, compiled in enumerate([len(QUICK), 0]):
        done = compile_portable(tmp_path / str(number), tmp_path / "cache", jobs=1)
        assert done == Compiled(compiled, len(QUICK) - compiled)
    names = [sorted(path.name for path in (tmp_path / n).rglob("*")) for n in "01"]
    assert names[0] == names[1]


@pytest.mark.usefixtures("few")
def test_an_older_folder_is_kept_where_compiling_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(portable, "compile_all", stop)
    (tmp_path / "compiled").mkdir()
    (tmp_path / "compiled" / "older").write_text("")
    with pytest.raises(KeyboardInterrupt):
        compile_portable(tmp_path / "compiled")
    assert [str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*")] == [
        "compiled",
        "compiled/older",
    ]


@pytest.mark.usefixtures("few")
def test_settings_and_versions_that_portable_kernels_are_not_made_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(kernel_cache, "TESTED", ("0.1.0", "0.2.0"))
        fault = "--portable needs a tested version of Numba, 0.1.0 or 0.2.0, got 0.68.1"
        with pytest.raises(UsageError, match=fault):
            compile_portable(tmp_path / "compiled")
    monkeypatch.setenv("NUMBA_OPT", "0")
    with pytest.raises(
        UsageError, match="NUMBA_OPT is set and changes the compiled code; unset it"
    ):
        compile_portable(tmp_path / "compiled")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.usefixtures("few")
def test_no_room_in_the_installation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """NUMBA_CACHE_DIR would not help."""
    monkeypatch.setattr(aot, "drop_outdated_of", unkept)
    with pytest.raises(IsoglossError, match=rf"^no room in x; free disk space in {tmp_path}$"):
        compile_portable(tmp_path / "compiled", jobs=1)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_can_not_be_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES"):  # of whoever tests for other processors
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "file").touch()
    expected = r"file cannot be written to: File exists"
    with pytest.raises(IsoglossError, match=expected):
        compile_portable(tmp_path / "file" / "compiled")
