"""Sections of a TOML file: every value of its type, no key misspelt, paths resolved."""

import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

from align.errors import DataError, UsageError

__all__ = ["Section", "read_toml", "resolve_path"]

_VARIABLE = re.compile(r"\$\{(\w+)(?::-([^}]*))?\}")


class Section:
    """One table of the file; every key must be asked for, so that misspelt ones are noticed."""

    def __init__(self, values: Mapping[str, Any], name: str, file: Path, root: Path) -> None:
        self._values, self._name, self._file, self._root = dict(values), name, file, root

    def take(self, key: str, default: Any = None) -> Any:
        """The value of a key, of its default's type. Raises DataError for another type."""
        value = self._values.pop(key, default)
        if isinstance(default, tuple) and isinstance(value, list):
            return tuple(value)
        if default is not None and not isinstance(value, type(default)):
            if isinstance(default, float) and isinstance(value, int):
                return float(value)
            raise DataError(
                f"[{self._name}] {key} = {value!r}",
                f"a {type(default).__name__}",
                file=self._file,
            )
        return value

    def path(self, key: str, *, required: bool = False) -> Path | None:
        """The file that a key names. Raises DataError where a required one is missing."""
        value = self._values.pop(key, None)
        if value is None:
            if required:
                raise DataError(f"[{self._name}] has no {key}", "a file", file=self._file)
            return None
        return resolve_path(str(value), self._root)

    def paths(self, key: str) -> tuple[Path, ...]:
        """The files that a key names."""
        return tuple(resolve_path(str(value), self._root) for value in self.take(key, []))

    def options(self, kind: type, base: Any) -> Any:
        """A dataclass of options with the keys of this table that are its fields.

        base: options whose values hold for the fields that are no keys here

        Raises DataError for a value out of range.
        """
        names = {field.name for field in fields(kind)}
        changes = {name: self.take(name, getattr(base, name)) for name in names & set(self._values)}
        try:
            return kind(**{name: getattr(base, name) for name in names} | changes)
        except UsageError as error:
            raise DataError(f"[{self._name}] {error}", file=self._file) from error

    def done(self) -> None:
        """Raise DataError where a key has not been asked for."""
        if self._values:
            raise DataError(
                f"[{self._name}] has an unknown key {next(iter(self._values))!r}",
                "the keys that docs/pipeline.md lists",
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


def resolve_path(text: str, root: Path) -> Path:
    """An absolute path, from the folder ``root``; ${NAME}, ${NAME:-default} and ~ are replaced.

    Raises UsageError for a variable of the environment that is not set.
    """
    return (root / Path(_expand(text)).expanduser()).resolve()


def read_toml(path: Path) -> dict[str, Any]:
    """The tables of a TOML file. Raises DataError for a file that can't be read or is no TOML."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise DataError(error.strerror or str(error), "a readable file", file=path) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise DataError(f"not TOML: {error}", file=path) from error
