"""Kernels that are compiled when they are first called."""

import copy
import subprocess
import sys

import numpy as np

from isogloss.align.kernels.lazy import Kernel, njit
from isogloss.align.kernels.ragged import copy_spans


@njit(nogil=True)
def double(value):
    """Twice a number."""
    return 2 * value


@njit(nogil=True)
def doubled_sum(values):
    """Calls another kernel."""
    total = 0.0
    for value in values:
        total += double(value)
    return total


@njit(nogil=True)
def applied(kernel, value):
    """Calls a kernel that it is given."""
    return kernel(value)


def test_kernels_call_each_other_and_can_be_passed():
    assert doubled_sum(np.array([1.0, 2.5])) == 7.0
    assert applied(double, 4) == 8


def test_a_kernel_is_told_by_its_name_and_text():
    assert (double.__name__, double.__doc__) == ("double", "Twice a number.")
    assert double.py_func(3) == 6


def test_signatures_are_those_that_python_called_it_with():
    kernel = Kernel(lambda value: value, {"nogil": True})
    assert kernel.signatures == []
    kernel(1.5)
    assert [str(types[0]) for types in kernel.signatures] == ["float64"]


def test_nothing_is_made_of_a_kernel_that_is_only_looked_at():
    kernel = Kernel(lambda value: value, {"nogil": True})
    assert not hasattr(kernel, "targetoptions")
    assert isinstance(copy.copy(kernel), Kernel)
    assert kernel._dispatcher is None


def test_the_library_loads_no_compiler():
    code = (
        "import sys, isogloss.align.text.corpus, isogloss.align.links.links\n"
        "import isogloss.tune.significance\n"
        "assert 'numba' not in sys.modules and 'scipy' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    assert isinstance(copy_spans, Kernel)


TRAIN = """
import sys
import isogloss as ig

pairs = ["the house is red"] * 3, ["la casa es roja"] * 3
links = str(ig.train(*pairs, hmm_iterations=1).align_pair("the house", "la casa"))
"""
COMPILE = """
heavy = {"numba.np.linalg", "numba.cpython.unicode", "scipy.linalg", "scipy.special"}
loaded = sorted(heavy & set(sys.modules))

import numba
import numpy as np

@numba.njit
def largest(numbers):
    return np.sort(numbers).sum() + numbers.max()

print(links, loaded, largest(np.array([1.0, 2.0])))
"""


def test_what_kernels_are_compiled_with_is_loaded_when_one_is():
    subprocess.run([sys.executable, "-c", TRAIN], check=True)  # compiles what is missing
    command = [sys.executable, "-c", TRAIN + COMPILE]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert told == "0-0 1-1 [] 5.0\n"
