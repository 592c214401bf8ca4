"""Messages and progress on stderr; of results, only text for stdout passes through here."""

import io
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console as RichConsole
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from align.files.writers import naming_output

__all__ = ["Console", "prepare_streams", "write_stdout"]


def prepare_streams() -> None:
    """Make stdout UTF-8, whatever the locale, and let no message fail for a letter it lacks."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    if isinstance(sys.stderr, io.TextIOWrapper):
        sys.stderr.reconfigure(errors="backslashreplace")


class Console:
    """Talks to the person at the terminal.

    verbosity: -1 = warnings and errors only, 0 = a line per stage, 1 = a line per iteration.
    """

    def __init__(self, verbosity: int = 0) -> None:
        self.verbosity = verbosity
        self._rich = RichConsole(  # messages are text: [names] and :names: stay as they are
            stderr=True, markup=False, emoji=False, highlight=False, soft_wrap=True
        )

    def info(self, message: str) -> None:
        """A line per stage."""
        if self.verbosity >= 0:
            self._rich.print(message)

    def detail(self, message: str) -> None:
        """A line per iteration, with -v."""
        if self.verbosity >= 1:
            self._rich.print(message)

    def error(self, message: str) -> None:
        """Always shown."""
        self._rich.print(message)

    @contextmanager
    def progress(self, label: str, total: int) -> Iterator[Callable[[int], None]]:
        """A bar with the time that remains; only on a terminal, and gone when done."""
        shown = self._rich.is_terminal and self.verbosity >= 0
        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
        )
        with Progress(*columns, console=self._rich, transient=True, disable=not shown) as bar:
            task = bar.add_task(label, total=total)
            yield lambda count: bar.advance(task, count)

    @contextmanager
    def rows(self, label: str) -> Iterator[Callable[[int], None]]:
        """How many rows are done and how fast; only on a terminal, and gone when done."""
        shown = self._rich.is_terminal and self.verbosity >= 0
        done = TextColumn("{task.description} {task.completed:,.0f} rows", markup=False)
        columns = (done, _Rate())
        with Progress(*columns, console=self._rich, transient=True, disable=not shown) as bar:
            task = bar.add_task(label, total=None)
            yield lambda count: bar.advance(task, count)

    @contextmanager
    def warnings(self) -> Iterator[None]:
        """Show warnings as one line each while the block runs."""
        with warnings.catch_warnings():
            warnings.simplefilter("default")
            warnings.showwarning = lambda message, *rest: self.error(f"warning: {message}")
            yield


class _Rate(ProgressColumn):
    """Rows per second, of late."""

    def render(self, task: Task) -> Text:
        return Text(f"{task.speed:,.0f} rows/s" if task.speed else "")


def write_stdout(text: str) -> None:
    """A result for stdout. Raises OutputError where it can't be written."""
    with naming_output():
        sys.stdout.write(text)
