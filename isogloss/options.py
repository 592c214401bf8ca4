"""Options of commands: a frozen dataclass holds them, and its parser is made from its fields.

A field is an option called as the field is, ``max_length`` becoming ``--max-length``; its type
says how its text is read, its default stands for an option that is not given, and the docstring
of the class says what it is for on a line ``name: text``. :func:`positional`, :func:`option` and
:func:`group` say what the type can't: positions, other names, metavariables, groups.
"""

import argparse
import inspect
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin

from isogloss.align.errors import MAX_INT
from isogloss.align.files.inputs.remote import is_url
from isogloss.align.files.numerals import parse_number, parse_whole

__all__ = [
    "NUMBERS",
    "Argument",
    "Bounds",
    "Command",
    "add_options",
    "argument_of",
    "build_options",
    "field_lines",
    "flag",
    "flat_values",
    "group",
    "natural",
    "not_allowed",
    "number",
    "option",
    "option_names",
    "output_file",
    "output_folder",
    "positional",
    "positive",
    "seed",
    "shown_size",
    "size",
    "whole",
    "without_none",
]

Options = TypeVar("Options")
_DOCUMENTED = re.compile(r"(\w+(?:, \w+)*)( ?): (.+)")
_KEY = "argument"  # in the metadata of a field


@dataclass(frozen=True)
class Command:
    """A command: the class of its options, what it does with them, two examples.

    actions: commands below this one, by name, in place of options; line: for its parent's help
    next_step: arguments of a command that goes on with what was written, or none, by its options
    first: names of the options that ``--help`` shows by heading, where it doesn't show all;
    chooser: of the option whose value says which others ``--help`` shows, see `CommandParser`
    """

    options: type[Any] | None
    run: Callable[[Any, Any], None] | None
    examples: tuple[str, ...] = ()
    actions: Mapping[str, "Command"] = field(default_factory=dict)
    line: str = ""
    next_step: Callable[[Any], Sequence[str]] | None = None
    first: Mapping[str, Sequence[str]] = field(default_factory=dict)
    chooser: str = ""


@dataclass(frozen=True)
class Argument:
    """What a field's type doesn't say of an option.

    names: besides the field's own; title: of its group
    collect: adds options to a parser and names them, whose given values become a mapping
    """

    names: tuple[str, ...] = ()
    positional: bool = False
    metavar: str | None = None
    parse: Callable[[str], Any] | None = None
    choices: Sequence[str] | None = None
    append: bool = False
    title: str | None = None
    exclusive: str | None = None
    text: str | None = None
    collect: Callable[[argparse.ArgumentParser], Sequence[str]] | None = None


def option(
    *names: str,
    default: Any = MISSING,
    metavar: str | None = None,
    parse: Callable[[str], Any] | None = None,
    choices: Sequence[str] | None = None,
    append: bool = False,
    title: str | None = None,
    exclusive: str | None = None,
    text: str | None = None,
) -> Any:
    """A field that is an option; without a default it must be given.

    names: short or other names, such as ``-o``
    parse: makes the value from the text; raises argparse.ArgumentTypeError or ValueError
    append: of a tuple, one value each time the option is given, instead of several at a time
    title: heading of its group in the help
    exclusive: a name that options share of which one at most may be given
    text: help in place of the docstring's line, where it is made of names that stand elsewhere
    """
    argument = Argument(
        names,
        metavar=metavar,
        parse=parse,
        choices=choices,
        append=append,
        title=title,
        exclusive=exclusive,
        text=text,
    )
    return field(default=default, metadata={_KEY: argument})


def positional(
    metavar: str, *, default: Any = MISSING, choices: Sequence[str] | None = None
) -> Any:
    """A field that is a positional argument; one with a default may be left out."""
    argument = Argument(positional=True, metavar=metavar, choices=choices)
    return field(default=default, metadata={_KEY: argument})


def group(
    kind: type[Any] | None = None,
    *,
    title: str | None = None,
    collect: Callable[[argparse.ArgumentParser], Sequence[str]] | None = None,
) -> Any:
    """A field that holds a dataclass of options, or with ``collect`` a mapping of given ones.

    title: heading in the help; collect: adds options to a parser and returns their names
    """
    metadata = {_KEY: Argument(title=title, collect=collect)}
    if kind is None:
        return field(default_factory=dict, metadata=metadata)
    if any(map(_is_required, fields(kind))):
        return field(metadata=metadata)
    return field(default_factory=kind, metadata=metadata)


@dataclass(frozen=True)
class Bounds:
    """Reads a number from ``low`` to ``high``, both included, and of their type."""

    low: float
    high: float

    def __call__(self, text: str) -> float:
        """The number of a text. Raises ArgumentTypeError for another text."""
        is_whole = isinstance(self.low, int)
        try:
            value = (parse_whole if is_whole else parse_number)(text)
        except ValueError:
            raise not_allowed("an integer" if is_whole else "a finite number", text[:40]) from None
        low, high = (f"{end:.16g}" for end in (self.low, self.high))
        if not self.low <= value <= self.high:
            near = f"at least {low}" if value < self.low else f"at most {high}"
            raise not_allowed(near if self.high >= MAX_INT else f"between {low} and {high}", value)
        return value


def not_allowed(expected: str, value: object) -> argparse.ArgumentTypeError:
    """The error of an argument that is not allowed, in the words of OptionError."""
    return argparse.ArgumentTypeError(f"must be {expected}, got {value!r}")


LARGEST = 1 << 53  # that every program tells from its neighbors
natural, positive, seed = Bounds(0, MAX_INT), Bounds(1, MAX_INT), Bounds(0, LARGEST)
whole = Bounds(-MAX_INT, MAX_INT)
number = Bounds(-sys.float_info.max, sys.float_info.max)
# how numbers of each type are read, where an option says nothing else
NUMBERS: Mapping[Any, Bounds] = {int: whole, float: number}


def output_file(text: str) -> str:
    """The name of a file that the command writes, or ``-``; see :mod:`.commands.named_files`."""
    return _output(text, "a file")


def output_folder(text: str) -> str:
    """The name of a folder that the command writes, without a slash at its end."""
    return str(Path(_output(text, "a folder")))


def _output(text: str, kind: str) -> str:
    if text and not is_url(text):
        return text
    why = ", since addresses can only be read" if text else ""
    raise not_allowed(f"the name of {kind}{why}", text)


def size(text: str) -> int:
    """Bytes of 500M, 12G and the like."""
    digits, unit = text.rstrip("bB").strip(), 1
    if digits and digits[-1].upper() in "KMGT":
        unit, digits = 1024 ** ("KMGT".index(digits[-1].upper()) + 1), digits[:-1].strip()
    try:
        value = int(parse_number(digits) * unit)
    except (ValueError, OverflowError):
        raise not_allowed("a size such as 12G", text) from None
    if not 1 <= value <= LARGEST:
        most = f"at most {shown_size(LARGEST)}"
        raise not_allowed("at least 1 byte" if value < 1 else most, text)
    return value


def shown_size(value: int) -> str:
    """Bytes as a command line takes them: 256M."""
    power = max(k for k in range(5) if value % 1024**k == 0)
    return f"{value // 1024**power}{' KMGT'[power].strip()}"


def flag(name: str) -> str:
    """The option of a field: ``--max-length``, or ``-C`` of a field with one letter."""
    return f"-{name.upper()}" if len(name) == 1 else f"--{name.replace('_', '-')}"


def field_lines(kind: type) -> dict[str, str]:
    """What the docstring of a dataclass says of each field, as a phrase for ``--help``.

    A field has a line ``name: text``, or an entry of numpydoc: ``name : type`` above the text.
    Several fields may share one, ``forward, reverse: text``. Base classes document their fields.
    """
    lines: dict[str, str] = {}
    for base in filter(is_dataclass, kind.__bases__):
        lines |= field_lines(base)
    known = {option_field.name for option_field in fields(kind)}
    names: list[str] = []
    for line in (inspect.getdoc(kind) or "").splitlines():
        match = _DOCUMENTED.fullmatch(line.strip())
        if match and known.issuperset(match[1].split(", ")):
            names = match[1].split(", ")
            lines |= dict.fromkeys(names, "" if match[2] else match[3])
        elif not line.strip():
            names = []
        else:
            for name in names:
                text = lines[name]
                lines[name] = f"{text} {line.strip()}" if text else _as_phrase(line.strip())
    return lines


def _as_phrase(sentence: str) -> str:
    """A sentence without its capital; abbreviations such as EM keep theirs."""
    return re.sub(r"^[A-Z](?=[a-z-])", lambda first: first[0].lower(), sentence)


def argument_of(option_field: Field[Any]) -> Argument:
    """What is said of an option beside its type."""
    return option_field.metadata.get(_KEY) or Argument()


def add_options(parser: argparse.ArgumentParser, kind: type, title: str | None = None) -> list[str]:
    """Add an argument for each field of a dataclass; returns the optional positional ones.

    What is not given stays out of the namespace, so that defaults stand in the dataclass alone.
    """
    lines, exclusive, optional = field_lines(kind), dict[str, Any](), list[str]()
    for option_field in fields(kind):
        argument = argument_of(option_field)
        if argument.collect:
            argument.collect(parser)
            continue
        if is_dataclass(option_field.type):
            below: Any = option_field.type
            optional += add_options(parser, below, argument.title or title)
            continue
        holder: Any = _group_of(parser, argument.title or title)
        if name := argument.exclusive:
            exclusive[name] = holder = exclusive.get(name) or holder.add_mutually_exclusive_group()
        text = argument.text or lines.get(option_field.name, "")
        _add_argument(holder, option_field, argument, text)
        if argument.positional and _positional_count(option_field) == "?":
            optional.append(option_field.name)
    return optional


def _group_of(parser: argparse.ArgumentParser, heading: str | None) -> Any:
    """The group of a parser with a heading, added if it isn't there; without one the parser."""
    if not heading:
        return parser
    there = (group for group in parser._action_groups if group.title == heading)
    return next(there, None) or parser.add_argument_group(heading)


def _add_argument(holder: Any, option_field: Field[Any], argument: Argument, text: str) -> None:
    """Add one argument to a parser or to a group of one."""
    settings: dict[str, Any] = {"help": _help(option_field, text), "default": argparse.SUPPRESS}
    kind = without_none(option_field.type)
    if argument.positional:
        names: tuple[str, ...] = (option_field.name,)
        settings["nargs"] = _positional_count(option_field)
    else:
        names = (*argument.names, f"--{option_field.name.replace('_', '-')}")
        settings |= {"dest": option_field.name, "required": _is_required(option_field)}
    if kind is bool:
        is_on = option_field.default is True
        settings["action"] = argparse.BooleanOptionalAction if is_on else "store_true"
        holder.add_argument(*names, **settings)
        return
    if get_origin(kind) is tuple:
        kind = get_args(kind)[0]
        if not argument.positional:
            settings |= {"action": "append"} if argument.append else {"nargs": "+"}
    choices = get_args(kind) if get_origin(kind) is Literal else argument.choices
    if choices is not None:
        settings["choices"] = tuple(choices)
    if reader := argument.parse or NUMBERS.get(kind):
        settings["type"] = reader
    if argument.metavar:
        settings["metavar"] = argument.metavar
    holder.add_argument(*names, **settings)


def _help(option_field: Field[Any], text: str) -> str:
    """The field's line, and its default if it has one that the line doesn't tell."""
    default: Any = option_field.default
    shown = default not in (MISSING, None, "", ()) and not isinstance(default, bool)
    if argument_of(option_field).parse is size and shown:
        default = shown_size(default)
    told = f" (default: {default})" if shown and "default:" not in text else ""
    return f"{text.rstrip('.')}{told}".replace("%", "%%")


def without_none(kind: Any) -> Any:
    """The type of a value that is not None."""
    if get_origin(kind) in (Union, UnionType):
        return next(part for part in get_args(kind) if part is not NoneType)
    return kind


def _is_required(option_field: Field[Any]) -> bool:
    return option_field.default is MISSING and option_field.default_factory is MISSING


def _positional_count(option_field: Field[Any]) -> str | None:
    """How many values a positional argument takes, as argparse writes it."""
    if get_origin(without_none(option_field.type)) is tuple:
        return "+" if _is_required(option_field) else "*"
    return None if _is_required(option_field) else "?"


def build_options(kind: type[Options], values: Mapping[str, Any]) -> Options:
    """The options of a mapping from names to values; others keep their defaults."""
    given: dict[str, Any] = {}
    for option_field in fields(kind):  # type: ignore[arg-type]
        name = option_field.name
        if collect := argument_of(option_field).collect:
            names = collect(argparse.ArgumentParser(add_help=False))
            given[name] = {below: _frozen(values[below]) for below in names if below in values}
        elif is_dataclass(option_field.type):
            below_kind: Any = option_field.type
            given[name] = build_options(below_kind, values)
        elif name in values:
            given[name] = _frozen(values[name])
    return kind(**given)


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def flat_values(options: Any) -> dict[str, Any]:
    """Options by name, those of groups beside the others; the inverse of :func:`build_options`."""
    values: dict[str, Any] = {}
    for option_field in fields(options):
        value = getattr(options, option_field.name)
        if argument_of(option_field).collect:
            values |= value
        elif is_dataclass(option_field.type):
            values |= flat_values(value)
        else:
            values[option_field.name] = value
    return values


def option_names(kind: type) -> Iterator[str]:
    """Names of all options, those of groups, too."""
    for option_field in fields(kind):
        if collect := argument_of(option_field).collect:
            yield from collect(argparse.ArgumentParser(add_help=False))
        elif is_dataclass(option_field.type):
            below: Any = option_field.type
            yield from option_names(below)
        else:
            yield option_field.name
