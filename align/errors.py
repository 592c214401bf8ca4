"""One root error; a DataError says where, what was seen, what was expected, what to do."""

import errno
import re
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from difflib import get_close_matches
from numbers import Integral, Real
from os import PathLike
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, get_args, get_origin

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
    "Size",
    "UnknownAttributeError",
    "UnknownNameError",
    "UsageError",
    "WrongTypeError",
    "check_argument",
    "check_listed",
    "check_options",
    "check_path",
    "check_types",
    "check_word",
    "check_words",
    "counted",
    "did_you_mean",
    "pluralize",
    "range_checks",
    "shown",
    "shown_file",
    "some_names",
    "unreadable",
    "warn",
]

# how much work options may ask for: more is a mistake, or a stranger's, and would never end
MAX_ROUNDS = 100_000  # epochs, iterations, restarts
MAX_HYPOTHESES = 100_000  # of a sentence in an n-best list that our decoder makes
MAX_SAMPLES = 10_000_000  # drawn or kept: pairs, hypotheses of a stack, trials of a test
MAX_INT = (1 << 31) - 1  # any other whole number

_SHOWN = 60  # characters of a text in a message
_LARGEST = sys.float_info.max


class IsoglossError(Exception):
    """Root of every error that the library raises on purpose.

    Examples
    --------
    >>> import isogloss as ig
    >>> try:
    ...     ig.read_sentences("missing")
    ... except ig.IsoglossError as error:
    ...     print(error)
    missing cannot be read: No such file or directory. Check the path
    """


class UsageError(IsoglossError):
    """Options or arguments are out of range or incompatible.

    Examples
    --------
    >>> import isogloss as ig
    >>> ig.read_links("links", score=True)
    Traceback (most recent call last):
    isogloss.align.errors.UsageError: read_links has no argument 'score'; did you mean scored?
    """


class OptionError(UsageError):
    """An option or argument whose value is not allowed.

    Parameters
    ----------
    name : str
        Name of the option in Python and in configurations.
    expected : str
        What its value must be.
    value : object
        What it is.
    remedy : str, default ""
        What to do, after the punctuation in front of it.
    """

    def __init__(self, name: str, expected: str, value: object, remedy: str = "") -> None:
        super().__init__(name, expected, value, remedy)
        self.name, self.expected, self.value, self.remedy = name, expected, value, remedy

    def __str__(self) -> str:
        return self.told(self.name)

    def told(self, name: str) -> str:
        """Return the message with another name of the option.

        Parameters
        ----------
        name : str
            Such as ``--max-length``.
        """
        return f"{name} must be {self.expected}, got {shown(self.value)}{self.remedy}"


class WrongTypeError(UsageError, TypeError):
    """An argument of another type than is expected."""


class UnknownAttributeError(UsageError, AttributeError):
    """An attribute of a package or an object that isn't there."""


class UnknownNameError(UsageError, KeyError):
    """A name that is looked up and isn't there."""

    __str__ = Exception.__str__  # that of KeyError shows the message in quotes


def check_argument(
    value: object, kinds: type | tuple[type, ...], name: str, what: str, remedy: str = ""
) -> None:
    """Raise WrongTypeError for an argument of another type.

    Parameters
    ----------
    value : object
        The argument.
    kinds : type or tuple of type
        What it must be.
    name, what, remedy : str
        For the message: the argument, what it must be, and what to type instead.

    Examples
    --------
    >>> check_argument(1, str, "name", "a string")
    Traceback (most recent call last):
    isogloss.align.errors.WrongTypeError: name must be a string, not 1
    """
    if not isinstance(value, kinds):
        raise WrongTypeError(_misfit(name, what, shown(value), remedy))


def warn(message: str) -> None:
    """Give a DataWarning that shows the line which called the package, not one within it."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and _is_ours(frame.f_globals.get("__name__", "")):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, DataWarning, stacklevel=level)


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] == __name__.partition(".")[0]


def check_listed(values: object, name: str, what: str = "a list", remedy: str = "") -> None:
    """Raise WrongTypeError for a string, whose characters would be taken for the values of a list.

    name, what, remedy: as in :func:`check_argument`
    """
    if isinstance(values, str | bytes):
        raise WrongTypeError(_misfit(name, what, f"the string {shown(values)}", remedy))


def _misfit(name: str, what: str, seen: str, remedy: str) -> str:
    return f"{name} must be {what}, not {seen}" + (f"; use {remedy}" if remedy else "")


def check_path(path: object) -> None:
    """Raise WrongTypeError for anything but a path or the name of a file."""
    check_argument(path, (str, PathLike), "path", "a path")


def check_words(sentence: object) -> None:
    """Raise WrongTypeError for a sentence that is a string in place of its words.

    Raises WrongTypeError for what holds no words at all.
    """
    check_listed(sentence, "sentence", "a list of words", "text.split()")
    check_argument(sentence, Iterable, "sentence", "a list of words")


def check_word(word: object) -> None:
    """Raise WrongTypeError for a word that is no string."""
    check_argument(word, str, "word", "a string")


def shown(value: object) -> str:
    """A value in a message, in one line, cut after some characters."""
    text = " ".join(repr(value).splitlines())
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]} ..."


def shown_file(path: str | PathLike[str]) -> str:
    """The name of an input in a message: ``-`` is standard input."""
    return "standard input" if str(path) == "-" else str(path)


Size = Annotated[int, "bytes"]
_KINDS: dict[Any, tuple[type, str]] = {
    Size: (Integral, "a number of bytes"),
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
        value, kinds = getattr(options, option.name), get_args(option.type)
        if option.type in _KINDS:
            kinds = (option.type,)
        elif get_origin(option.type) not in (tuple, UnionType):
            continue
        if get_origin(option.type) is tuple:
            good, expected = _is_of(value, tuple), f"a list, each item {_named(kinds[0])}"
            good = good and all(_is_of(part, kinds[0]) for part in value)
        else:
            good = any(_is_of(value, kind) for kind in kinds)
            expected = " or ".join(map(_named, kinds))
        if not good:
            raise OptionError(option.name, expected, value)


def _named(kind: Any) -> str:
    return _KINDS[kind][1] if kind in _KINDS else f"a {kind.__name__}"


def _is_of(value: object, kind: Any) -> bool:
    """Whether a value is of a type; whole numbers are within their bound, others are finite."""
    if not isinstance(value, _KINDS[kind][0] if kind in _KINDS else get_origin(kind) or kind):
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


def did_you_mean(name: str, known: Iterable[str], cutoff: float = 0.6) -> str:
    """Ask for the names, three at most, that are most like one; empty if none is.

    If none is as it is written, letter case is ignored; then names count that have it as a word.
    """
    names = list(known)
    near = get_close_matches(name, names, cutoff=cutoff)
    if not near:
        of_case = {other.lower(): other for other in names}
        near = [of_case[other] for other in get_close_matches(name.lower(), of_case, cutoff=cutoff)]
    if not near:
        word = name.strip("-").lower()
        near = [other for other in names if word in re.split("[-_]", other.lower())][:3]
    return f"did you mean {' or '.join(near)}?" if near else ""


_PLURAL_VERBS = {"is": "are", "was": "were", "has": "have", "does": "do"}


def pluralize(number: int, noun: str = "line", verb: str = "") -> str:
    """1 line, 2 lines; with a verb in the singular: 1 line is, 2 lines are."""
    if number != 1:
        noun, verb = _plural(noun), _PLURAL_VERBS.get(verb, verb.removesuffix("s"))
    return f"{number} {noun} {verb}".rstrip()


def counted(number: int, noun: str) -> str:
    """1 line, 2,000 lines: as pluralize, for sizes that are read and not typed."""
    return f"{number:,} {noun if number == 1 else _plural(noun)}"


def _plural(noun: str) -> str:
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return noun[:-1] + "ies"
    if noun.endswith("sis"):
        return noun[:-2] + "es"
    return noun + ("es" if noun.endswith(("s", "x", "sh", "tch", "nch", "rch")) else "s")


def some_names(names: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    shown = ", ".join(names[:4])
    return shown if len(names) <= 4 else f"{shown} and {len(names) - 4} more"


class ModelError(IsoglossError):
    """A stored model or state is missing, incomplete, damaged or of another version.

    Also a folder that can't be written, because something else has its name.

    Examples
    --------
    >>> import isogloss as ig
    >>> ig.AlignmentModel.load("missing")
    Traceback (most recent call last):
    isogloss.align.errors.ModelError: missing is not a model folder: it has no model.json
    """


class DataWarning(UserWarning):
    """Input that was repaired or left out in a documented way.

    Examples
    --------
    >>> import isogloss as ig
    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", ig.DataWarning)
    ...     small = ig.estimate_language_model(["a b", "a"])
    """


_CANNOT = "cannot be "  # begins a fault whose subject is the file


class DataError(IsoglossError):
    """Input is malformed.

    Parameters
    ----------
    seen : str
        What is wrong in the input. "cannot be ..." is said of the file.
    expected : str, default ""
        What is required.
    file : str or Path, optional
    line : int, optional
        Line number, counted from 1.
    remedy : str, default ""
        What the user can do.

    Examples
    --------
    >>> import isogloss as ig
    >>> ig.Bitext.from_sentences(["the house", "a book"], ["la casa"])
    Traceback (most recent call last):
    isogloss.align.errors.DataError: the source has 2 sentences, but the target has 1
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
        name = "" if file is None else shown_file(file)
        if name and line is not None:
            name += f", line {line}"
        prefix = name and f"{name} " if seen.startswith(_CANNOT) else name and f"{name}: "
        super().__init__(prefix + self.fault + (f". {remedy}" if remedy else ""))

    @property
    def fault(self) -> str:
        """What is wrong and what is required, without the place and the remedy."""
        return self.seen + (f"; expected {self.expected}" if self.expected else "")

    def placed(self, file: str | Path, line: int | None = None, remedy: str = "") -> "DataError":
        """Return the same error with its place in a file.

        Parameters
        ----------
        file : str or Path
        line : int, optional
            Line number, counted from 1, if the error has none.
        remedy : str, default ""
            What the user can do, if the error doesn't say it.

        Returns
        -------
        DataError
        """
        return DataError(
            self.seen, self.expected, file=file, line=self.line or line,
            remedy=self.remedy or remedy,
        )  # fmt: skip


def unreadable(path: str | Path, error: Exception) -> DataError:
    """The error for a file that can't be opened or read, from what the system says."""
    reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return DataError(f"{_CANNOT}read: {reason}", file=path, remedy="Check the path")


_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_NOT_ALLOWED = (errno.EACCES, errno.EPERM, errno.EROFS)


class OutputError(IsoglossError):
    """A file can't be written, such as on a full disk; an older version is kept.

    Parameters
    ----------
    file : str or Path
        The file, or another output.
    cause : OSError
        Error of the operating system.

    Examples
    --------
    >>> import isogloss as ig
    >>> try:
    ...     ig.Links.from_pairs([]).save("/dev/null/links")
    ... except ig.OutputError as error:
    ...     print(error.file)
    /dev/null/links
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
