"""Parameters sections of public names: they name what the signature has, with its defaults."""

import ast
import inspect
import re
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

import pytest

import isogloss

PUBLIC = ("isogloss.align", "isogloss.features")
HEADING = re.compile(r"^([A-Z]\w+)\n-{3,}$", re.M)
NOTHING = (None, "None")  # what needs no section Returns
SECTION = re.compile(r"^Parameters\n-+\n(.*?)(?:\n\n\w[\w ]*\n-+\n|\Z)", re.M | re.S)
ENTRY = re.compile(r"(\*{0,2}\w+(?:, \w+)*)(?: : (.+))?")
DEFAULT = re.compile(r"\bdefault (.+)$")


def public_callables(package: str) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Functions and classes that a package exports, and the house's methods of these, by name."""
    module = import_module(package)
    for name in module.__all__:
        item = getattr(module, name)
        if not callable(item):
            continue
        yield name, item
        names = dir(item) if inspect.isclass(item) else []
        for below in (below for below in names if not below.startswith("_")):
            method = getattr(getattr(item, below), "__func__", getattr(item, below))
            if inspect.isfunction(method) and method.__module__.startswith("isogloss."):
                yield f"{name}.{below}", method


def documented(docstring: str) -> dict[str, str]:
    """The type of each parameter of a docstring's section, as it is written."""
    section = SECTION.search(inspect.cleandoc(docstring))
    found: dict[str, str] = {}
    for line in section[1].splitlines() if section else ():
        if match := ENTRY.fullmatch(line):
            found |= dict.fromkeys(match[1].lstrip("*").split(", "), match[2] or "")
    return found


def faults(item: Callable[..., Any]) -> Iterator[str]:
    """What a Parameters section lacks, has too much, or tells otherwise than the signature."""
    given = dict(inspect.signature(item).parameters)
    given.pop("self", None)
    given.pop("cls", None)
    types = documented(item.__doc__ or "")
    yield from (f"no {name}" for name in given if name not in types)
    yield from (f"{name} is no parameter" for name in types if name not in given)
    for name, kind in types.items():
        default = given[name].default if name in given else None
        if match := DEFAULT.search(kind):
            try:
                value = ast.literal_eval(match[1])
            except (SyntaxError, ValueError):  # in words, such as 256 MiB
                continue
            if repr(value) != repr(default) and value != default:
                yield f"{name} = {match[1]}, not {default!r}"
        elif kind.endswith("optional") and default is inspect.Parameter.empty:
            yield f"{name} is not optional"


@pytest.mark.parametrize("package", PUBLIC)
def test_sections_are_those_of_the_signatures(package: str) -> None:
    items = dict(public_callables(package))
    assert len(items) > 30
    told = {name: list(faults(item)) for name, item in items.items() if not _is_error(item)}
    assert {name: faults for name, faults in told.items() if faults} == {}


def lacking(item: Callable[..., Any]) -> set[str]:
    """Sections that the docstring of a public name lacks."""
    found = set(HEADING.findall(inspect.cleandoc(item.__doc__ or "")))
    wanted = {"Examples"}
    if inspect.isfunction(item):
        wanted.add("Raises")
        if inspect.signature(item).return_annotation not in NOTHING:
            wanted.add("Returns")
    if not _is_error(item) and inspect.signature(item).parameters and "Attributes" not in found:
        wanted.add("Parameters")
    return wanted - found


def test_every_public_name_has_its_sections() -> None:
    items = {name: getattr(isogloss, name) for name in isogloss.__all__}
    items |= {f"plot.{name}": getattr(isogloss.plot, name) for name in isogloss.plot.__all__}
    told = {
        name: item
        for name, item in items.items()
        if inspect.isroutine(item) or inspect.isclass(item)
    }
    assert len(told) > 60
    assert {name: lacking(item) for name, item in told.items() if lacking(item)} == {}


def without_returns(package: str) -> list[str]:
    """Methods with a section Parameters whose docstring doesn't say what they return."""
    found = []
    for name, item in public_callables(package):
        sections = set(HEADING.findall(inspect.cleandoc(item.__doc__ or "")))
        returned = inspect.signature(item).return_annotation if "." in name else None
        if returned not in NOTHING and "Parameters" in sections:
            found += [] if sections & {"Returns", "Yields"} else [name]
    return found


@pytest.mark.parametrize("package", [*PUBLIC, "isogloss.tune"])
def test_methods_say_what_they_return(package: str) -> None:
    assert without_returns(package) == []


WIDTH = 79  # of the first line of a docstring
FRAGMENT = re.compile(r"^(\w[\w, ]*(?: : .*)?)\n    Of (?!course)", re.M)


def badly_begun(docstring: str) -> list[str]:
    """First lines that are long, and descriptions that begin in the middle of a sentence."""
    text = inspect.cleandoc(docstring)
    first = text.partition("\n")[0]
    return [first] * (len(first) > WIDTH) + [f"{item}: Of ..." for item in FRAGMENT.findall(text)]


@pytest.mark.parametrize("package", [*PUBLIC, "isogloss", "isogloss.tune", "isogloss.plot"])
def test_first_lines_are_short_and_descriptions_stand_alone(package: str) -> None:
    told = {package: badly_begun(import_module(package).__doc__ or "")}
    told |= {name: badly_begun(item.__doc__ or "") for name, item in public_callables(package)}
    assert {name: bad for name, bad in told.items() if bad} == {}
    wrong = "x" * 80 + "\n\nParameters\n----------\ngold : Links\n    Of the same pairs."
    assert badly_begun(wrong) == ["x" * 80, "gold : Links: Of ..."]


def test_sections_that_are_lacking_are_seen() -> None:
    def bare(a: int) -> int:
        """Return a number."""
        return a

    assert lacking(bare) == {"Parameters", "Returns", "Raises", "Examples"}
    assert lacking(isogloss.view) == set()


def _is_error(item: Callable[..., Any]) -> bool:
    """Whether it is an exception whose arguments are those of its base."""
    return inspect.isclass(item) and issubclass(item, Exception) and "__init__" not in vars(item)


def test_the_checker_sees_what_differs() -> None:
    def wrong(a: int, b: int = 2, *, c: str = "x", d: int = 256, e: int) -> None:
        """Do nothing.

        Parameters
        ----------
        a, b : int, default 3
        c : str, default "x"
            Text that ends
            in : a colon.
        d : int, default 256 bytes
        e : int, optional
        g

        Returns
        -------
        h : int
        """

    assert list(faults(wrong)) == [
        "g is no parameter",
        "a = 3, not <class 'inspect._empty'>",
        "b = 3, not 2",
        "e is not optional",
    ]
    assert list(faults(lambda a: a)) == ["no a"]
