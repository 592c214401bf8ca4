"""Weights as text: JSON, and the lines of Moses, cdec and Travatar, told apart line by line.

``NAME= v v`` is Moses' (several values of a name are called ``NAME.0``, ``NAME.1``), ``NAME v``
cdec's and that of Moses' sparse weights, ``NAME=v`` Travatar's.
"""

import re
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec import Struct

from isogloss.align.errors import DataError, shown_file, warn
from isogloss.align.files.numerals import parse_number
from isogloss.align.files.records import FeatureName, Finite, conform, is_feature_name, parse_json
from isogloss.align.files.text_io import split_tokens

__all__ = [
    "MARKS",
    "NamedValues",
    "check_line_names",
    "grouped",
    "joined",
    "parse_json_weights",
    "parse_lines",
    "parse_weights",
    "warn_of_colons",
    "weights_file",
]

MARKS = {"text": " ", "moses": "= ", "moses-sparse": " ", "cdec": " ", "travatar": "="}
"""The text between name and value in the lines of each format."""

_LINE = (
    "NAME value, or NAME= value value ..., or NAME=value; values must be finite and names printable"
)
_OF_RUN = "weights.json"
_NUMBERED = re.compile(r"(.+)\.(0|[1-9][0-9]{0,8})", re.DOTALL)
RENAME = "Rename the feature: its name is not printable"
_JSON = '{"NAME": value, ...} or {"weights": {"NAME": value, ...}}'
# a byte order mark is dropped, the others end a name for other programs
_LOST = re.compile(r"\A\ufeff|[\r\0]")


@dataclass
class NamedValues:
    """The values of a name as they stand in a file, and the line of the first one.

    repeatable: whether another line of the same name right after it adds a value: Moses' optimizers
    write ``LM0= 0.3`` once per value
    """

    values: list[float]
    line: int
    repeatable: bool = False


def _parse_line(line: str) -> tuple[str, list[float], bool]:
    """Name, values and whether it is a Moses line. Raises ValueError for another form."""
    name, *fields = split_tokens(line)
    moses = bool(fields) and name.endswith("=")
    if moses:
        name = name[:-1]
    elif not fields:
        name, _, value = name.rpartition("=")
        fields = [value]
    elif len(fields) > 1:
        raise ValueError("there are several values")
    values = [parse_number(field) for field in fields]
    if not is_feature_name(name):
        raise ValueError("the name is missing")
    return name, values, moses


def parse_lines(
    lines: Iterable[tuple[int, str]], path: str | Path, *, repeat: bool = True
) -> dict[str, NamedValues]:
    """The values of each name of numbered lines; blank lines and comments (#) are passed over.

    With ``repeat``, Moses lines ``NAME= value`` that follow each other with the same name are the
    values of that name in their order.

    Raises DataError for a line of another form, a value that is not finite, and a name that comes
    again.
    """
    named: dict[str, NamedValues] = {}
    previous = ""
    for number, line in lines:
        if not line.strip(" \t") or line.lstrip(" \t").startswith("#"):
            continue
        try:
            name, values, moses = _parse_line(line)
        except ValueError:
            raise DataError(
                f"the line {line!r} is malformed", _LINE, file=path, line=number
            ) from None
        before = named.get(name)
        if before is None:
            named[name] = NamedValues(values, number, repeat and moses and len(values) == 1)
        elif before.repeatable and moses and name == previous and len(values) == 1:
            before.values.append(values[0])
        else:
            raise _again(name, before.line, path, number)
        previous = name
    return named


def _again(name: str, before: int, path: str | Path, line: int) -> DataError:
    return DataError(
        f"the weight of {name} occurs again (first: line {before})",
        "each name once",
        file=path,
        line=line,
        remedy="Remove one of them",
    )


def joined(named: Mapping[str, NamedValues], path: str | Path) -> dict[str, float]:
    """Weights by name; several values of a name are called ``NAME.0``, ``NAME.1``, ...

    Raises DataError where a name so made stands in the file as well.
    """
    weights: dict[str, float] = {}
    for name, group in named.items():
        if len(group.values) == 1:
            weights[name] = group.values[0]
            continue
        for k, value in enumerate(group.values):
            other = named.get(f"{name}.{k}")
            if other is not None:
                raise _again(f"{name}.{k}", group.line, path, other.line)
            weights[f"{name}.{k}"] = value
    return weights


def grouped(weights: Mapping[str, float]) -> dict[str, list[float]]:
    """The inverse of :func:`joined`: the values of ``NAME.0`` to ``NAME.n`` under ``NAME``.

    Others stay alone: a name without a number, with one only, with numbers that are missing, and
    those whose NAME is a feature itself.
    """
    numbers: dict[str, tuple[str, int]] = {}
    sizes: Counter[str] = Counter()
    for name in weights:
        match = _NUMBERED.fullmatch(name)
        if match and match[1] not in weights:
            numbers[name] = match[1], int(match[2])
            sizes[match[1]] += 1
    broken = {stem for stem, number in numbers.values() if number >= sizes[stem]}
    result: dict[str, list[float]] = {}
    for name, value in weights.items():
        stem, number = numbers.get(name, ("", 0))
        if stem in broken or sizes[stem] < 2:
            result[name] = [value]
        else:
            result.setdefault(stem, [0.0] * sizes[stem])[number] = value
    return result


class _Space(Struct):
    """Which of the weights are dense, as their names say, too."""

    dense: list[FeatureName] = []


class _Weights(Struct):
    """A JSON file of weights; other programs' may hold nothing else."""

    weights: dict[FeatureName, Any]
    space: _Space | None = None


def parse_json_weights(text: str, path: str | Path) -> dict[str, float]:
    """Weights of JSON: an object of them, or one that holds them. Raises DataError for others."""
    try:
        given = parse_json(text)
        if given and isinstance(given, dict) and not isinstance(given.get("weights"), dict):
            given = {"weights": given}
        values: dict[str, object] = conform(given, _Weights).weights
        return {name: conform(value, Finite, repr(name)) for name, value in values.items()}
    except DataError as error:
        raise DataError(
            f"the JSON has no valid weights ({error.fault})", _JSON, file=path, line=error.line
        ) from error


def weights_file(path: str | Path) -> str | Path:
    """The file of weights at a path, which may be the folder of a tuning run.

    Raises DataError for a folder without one.
    """
    if not Path(path).is_dir():
        return path
    file = Path(path) / _OF_RUN
    if not file.is_file():
        expected = f"a file of weights, or a run folder of `isogloss tune --out` with {_OF_RUN}"
        raise DataError(f"the folder has no {_OF_RUN}", expected, file=path)
    return file


def parse_weights(lines: Sequence[str], path: str | Path) -> dict[str, float]:
    """Weights of the lines of a file: JSON or lines of text, by the first character.

    Raises DataError as :func:`parse_json_weights`, :func:`parse_lines` and :func:`joined` do.
    """
    first = next(_meaningful(lines), "")
    if first.startswith("{"):
        return parse_json_weights("\n".join(lines), path)
    return joined(parse_lines(enumerate(lines, start=1), path), path)


def warn_of_colons(weights: Iterable[str], path: str | Path) -> None:
    """Warn of names all of which end with a colon, which Moses wrote behind names before 2012."""
    names = list(weights)
    if names and all(name.endswith(":") for name in names):
        command = f"`sed -E 's/:([[:space:]])/\\1/' {shlex.quote(str(path))}`"
        warn(
            f"{shown_file(path)}: all names end with a colon ({names[0]!r}), which is read as part "
            f"of the name. If it isn't, remove it: {command}"
        )


def check_line_names(names: Iterable[str], format: str, path: str | Path | None = None) -> None:
    """Check that the reader gets each name back from a line, also from the first of a file.

    format: a key of MARKS; path: the file to be written, for the message

    Raises DataError for the first name that would be lost, changed or an error on reading.
    """
    for name in names:
        if not _comes_back(name, f"{name}{MARKS[format]}1"):
            raise DataError(
                f"the name {name!r} cannot be written in {format} weights",
                "a name without whitespace, without # or { at its beginning, and without = at its "
                "end",
                file=path,
                remedy="Write JSON (a file in .json), which accepts any name"
                if is_feature_name(name)
                else RENAME,
            )


def _comes_back(name: str, line: str) -> bool:
    """Whether a file that begins with the line gives the name a weight of 1, and nothing else."""
    if _LOST.search(name):
        return False
    try:
        line.encode()
        return parse_weights(line.split("\n"), "") == {name: 1.0}
    except (DataError, UnicodeEncodeError):
        return False


def _meaningful(lines: Sequence[str]) -> Iterator[str]:
    return (line.strip(" \t") for line in lines if line.strip(" \t"))
