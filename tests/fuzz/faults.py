"""A command that something happens to at one of its file operations, and then goes on again.

The command runs in a fork of this process, where an audit hook of Python counts what it does to
files of its folder and, at the operation asked for, ends it, or refuses.
"""

import errno
import io
import os
import resource
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from shutil import copytree, rmtree
from typing import Any

from tests.fuzz.commands import COMMANDS, OUTPUT, carry_out, written

__all__ = ["FAULTS", "Case", "Ending", "count_operations", "try_fault"]

TEMPORARY, SAID, COUNTED = "tmp", "said", "counted"  # below the folder
_CHANGES = {"os.rename", "os.mkdir", "os.remove", "os.rmdir", "os.link", "os.symlink"}
_REMOVALS = {"os.remove", "os.rmdir"}  # no disk is too full for them
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
_LATE = 120  # seconds that a command may take


def _refuse(number: int) -> Callable[[Path], None]:
    def refuse(_: Path) -> None:
        raise OSError(number, os.strerror(number))

    return refuse


def _signalled(number: int) -> Callable[[Path], None]:
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
SIGNALS: dict[str, Callable[[Path], None]] = {
    "killed": _signalled(signal.SIGKILL),
    "SIGTERM": _signalled(signal.SIGTERM),
    "SIGHUP": _signalled(signal.SIGHUP),
    "SIGINT": _signalled(signal.SIGINT),
}
FAULTS: dict[str, Callable[[Path], None]] = {
    **REFUSALS,
    **SIGNALS,
    "no memory": _no_more_memory,
    "input cut": _cut_inputs,
    "two writers": _another_writer,
}


@dataclass(frozen=True)
class Ending:
    """How a command ended: status as of a shell, what it said, what it left: contents by name."""

    status: int
    said: str
    left: dict[str, bytes]
    temporary: tuple[str, ...]


@dataclass(frozen=True)
class Case:
    """A command of :data:`tests.fuzz.commands.COMMANDS`, and the folder of seeds.

    varying: files that hold times or memory and are compared by name only
    """

    name: str
    seeds: Path
    varying: frozenset[str] = frozenset({"run/usage.json", "run/manifest.json", "run/report.txt"})

    def again(self, folder: Path) -> list[str]:
        """Options with which it goes on from what was left."""
        out = folder / OUTPUT
        if self.name.startswith("tune, decoder"):
            return []
        if any(word in self.name for word in ("tune,", "rerun", "run")):
            return ["--resume"] if (out / "run").exists() and "out/run" in self.line else []
        if self.name == "align":
            options = ["--overwrite"] if (out / "m").exists() else []
            return [*options, "--resume"] if (out / "m.checkpoint").exists() else options
        return []

    @property
    def line(self) -> str:
        """Its command line."""
        return COMMANDS[self.name]


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


def _child(
    case: Case, folder: Path, more: list[str], at: int, fault: Callable[[Path], None] | None
) -> int:
    """Run the command in this process, a fork, whatever happens."""
    (folder / TEMPORARY).mkdir(exist_ok=True)
    said = os.open(folder / SAID, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(said, 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    tempfile.tempdir = str(folder / TEMPORARY)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(folder)
    Path(OUTPUT).mkdir(exist_ok=True)
    _watch(folder, at, fault)
    return _command([*case.line.split(), "-q", "--threads", "1", *more])


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


def _run(
    case: Case,
    folder: Path,
    more: list[str],
    at: int = 0,
    fault: Callable[[Path], None] | None = None,
) -> Ending:
    """Run the command in a fork."""
    sys.stdout.flush()
    sys.stderr.flush()
    process = os.fork()
    if not process:
        status = 98
        try:
            status = _child(case, folder, more, at, fault)
        finally:
            os._exit(status)
    code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    temporary = sorted(str(path.name) for path in (folder / TEMPORARY).iterdir())
    said = (folder / SAID).read_text(errors="replace")
    return Ending(code if code >= 0 else 128 - code, said, written(folder), tuple(temporary))


def count_operations(case: Case, folder: Path) -> tuple[int, Ending]:
    """How many operations the command makes if nothing happens, and how it ends then.

    It is carried out in this process first, so that the forks find its modules and kernels loaded.

    folder: a new one
    """
    copytree(case.seeds, folder)
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        assert carry_out(case.name, folder, "--threads", "1") == 0, case.name
    rmtree(folder)
    copytree(case.seeds, folder)
    ending = _run(case, folder, [])
    return (folder / COUNTED).stat().st_size, ending


def _is_ours(name: str, expected: dict[str, bytes]) -> bool:
    """Whether a file may be left by a command that can go on: a state, or one that is whole."""
    return name in expected or ".checkpoint/" in name or name.startswith("run/")


def try_fault(case: Case, folder: Path, kind: str, at: int, expected: Ending) -> str:
    """What is wrong after a fault at an operation, and after the command was given again; or "".

    folder: a new one
    """
    copytree(case.seeds, folder)
    hurt = _run(case, folder, [], at, FAULTS[kind])
    if "Traceback" in hurt.said or hurt.status in (98, 99):
        return f"a traceback: {hurt.said[-300:]}"
    if hurt.status > 130 and kind not in ("killed", "SIGTERM", "SIGHUP"):
        return f"ended by signal {hurt.status - 128}"
    if kind not in SIGNALS:  # one may come while a part gets its name; the next run removes that
        if hurt.temporary:
            return f"left in the folder for temporary files: {hurt.temporary}"
        if strange := [name for name in hurt.left if not _is_ours(name, expected.left)]:
            return f"left: {strange}"
    if kind == "input cut":
        return ""
    for name, content in hurt.left.items():
        if name in expected.left and not name.startswith("run/") and content != expected.left[name]:
            return f"half written: {name}"
    more = case.again(folder)
    again = _run(case, folder, more)
    if again.status != 0:
        return f"again ({' '.join(more)}): status {again.status}: {again.said[-300:]}"
    if again.left.keys() != expected.left.keys():
        return f"again ({' '.join(more)}): {sorted(again.left.keys() ^ expected.left.keys())}"
    for name, content in again.left.items():
        if name not in case.varying and content != expected.left[name]:
            return f"again ({' '.join(more)}): other bytes in {name}"
    return ""
