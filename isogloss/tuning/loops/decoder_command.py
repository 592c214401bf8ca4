"""Any decoder as a command that is given weights and writes an n-best list: docs/howto/tune.md."""

import os
import re
import shlex
import signal
import subprocess
import warnings
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np

from isogloss.align.errors import DataError, DataWarning, UsageError, pluralize
from isogloss.align.files.inputs.opening import open_binary
from isogloss.align.files.parts import scratch_folder
from isogloss.align.files.text_io import LONGEST_DOCUMENT, read_lines
from isogloss.align.files.writers import atomic_file, write_lines
from isogloss.tune.nbest.types import read_nbest
from isogloss.tune.online.decoder_loop import TuningText
from isogloss.tune.results import Advance
from isogloss.tune.weights.formats import update_moses_ini
from isogloss.tune.weights.moses_ini import is_moses_ini
from isogloss.tune.weights.weights import Weights

from ...console import Console

__all__ = ["CommandOptions", "DecoderCommand"]

_NAMES = ("weights", "source", "nbest", "size")
_PLACE = re.compile(r"\{([a-z_]+)\}")
_BLOCK = 1 << 20  # bytes
_TOLD = 2000  # of what a command that failed said last
_KILL_AFTER = 10.0  # seconds between asking a command to end and ending it
# seconds: a wait with a limit looks now and then for signals that another thread was given
_LONGEST = 1e9


@dataclass(frozen=True)
class CommandOptions:
    """How a decoder's command is run.

    command: as a shell would split it, though no shell runs it
    weights: file of the weights to start from, in whose form the command gets others
    timeout: seconds that it may take, 0 = any
    retries: times that it is run again after it has failed
    """

    command: str
    weights: str
    timeout: float = 0.0
    retries: int = 0

    def arguments(self) -> list[str]:
        """Program and arguments, with places such as ``{weights}`` as they stand.

        Raises UsageError for quotes without an end, no program, an unknown place, and a command
        without ``{weights}``.
        """
        try:
            arguments = shlex.split(self.command)
        except ValueError as error:
            raise UsageError(f"--decoder-command {self.command!r}: {error}") from error
        places = {name for argument in arguments for name in _PLACE.findall(argument)}
        unknown = sorted(places.difference(_NAMES))
        if unknown:
            known = ", ".join(f"{{{name}}}" for name in _NAMES)
            raise UsageError(
                f"--decoder-command has the unknown placeholder {{{unknown[0]}}}; the placeholders "
                f"are {known}"
            )
        if "weights" not in places:
            raise UsageError(
                "--decoder-command lacks the placeholder {weights}, the file of the weights; pass "
                "a command such as 'moses -f {weights} -i {source} -n-best-list {nbest} {size}'"
            )
        return arguments


class DecoderCommand:
    """A decoder's command as a source of lists; it is run once for each of them.

    Raises UsageError as :meth:`CommandOptions.arguments` does.
    """

    def __init__(self, options: CommandOptions, console: Console) -> None:
        self._options, self._console = options, console
        self._arguments = options.arguments()
        self._program = self._arguments[0]
        self._is_ini = is_moses_ini(read_lines(options.weights, longest=LONGEST_DOCUMENT))

    def write_list(
        self, weights: Weights, text: TuningText, size: int, path: Path, advance: Advance
    ) -> None:
        """Write the n-best list of a text, as it comes from the command.

        Raises DataError where the command can't be started, fails, takes too long, or writes a list
        that can't be read or lacks a sentence; after it was run again as often as may be.
        """
        for left in range(self._options.retries, -1, -1):
            try:
                with scratch_folder(None) as folder:
                    self._write_once(weights, text, size, path, folder)
                break
            except DataError as error:
                if not left:
                    raise
                again = "once more" if left == 1 else f"again, at most {left} times"
                self._console.error(f"warning: {error}. The command is run {again}")
        advance(len(text))

    def _write_once(
        self, weights: Weights, text: TuningText, size: int, path: Path, folder: Path
    ) -> None:
        source, nbest = folder / "source", folder / "nbest"
        write_lines((" ".join(words) for words in text.sentences), source)
        places = {
            "weights": str(self._write_weights(weights, folder)),
            "source": str(source),
            "nbest": str(nbest),
            "size": str(size),
        }
        written = any("{nbest}" in argument for argument in self._arguments)
        arguments = [_filled(argument, places) for argument in self._arguments]
        with ExitStack() as opened:
            given: BinaryIO | None = None
            if not any("{source}" in argument for argument in self._arguments):
                given = opened.enter_context(source.open("rb"))
            out = opened.enter_context((folder / "output" if written else nbest).open("wb"))
            errors = opened.enter_context((folder / "errors").open("w+b"))
            status = self._run(arguments, given, out, errors)
            if status:
                raise DataError(
                    f"decoder command {self._program!r} {_ended(status)}{_last(errors)}",
                    "status 0 and an n-best list",
                    remedy="Run the command by itself",
                )
        self._check(nbest, text)
        with open_binary(nbest) as stream, atomic_file(path) as kept:
            while block := stream.read(_BLOCK):
                kept.write(block)

    def _write_weights(self, weights: Weights, folder: Path) -> Path:
        """The file of the weights for the command, in the form of those to start from."""
        start = Path(self._options.weights)
        if self._is_ini:
            update_moses_ini(start, weights, folder / "moses.ini")
            return folder / "moses.ini"
        path = folder / ("weights.json" if start.suffix == ".json" else "weights")
        weights.save(path, keep_zeros=True)
        return path

    def _run(
        self,
        arguments: Sequence[str],
        source: BinaryIO | None,
        out: BinaryIO,
        errors: BinaryIO,
    ) -> int:
        """Run the command to its end, or end it and whatever it has started."""
        with ThreadPoolExecutor(1) as starter:  # signals don't interrupt threads but the first
            started = starter.submit(
                subprocess.Popen, arguments, stdin=source or subprocess.DEVNULL, stdout=out,
                stderr=errors, start_new_session=True,
            )  # fmt: skip
            try:
                return started.result().wait(self._options.timeout or _LONGEST)
            except subprocess.TimeoutExpired:
                raise DataError(
                    f"decoder command {self._program!r} took longer than {self._options.timeout:g} "
                    f"s{_last(errors)}",
                    "an n-best list within the time limit",
                    remedy="Raise --decoder-timeout",
                ) from None
            except (OSError, ValueError) as error:
                reason = error.strerror if isinstance(error, OSError) else error
                raise DataError(
                    f"decoder command {self._program!r} cannot be started: {reason}",
                    remedy="Pass the path of the program; shell syntax such as | or > needs sh -c "
                    "'...'",
                ) from error
            finally:
                if started.exception() is None:
                    _end(started.result())

    def _check(self, nbest: Path, text: TuningText) -> None:
        """Raise DataError for a list that can't be read, or lacks a sentence that has words."""
        shown = f"the list of {self._program}"
        if not nbest.exists():
            raise DataError(
                f"decoder command {self._program!r} wrote no n-best list",
                "a file named by {nbest}",
                remedy="Change the command to write its list there, or omit {nbest} and write the "
                "list to standard output",
            )
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DataWarning)  # they come when it is learned from
                lists = read_nbest([nbest], len(text))
        except DataError as error:
            raise DataError(
                error.seen, error.expected, file=shown, line=error.line, remedy=error.remedy
            ) from error
        lacking = [
            k for k in np.flatnonzero(np.diff(lists.sentence_offsets) == 0).tolist()
            if text.sentences[k]
        ]  # fmt: skip
        if lacking:
            raise DataError(
                f"{pluralize(len(lacking), 'sentence', 'has')} no hypothesis (first: "
                f"{lacking[0]}, counted from 0)",
                f"at least one for each sentence (there {'is' if len(text) == 1 else 'are'} "
                f"{len(text)})",
                file=shown,
                remedy="Check that the decoder reached the end of the text",
            )


def _filled(argument: str, places: dict[str, str]) -> str:
    return _PLACE.sub(lambda place: places[place[1]], argument)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process and all that it has started, if they haven't ended."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGTERM)
    with suppress(subprocess.TimeoutExpired):
        process.wait(_KILL_AFTER)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _ended(status: int) -> str:
    """How a command ended, in words."""
    if status < 0:
        with suppress(ValueError):
            return f"was ended by {signal.Signals(-status).name}"
    return f"ended with status {status}"


def _last(errors: BinaryIO) -> str:
    """What a command said last, on lines of its own; nothing where it said nothing."""
    size = errors.seek(0, os.SEEK_END)
    errors.seek(max(0, size - _TOLD))
    text = errors.read(_TOLD).decode(errors="replace")
    shown = "".join(mark if mark.isprintable() or mark == "\n" else " " for mark in text).strip()
    return f" and printed:\n{shown}\n" if shown else ""
