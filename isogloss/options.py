"""Options of commands: a frozen dataclass holds them, and its parser is made from its fields.

A field is an option called as the field is, ``max_length`` becoming ``--max-length``; its type
says how its text is read, its default stands for an option that is not given, and the docstring
of the class says what it is for on a line ``name: text``. :func:`positional`, :func:`option` and
:func:`group` say what the type can't: that a field is a positional argument, short names,
metavariables, choices, or a dataclass of options that several commands have.
"""

import argparse
import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin

__all__ = [
    "Command",
    "add_options",
    "build_options",
    "field_lines",
    "flat_values",
    "group",
    "natural",
    "option",
    "option_names",
    "positional",
    "positive",
    "size",
]

Options = TypeVar("Options")
_DOCUMENTED = re.compile(r"(\w+(?:, \w+)*): (.+)")
_KEY = "argument"  # in the metadata of a field


@dataclass(frozen=True)
class Command:
    """A command: the class of its options, what it does with them, two examples.

    actions: commands below this one, by name, in place of options; line: what it does, for its
    parent's help
    """

    options: type[Any] | None
    run: Callable[[Any, Any], None] | None
    examples: tuple[str, ...] = ()
    actions: Mapping[str, "Command"] = field(default_factory=dict)
    line: str = ""


@dataclass(frozen=True)
class _Argument:
    """What a field's type doesn't say of an option.

    names: besides the field's own, or instead of it where ``only`` is set; title: of its group
    collect: adds options to a parser and names them, whose given values become a mapping
    """

    names: tuple[str, ...] = ()
    only: bool = False
    positional: bool = False
    metavar: str | None = None
    parse: Callable[[str], Any] | None = None
    choices: Sequence[str] | None = None
    append: bool = False
    both: bool = False
    title: str | None = None
    exclusive: str | None = None
    text: str | None = None
    collect: Callable[[argparse.ArgumentParser], Sequence[str]] | None = None


def option(
    *names: str,
    default: Any = MISSING,
    only: bool = False,
    metavar: str | None = None,
    parse: Callable[[str], Any] | None = None,
    choices: Sequence[str] | None = None,
    append: bool = False,
    both: bool = False,
    title: str | None = None,
    exclusive: str | None = None,
    text: str | None = None,
) -> Any:
    """A field that is an option; without a default it must be given.

    names: short or other names, such as ``-o``; only: they are all it has, not the field's own
    parse: makes the value from the text; raises argparse.ArgumentTypeError or ValueError
    append: of a tuple, one value each time the option is given, instead of several at a time
    both: of a bool, ``--no-NAME`` as well; title: heading of its group in the help
    exclusive: a name that options share of which one at most may be given
    text: help in place of the docstring's line, where it is made of names that stand elsewhere
    """
    argument = _Argument(
        names, only, False, metavar, parse, choices, append, both, title, exclusive, text
    )
    metadata = {_KEY: argument}
    return field(default=default, metadata=metadata)


def positional(metavar: str, *, default: Any = MISSING) -> Any:
    """A field that is a positional argument; one with a default may be left out."""
    return field(default=default, metadata={_KEY: _Argument(positional=True, metavar=metavar)})


def group(
    kind: type[Any] | None = None,
    *,
    title: str | None = None,
    collect: Callable[[argparse.ArgumentParser], Sequence[str]] | None = None,
) -> Any:
    """A field that holds a dataclass of options, or with ``collect`` a mapping of given ones.

    title: heading in the help; collect: adds options to a parser and returns their names
    """
    metadata = {_KEY: _Argument(title=title, collect=collect)}
    if kind is None:
        return field(default_factory=dict, metadata=metadata)
    if any(_is_required(one) for one in fields(kind)):
        return field(metadata=metadata)
    return field(default_factory=kind, metadata=metadata)


def positive(text: str) -> int:
    """A whole number from 1 on."""
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text} is below 1")
    return value


def natural(text: str) -> int:
    """A whole number from 0 on."""
    value = int(text)
    if value < 0:
        raise argparse.ArgumentTypeError(f"{text} is below 0")
    return value


def size(text: str) -> int:
    """Bytes of 500M, 12G and the like."""
    number, unit = text.rstrip("bB").strip(), 1
    if number and number[-1].upper() in "KMGT":
        unit, number = 1024 ** ("KMGT".index(number[-1].upper()) + 1), number[:-1]
    try:
        value = int(float(number) * unit)
    except (ValueError, OverflowError):
        raise argparse.ArgumentTypeError(f"{text!r}; expected a size such as 12G") from None
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text} is below 1 byte")
    return value


def field_lines(kind: type) -> dict[str, str]:
    """What the docstring of a dataclass says of each field, ``name: text`` on lines of its own.

    Several fields may share a line, ``forward, reverse: text``.
    """
    found: dict[str, str] = {}
    known = {one.name for one in fields(kind)}
    names: list[str] = []
    for line in (inspect.getdoc(kind) or "").splitlines():
        match = _DOCUMENTED.fullmatch(line.strip())
        if match and known.issuperset(match[1].split(", ")):
            names = match[1].split(", ")
            found |= dict.fromkeys(names, match[2])
        elif not line.strip():
            names = []
        else:
            for name in names:
                found[name] += " " + line.strip()
    return found


def add_options(parser: argparse.ArgumentParser, kind: type, title: str | None = None) -> list[str]:
    """Add an argument for each field of a dataclass; returns the optional positional ones.

    What is not given stays out of the namespace, so that defaults stand in the dataclass alone.
    """
    lines = field_lines(kind)
    groups: dict[str, Any] = {}
    exclusive: dict[str, Any] = {}
    optional: list[str] = []
    for one in fields(kind):
        argument: _Argument = one.metadata.get(_KEY) or _Argument()
        if argument.collect:
            argument.collect(parser)
        elif is_dataclass(one.type):
            optional += add_options(parser, one.type, argument.title)  # type: ignore[arg-type]
        else:
            heading = argument.title or title
            place: Any = parser
            if heading:
                place = groups.setdefault(heading, None) or parser.add_argument_group(heading)
                groups[heading] = place
            if argument.exclusive:
                held = exclusive.get(argument.exclusive) or place.add_mutually_exclusive_group()
                exclusive[argument.exclusive] = place = held
            _add_argument(place, one, argument, argument.text or lines.get(one.name, ""))
            if argument.positional and not _is_required(one) and not _is_tuple(one):
                optional.append(one.name)
    return optional


def _add_argument(place: Any, one: Field[Any], argument: _Argument, text: str) -> None:
    settings: dict[str, Any] = {"help": _help(one, text), "default": argparse.SUPPRESS}
    kind = _plain(one.type)
    if argument.positional:
        settings |= {"metavar": argument.metavar, "nargs": _positional_count(one)}
        if argument.parse:
            settings["type"] = argument.parse
        place.add_argument(one.name, **settings)
        return
    own = f"--{one.name.replace('_', '-')}"
    names = argument.names if argument.only else (*argument.names, own)
    settings |= {"dest": one.name, "required": _is_required(one)}
    if kind is bool:
        both = argument.both or one.default is True
        settings["action"] = argparse.BooleanOptionalAction if both else "store_true"
        place.add_argument(*names, **settings)
        return
    if get_origin(kind) is tuple:
        settings |= {"action": "append"} if argument.append else {"nargs": "+"}
        kind = get_args(kind)[0]
    if get_origin(kind) is Literal:
        settings["choices"] = get_args(kind)
    elif argument.choices is not None:
        settings["choices"] = tuple(argument.choices)
    reader = argument.parse or (kind if kind in (int, float) else None)
    if reader:
        settings["type"] = reader
    if argument.metavar:
        settings["metavar"] = argument.metavar
    place.add_argument(*names, **settings)


def _help(one: Field[Any], text: str) -> str:
    """The field's line, and its default where the line has none and there is one to tell."""
    shown = one.default not in (MISSING, None, "", ()) and not isinstance(one.default, bool)
    told = f" (default: {one.default})" if shown and "default:" not in text else ""
    return f"{text.rstrip('.')}{told}".replace("%", "%%")


def _plain(kind: Any) -> Any:
    """The type without None."""
    if get_origin(kind) in (Union, UnionType):
        return next(one for one in get_args(kind) if one is not NoneType)
    return kind


def _is_tuple(one: Field[Any]) -> bool:
    return get_origin(_plain(one.type)) is tuple


def _is_required(one: Field[Any]) -> bool:
    return one.default is MISSING and one.default_factory is MISSING


def _positional_count(one: Field[Any]) -> str | None:
    if _is_tuple(one):
        return "+" if _is_required(one) else "*"
    return None if _is_required(one) else "?"


def build_options(kind: type[Options], values: Mapping[str, Any]) -> Options:
    """The options of a mapping from names to values; others keep their defaults."""
    own: dict[str, Any] = {}
    for one in fields(kind):  # type: ignore[arg-type]
        argument: _Argument = one.metadata.get(_KEY) or _Argument()
        if argument.collect:
            names = argument.collect(argparse.ArgumentParser(add_help=False))
            own[one.name] = {name: _frozen(values[name]) for name in names if name in values}
        elif is_dataclass(one.type):
            own[one.name] = build_options(one.type, values)  # type: ignore[arg-type]
        elif one.name in values:
            own[one.name] = _frozen(values[one.name])
    return kind(**own)


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def flat_values(options: Any) -> dict[str, Any]:
    """Options by name, those of groups beside the others; the inverse of :func:`build_options`."""
    found: dict[str, Any] = {}
    for one in fields(options):
        value = getattr(options, one.name)
        argument: _Argument = one.metadata.get(_KEY) or _Argument()
        if argument.collect:
            found |= value
        elif is_dataclass(one.type):
            found |= flat_values(value)
        else:
            found[one.name] = value
    return found


def option_names(kind: type) -> Iterator[str]:
    """Names of all options, those of groups, too."""
    for one in fields(kind):
        argument: _Argument = one.metadata.get(_KEY) or _Argument()
        if argument.collect:
            yield from argument.collect(argparse.ArgumentParser(add_help=False))
        elif is_dataclass(one.type):
            yield from option_names(one.type)  # type: ignore[arg-type]
        else:
            yield one.name
