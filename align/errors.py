"""One root error; a DataError says where, what was seen, what was expected, what to do."""

import errno
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from difflib import get_close_matches
from numbers import Integral, Real
from pathlib import Path
from types import NoneType
from typing import Any, TypeVar, get_args, get_origin

__all__ = [
    "MAX_HYPOTHESES",
    "MAX_INT",
    "MAX_ROUNDS",
    "MAX_SAMPLES",
    "DataError",
    "DataWarning",
    "IsoglossError",
    "ModelError",
    "OptionError",
    "OutputError",
    "UsageError",
    "WrongTypeError",
    "changed_options",
    "check_kind",
    "check_listed",
    "check_options",
    "check_types",
    "check_word",
    "check_words",
    "pluralize",
    "range_checks",
    "shown",
    "some_names",
]


# how much work options may ask for: more is a mistake, or a stranger's, and would never end
MAX_ROUNDS = 100_000  # epochs, iterations, restarts
MAX_HYPOTHESES = 100_000  # of a sentence in an n-best list that our decoder makes
MAX_SAMPLES = 10_000_000  # drawn or kept: pairs, hypotheses of a stack, trials of a test
MAX_INT = (1 << 31) - 1  # any other whole number

_SHOWN = 60  # characters of a text in a message
_WORDS = "a list of words"
_LARGEST = sys.float_info.max
_Options = TypeVar("_Options")


class IsoglossError(Exception):
    """Root of every error that the library raises on purpose."""


class UsageError(IsoglossError):
    """Options that do not fit together or lie outside their range."""


class OptionError(UsageError):
    """An option or argument whose value is not allowed.

    Parameters
    ----------
    name: of the option, as Python and configurations have it.
    expected: what its value must be.
    value: what it is.
    """

    def __init__(self, name: str, expected: str, value: object) -> None:
        super().__init__(name, expected, value)
        self.name, self.expected, self.value = name, expected, value

    def __str__(self) -> str:
        return self.told(self.name)

    def told(self, name: str) -> str:
        """The message with another name of the option, such as ``--max-length``."""
        return f"{name} must be {self.expected}, got {shown(self.value)}"


class WrongTypeError(UsageError, TypeError):
    """An argument of another type than is expected."""


def check_listed(values: object, role: str, expected: str, remedy: str = "") -> None:
    """Raise WrongTypeError for a string, whose characters would be taken for the values of a list.

    role: what the values are; expected: how they are given; remedy: what to type instead
    """
    if isinstance(values, str | bytes):
        cut = values if len(values) <= _SHOWN else values[:_SHOWN]
        hint = f"; use {remedy}" if remedy else ""
        raise WrongTypeError(f"{role} must be {expected}, not the string {cut!r}{hint}")


def check_words(sentence: object) -> None:
    """Raise WrongTypeError for a sentence that is a text in place of its words.

    Raises WrongTypeError for what holds no words at all.
    """
    check_listed(sentence, "a sentence", _WORDS, "text.split()")
    if not hasattr(sentence, "__iter__"):
        raise WrongTypeError(f"a sentence must be {_WORDS}, not {shown(sentence)}")


def check_word(word: object) -> None:
    """Raise WrongTypeError for a word that is no text."""
    if not isinstance(word, str):
        raise WrongTypeError(f"a word must be a string, not {shown(word)}")


def check_kind(value: object, kind: type, role: str, expected: str, remedy: str = "") -> None:
    """Raise WrongTypeError for a value of another type.

    role: what the value is to be; expected: how it is given; remedy: what to type instead
    """
    if not isinstance(value, kind):
        hint = f"; use {remedy}" if remedy else ""
        raise WrongTypeError(f"{role} must be {expected}, not {shown(value)}{hint}")


def shown(value: object) -> str:
    """A value in a message, cut after some characters."""
    text = repr(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]} ..."


_KINDS: dict[type, tuple[type, str]] = {
    bool: (bool, "true or false"),
    int: (Integral, f"an integer up to {MAX_INT}"),
    float: (Real, "a finite number"),
    str: (str, "a string"),
    NoneType: (NoneType, "None"),
}


def check_types(options: object) -> None:
    """Raise OptionError for the first field of a dataclass whose value is not of its type.

    A whole number will do for another one; none is infinite, and none is a truth value. Whole ones
    are at most MAX_INT, whatever sign they have.
    """
    for option in fields(options):  # type: ignore[arg-type]
        value, kinds = getattr(options, option.name), get_args(option.type) or (option.type,)
        if option.type not in _KINDS and not get_origin(option.type):
            continue
        if get_origin(option.type) is tuple:
            good, expected = _is_of(value, tuple), f"a list, each item {_KINDS[kinds[0]][1]}"
            good = good and all(_is_of(part, kinds[0]) for part in value)
        else:
            good = any(_is_of(value, kind) for kind in kinds)
            expected = " or ".join(_KINDS[kind][1] for kind in kinds)
        if not good:
            raise OptionError(option.name, expected, value)


def _is_of(value: object, kind: type) -> bool:
    """Whether a value is of a type; whole numbers are within their bound, others are finite."""
    if not isinstance(value, _KINDS[kind][0] if kind in _KINDS else kind):
        return False
    if isinstance(value, bool) or kind is bool:
        return kind is bool
    if not isinstance(value, Real):
        return True
    size = abs(int(value)) if isinstance(value, Integral) else abs(float(value))
    return size <= (MAX_INT if kind is int else _LARGEST)


def check_options(options: object, checks: Iterable[tuple[bool, str, str]]) -> None:
    """Raise OptionError for the first option out of range.

    checks: whether a field of ``options`` is good, its name, and what was expected
    """
    for good, name, expected in checks:
        if not good:
            raise OptionError(name, expected, getattr(options, name))


def range_checks(
    options: object, *names: str, least: int = 1, most: int = MAX_ROUNDS
) -> Iterator[tuple[bool, str, str]]:
    """Checks of :func:`check_options`: whether fields are ``least`` to ``most``."""
    for name in names:
        good = least <= getattr(options, name) <= most
        yield good, name, f"between {least} and {most}"


def changed_options(options: _Options, changes: Mapping[str, Any]) -> _Options:
    """Options, a dataclass, with other values of some fields.

    Raises UsageError for a name that is no field; the dataclass checks the values.
    """
    known = [field.name for field in fields(options)]  # type: ignore[arg-type]
    unknown = [name for name in changes if name not in known]
    if unknown:
        near = get_close_matches(unknown[0], known, n=3) or known
        raise UsageError(f"unknown option {unknown[0]!r}; expected one of {', '.join(near)}")
    return replace(options, **changes)  # type: ignore[type-var]


def pluralize(number: int, noun: str = "line") -> str:
    """1 line, 2 lines."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def some_names(names: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    shown = ", ".join(names[:4])
    return shown if len(names) <= 4 else f"{shown} and {len(names) - 4} more"


class ModelError(IsoglossError):
    """Something stored that is missing, unfinished, damaged, or of another kind or version.

    Also a folder that can't be written, because something else has its name.
    """


class DataWarning(UserWarning):
    """Input that was repaired or left out in a documented way."""


class DataError(IsoglossError):
    """Bad input.

    Parameters
    ----------
    seen: what stands in the input.
    expected: what should stand there.
    file: the file, where there is one.
    line: 1-based line number, where there is one.
    remedy: what the user can do about it.
    """

    def __init__(
        self,
        seen: str,
        expected: str = "",
        *,
        file: str | Path | None = None,
        line: int | None = None,
        remedy: str = "",
    ) -> None:
        self.file, self.line = file, line
        self.seen, self.expected, self.remedy = seen, expected, remedy
        prefix = "" if file is None else f"{file}: " if line is None else f"{file}, line {line}: "
        super().__init__(prefix + self.fault + (f". {remedy}" if remedy else ""))

    @property
    def fault(self) -> str:
        """What was seen and what was expected, without the place and the remedy."""
        return self.seen + (f"; expected {self.expected}" if self.expected else "")

    def placed(self, file: str | Path, line: int | None = None, remedy: str = "") -> "DataError":
        """The same of a file, and of a line and with a remedy where it has none of its own."""
        return DataError(
            self.seen, self.expected, file=file, line=self.line or line,
            remedy=self.remedy or remedy,
        )  # fmt: skip


_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_NOT_ALLOWED = (errno.EACCES, errno.EPERM, errno.EROFS)


class OutputError(IsoglossError):
    """A file that can't be written: no room, not allowed. An older file of its name is kept.

    Parameters
    ----------
    file: the file, or what else was written to.
    cause: what the system says.
    """

    def __init__(self, file: str | Path, cause: OSError) -> None:
        self.file, self.cause = file, cause
        remedy = "Choose another name or folder"
        if cause.errno in _NO_ROOM:
            remedy = "Free disk space, or write to another disk"
        elif cause.errno == errno.EBUSY:
            remedy = "Wait until it has finished, or choose another name"
        elif cause.errno in _NOT_ALLOWED:
            remedy = "Choose a folder you can write to"
        super().__init__(f"{file} cannot be written: {cause.strerror or cause}. {remedy}")
