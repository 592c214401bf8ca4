"""Messages and progress on stderr; of results, only text for stdout passes through here.

Rich is loaded when something is first shown, so that a command that shows nothing starts fast.
"""

import io
import logging
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING

from isogloss.align.files.outputs import on_a_terminal

if TYPE_CHECKING:
    from rich.console import Console as RichConsole
    from rich.progress import ProgressColumn
    from rich.table import Table

    from isogloss.align.files.inputs.opening import FileShare

__all__ = [
    "Console",
    "Step",
    "duration",
    "prepare_streams",
    "print_table",
    "time_left",
    "write_stdout",
]

Step = tuple[float, float]
"""A moment in seconds, and what was done by then."""

PATIENCE = 1.0  # seconds of compiling that a log says nothing of
_LONGEST = 1000  # characters of a line on stderr, most of them of its beginning
_LAST = 300


_ARGUMENT = re.compile(r"`(\w+)=([^`]*)`")
_OPTIONS = {  # that are called otherwise than the arguments of functions
    "column": "tag_column",
    "languages": "langs",
    "references": "refs",
    "plugins": "plugin",
    "scratch_folder": "tmpdir",
    "scores": "score_files",
    "sentences": "source",
}
_TYPED = {
    ("fields", '{"id": NAME, "text": NAME, "features": [NAME, NAME]}'):
        "--fields id=NAME text=NAME features=NAME,NAME",
    ("columns", '("en", "fr")'): "--columns en,fr",
    ("languages", '("en", "es")'): "--langs en-es",
    ("resume", "False"): "--overwrite",
}  # fmt: skip


def prepare_streams() -> None:
    """Make stdout UTF-8, whatever the locale, and let no message fail for a letter it lacks."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    if isinstance(sys.stderr, io.TextIOWrapper):
        sys.stderr.reconfigure(errors="backslashreplace")


def _as_typed(message: str) -> str:
    """A message with the arguments of functions, such as `lowercase=True`, as options."""

    def typed(argument: re.Match[str]) -> str:
        name, value = argument[1], argument[2].strip("\"'")
        option = f"--{_OPTIONS.get(name, name).replace('_', '-')}"
        option = option if value in ("True", "...") else f"{option} {value}"
        return _TYPED.get((name, argument[2]), option)

    return _ARGUMENT.sub(typed, message)


def _readable(message: str) -> str:
    """A message whose lines have an end, without what a terminal would obey."""
    # Messages show words of files that others wrote: characters for control, and those that turn
    # the direction of text, are shown as Python writes them.
    lines = on_a_terminal(message).split("\n")
    return "\n".join(
        line
        if len(line) <= _LONGEST
        else f"{line[: _LONGEST - _LAST]} ... ({len(line)} characters) ... {line[-_LAST:]}"
        for line in lines
    )


class Console:
    """Talks to the person at the terminal.

    verbosity: -1 = warnings and errors only, 0 = a line per stage, 1 = more, as by iteration.
    """

    def __init__(self, verbosity: int = 0) -> None:
        self.verbosity = verbosity
        self._compilation: _Compilation | None = None

    @cached_property
    def _rich(self) -> "RichConsole":
        from rich.console import Console as RichConsole

        return RichConsole(  # messages are text: [names] and :names: stay as they are
            stderr=True, markup=False, emoji=False, highlight=False, soft_wrap=True
        )

    def info(self, message: str) -> None:
        """A line per stage."""
        if self.verbosity >= 0:
            self._print(message)

    def detail(self, message: str) -> None:
        """A line that only -v shows, as of an iteration or a compiled kernel."""
        if self.verbosity >= 1:
            self._print(message)

    def conclude(self, message: str) -> None:
        """The last line of a command: how long compiling took is told before it."""
        if self._compilation is not None:
            self._compilation.sum_up()
        self.info(message)

    def error(self, message: str) -> None:
        """Always shown."""
        self._print(message)

    def _print(self, message: str) -> None:
        self._rich.print(_readable(_as_typed(message)))

    @property
    def is_terminal(self) -> bool:
        """Whether somebody looks on, who did not ask for silence."""
        return self.verbosity >= 0 and sys.stderr.isatty()

    @contextmanager
    def progress(self, label: str, total: int, unit: str = "") -> Iterator[Callable[[int], None]]:
        """A bar with the time so far and the time left; only on a terminal, and gone when done.

        unit: what is counted, such as "pairs", to show how many are done per second
        The time left is by the steps after the first, which may have had kernels to compile, and
        runs down within a step.
        """
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn

        columns = (
            TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(),
            TimeElapsedColumn(), *([_rate(unit)] if unit else []), _left(total),
        )  # fmt: skip
        with self._shown(label, total, columns, lambda completed: completed) as advance:
            yield advance

    @contextmanager
    def stage(self, label: str) -> Iterator[None]:
        """What is at work, and for how long; only on a terminal, and gone when done."""
        from rich.progress import TextColumn, TimeElapsedColumn

        columns = TextColumn("{task.description} ...", markup=False), TimeElapsedColumn()
        with self._shown(label, None, columns):
            yield

    @contextmanager
    def rows(self, label: str, share: "FileShare | None" = None) -> Iterator[Callable[[int], None]]:
        """How many rows are done and how fast; only on a terminal, and gone when done.

        share: of the file that they are read from, by which the time left is told
        """
        from rich.progress import TextColumn

        done = TextColumn("{task.description} {task.completed:,.0f} rows", markup=False)
        columns = done, _rate("rows"), _left(1.0)
        with self._shown(label, None, columns, lambda _: share.read if share else None) as advance:
            yield advance

    @contextmanager
    def _shown(
        self,
        label: str,
        total: int | None,
        columns: "tuple[ProgressColumn, ...]",
        done: Callable[[float], float | None] = lambda completed: None,
    ) -> Iterator[Callable[[int], None]]:
        """A line of columns. done: of all, after a step that completed so much, None = unknown"""
        from rich.progress import Progress

        hidden = self.verbosity < 0 or not self._rich.is_terminal
        with Progress(*columns, console=self._rich, transient=True, disable=hidden) as bar:
            steps: list[Step] = []  # the first, and the last
            task = bar.add_task(label, total=total, steps=steps)

            def advance(count: int) -> None:
                bar.advance(task, count)
                so_far = done(bar.tasks[0].completed)
                if count > 0 and so_far is not None:
                    steps[1:] = [(bar.get_time(), so_far)]

            yield advance

    @contextmanager
    def compilation(self) -> Iterator[None]:
        """Say that kernels are compiled for their first use, how many, and how long it took.

        At once on a terminal, and with -v; in a log where it takes more than a second.
        """
        if self.verbosity < 0:
            yield
            return
        at_once = self.verbosity > 0 or sys.stderr.isatty()
        logger, handler = (
            logging.getLogger("isogloss.align"),
            _Compilation(self, 0 if at_once else PATIENCE),
        )
        self._compilation = handler
        level, propagate = logger.level, logger.propagate
        logger.addHandler(handler)
        logger.setLevel(logging.INFO)
        logger.propagate = False
        try:
            yield
        finally:
            logger.removeHandler(handler)
            logger.setLevel(level)
            logger.propagate = propagate
            handler.sum_up()
            self._compilation = None

    @contextmanager
    def warnings(self) -> Iterator[None]:
        """Show warnings as one line each while the block runs."""
        with warnings.catch_warnings():
            warnings.simplefilter("default")
            warnings.showwarning = lambda message, *rest: self.error(f"warning: {message}")
            yield


def _rate(unit: str) -> "ProgressColumn":
    """How many are done per second, of late."""
    from rich.progress import ProgressColumn, Task
    from rich.text import Text

    class Rate(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text(f"{task.speed:,.0f} {unit}/s" if task.speed else "")

    return Rate()


def _left(total: float) -> "ProgressColumn":
    """The time left until ``total`` is done."""
    from rich.progress import ProgressColumn, Task
    from rich.text import Text

    class Left(ProgressColumn):
        def render(self, task: Task) -> Text:
            left = time_left(task.fields["steps"], total, task.get_time())
            return Text("" if left is None else f"{duration(left)} left")

    return Left()


def time_left(steps: Sequence[Step], total: float, now: float) -> float | None:
    """Seconds until ``total`` is done, by what was done between two steps; None before these.

    steps: the first and the last
    """
    if len(steps) < 2 or steps[1][1] <= steps[0][1]:
        return None
    (begin, before), (end, after) = steps
    per_unit = (end - begin) / (after - before)
    return max(per_unit * (total - after) - (now - end), 0.0)


def duration(seconds: float) -> str:
    """A time as people say it: 9 s, 3 min 20 s, 2 h 5 min."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


class _Compilation(logging.Handler):
    """Shows that something is compiled, once, and in the end how long all of it took."""

    # patience: seconds of compiling before anything is said

    def __init__(self, console: Console, patience: float) -> None:
        super().__init__()
        self._console, self._patience = console, patience
        self._is_told = False
        self._open = 0  # kernels that are begun and not done yet
        self._kernels = 0  # done, but for those that were compiled for another one
        self._seconds = 0.0

    def emit(self, record: logging.LogRecord) -> None:
        """A kernel is begun, or done, as ``seconds`` of the record tells; or something else."""
        if hasattr(record, "seconds"):
            self._count(record.seconds)
        self._console.detail(record.getMessage())

    def _count(self, seconds: float | None) -> None:
        if seconds is None:
            self._open += 1
        else:
            self._open -= 1
            if self._open == 0:  # else it was compiled for another one, whose time includes it
                self._seconds += seconds
                self._kernels += 1
        if not self._is_told and self._seconds >= self._patience:
            self._is_told = True
            self._console.info("compiling (first use) ...")

    def sum_up(self) -> None:
        """A line, if it was told that something is compiled, and something was since the last."""
        if self._is_told and self._kernels > 0:
            kernels = "a kernel" if self._kernels == 1 else f"{self._kernels} kernels"
            self._console.info(
                f"compiling {kernels} took {self._seconds:.0f} s; compiled kernels are cached if "
                "possible"
            )
            self._kernels, self._seconds = 0, 0.0


def write_stdout(text: str) -> None:
    """A result for stdout. Raises OutputError where it can't be written."""
    from isogloss.align.files.outputs import naming_output

    with naming_output():
        sys.stdout.write(text)


def print_table(table: "Table") -> None:
    """A table for stdout, where that is a terminal."""
    from rich.console import Console as RichConsole

    plain = RichConsole(file=sys.stdout, markup=False, emoji=False, highlight=False)
    plain.print(table)
