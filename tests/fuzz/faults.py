"""A command that something happens to at one of its file operations, and then goes on again.

The command runs in a fork of this process, where an audit hook of Python counts what it does to
files of its folder and, at the operation asked for, ends it, or refuses.
"""

import errno
import io
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from shutil import copytree, rmtree
from typing import Any

from isogloss import program
from tests.fuzz.commands import OUTPUT, usual_options, working_in, written
from tests.fuzz.fault_cases import Case

__all__ = [
    "FAULTS",
    "ONCE",
    "SIGNALS",
    "Ending",
    "Preparation",
    "complaint",
    "count_operations",
    "prepare",
    "run_once",
    "try_fault",
]

ROOT = Path(__file__).resolve().parents[2]
TEMPORARY, SAID, COUNTED, CACHE = "tmp", "said", "counted", "cache"  # below the folder
_CHANGES = {"os.rename", "os.mkdir", "os.remove", "os.rmdir", "os.link", "os.symlink"}
_REMOVALS = {"os.remove", "os.rmdir"}  # no disk is too full for them
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
_LATE = 120  # seconds that a command may take
Preparation = Callable[[Path], None]  # of a fork that is about to run a command in a folder


def _refuse(number: int) -> Callable[[Path], None]:
    def refuse(_: Path) -> None:
        raise OSError(number, os.strerror(number))

    return refuse


def _signaled(number: int) -> Callable[[Path], None]:
    return lambda _: os.kill(os.getpid(), number)


def _no_more_memory(_: Path) -> None:
    """Hardly more address space than there is now."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + (1 << 20)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _cut_inputs(folder: Path) -> None:
    """Half of every file that is read."""
    for path in folder.iterdir():
        if path.is_file() and path.name not in (SAID, COUNTED):
            os.truncate(path, path.stat().st_size // 2)


def _another_writer(_: Path) -> None:
    """The whole command once more, while this one waits."""
    process = os.fork()
    if not process:
        os._exit(_command(sys.argv[1:]))
    os.waitpid(process, 0)


REFUSALS: dict[str, Callable[[Path], None]] = {
    "disk full": _refuse(errno.ENOSPC),
    "not allowed": _refuse(errno.EACCES),
    "read-only": _refuse(errno.EROFS),
}
SIGNALS = {
    "SIGTERM": signal.SIGTERM,
    "SIGHUP": signal.SIGHUP,
    "SIGINT": signal.SIGINT,
}
CLOSED = "closed pipe"  # nobody reads standard output
CACHES = {"no cache": CACHE, "cache removed": CACHE, "cache refused": "/proc/none"}
FAULTS: dict[str, Callable[[Path], None] | None] = {
    **REFUSALS,
    "killed": _signaled(signal.SIGKILL),
    **{kind: _signaled(number) for kind, number in SIGNALS.items()},
    "no memory": _no_more_memory,
    "input cut": _cut_inputs,
    "two writers": _another_writer,
    CLOSED: None,
    **dict.fromkeys(CACHES),  # in a new process, which compiles what it calls
}
ONCE = {kind for kind, fault in FAULTS.items() if fault is None}  # from the beginning on


@dataclass(frozen=True)
class Ending:
    """How a command ended: status as of a shell, what it said, what it left: contents by name."""

    status: int
    said: str
    left: dict[str, bytes]
    temporary: tuple[str, ...]


def _watch(folder: Path, at: int, fault: Callable[[Path], None] | None) -> None:
    """Count operations on files of the folder; at one of them the fault happens, once."""
    root, done = str(folder), [0]
    counted = os.open(folder / COUNTED, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, _, flags = arguments
            is_writing = bool((flags or 0) & _WRITING)
            if not is_writing or not isinstance(path, str | os.PathLike):
                return
        elif event in _CHANGES:
            path = arguments[0]
        else:
            return
        path = os.fspath(path)
        if not isinstance(path, str) or (path.startswith("/") and not path.startswith(root)):
            return
        done[0] += 1
        os.write(counted, b".")
        refuses = event in _REMOVALS and fault in REFUSALS.values()
        if fault is not None and done[0] == at and not refuses:
            fault(folder)

    sys.addaudithook(hook)


def _child(folder: Path, words: list[str], kind: str, prepared: Preparation) -> int:
    """Run a command in this process, a fork, whatever happens."""
    (folder / TEMPORARY).mkdir(exist_ok=True)
    said = os.open(folder / SAID, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(_unread() if kind == CLOSED else os.open(os.devnull, os.O_WRONLY), 1)
    os.dup2(said, 2)
    sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115  # that of before may have been a file
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    tempfile.tempdir = str(folder / TEMPORARY)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(folder)
    Path(OUTPUT).mkdir(exist_ok=True)
    prepared(folder)
    return _command(words)


def _unread() -> int:
    """The end to write to of a pipe that nobody reads."""
    reader, writer = os.pipe()
    os.close(reader)
    return writer


def _command(arguments: list[str]) -> int:
    """Status of the program, 99 after an exception."""
    signal.alarm(_LATE)
    try:
        from isogloss.__main__ import run

        sys.argv = ["isogloss", *arguments]
        run()
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    except BaseException:
        traceback.print_exc()
    return 99


def _run(folder: Path, words: list[str], kind: str = "", at: int = 0) -> Ending:
    """Run a command once; a fault happens at an operation on files."""
    return run_once(folder, words, kind, lambda folder: _watch(folder, at, FAULTS.get(kind)))


def run_once(
    folder: Path, words: list[str], kind: str, prepared: Preparation, threads: int = 1
) -> Ending:
    """Run a command in a fork, or in a new process where the fault is one of compiled kernels.

    prepared: is called in the fork, in the folder
    """
    words = [*words, *usual_options(words, threads)]
    sys.stdout.flush()
    sys.stderr.flush()
    if kind in CACHES:
        code = _compiling(folder, words, kind)
    else:
        process = os.fork()
        if not process:
            status = 98
            try:
                status = _child(folder, words, kind, prepared)
            finally:
                os._exit(status)
        code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    temporary = sorted(str(path.name) for path in (folder / TEMPORARY).iterdir())
    said = (folder / SAID).read_text(errors="replace")
    return Ending(code if code >= 0 else 128 - code, said, written(folder), tuple(temporary))


def _compiling(folder: Path, words: list[str], kind: str) -> int:
    """Run a command in a process that finds no compiled kernels, or loses them while it runs."""
    for name in (TEMPORARY, OUTPUT):
        (folder / name).mkdir(exist_ok=True)
    cache = folder / CACHES[kind]
    places = {"NUMBA_CACHE_DIR": str(cache), "PYTHONPATH": str(ROOT)}
    with (folder / SAID).open("wb") as said:
        process = subprocess.Popen(
            [sys.executable, "-m", "isogloss", *words], cwd=folder, stdout=subprocess.DEVNULL,
            stderr=said, env={**os.environ, **places, "TMPDIR": str(folder / TEMPORARY)},
        )  # fmt: skip
        while process.poll() is None:
            time.sleep(0.02)
            if kind == "cache removed":
                rmtree(cache, ignore_errors=True)
    return process.returncode


def prepare(case: Case, folder: Path) -> None:
    """Make the folder that the command is run in: seeds, and what an earlier command wrote."""
    copytree(case.seeds, folder)
    (folder / OUTPUT).mkdir()
    settings = (folder / "run.toml").read_text()
    (folder / "again.toml").write_text(settings.replace("stack_size = 5", "stack_size = 4"))
    if case.before and (ending := _run(folder, case.before)).status:
        raise RuntimeError(f"{case.name}: {ending.said}")
    (folder / COUNTED).unlink(missing_ok=True)


def count_operations(case: Case, folder: Path) -> tuple[int, Ending]:
    """How many operations the command makes if nothing happens, and how it ends then.

    It is carried out in this process first, so that the forks find its modules and kernels loaded.

    folder: a new one
    """
    prepare(case, folder)
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()), working_in(folder):
        assert program.main([*case.words, *usual_options(case.words, 1)]) == 0, case.name
    rmtree(folder)
    prepare(case, folder)
    ending = _run(folder, case.words)
    return (folder / COUNTED).stat().st_size, ending


def try_fault(case: Case, folder: Path, kind: str, at: int, expected: Ending) -> str:
    """What is wrong after a fault at an operation, and after the command was given again; or "".

    folder: a new one; at: of no matter for the faults of :data:`ONCE`
    """
    prepare(case, folder)
    old = written(folder)
    return complaint(case, folder, kind, _run(folder, case.words, kind, at), old, expected)


def complaint(
    case: Case, folder: Path, kind: str, hurt: Ending, old: dict[str, bytes], expected: Ending
) -> str:
    """What is wrong with how a command ended, and after it was given again; or "".

    old: what was written before; expected: how it ends if nothing happens
    """
    found = _state_complaint(case, kind, hurt, old, expected)
    if found or kind == "input cut":
        return found
    more = case.again(folder)
    again = _run(folder, [*case.words, *more])
    if again.status != 0:
        return f"again ({' '.join(more)}): status {again.status}: {again.said[-300:]}"
    if again.left.keys() != expected.left.keys():
        return f"again ({' '.join(more)}): {sorted(again.left.keys() ^ expected.left.keys())}"
    for name, content in again.left.items():
        if name not in case.varying and content != expected.left[name]:
            return f"again ({' '.join(more)}): other bytes in {name}"
    return ""


def _state_complaint(
    case: Case, kind: str, hurt: Ending, old: dict[str, bytes], expected: Ending
) -> str:
    """What is wrong with what a command said and left when something had happened to it."""
    if "Traceback" in hurt.said or hurt.status in (98, 99):
        return f"a traceback: {hurt.said[-300:]}"
    if hurt.status > 130 and kind not in ("killed", "SIGTERM", "SIGHUP"):
        return f"ended by signal {hurt.status - 128}"
    if kind == CLOSED and (hurt.status or hurt.said != expected.said):
        return f"not quiet: status {hurt.status}: {hurt.said[-300:]}"
    if (
        kind != "killed" and kind not in SIGNALS
    ):  # one may come while a part gets its name; the next run removes that
        if hurt.temporary:
            return f"left in the folder for temporary files: {hurt.temporary}"
        may_stay = expected.left | old
        if strange := [name for name in hurt.left if not case.may_leave(name, may_stay)]:
            return f"left: {strange}"
    if kind == "input cut":
        return ""
    for name, content in hurt.left.items():
        is_whole = content in (expected.left.get(name, content), old.get(name))
        if not (is_whole or name.startswith("run/")):
            return f"half written: {name}"
    return case.is_mixed(hurt.left, old, expected.left)
