"""JSON and TOML are data from outside: parsed within limits, then checked against a type.

What a record must be is said by a type: a ``msgspec.Struct``, or a list or mapping of such types.
Those below are bounded: whole numbers fit 64 bits, other numbers are finite, names can be printed.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta

from ..errors import DataError, pluralize, unreadable
from .inputs.opening import waiting_told
from .text_io import read_up_to

__all__ = [
    "Count",
    "Counting",
    "FeatureName",
    "FileName",
    "Finite",
    "Name",
    "Share",
    "Text",
    "Title",
    "Whole",
    "conform",
    "is_feature_name",
    "is_name",
    "parse_json",
    "read_bounded",
    "read_json",
    "renamed",
    "shown",
    "within",
]

Record = TypeVar("Record")

LARGEST = 1 << 53  # of a whole number: all programs that read JSON tell those up to here apart
LARGEST_FILE = 1 << 28  # bytes of a file that is read as a whole
_MAX = 1.7976931348623157e308
_LONGEST_NAME = 1000  # characters
_NAME = r"^[^\s\x00-\x1f\x7f\ud800-\udfff]+\Z"
_FEATURE = r"^[^\x00-\x1f\x7f\ud800-\udfff]+\Z"  # words of any length, with odd blanks of lists
_TEXT = r"^[^\x00\ud800-\udfff]*\Z"
_TITLE = r"^[^\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]+\Z"
_FILE_NAME = r"^(?!\.{1,2}\Z)[^/\x00-\x1f\x7f\ud800-\udfff]+\Z"

Whole = Annotated[int, Meta(ge=-LARGEST, le=LARGEST)]
Count = Annotated[int, Meta(ge=0, le=LARGEST)]
Counting = Annotated[int, Meta(ge=1, le=LARGEST)]
Finite = Annotated[float, Meta(ge=-_MAX, le=_MAX)]
Share = Annotated[float, Meta(ge=0.0, le=1.0)]
Name = Annotated[str, Meta(pattern=_NAME, max_length=_LONGEST_NAME)]
FeatureName = Annotated[str, Meta(pattern=_FEATURE)]
Text = Annotated[str, Meta(pattern=_TEXT)]
Title = Annotated[str, Meta(pattern=_TITLE, max_length=_LONGEST_NAME)]
FileName = Annotated[str, Meta(pattern=_FILE_NAME, max_length=255)]

_PATTERNS = {
    _NAME: "a printable name without spaces",
    _FEATURE: "a printable name",
    _TITLE: "one line of printable text",
    _TEXT: "a string without NUL or unpaired surrogates",
    _FILE_NAME: "the name of a file, without a folder",
}
_KINDS = {
    "int": "an integer", "float": "a number", "str": "a string", "bool": "true or false",
    "array": "a list", "object": "an object", "null": "null",
}  # fmt: skip
_STEP = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]|(\[\.\.\.\])")


def parse_json(text: str | bytes, *, pairs: bool = False) -> Any:
    """The value of a JSON text.

    pairs: an object is the list of its pairs, tuples of a key and a value; keys may come twice

    Raises DataError for what is no JSON, nested too deeply, a number of thousands of digits, and a
    key that comes twice in an object; it knows the line of the text, where there is one.
    """
    try:
        return json.loads(text, object_pairs_hook=list if pairs else _once)
    except json.JSONDecodeError as error:
        seen, line = f"invalid JSON ({error.msg} at column {error.colno})", error.lineno
        raise DataError(seen, line=line if "\n" in error.doc else None) from None
    except UnicodeDecodeError as error:
        seen = f"invalid JSON (byte {error.start + 1} is not UTF-8)"
    except _Twice as error:
        seen = f"the key {str(error)[:80]!r} occurs twice in an object"
    except RecursionError:
        seen = "lists or objects are nested too deeply in the JSON"
    except ValueError:
        seen = "a number in the JSON has thousands of digits"
    raise DataError(seen) from None


class _Twice(ValueError):
    """A key that comes twice."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for name, value in pairs:
        if name in result:
            raise _Twice(name)
        result[name] = value
    return result


def conform(value: Any, kind: type[Record], name: str = "") -> Record:
    """The value as one of a type; whole numbers are taken for others, nothing else is changed.

    kind: a type that msgspec checks; name: of the value, for messages

    Raises DataError for a value that lacks something, or is of another type or outside its range.
    """
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        seen, expected = _in_words(str(error), value, name)
    except UnicodeEncodeError as error:
        seen = f"a string contains the unpaired surrogate {error.object[error.start]!a}"
        expected = "valid Unicode"
    raise DataError(seen, expected)


def _in_words(message: str, value: Any, name: str) -> tuple[str, str]:
    """What was seen and what was expected, from msgspec's message."""
    fault, _, path = message.partition(" - at `")
    key_of = path.startswith("key` in `")
    place, found, known = _follow(path.removeprefix("key` in `").strip("`$"), value, name)
    if match := re.fullmatch(r"Object missing required field `(.+)`", fault):
        return f"the key {match[1]!r} is missing" + (f" in {place}" if place else ""), ""
    if match := re.fullmatch(r"Object contains unknown field `(.+)`", fault):
        return f"the key {match[1]!r} is unknown" + (f" in {place}" if place else ""), ""
    expected = _expected(fault)
    if key_of:
        return f"a key of {place or 'the object'} is invalid", expected
    if not known:
        return f"a value of {place} is invalid", expected
    return f"{place} is {shown(found)}" if place else f"the value is {shown(found)}", expected


def shown(value: Any) -> str:
    """A value for a message: short, however large or deep it is."""
    if isinstance(value, (list, Mapping)):
        return f"a list of {len(value)}" if isinstance(value, list) else "an object"
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}..."


def _follow(path: str, value: Any, name: str) -> tuple[str, Any, bool]:
    """The path below a name, the value there, and whether msgspec told it in full."""
    for key, number, any_key in _STEP.findall(path):
        if any_key:
            return name, None, False
        value = value[key] if key else value[int(number)]
        name += f".{key}" if key and name else key or f"[{number}]"
    return name, value, True


def _expected(fault: str) -> str:
    if "out of range" in fault or str(_MAX) in fault:
        return "a finite number"
    match = re.match(r"Expected `([^`]+)`(?: of length)?(?: (>=|<=|>|<) (\S+))?", fault)
    if match is None:
        return fault
    for pattern, words in _PATTERNS.items():
        if fault.endswith(f"matching regex {pattern!r}"):
            return words
    kinds = " or ".join(_KINDS.get(kind, kind) for kind in match[1].split(" | "))
    if match[2] is None:
        return kinds
    bound, size = f"at {'least' if match[2].startswith('>') else 'most'}", match[3]
    if match[1] in ("str", "array"):
        noun = "character" if match[1] == "str" else "entry"
        return f"{kinds} of {bound} {pluralize(int(size), noun)}"
    return f"{kinds} of {bound} {size}"


def renamed(
    values: Mapping[str, Any],
    names: Mapping[str, str],
    choices: Mapping[str, Mapping[Any, Any]],
) -> dict[str, Any]:
    """Stored values under other names.

    names: the other name of each that has one; choices: of some, by the name in ``values``, the
        other value for each
    """
    return {
        names.get(name, name): choices[name].get(value, value) if name in choices else value
        for name, value in values.items()
    }


def is_name(text: str) -> bool:
    """Whether a text can be a name: it can be printed, and holds no blanks."""
    return len(text) <= _LONGEST_NAME and re.match(_NAME, text) is not None


def is_feature_name(text: str) -> bool:
    """Whether a text can be the name of a feature: it is not empty and can be printed."""
    return re.match(_FEATURE, text) is not None


def within(kind: type, low: float, high: float) -> Any:
    """The type of numbers from ``low`` to ``high``, for :func:`conform`."""
    return Annotated[kind, Meta(ge=low, le=high)]


def read_bounded(path: str | Path, most: int = LARGEST_FILE) -> bytes:
    """The bytes of a file that is to be read as a whole.

    Raises DataError for a file that can't be read, and one of more than ``most`` bytes, such as
    a device that never ends.
    """
    try:
        with waiting_told(path):
            stream = Path(path).open("rb")  # noqa: SIM115 closed below
        with stream:
            content = read_up_to(stream, most)
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from error
    if len(content) > most:
        raise DataError(f"the file has more than {most:,} bytes")
    return content


def read_json(path: str | Path, kind: type[Record], remedy: str = "") -> Record:
    """The value of a JSON file, as one of a type.

    Raises DataError as :func:`read_bounded`, :func:`parse_json` and :func:`conform` do.
    """
    try:
        return conform(parse_json(read_bounded(path)), kind)
    except DataError as error:
        raise error.placed(path, remedy=remedy) from error
