"""Sections of a TOML file: every value of its type, no key misspelt, paths resolved."""

import os
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

from isogloss.align.errors import MAX_INT, DataError, UsageError, did_you_mean
from isogloss.align.files.outputs import output_path, real_path
from isogloss.align.files.records import Finite, Text, conform, read_bounded, shown, within

__all__ = ["Section", "read_toml", "resolve_path", "tables"]

_LARGEST, _LONGEST = 1 << 20, 1 << 13  # bytes of a file of settings, and of a line of it
_LONGEST_PATH = 4096  # characters, as systems have it
_VARIABLE = re.compile(r"\$\{(\w+)(?::-([^}]*))?\}")


_OF_DEFAULT: dict[type, Any] = {
    bool: bool, int: within(int, -MAX_INT, MAX_INT), float: Finite, str: Text,
    tuple: tuple[Text, ...],
}  # fmt: skip
T = TypeVar("T")


class Section:
    """One table of the file; every key must be asked for, so that misspelt ones are noticed.

    Raises DataError for a value in the table's place that is no table.
    """

    def __init__(self, values: object, name: str, file: Path, root: Path) -> None:
        self.name, self._file, self._root = name, file, root
        if not isinstance(values, Mapping):
            raise DataError(f"{name} = {shown(values)}", f"a table [{name}]", file=file)
        self._values = dict(values)
        self._asked: set[str] = set()
        self.is_given = bool(values)

    def take(self, key: str, default: Any, kind: Any = None) -> Any:
        """The value of a key.

        kind: its type, see :mod:`isogloss.align.files.records`; None = that of the default

        Raises DataError for another type, or a value out of its range.
        """
        self._asked.add(key)
        if key not in self._values:
            return default
        return self._checked(self._values.pop(key), kind or _OF_DEFAULT[type(default)], key)

    def _checked(self, value: object, kind: type[T], key: str) -> T:
        try:
            return conform(value, kind, f"[{self.name}] {key}")
        except DataError as error:
            raise error.placed(self._file) from error

    def path(self, key: str, *, required: bool = False) -> Path | None:
        """The file that a key names.

        Raises DataError where a required one is missing, and for what is no name of a file.
        """
        self._asked.add(key)
        if key not in self._values:
            if required:
                raise DataError(
                    f"[{self.name}] has no {key}", "the name of a file", file=self._file
                )
            return None
        return self.place(key, "", self._root)

    def place(self, key: str, default: str, root: Path) -> Path:
        """The file or folder that a key names, from the folder ``root`` on, else the default.

        Raises DataError for what is no name of a file.
        """
        return self._resolved(self.take(key, default), key, root)

    def output(self, key: str, default: str, root: Path) -> Path:
        """The same for what is written: behind no link that a stranger has put there."""
        return self._resolved(self.take(key, default), key, root, output_path)

    def paths(self, key: str) -> tuple[Path, ...]:
        """The files that a key names. Raises DataError as :meth:`path` does."""
        return tuple(self._resolved(name, key, self._root) for name in self.take(key, ()))

    def _resolved(
        self, name: str, key: str, root: Path, resolved: Callable[[Path], Path] = real_path
    ) -> Path:
        try:
            return resolve_path(name, root, resolved)
        except UsageError as error:
            seen = f"[{self.name}] {key} = {shown(name)}"
            raise DataError(f"{seen}: {error}", file=self._file) from error

    def __contains__(self, key: str) -> bool:
        """Whether the table has a key that has not been taken yet."""
        self._asked.add(key)
        return key in self._values

    def options(self, kind: type, base: Any) -> Any:
        """A dataclass of options with the keys of this table that are its fields.

        base: options whose values hold for the fields that are no keys here

        Raises DataError for a value out of range.
        """
        names = {field.name for field in fields(kind)}
        self._asked |= names
        changes = {
            name: self.take(name, getattr(base, name)) for name in sorted(names & set(self._values))
        }
        try:
            return kind(**{name: getattr(base, name) for name in names} | changes)
        except UsageError as error:
            raise DataError(f"[{self.name}] {error}", file=self._file) from error

    def done(self) -> None:
        """Raise DataError where a key has not been asked for, with the nearest ones."""
        if self._values:
            unknown = next(iter(self._values))
            near = did_you_mean(unknown, sorted(self._asked))
            raise DataError(
                f"[{self.name}] has an unknown key {unknown!r}" + (f"; {near}" if near else ""),
                "" if near else "a key of docs/reference/configuration.md",
                file=self._file,
            )


def _expand(text: str) -> str:
    """Replace ${NAME} and ${NAME:-default} by environment variables."""

    def value(match: re.Match[str]) -> str:
        expanded = os.environ.get(match[1]) or match[2]
        if expanded is None:
            raise UsageError(f"the environment variable {match[1]} is not set")
        return expanded

    return _VARIABLE.sub(value, text)


def resolve_path(text: str, root: Path, resolved: Callable[[Path], Path] = real_path) -> Path:
    """An absolute path, from the folder ``root``; ${NAME}, ${NAME:-default} and ~ are replaced.

    resolved: gives the path behind all links

    Raises UsageError for a variable of the environment that is not set, a user who isn't known, and
    what is no name of a file.
    """
    if len(text) > _LONGEST_PATH:
        raise UsageError(
            f"the name has {len(text):,} characters; at most {_LONGEST_PATH:,} are allowed"
        )
    try:
        return resolved(root / Path(_expand(text)).expanduser())
    except (RuntimeError, ValueError, OSError) as error:
        if isinstance(error, OSError) and error.filename is None:  # a stranger's link
            raise UsageError(error.strerror) from error
        raise UsageError(f"the value is not the name of a file: {error}") from error


def read_toml(path: Path) -> dict[str, Any]:
    """The tables of a TOML file. Raises DataError for a file that can't be read or is no TOML."""
    try:
        text = read_bounded(path, _LARGEST).decode("utf-8-sig")
        _check_lines(text)
        return tomllib.loads(text)
    except DataError as error:
        raise error.placed(path) from error
    except (ValueError, RecursionError) as error:
        raise DataError(f"the file is not valid TOML: {_why(error)}", file=path) from error


def _check_lines(text: str) -> None:
    """Raise DataError for a line without an end: keys of many parts take Python's parser long."""
    for number, line in enumerate(text.split("\n"), start=1):
        if len(line) > _LONGEST:
            raise DataError(
                f"the line has {len(line):,} characters", f"at most {_LONGEST:,}", line=number
            )


def _why(error: ValueError | RecursionError) -> str:
    """Why a text is no TOML, in our words where Python's parser has none of its own."""
    if isinstance(error, RecursionError):
        return "lists or tables are nested too deeply"
    if isinstance(error, UnicodeDecodeError):
        return f"byte {error.start + 1} is not UTF-8"
    is_told = isinstance(error, tomllib.TOMLDecodeError)
    return str(error) if is_told else "a number has thousands of digits"


def tables(values: Mapping[str, Any], name: str, file: Path) -> list[Any]:
    """The tables [[name]] of a file. Raises DataError where there is something else."""
    found = values.get(name, [])
    if not isinstance(found, list):
        seen = f"[{name}]" if isinstance(found, Mapping) else f"{name} = {shown(found)}"
        raise DataError(seen, f"tables [[{name}]]", file=file)
    return found
