"""Kernels that other processes compile while a command compiles its own."""

import os
import signal
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from isogloss.align import kernel_cache
from isogloss.align.kernel_cache import asked_when_missing, make_ready
from isogloss.command_line.parsers import COMMANDS
from isogloss.compilation import aot, background, signatures
from isogloss.compilation.background import _Helpers, compiled_in_background
from isogloss.compilation.signatures import LIST, kernel_of, parse_line, read_list, usual_lines

QUICK = {
    kernel_of(line): [line]
    for line in read_list()
    if line.startswith(
        ("isogloss.align.kernels.ragged.copy_bounds", "isogloss.align.kernels.ragged.row_scores")
    )
}
NAMES = list(QUICK)


def function_of(name: str) -> Any:
    return parse_line(QUICK[name][0]).kernel.py_func


@pytest.fixture
def helpers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[_Helpers]:
    """One process beside this one, which keeps what it compiles in a folder of its own."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(aot, "processors", lambda: 2)
    monkeypatch.setattr(signatures, "usual_lines", lambda arguments: dict(QUICK))
    with ExitStack() as stack:
        made = _Helpers(["align"], 1, stack)
        stack.callback(made.close)
        yield made


def compiled(folder: Path) -> set[str]:
    return {path.name.split("-")[0] for path in folder.glob("*/*.nbc")}


def test_a_pool_that_was_closed_is_asked_no_more(helpers: _Helpers) -> None:
    helpers._pool = ThreadPoolExecutor(1)
    helpers._pool.shutdown()
    helpers._waiting = dict(QUICK)
    helpers._begin_next()
    assert helpers._pool is None
    assert helpers._begun == {}


class NoPool:
    """A pool that is breaking: handing it anything over would wait for a lock for ever."""

    def submit(self, *task: object) -> None:
        raise AssertionError(task)


@pytest.mark.parametrize("end", ["cancelled", "killed"])
def test_a_pool_that_breaks_is_given_nothing_more(helpers: _Helpers, end: str) -> None:
    task: Future[Any] = Future()
    if end == "cancelled":
        task.cancel()
    else:
        task.set_exception(BrokenProcessPool("a process was killed"))
    helpers._pool, helpers._waiting = NoPool(), dict(QUICK)  # type: ignore[assignment]
    helpers._begin_next(task)
    assert helpers._pool is None
    assert helpers._waiting == QUICK


def test_what_takes_longest_is_compiled_elsewhere(helpers: _Helpers, tmp_path: Path) -> None:
    assert len(NAMES) == 2
    helpers.make_ready(function_of(NAMES[0]))  # ours: nobody else compiles it
    helpers.make_ready(function_of(NAMES[1]))  # returns when it is there
    assert compiled(tmp_path) == {NAMES[1].replace("isogloss.align.kernels.", "")}
    helpers.make_ready(function_of(NAMES[1]))


def ended(lines: object) -> None:
    """In place of compiling a kernel."""
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_process_that_is_ended_leaves_its_kernels_to_us(
    helpers: _Helpers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(aot, "compile_kernel", ended)
    for name in NAMES:
        helpers.make_ready(function_of(name))
    assert compiled(tmp_path) == set()


@pytest.mark.parametrize("lacking", ["processors", "memory", "lines"])
def test_no_process_is_started_where_something_is_lacking(
    helpers: _Helpers, lacking: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if lacking == "processors":
        monkeypatch.setattr(aot, "processors", lambda: 1)
    elif lacking == "memory":
        monkeypatch.setattr(background, "free_memory", lambda: background.MEMORY - 1)
    else:
        monkeypatch.setattr(signatures, "usual_lines", lambda arguments: {})
    monkeypatch.setattr(aot, "workers", None)  # would fail
    for name in NAMES:
        helpers.make_ready(function_of(name))


def test_one_thread_is_ours_alone() -> None:
    with compiled_in_background(["align"], 1):
        assert not make_ready(function_of(NAMES[0]))


def test_who_is_asked_when_a_kernel_is_missing() -> None:
    told: list[Any] = []
    assert not make_ready(print)
    with asked_when_missing(told.append), asked_when_missing(lambda function: None):
        assert make_ready(print)
    with asked_when_missing(told.append):
        assert make_ready(print)
    assert told == [print]
    assert kernel_cache._ASKED == []


def test_the_command_line_tells_the_kernels(tmp_path: Path) -> None:
    path = tmp_path / "list"
    path.write_text(
        "a.f(int64)  # x 2, x --y 1\na.f(boolean)  # x 2\nb.g()  # x --y 2, x 1\nc.h()\n"
    )
    assert read_list(path) == ["a.f(int64)", "a.f(boolean)", "b.g()", "c.h()"]
    plain = {"b.g": ["b.g()"], "a.f": ["a.f(boolean)", "a.f(int64)"]}
    assert usual_lines(["x", "--yy"], path) == plain
    assert list(usual_lines(["x"], path)) == ["b.g", "a.f"]
    assert usual_lines(["x", "file", "--y=3"], path) == {"a.f": ["a.f(int64)"], "b.g": ["b.g()"]}
    assert usual_lines(["z"], path) == {}


def test_usual_commands_exist() -> None:
    comments = [comment for _, comment in signatures._read(LIST) if comment]
    entries = [entry.rpartition(" ") for comment in comments for entry in comment.split(", ")]
    assert {command.split()[0] for command, _, _ in entries} <= set(COMMANDS)
    for command in {command for command, _, _ in entries}:
        assert usual_lines(command.split()) != {}
