"""Warnings show the line of the user's program, however deep in isogloss they are given."""

import inspect
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

import isogloss as ig
from tests.architecture.reading import PACKAGES, ROOT

SIDES = ["the house", "a house"] * 5, ["la casa", "una casa"] * 5


def labeled(folder: Path) -> object:
    return ig.train(*SIDES, labels=["law", None] * 5, hmm_iterations=1)


def model_of_words(folder: Path) -> object:
    return ig.estimate_language_model(["a <s> b"])


def marked_text(folder: Path) -> object:
    (folder / "text").write_text("\ufeffa b\n")
    return ig.read_sentences(folder / "text")


@pytest.mark.parametrize("call", [labeled, model_of_words, marked_text])
def test_the_line_is_that_of_the_caller(call: Callable[[Path], object], tmp_path: Path) -> None:
    with warnings.catch_warnings(record=True) as given:
        warnings.simplefilter("always")
        call(tmp_path)
    lines, first = inspect.getsourcelines(call)
    assert given
    for warning in given:
        assert issubclass(warning.category, ig.DataWarning)
        assert (warning.filename, warning.lineno) == (__file__, first + len(lines) - 1)


def test_every_warning_of_data_is_given_in_this_way() -> None:
    files = [path for name in PACKAGES for path in (ROOT / name).rglob("*.py")]
    given = {path.name for path in files if "warnings.warn(" in path.read_text("utf-8")}
    assert given == {"errors.py", "kernel_cache.py"}
