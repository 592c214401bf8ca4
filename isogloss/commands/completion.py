"""isogloss completion: a script by which a shell completes commands, options and files."""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass

import shtab

from ..command_line.parsers import program_parser
from ..console import Console, write_stdout
from ..options import Command, positional

__all__ = ["COMMAND", "SHELLS", "CompletionOptions", "run"]

SHELLS = ("bash", "zsh", "fish")

# metavariables that stand for a file, and those that stand for a folder
_FILES = frozenset(
    [
        "ARPA",
        "BINS",
        "CONFIG.toml",
        "FILE",
        "GOLD",
        "GRAPH",
        "HYP",
        "INI",
        "INPUT",
        "LINKS",
        "MOSES.INI",
        "NBEST",
        "REF",
        "RUN",
        "S2T",
        "SRC",
        "SYSTEM",
        "T2S",
        "TABLE",
        "TEXT",
        "TGT",
        "TSV",
        "WEIGHTS",
    ]
)
_FOLDERS = frozenset(("DIR", "MODEL", "NEW"))


@dataclass(frozen=True)
class CompletionOptions:
    """Options of `isogloss completion`.

    shell: target shell: bash, zsh or fish
    """

    shell: str = positional("SHELL", choices=SHELLS)


def run(options: CompletionOptions, console: Console) -> None:
    """Write the script to stdout."""
    program = program_parser(whole=True)
    for parser in _with_those_below(program):
        for action in parser._actions:
            if action.metavar in _FILES:
                action.complete = shtab.FILE  # type: ignore[attr-defined]
            elif action.metavar in _FOLDERS:
                action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
    write_stdout(shtab.complete(program, options.shell).rstrip() + "\n")


def _with_those_below(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """A parser, and those of all commands below it."""
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield from _with_those_below(below)


COMMAND = Command(
    CompletionOptions,
    run,
    (
        "isogloss completion bash > ~/.local/share/bash-completion/completions/isogloss",
        "isogloss completion fish > ~/.config/fish/completions/isogloss.fish",
    ),
)
