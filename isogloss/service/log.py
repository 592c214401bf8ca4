"""Lines on stderr that nobody has to wait for."""

import os
import threading
from collections import deque
from contextlib import suppress
from select import select

from isogloss.align.errors import pluralize

__all__ = ["Log"]


class Log:
    """Writes lines from a thread of its own: where nobody reads them, the service goes on.

    Lines for which there is no room are dropped; how many is said behind those that waited.

    descriptor: of the open file that is written to; most: lines that wait
    """

    def __init__(self, descriptor: int = 2, most: int = 1000) -> None:
        self._descriptor, self._most = descriptor, most
        self._lines: deque[str] = deque()
        self._dropped = 0
        self._is_writing = False
        self._changed = threading.Condition()
        threading.Thread(target=self._write_all, name="log", daemon=True).start()

    def write(self, line: str) -> None:
        """Have a line written, soon."""
        with self._changed:
            if len(self._lines) < self._most:
                self._lines.append(line)
                self._changed.notify_all()
            else:
                self._dropped += 1

    def close(self, seconds: float) -> None:
        """Wait until all lines are written; after that many seconds nobody will read them.

        What the program says from then on goes nowhere: it would be waited for, for ever.
        """
        with self._changed:
            is_done = self._changed.wait_for(lambda: not (self._lines or self._is_writing), seconds)
        if not is_done:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self._descriptor)
            os.close(nowhere)

    def _write_all(self) -> None:
        while True:
            with self._changed:
                self._is_writing = False
                self._changed.notify_all()
                self._changed.wait_for(lambda: bool(self._lines))
                lines = [*self._lines]
                self._lines.clear()
                if self._dropped:
                    lines.append(
                        f"warning: {pluralize(self._dropped, 'line', 'was')} dropped, because "
                        "standard error was not read in time"
                    )
                    self._dropped = 0
                self._is_writing = True
            with suppress(OSError):  # who read it has gone
                _write(self._descriptor, "".join(f"{line}\n" for line in lines))


def _write(descriptor: int, text: str) -> None:
    left = memoryview(text.encode("utf-8", "backslashreplace"))
    while left:
        try:
            left = left[os.write(descriptor, left) :]
        except BlockingIOError:  # the terminal is another program's, too, which has it not wait
            select([], [descriptor], [])
