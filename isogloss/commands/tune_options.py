"""Options of the optimisers on the command line, made from the fields of their dataclasses."""

import argparse
import inspect
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import Field, fields
from typing import Any, get_args, get_origin

from align.errors import UsageError
from tune.methods import OPTIMIZERS, Optimizer

__all__ = ["add_method_options", "field_lines", "method_options"]

_FIELD = re.compile(r"(\w+): (.+)")


def field_lines(kind: type) -> dict[str, str]:
    """What the docstring of a dataclass says of each field, ``name: text`` on lines of its own."""
    found: dict[str, str] = {}
    names = {field.name for field in fields(kind)}
    name = ""
    for line in (inspect.getdoc(kind) or "").splitlines():
        match = _FIELD.fullmatch(line.strip())
        if match and match[1] in names:
            name = match[1]
            found[name] = match[2]
        elif not line.strip():
            name = ""
        elif name:
            found[name] += " " + line.strip()
    return found


def _flag(name: str, value: object = None) -> str:
    off = "no-" if value is False else ""
    return f"-{name.upper()}" if len(name) == 1 else f"--{off}{name.replace('_', '-')}"


def _users() -> dict[str, list[Optimizer]]:
    """Methods that have each field, in order."""
    users: dict[str, list[Optimizer]] = {}
    for method in OPTIMIZERS.values():
        for field in fields(method.options):
            users.setdefault(field.name, []).append(method)
    return users


def _own_field(method: Optimizer, name: str) -> Field[Any]:
    return next(field for field in fields(method.options) if field.name == name)


def _needs(field: Field[Any]) -> tuple[str, tuple[str, ...]] | None:
    """Another field and its values that this one is for, as its metadata say, if they do."""
    return field.metadata.get("needs")


def _argument(field: Field[Any]) -> dict[str, Any]:
    kind: Any = field.type
    if type(None) in get_args(kind):
        kind = next(one for one in get_args(kind) if one is not type(None))
    if kind is bool:
        return {"action": argparse.BooleanOptionalAction}
    if get_origin(kind) is tuple:
        return {"action": "append", "metavar": "VALUE"}
    return {"type": kind, "metavar": {int: "N", float: "X"}.get(kind, "NAME")}


def _shown(value: Any) -> str:
    return "none" if value in (None, ()) else str(value)


def _defaults(name: str, methods: list[Optimizer]) -> str:
    """The default, and who has another."""
    own = [_shown(getattr(method.defaults, name)) for method in methods]
    usual = Counter(own).most_common(1)[0][0]
    others = [f"{one.name}: {v}" for one, v in zip(methods, own, strict=True) if v != usual]
    return f"default: {'; '.join([usual, *others])}"


def _help(name: str, methods: list[Optimizer]) -> str:
    """What the option is; where optimisers differ in it, what it is for each."""
    meaning: dict[str, list[str]] = {}
    for method in methods:
        line = field_lines(method.options).get(name, "").rstrip(".")
        if needs := _needs(_own_field(method, name)):
            line += f"; for {_flag(needs[0])} {' or '.join(needs[1])}"
        meaning.setdefault(line, []).append(method.name)
    if len(meaning) == 1:
        text = next(iter(meaning))
    else:
        text = "; ".join(f"{', '.join(names)}: {line}" for line, names in meaning.items())
    return f"{text} ({_defaults(name, methods)})".replace("%", "%%")


def add_method_options(parser: argparse.ArgumentParser) -> None:
    """Add an option for each field of each optimiser; fields that several have are one option."""
    groups: dict[tuple[str, ...], Any] = {}
    for name, methods in _users().items():
        names = tuple(method.name for method in methods)
        if names not in groups:
            groups[names] = parser.add_argument_group("for --optimizer " + ", ".join(names))
        kind = _argument(_own_field(methods[0], name))
        groups[names].add_argument(
            _flag(name), dest=name, default=None, help=_help(name, methods), **kind
        )


def _given(options: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name in _users():
        value = options.get(name)
        if value is not None:
            yield name, tuple(value) if isinstance(value, list) else value


def method_options(method: Optimizer, options: Mapping[str, Any]) -> Any:
    """The options object of an optimiser, from those given on the command line.

    Raises UsageError for an option that this optimiser doesn't have, or that does nothing with
    the value of another one (``needs`` in the metadata of its field).
    """
    known = {field.name for field in fields(method.options)}
    own: dict[str, Any] = {}
    for name, value in _given(options):
        if name not in known:
            having = ", ".join(one.name for one in _users()[name])
            raise UsageError(f"{_flag(name)} is not for {method.name}; it is for {having}")
        own[name] = value
    chosen = method.with_options(own)
    for name, value in own.items():
        other, values = _needs(_own_field(method, name)) or ("", ())
        if other and getattr(chosen, other) not in values:
            raise UsageError(
                f"{_flag(name, value)} is not for {_flag(other)} {getattr(chosen, other)}; it is "
                f"for {_flag(other)} {' or '.join(values)}"
            )
    return chosen
