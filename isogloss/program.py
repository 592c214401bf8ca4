"""The program: `isogloss COMMAND ...`. Only the command that is asked for is loaded."""

import math
import os
import shlex
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence, Set
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

from .command_line.help import CommandParser, with_typed_names
from .command_line.parsers import COMMANDS, load_command, parser_of, program_parser
from .commands.named_files import inputs, outputs, written_since
from .compilation.background import compiled_in_background
from .console import Console, duration, prepare_streams
from .options import Command, build_options, flag, flat_values, option_names

if TYPE_CHECKING:
    from isogloss.align.errors import DataError

__all__ = ["main", "parse"]

_CALLED_BACK = ("llvmlite", str(Path("numba", "core", "serialize.py")))
_PATIENCE = 8.0  # seconds that the program may take to end; that of align.execution is less
_MOMENT = 0.3  # seconds until a signal is sent again, which may have come at a bad time


def parse(name: str, arguments: Sequence[str]) -> tuple[Command, object]:
    """The command or action that is asked for, and its options.

    Many versions of argparse take an optional positional for missing where an option stands before
    it: in `SRC -o LINKS TGT` the target is left over, and put in its place here.
    """
    values, rest = _parsed(name, arguments)
    for positional in values.trailing:
        is_value = bool(rest) and (rest[0] == "-" or rest[0][:1] != "-")
        if is_value and not hasattr(values, positional):
            setattr(values, positional, rest.pop(0))
    if rest:
        below: CommandParser = values.chosen_parser
        near = below.near_options(rest[0])
        hint = f" ({near})" if near else ""
        below.error(f"unrecognized arguments: {' '.join(rest)}{hint}")
    command: Command = values.chosen
    assert command.options is not None
    return command, build_options(command.options, vars(values))


def _command_name(given: Sequence[str]) -> str:
    """The first argument, if it is a command; others are answered by a parser that knows all."""
    if given and given[0] in COMMANDS:
        return given[0]
    name: str = program_parser().parse_known_args(given[:1])[0].command
    return name


def _parsed(name: str, arguments: Sequence[str]) -> tuple[Any, list[str]]:
    """The values of a command's arguments, and those that are left over."""
    parser = parser_of(load_command(name), f"isogloss {name}", COMMANDS[name].line)
    parsed: tuple[Any, list[str]] = parser.parse_known_args(arguments)
    return parsed


def _as_typed(message: str, name: str, arguments: Sequence[str]) -> str:
    """A message behind the name of the command or action, with the options as they were typed."""
    chosen: CommandParser = _parsed(name, arguments)[0].chosen_parser
    return f"{chosen.prog}: {with_typed_names(message, chosen.typed_names())}"


def main(arguments: Sequence[str] | None = None, *, alone: bool = True) -> int:
    """Run a command; returns 0, 1 (data or run error), 2 (usage) or, stopped by a signal, 128
    and its number: 130 (Ctrl-C), 143 (SIGTERM), 129 (SIGHUP).

    alone: start no other processes to compile kernels that are missing
    """
    prepare_streams()
    if main.__doc__ is None:
        sys.stderr.write("isogloss: help texts are docstrings, which Python -OO removes; use -O\n")
        return 2
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        command, options = parse(_command_name(given), given[1:])
    except SystemExit as stop:
        return int(stop.code or 0)
    except BrokenPipeError:
        return _close_quietly()
    except OSError as error:
        sys.stderr.write(f"isogloss: standard output cannot be written: {error.strerror}\n")
        _close_quietly()
        return 1
    common = getattr(options, "common", None)
    console = Console(common.verbosity if common else 0)
    threads = getattr(common, "threads", None) or 2  # without --threads, one more process compiles
    with compiled_in_background(given, 1 if alone or common is None else threads):
        return _run(given, command, options, console)


def _run(given: Sequence[str], command: Command, options: object, console: Console) -> int:
    from isogloss.align.errors import UsageError
    from isogloss.align.files.outputs import naming_output

    assert command.run is not None
    begin: float | None = None
    name = given[0]
    try:
        with _stopped_by_signals(), console.warnings(), console.compilation():
            with _sole_writer(options):
                begin = time.time()
                command.run(options, console)
            with naming_output():
                sys.stdout.flush()
        if console.verbosity > 0:
            _tell_kernels(console)
        _tell_end(command, options, begin, console)
    except BrokenPipeError:
        return _close_quietly()
    except KeyboardInterrupt as stop:
        number = getattr(stop, "number", signal.SIGINT)
        return _tell_stop(name, number, _what_is_left(options, begin), console)
    except Exception as error:
        message = _explained(error, command)
        if message is None:
            if stopped := _stop_behind(error):
                return _tell_stop(name, stopped.number, _what_is_left(options, begin), console)
            raise
        _drop_unwritten()  # results stand before the message that ends them
        console.error(_as_typed(message, name, given[1:]))
        return 2 if isinstance(error, UsageError) else 1
    return 0


def _tell_end(command: Command, options: object, begin: float, console: Console) -> None:
    """Where somebody looks on, say what was written, and how to go on. begin: by `time.time`"""
    written = written_since(options, begin) if console.is_terminal else []
    if written:
        took = duration(time.time() - begin)
        console.info(f"wrote {', '.join(map(shlex.quote, written))} in {took}")
        following = command.next_step(options) if command.next_step is not None else ()
        if following:
            console.info(f"next: isogloss {shlex.join(following)}")


def _tell_stop(name: str, number: int, left: str, console: Console) -> int:
    """Say that a command was stopped by a signal, and what it leaves; returns its status."""
    with suppress(OSError):  # the terminal may be gone
        console.error(f"isogloss {name}: interrupted{left}")
    return 128 + number


def _what_is_left(options: object, begin: float | None) -> str:
    """What a command leaves that was stopped, behind a message; begin: None before it began."""
    from isogloss.align.files.outputs import is_stream

    if begin is None:  # to ask for its outputs may read a file that is still waited for
        return ""
    with suppress(Exception):  # its options may be what it stumbled over
        folders = [name for name, is_folder in outputs(options) if is_folder]
        if "resume" in flat_values(options):
            folder = getattr(options, "state_folder", None) or (folders and folders[0])
            if folder and any(Path(folder).glob("*")):
                return (
                    f"; the state is saved in {folder}; run the same command with --resume to "
                    "continue"
                )
        written = written_since(options, begin)
        if written:
            return f"; {', '.join(written)} {'is' if len(written) == 1 else 'are'} complete"
        if any(not is_stream(name) for name, _ in outputs(options)):
            return "; nothing was written"
    return ""


class _Stopped(KeyboardInterrupt):
    """What a signal raises that asks the program to end."""

    # number: of the signal

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


@contextmanager
def _stopped_by_signals() -> Iterator[None]:
    """Have SIGTERM and SIGHUP stop the block as Ctrl-C does: nothing is left half written."""
    # What is raised in a callback or a finalizer is lost, so the signal comes again until the
    # program is about to end; then it is not disturbed: a second signal would end the waiting for a
    # lock that is given back next. But Ctrl-C that comes seconds after the first signal ends the
    # program at once. Where another program has asked to ignore or to handle signals, they are left
    # alone.

    again: list[threading.Timer] = []
    raised = [-math.inf]

    def stop(number: int, frame: FrameType | None) -> None:
        since = time.monotonic() - raised[0]
        if _stop_behind(sys.exc_info()[1]):  # the program is about to end
            if number == signal.SIGINT and since > _PATIENCE:
                os._exit(128 + number)
            return
        if since < _MOMENT / 2:  # it isn't handled yet
            return
        can_raise = not _is_called_back(frame)
        if can_raise:  # noted before the timer starts, which takes long on a busy machine
            raised[0] = time.monotonic()
        # to the thread that handles it: what waits is not woken by a signal of another thread
        main = threading.main_thread().ident
        again.append(threading.Timer(_MOMENT, signal.pthread_kill, (main, number)))
        again[-1].daemon = True
        again[-1].start()
        if can_raise:
            raise _Stopped(number)

    caught = {}
    usual = {signal.SIGTERM: signal.SIG_DFL, signal.SIGHUP: signal.SIG_DFL}
    if threading.current_thread() is threading.main_thread():
        for number, handler in {**usual, signal.SIGINT: signal.default_int_handler}.items():
            if signal.getsignal(number) == handler:
                caught[number] = handler
                signal.signal(number, stop)
    try:
        yield
    finally:
        for timer in again:
            timer.cancel()
            timer.join()
        for number, handler in caught.items():
            signal.signal(number, handler)


def _stop_behind(error: BaseException | None) -> _Stopped | None:
    """The signal that an error goes back to: Python puts some errors in place of others."""
    while error is not None and not isinstance(error, _Stopped):
        error = error.__context__
    return error


def _is_called_back(frame: FrameType | None) -> bool:
    """Whether machine code is at work below that has called Python."""
    # LLVM, as it compiles, loses what is raised there; a kernel that hands over its result asks for
    # the result's class and goes on without one, to a segmentation fault.
    while frame is not None and not any(name in frame.f_code.co_filename for name in _CALLED_BACK):
        frame = frame.f_back
    return frame is not None


@contextmanager
def _sole_writer(options: object) -> Iterator[None]:
    """Check that all outputs can be written, and keep other processes from writing them."""
    from isogloss.align.errors import UsageError
    from isogloss.align.files.outputs import (
        check_folders,
        check_output,
        is_stream,
        naming_output,
        output_path,
        sole_writer,
    )

    from .commands.output_suffixes import check_suffix

    with ExitStack() as locks:
        seen: set[Path] = set()
        read = {file for name in inputs(options) if (file := _resolved(name)) is not None}
        for name, is_folder in outputs(options):
            with naming_output(name):
                whole = output_path(name)
            if is_stream(whole):
                continue
            if whole in seen:
                raise UsageError(f"{name} is used for two outputs; give each output its own file")
            seen.add(whole)
            _check_unread(name, whole, is_folder, read)
            check_suffix(name, options)
            if not is_folder:
                check_output(name)
            check_folders(name, seen)
            locks.enter_context(sole_writer(name))
        yield


def _check_unread(name: str, whole: Path, is_folder: bool, read: Set[Path]) -> None:
    """Raise UsageError where an output is read, stands in a folder that is, or holds what is."""
    from isogloss.align.errors import UsageError

    if whole in read:
        raise UsageError(f"{name} is an input of this command; choose another output file")
    folder = next((folder for folder in whole.parents if folder in read), None)
    if folder is not None and whole.is_file():
        raise UsageError(
            f"{name} is in {folder}, an input of this command; choose another output file"
        )
    inner = next((file for file in sorted(read) if whole in file.parents), None)
    if inner is not None and is_folder:
        raise UsageError(
            f"{name} contains {inner}, an input of this command; choose another output folder"
        )


def _resolved(name: str) -> Path | None:
    """What a name stands for; None where it is none of a file."""
    from isogloss.align.files.outputs import real_path

    with suppress(OSError, ValueError):  # too long, a NUL in it, links in a circle
        return real_path(name)
    return None


def _tell_kernels(console: Console) -> None:
    """Where compiled kernels came from, after a command that called some."""
    if shipped := sys.modules.get("isogloss.align.shipped_kernels"):
        console.detail(f"compiled kernels: {shipped.account()}")


def _explained(error: Exception, command: Command) -> str | None:
    """The message of an error that is not a fault of the program, else None."""
    # An option of the library that the command has is named as it was typed.
    from isogloss.align.errors import DataError, IsoglossError, OptionError
    from isogloss.align.kernel_cache import advice

    if isinstance(error, OptionError) and error.name in _options_of(command):
        return error.told(flag(error.name))
    if isinstance(error, DataError):
        return _with_form(error)
    if isinstance(error, IsoglossError):
        return str(error)
    remedy = advice(error)
    if remedy is not None or isinstance(error, OSError):
        return remedy or _told(error)
    if isinstance(error, MemoryError):
        return (
            "out of memory. `isogloss doctor` estimates the memory that a bitext needs and finds "
            "overlong sentences; `isogloss align` has --max-memory and --max-length"
        )
    return None


def _with_form(error: "DataError") -> str:
    """The message of an error, and what its file is where it isn't in a form that is read."""
    from isogloss.align.text.recognition.recognition import explained

    form = explained(error)
    return f"{error}. {form}" if form else str(error)


def _options_of(command: Command) -> Iterator[str]:
    """Names of the options of a command."""
    return option_names(command.options) if command.options is not None else iter(())


def _told(error: Exception) -> str:
    """What the system says of a file."""
    if isinstance(error, OSError) and error.filename is not None:
        return f"{os.fsdecode(error.filename)}: {error.strerror}"
    return str(error)


def _drop_unwritten() -> None:
    """Python writes what standard output still holds as it ends, and would complain once more."""
    try:
        sys.stdout.flush()
    except OSError:
        _close_quietly()


def _close_quietly() -> int:
    """The reader of our output went away; don't complain about it at exit either."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0
