"""Packages that are called like functions."""

import copy
import importlib
import inspect
import pickle
import subprocess
import sys

import pytest

from isogloss import align
from isogloss.align.errors import WrongTypeError


@pytest.mark.parametrize(
    ("package", "remedy"),
    [
        ("align", r"train\(source, target\)\.align\(source, target\)"),
        ("tune", r"tune_nbest\(examples\) or tune_decoder"),
        ("plot", r"plot\.tuning\(result\)"),
    ],
)
def test_a_call_says_what_to_use(package: str, remedy: str) -> None:
    module = importlib.import_module(f"isogloss.{package}")
    said = rf"^isogloss\.{package} is a package, not a function; use {remedy}"
    with pytest.raises(WrongTypeError, match=said):
        module(["the house"], ["la casa"], threads=2)  # type: ignore[operator]


def test_the_package_is_a_module_as_before() -> None:
    assert inspect.ismodule(align)
    assert sys.modules["isogloss.align"] is align
    assert importlib.import_module("isogloss.align") is align
    assert repr(align).startswith("<module 'isogloss.align' from ")
    assert pickle.loads(pickle.dumps(align.train)) is align.train
    assert copy.copy(align.__all__) == align.__all__


def test_the_package_loads_no_errors_before_it_is_called() -> None:
    code = "import sys, isogloss.align; print('isogloss.align.errors' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
