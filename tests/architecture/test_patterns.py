"""Regular expressions take time in proportion to the text: a stranger's line can't hang a reader.

Each is tried with long texts made of what it looks for. One that goes back over them again and
again would take hours here.
"""

import re
from collections.abc import Iterable, Iterator
from importlib import import_module
from pkgutil import walk_packages
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

import pytest

from tests.architecture.reading import FACES, PACKAGES, ROOT

LENGTH = 200_000
SHORTER = {"isogloss.runs.toml_section._VARIABLE": 4096}  # the longest path
HAZARDS = " \t0a=.,:-_#|{[(\\\x80é"
CATEGORIES = {op.CATEGORY_SPACE: str.isspace, op.CATEGORY_DIGIT: str.isdigit,
              op.CATEGORY_WORD: str.isalnum}  # fmt: skip


def patterns() -> Iterator[tuple[str, re.Pattern[Any], set[str]]]:
    """Each pattern of a module, and the methods of it that are called."""
    sources = {
        path: path.read_text("utf-8") for name in PACKAGES for path in (ROOT / name).rglob("*.py")
    }
    known = set()
    for package in FACES:
        for module in walk_packages(import_module(package).__path__, f"{package}."):
            if module.name.endswith("__main__"):
                continue
            for name, value in vars(import_module(module.name)).items():
                if isinstance(value, re.Pattern) and value not in known:
                    known.add(value)
                    calls = {call for text in sources.values() if name in text
                             for call in re.findall(rf"\b{name}\.(\w+)\b", text)}  # fmt: skip
                    yield f"{module.name}.{name}", value, calls & set(dir(value))


def holds(items: list[tuple[Any, Any]], character: str) -> bool:
    """Whether a character is one of a set's."""
    code = ord(character)
    found = any(
        (kind is op.LITERAL and code == value)
        or (kind is op.RANGE and value[0] <= code <= value[1])
        or (kind is op.CATEGORY and CATEGORIES.get(value, str.isprintable)(character))
        for kind, value in items
    )
    return found != (items[0][0] is op.NEGATE)


def example(tree: Iterable[tuple[Any, Any]], pumps: set[str]) -> str:
    """A text that a pattern may find; what it may repeat goes to ``pumps``."""
    text = ""
    for kind, value in tree:
        if kind is op.LITERAL:
            text += chr(value)
        elif kind in (op.ANY, op.NOT_LITERAL, op.IN):
            items = value if kind is op.IN else [(op.NEGATE, None)]
            fitting = [mark for mark in HAZARDS if holds(items, mark)]
            pumps.update(fitting)
            text += (fitting or [chr(value[0][1]) if isinstance(value[0][1], int) else "a"])[0]
        elif kind in (op.MAX_REPEAT, op.MIN_REPEAT):
            text += example(value[2], pumps) * max(1, value[0])
        elif kind is op.SUBPATTERN:
            text += example(value[-1], pumps)
        elif kind is op.BRANCH:
            branches = [example(branch, pumps) for branch in value[1]]
            text += branches[0]
        pumps.update(text[begin:] for begin in range(len(text)))
    return text


def long_texts(pattern: re.Pattern[Any], length: int) -> Iterator[Any]:
    """What a pattern looks for, or begins to look for, again and again."""
    pumps: set[str] = set()
    whole = example(parser.parse(pattern.pattern, pattern.flags & ~re.UNICODE), pumps)
    pumps.update(whole[:end] for end in range(1, len(whole) + 1))
    for pump in sorted(filter(None, pumps)):
        for first in ("", whole):
            text = first + pump * (length // len(pump)) + "\0"
            yield text if isinstance(pattern.pattern, str) else text.encode()


FOUND = list(patterns())


@pytest.mark.parametrize(("name", "pattern", "calls"), FOUND, ids=[name for name, *_ in FOUND])
def test_no_pattern_goes_back_again_and_again(
    name: str, pattern: re.Pattern[Any], calls: set[str]
) -> None:
    methods = {"sub": "findall", "split": "findall", "finditer": "findall"}
    for text in long_texts(pattern, SHORTER.get(name, LENGTH)):
        for call in {methods.get(call, call) for call in calls} - {"pattern"}:
            getattr(pattern, call)(text)
