"""Kernels with bounds that are checked: nothing is read or written outside of an array.

What is written there by chance is noticed only where the process dies. Vector code is not checked.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fuzz.commands import COMMANDS
from tests.fuzz.test_same_bytes import ROOT, digests

CHECKED = {"NUMBA_BOUNDSCHECK": "1"}
OUTSIDE = """
import numpy as np
from isogloss.align.kernels.lazy import borrowing, njit

@borrowing
def inner(values, place):
    return values[place]

@njit(nogil=True)
def outer(values, place):
    return inner(values, place)

print(outer(np.zeros(3), 2))
outer(np.zeros(3), 3)
"""

UNIT = ["tune/forest", "tune/metrics", "tune/weights"]  # kernels that no command calls here

pytestmark = pytest.mark.thorough


def test_a_place_outside_is_an_error() -> None:
    done = subprocess.run(
        [sys.executable, "-c", OUTSIDE], env=os.environ | CHECKED, capture_output=True, text=True
    )
    assert done.stdout == "0.0\n"
    assert done.stderr.endswith("IndexError: index is out of bounds\n")


def test_every_command_writes_the_same_bytes(seeds: Path, tmp_path: Path) -> None:
    """With all kernels compiled anew, so that a place outside of an array is an error."""
    names = [*COMMANDS]
    checked = digests(names, seeds, CHECKED | {"TMPDIR": str(tmp_path)}, 2)
    expected = digests(names, seeds, {"TMPDIR": str(tmp_path)}, 2)
    of_the_run = {"run: stdout"}  # which tells seconds
    differing = {name for name in expected if expected[name] != checked.get(name)}
    assert differing <= of_the_run
    assert expected.keys() == checked.keys()


def test_kernels_that_no_command_calls() -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider"]
    folders = [f"tests/unit/{name}" for name in UNIT]
    done = subprocess.run(
        [*command, *folders], cwd=ROOT, env=os.environ | CHECKED, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout[-4000:]
