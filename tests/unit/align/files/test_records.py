"""Records of JSON and TOML: what is good comes back, what is bad is told of in our words."""

import math
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct

from isogloss.align.errors import DataError
from isogloss.align.files.records import (
    Count,
    Counting,
    FileName,
    Finite,
    Name,
    Share,
    Text,
    Whole,
    conform,
    parse_json,
    read_bounded,
    read_json,
    renamed,
)


class Part(Struct):
    number: Count
    value: Finite = 0.0
    other: Finite | None = None
    names: tuple[Name, ...] = ()


class Record(Struct):
    parts: list[Part]
    values: dict[str, Finite]


class Strict(Struct, forbid_unknown_fields=True):
    number: Whole


def test_what_is_good_comes_back() -> None:
    value = {"parts": [{"number": 3, "value": 1, "names": ["p(e|f)", "naïve"]}], "values": {"": 2}}
    assert conform(value, Record) == Record([Part(3, 1.0, None, ("p(e|f)", "naïve"))], {"": 2.0})
    assert parse_json(b'{"a": [1, NaN], "b": {"a": null}}')["b"] == {"a": None}


@pytest.mark.parametrize(
    ("part", "message"),
    [
        ({"number": True}, "parts[0].number is True; expected an integer"),
        ({"number": -1}, "parts[0].number is -1; expected an integer of at least 0"),
        ({"number": 1 << 54}, "expected an integer of at most 9007199254740992"),
        ({"number": 1.0}, "parts[0].number is 1.0; expected an integer"),
        ({"number": "1"}, "parts[0].number is '1'; expected an integer"),
        ({"number": None}, "parts[0].number is None; expected an integer"),
        ({"number": [1]}, "parts[0].number is a list of 1; expected an integer"),
        ({}, "the key 'number' is missing in parts[0]"),
        ({"number": 1, "value": math.nan}, "parts[0].value is nan; expected a finite number"),
        ({"number": 1, "value": -math.inf}, "parts[0].value is -inf; expected a finite number"),
        ({"number": 1, "value": 10**400}, "...; expected a finite number"),
        ({"number": 1, "other": True}, "parts[0].other is True; expected a number or null"),
        ({"number": 1, "names": ["a b"]}, "names[0] is 'a b'; expected a printable name"),
        ({"number": 1, "names": ["\x1b[2J"]}, "expected a printable name without spaces"),
        ({"number": 1, "names": ["a\n"]}, "expected a printable name without spaces"),
        ({"number": 1, "names": [""]}, "names[0] is ''; expected a printable name"),
        ({"number": 1, "names": ["a" * 1001]}, "...; expected a string of at most 1000 characters"),
        ({"number": 1, "names": "abc"}, "parts[0].names is 'abc'; expected a list"),
        ([], "parts[0] is a list of 0; expected an object"),
    ],
    ids=str,
)
def test_what_is_bad(part: Any, message: str) -> None:
    with pytest.raises(DataError) as caught:
        conform({"parts": [part], "values": {}}, Record)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("value", "kind", "message"),
    [
        (
            {"parts": [], "values": {"a": math.nan}},
            Record,
            "a value of values is invalid; expected a finite",
        ),
        ({"parts": [], "values": {1: 1}}, Record, "a key of values is invalid; expected a string"),
        (3, Record, "3; expected an object"),
        ([], Record, "a list of 0; expected an object"),
        ({"number": 1, "a": 2}, Strict, "the key 'a' is unknown"),
        (0, Counting, "0; expected an integer of at least 1"),
        (1.5, Share, "1.5; expected a number of at most 1.0"),
        ("a\0", Text, r"'a\x00'; expected a string without NUL or unpaired surrogates"),
        ("\ud800", Text, r"'\ud800'; expected a string without NUL or unpaired surrogates"),
        ("/dev/zero", FileName, "'/dev/zero'; expected the name of a file, without a folder"),
        ("..", FileName, "'..'; expected the name of a file, without a folder"),
    ],
    ids=str,
)
def test_other_values(value: Any, kind: Any, message: str) -> None:
    with pytest.raises(DataError) as caught:
        conform(value, kind)
    assert message in str(caught.value)
    with pytest.raises(DataError, match=r"^table|^a |^the key "):
        conform(value, kind, "table")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[" * 100_000, "lists or objects are nested too deeply in the JSON"),
        ('{"a": {"b": 1, "b": 2}}', "the key 'b' occurs twice in an object"),
        ('{"a": ', r"invalid JSON \(Expecting value at column 7\)"),
        (
            "{" + "".join(f'"{name}": 0, ' for name in range(300_000)) + '"7": 1}',
            "the key '7' occurs twice in an object",  # hours, where all names are counted for each
        ),
        (b"\xff", r"invalid JSON \(byte 1 is not UTF-8\)"),
        ("9" * 5000, "a number in the JSON has thousands of digits"),
    ],
    ids=range(6),
)
def test_what_is_no_json(tmp_path: Path, text: str | bytes, message: str) -> None:
    with pytest.raises(DataError, match=f"^{message}"):
        parse_json(text)
    path = tmp_path / "file.json"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(DataError, match=rf"file\.json: {message}.*\. Mend it"):
        read_json(path, Record, "Mend it")


def test_the_line_of_a_fault(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    path.write_text('{\n"a": }')
    with pytest.raises(
        DataError, match=r"file\.json, line 2: invalid JSON \(Expecting value at col"
    ):
        read_json(path, Record)


def test_files_that_never_end(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="the file has more than 1,000 bytes"):
        read_bounded("/dev/zero", 1000)
    with pytest.raises(DataError, match=r"cannot be read: No such file or directory\. "):
        read_bounded(tmp_path / "none")
    with pytest.raises(DataError, match=r"cannot be read: embedded null byte"):
        read_bounded("a\0b")


def test_half_a_character() -> None:
    with pytest.raises(
        DataError,
        match=r"a string contains the unpaired surrogate '\\ud800'; expected valid Unicode",
    ):
        conform({"a\ud800": 1}, Part)
    with pytest.raises(
        DataError, match="a key of the object is invalid; expected a string without NUL"
    ):
        conform({"\ud800": 1}, dict[Text, int])


def test_values_under_other_names() -> None:
    """Values that can't be keys are left as they are, unless a choice is asked for them."""
    values = {"old": "a", "files": ["x"], "same": "a"}
    expected = {"new": "b", "files": ["x"], "same": "a"}
    assert expected == renamed(values, {"old": "new"}, {"old": {"a": "b"}})
