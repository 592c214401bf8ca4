"""Options of the optimizers on the command line, made from the fields of their dataclasses."""

import argparse
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import Field, fields, replace
from typing import Any, get_args, get_origin

from isogloss.align.errors import UsageError
from isogloss.tune.methods import OPTIMIZERS, Optimizer
from isogloss.tune.online.options import DecoderTuningOptions, OnlineOptions

from ..options import NUMBERS, field_lines, flag

__all__ = [
    "add_optimizer_options",
    "decoder_tuning_options",
    "loop_options",
    "optimizer_lines",
    "optimizer_option_names",
    "optimizer_options",
]

# what batch loops have in place of the defaults for lists, by optimizer (explanation/tuning.md)
_BATCH: Mapping[str, Mapping[str, Any]] = {"adagrad-pro": {"rate": 0.02}, "pro": {"l2": 0.5}}


# of options that are lists of values
_METAVARS: Mapping[str, str] = {
    "fixed": "PREFIX",
    "tied": "PREFIX",
    "positive": "PREFIX",
    "group_rate": "PREFIX=RATE",
    "group_l1": "PREFIX=LAMBDA",
    "ranges": "PREFIX=MIN..MAX",
}

_FIELD = re.compile("``([a-z0-9_]+)``")  # of an optimizer, in a docstring


def _flag(name: str, value: object = None) -> str:
    return flag(f"no_{name}" if value is False else name)


def _users() -> dict[str, list[Optimizer]]:
    """The methods that have each field, in order."""
    users: dict[str, list[Optimizer]] = {}
    for method in OPTIMIZERS.values():
        for field in fields(method.options):
            users.setdefault(field.name, []).append(method)
    return users


def _field_of(method: Optimizer, name: str) -> Field[Any]:
    return next(field for field in fields(method.options) if field.name == name)


def _needs(field: Field[Any]) -> tuple[str, tuple[str, ...]] | None:
    """The field that this one depends on, and its values with which this one has an effect."""
    return field.metadata.get("needs")


def _choices(fields: Sequence[Field[Any]]) -> str:
    """The values of a field in braces, of all methods that have it; "" where they are no set."""
    values = (value for field in fields for value in field.metadata.get("choices", ()))
    listed = ",".join(dict.fromkeys(values))
    return f"{{{listed}}}" if listed else ""


def _argument(fields: Sequence[Field[Any]]) -> dict[str, Any]:
    """What argparse needs to know of a field. fields: that of each method that has it"""
    field = fields[0]
    kind: Any = field.type
    if type(None) in get_args(kind):
        kind = next(part for part in get_args(kind) if part is not type(None))
    if kind is bool:
        return {"action": argparse.BooleanOptionalAction}
    if get_origin(kind) is tuple:
        return {"action": "append", "metavar": _METAVARS.get(field.name, "VALUE")}
    metavar = {int: "N", float: "X"}.get(kind) or _choices(fields) or "NAME"
    return {"type": NUMBERS.get(kind, kind), "metavar": metavar}


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return "none" if value in (None, ()) else str(value)


def _defaults(name: str, methods: list[Optimizer]) -> str:
    """The usual default, and the methods that have another."""
    values = [
        _field_of(method, name).metadata.get("default", _shown(getattr(method.defaults, name)))
        for method in methods
    ]
    usual = Counter(values).most_common(1)[0][0]
    others = [
        f"{method.name}: {value}"
        for method, value in zip(methods, values, strict=True)
        if value != usual
    ]
    return f"default: {'; '.join([usual, *others])}"


def _help(name: str, methods: list[Optimizer], documented: Mapping[str, Mapping[str, str]]) -> str:
    """What the option is, its values and what it needs where optimizers differ, its defaults."""
    # documented: what each method says of its fields; all say the same of one
    needs, choices = dict[str, list[str]](), dict[str, list[str]]()
    for method in methods:
        field = _field_of(method, name)
        other, values = _needs(field) or ("", ())
        need = f"for {_flag(other)} {_alternatives(values)}" if other else ""
        needs.setdefault(need, []).append(method.name)
        choices.setdefault(", ".join(field.metadata.get("choices", ())), []).append(method.name)
    parts = [documented[methods[0].name].get(name, "").rstrip(".")]
    for told in (choices if len(choices) > 1 else {}, needs):
        for text, names in told.items():
            parts.append(f"{_listed(names)}: {text}" if text and len(told) > 1 else text)
    text = "; ".join(filter(None, parts))
    text = f"{text} ({_defaults(name, methods)})".replace("%", "%%")
    return _FIELD.sub(lambda match: _flag(match[1]), text)


def _listed(names: Sequence[str]) -> str:
    """Names of optimizers; the online ones together, if all of them are among these."""
    online = _online_optimizers()
    if list(names[: len(online)]) != online:
        return ", ".join(names)
    return ", ".join(["online optimizers", *names[len(online) :]])


def optimizer_lines() -> str:
    """What each optimizer is, and which ones are online."""
    lines = [f"{method.name}: {method.line}" for method in OPTIMIZERS.values()]
    return "; ".join([*lines, f"online optimizers are {', '.join(_online_optimizers())}"])


def _online_optimizers() -> list[str]:
    """Names of the optimizers that have the options of online learning, in their order."""
    return [method.name for method in OPTIMIZERS.values() if method.options is OnlineOptions]


def _alternatives(values: Sequence[str]) -> str:
    """One of several values: a, b or c."""
    *others, last = values
    return f"{', '.join(others)} or {last}" if others else last


def optimizer_option_names() -> Sequence[str]:
    """The fields of all optimizers' options, each once."""
    return list(_users())


def add_optimizer_options(parser: argparse.ArgumentParser) -> Sequence[str]:
    """Add an option for each field of each optimizer; fields that several have are one option.

    Options that are not given stay out of the namespace. Returns the names of the fields.
    """
    groups: dict[tuple[str, ...], Any] = {}
    documented = {method.name: field_lines(method.options) for method in OPTIMIZERS.values()}
    for name, methods in _users().items():
        names = tuple(method.name for method in methods)
        if names not in groups:
            groups[names] = parser.add_argument_group("for --optimizer " + ", ".join(names))
        groups[names].add_argument(
            _flag(name),
            dest=name,
            default=argparse.SUPPRESS,
            help=_help(name, methods, documented),
            **_argument([_field_of(method, name) for method in methods]),
        )
    return optimizer_option_names()


def optimizer_options(method: Optimizer, given: Mapping[str, Any]) -> Any:
    """The options object of an optimizer, its defaults replaced by the options that were given.

    Raises UsageError for an option that this optimizer doesn't have, or that has no effect with
    the value of another one (``needs`` in the metadata of its field).
    """
    known = {field.name for field in fields(method.options)}
    for name in given:
        if name not in known:
            having = ", ".join(user.name for user in _users()[name])
            raise UsageError(
                f"{_flag(name)} cannot be used with {method.name}; it is an option of {having}"
            )
    chosen = method.with_options(given)
    for name, value in given.items():
        other, values = _needs(_field_of(method, name)) or ("", ())
        if other and getattr(chosen, other) not in values:
            raise UsageError(
                f"{_flag(name, value)} cannot be used with {_flag(other)} "
                f"{getattr(chosen, other)}; it needs {_flag(other)} {_alternatives(values)}"
            )
    return chosen


def decoder_tuning_options(
    name: str, given: Mapping[str, Any], **changes: Any
) -> DecoderTuningOptions:
    """Options of the online optimizer ``name`` in the decoder's loop.

    given: its own options, as the command line names them; changes: others of the loop

    adagrad-pro has the paper's learning rate here, and a run fewer epochs than on lists, as each
    costs a decoding of the whole text.

    Raises UsageError as :func:`optimizer_options` does.
    """
    options: OnlineOptions = optimizer_options(OPTIMIZERS[name], given)
    if name == "adagrad-pro" and "rate" not in given:
        options = replace(options, rate=OnlineOptions().rate)
    epochs = given.get("epochs") or DecoderTuningOptions.epochs
    return DecoderTuningOptions.of(options, epochs=epochs, **changes)


def loop_options(method: Optimizer, given: Mapping[str, Any]) -> Any:
    """Options of an optimizer in the batch loop.

    given: its own options, as the command line names them

    Raises UsageError as :func:`optimizer_options` does.
    """
    return optimizer_options(method, {**_BATCH.get(method.name, {}), **given})
