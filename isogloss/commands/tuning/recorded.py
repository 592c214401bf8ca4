"""The command of a tuning run, as its manifest records it for `isogloss reproduce`."""

from collections.abc import Mapping
from dataclasses import Field, fields, is_dataclass
from typing import Any, Literal, TypeVar, get_args, get_origin

from isogloss.align.errors import DataError
from isogloss.align.files.records import Text, conform, within

from ...options import (
    NUMBERS,
    Argument,
    Bounds,
    argument_of,
    build_options,
    flat_values,
    option_names,
    without_none,
)
from ...runs.run_folder import MANIFEST
from ...tuning.folder import TuningFolder
from ...tuning.optimizer_options import optimizer_option_names

__all__ = ["recorded_command", "recorded_options"]

Options = TypeVar("Options")
_REMEDY = "Restore it from a backup, or repeat the run with the version that it names"

# what doesn't change the result, or says where it goes
_NOT_RECORDED = frozenset((
    "output", "out", "resume", "overwrite", "threads", "quiet", "verbose", "max_memory", "tmpdir",
    "cluster",
))  # fmt: skip
_LATER = ("per_item",)  # runs from before they were made don't have them


def recorded_command(options: Any) -> dict[str, Any]:
    """All options by name that the result depends on, as JSON has them.

    Options of optimizers that were not given are None.
    """
    values = dict.fromkeys(optimizer_option_names()) | flat_values(options)
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in sorted(values.items())
        if name not in _NOT_RECORDED
    }


def recorded_options(folder: TuningFolder, kind: type[Options]) -> Options:
    """The options that the folder of a run records, an object of the dataclass ``kind``.

    What says where results go is never taken from there: the folder may be a stranger's.

    Raises DataError where one is missing that is always recorded, or is not what it can be.
    """
    optional = _NOT_RECORDED.union(optimizer_option_names(), _LATER)
    for name in option_names(kind):
        if name not in optional and name not in folder.command:
            raise DataError(
                f"the recorded command lacks the option {name}",
                file=folder.path / MANIFEST,
                remedy=_REMEDY,
            )
    given = {
        name: value
        for name, value in folder.command.items()
        if value is not None and name not in _NOT_RECORDED
    }
    try:
        _check_values(kind, given)
    except DataError as error:
        raise error.placed(folder.path / MANIFEST, remedy=_REMEDY) from error
    return build_options(kind, given)


def _check_values(kind: type, values: Mapping[str, Any]) -> None:
    """Check values by name that were stored, as a command line's are checked where it is read."""
    for option_field in fields(kind):
        argument, below = argument_of(option_field), option_field.type
        if is_dataclass(below):
            _check_values(below, values)  # type: ignore[arg-type]
        elif option_field.name in values and not argument.collect:
            _check_value(option_field, argument, values[option_field.name])


def _check_value(option_field: Field[Any], argument: Argument, value: Any) -> None:
    kind, name = without_none(option_field.type), option_field.name
    several = get_origin(kind) is tuple
    if several:
        kind = get_args(kind)[0]
    choices = get_args(kind) if get_origin(kind) is Literal else argument.choices
    bounds = argument.parse if isinstance(argument.parse, Bounds) else NUMBERS.get(kind)
    stored: Any = Text if get_origin(kind) is Literal or kind is str else kind
    if bounds is not None:
        stored = within(kind, bounds.low, bounds.high)
    conform(value, list[stored] if several else stored, name)
    wrong = [part for part in (value if several else [value]) if choices and part not in choices]
    if wrong:
        raise DataError(f"{name} is {wrong[0]!r}", f"one of {', '.join(choices or ())}")
