"""Numeric options of commands, and values at the ends of what they may be."""

import argparse
from collections.abc import Iterator, Sequence
from functools import cache
from random import Random

from isogloss.command_line.parsers import COMMANDS, load_command, parser_of
from isogloss.options import Bounds, size

__all__ = ["numeric_options", "other_values"]

# what only makes the work longer: values that are large, but may be given, are waited for
WORK = (
    "epochs", "iterations", "trials", "runs", "folds", "threads", "refits", "restarts", "walks",
    "restart", "batches", "gamma", "sweep", "directions", "nbest_size",
)  # fmt: skip
WHOLES = ["-1", "0", "1", "2", "3", "7", "100", "255", "256", "32768", "65536", "1048576",
          "2147483647", "2147483648", "4294967296", "9007199254740992"]  # fmt: skip
NUMBERS = ["-1", "-1e-9", "0", "5e-324", "1e-300", "1e-40", "1e-30", "1e-12", "1e-3", "0.5",
           "0.999999999999", "1", "1.0000001", "2", "1e3", "1e9", "1e18", "1e30", "3e38", "1e39",
           "1e100", "1e154", "1e200", "1e300", "1e308", "1.7976931348623157e308"]  # fmt: skip
SIZES = ["1", "1k", "100k", "1M", "1G"]


def _actions(parser: argparse.ArgumentParser, words: Sequence[str]) -> Iterator[argparse.Action]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            yield from _actions(action.choices[words[0]], words[1:])
        else:
            yield action


@cache
def _values(words: tuple[str, ...]) -> dict[str, list[str]]:
    name = words[0]
    parser = parser_of(load_command(name), name, COMMANDS[name].line)
    found = {}
    for action in _actions(parser, words[1:]):
        kind = action.type
        if not action.option_strings or not (isinstance(kind, Bounds) or kind is size):
            continue
        values = SIZES
        if isinstance(kind, Bounds):
            values = WHOLES if isinstance(kind.low, int) else NUMBERS
        if any(word in action.dest for word in WORK):
            values = [*values[:5], *(values[-1:] if values is WHOLES else ())]
        found[max(action.option_strings, key=len)] = values
    return found


def numeric_options(words: Sequence[str]) -> dict[str, list[str]]:
    """Values to be tried of each numeric option of a command line."""
    return _values(tuple(words))


def other_values(known: dict[str, list[str]], dice: Random) -> str:
    """One or two options with values."""
    names = dice.sample(sorted(known), min(len(known), dice.choice((1, 1, 2))))
    return " ".join(f"{name}={dice.choice(known[name])}" for name in names)
