"""The program: `isogloss COMMAND ...`. Only the command that is asked for is loaded."""

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from . import __version__
from .commands import COMMANDS
from .console import Console, prepare_streams
from .options import Command, add_options, build_options

__all__ = ["load_command", "main", "parse", "parser_of", "program_parser"]

_EXAMPLES = (
    "isogloss demo --out demo-out",
    "isogloss align corpus.en corpus.es --model m -o links",
)


def load_command(name: str) -> Command:
    """A command, from the module that it stands in."""
    module = import_module(f"{__package__}.commands.{COMMANDS[name].module}")
    command: Command = module.COMMAND
    return command


def _formatted(examples: Sequence[str]) -> str:
    return "examples:\n" + "\n".join(f"  {example}" for example in examples)


def program_parser(*, whole: bool = False) -> argparse.ArgumentParser:
    """The program's parser. whole: with the options of every command, for which all are loaded"""
    parser = argparse.ArgumentParser(
        prog="isogloss",
        description="Word alignment, phrase features and tuning for bitexts of mixed domains.",
        epilog=_formatted(_EXAMPLES),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"isogloss {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, entry in COMMANDS.items():
        below = commands.add_parser(name, help=entry.line, add_help=whole)
        if whole:
            parser_of(load_command(name), f"isogloss {name}", entry.line, below)
    return parser


def parser_of(
    command: Command, name: str, line: str, parser: argparse.ArgumentParser | None = None
) -> argparse.ArgumentParser:
    """The parser of a command. name: with the program's, such as ``isogloss weights show``"""
    parser = parser or argparse.ArgumentParser(prog=name)
    parser.description = line[0].upper() + line[1:] + "."
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    if command.examples:
        parser.epilog = _formatted(command.examples)
    parser.set_defaults(chosen=command, trailing=())
    if command.options is not None:
        parser.set_defaults(trailing=tuple(add_options(parser, command.options)))
    if command.actions:
        actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
        for action, below in command.actions.items():
            action_parser = actions.add_parser(action, help=below.line)
            parser_of(below, f"{name} {action}", below.line, action_parser)
    return parser


def parse(name: str, arguments: Sequence[str]) -> tuple[Command, object]:
    """The command or action that is asked for, and its options.

    Many versions of argparse take an optional positional for missing where an option stands before
    it: in `SRC -o LINKS TGT` the target is left over, and put in its place here.
    """
    parser = parser_of(load_command(name), f"isogloss {name}", COMMANDS[name].line)
    values, rest = parser.parse_known_args(arguments)
    for positional in values.trailing:
        is_value = bool(rest) and (rest[0] == "-" or rest[0][:1] != "-")
        if is_value and not hasattr(values, positional):
            setattr(values, positional, rest.pop(0))
    if rest:
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    command: Command = values.chosen
    assert command.options is not None
    return command, build_options(command.options, vars(values))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns 0, 1 (data or run error), 2 (usage) or 130 (interrupted)."""
    prepare_streams()
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        name: str = program_parser().parse_known_args(given[:1])[0].command
        command, options = parse(name, given[1:])
    except SystemExit as stop:
        return int(stop.code or 0)
    common = getattr(options, "common", None)
    console = Console(common.verbosity if common else 0)
    return _run(name, command, options, console)


def _run(name: str, command: Command, options: object, console: Console) -> int:
    from align.errors import UsageError
    from align.files.writers import naming_output

    assert command.run is not None
    try:
        with console.warnings():
            command.run(options, console)
            with naming_output():
                sys.stdout.flush()
    except BrokenPipeError:
        return _close_quietly()
    except KeyboardInterrupt:
        console.error(f"isogloss {name}: interrupted")
        return 130
    except Exception as error:
        message = _explained(error)
        if message is None:
            raise
        console.error(f"isogloss {name}: {message}")
        return 2 if isinstance(error, UsageError) else 1
    return 0


def _explained(error: Exception) -> str | None:
    """What to tell of an error that is no fault of the program, else None."""
    from align.errors import IsoglossError
    from align.kernel_cache import advice

    if isinstance(error, IsoglossError):
        return str(error)
    found = advice(error)
    if found is not None or isinstance(error, OSError):
        return found or str(error)
    if isinstance(error, MemoryError):
        return (
            "out of memory. `isogloss doctor` estimates what a bitext needs and finds sentences "
            "that are too long; align has --max-memory and --max-length"
        )
    return None


def _close_quietly() -> int:
    """The reader of our output went away; don't complain about it at exit either."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0
