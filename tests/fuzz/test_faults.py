"""Commands that are killed, or refused by the system, at an operation on files, and go on.

A choice of them; benchmarks/faults.py tries all commands at all operations.
"""

from pathlib import Path
from shutil import rmtree

import pytest

from tests.fuzz.fault_cases import CASES as ALL
from tests.fuzz.fault_cases import Case
from tests.fuzz.faults import count_operations, try_fault
from tests.fuzz.kernel_signals import chosen_moments, try_signal

pytestmark = pytest.mark.thorough

CASES = {  # each Nth operation
    "symmetrize": 1, "lexicon": 1, "features": 3, "apply, over others": 4, "tune, mira": 9,
}  # fmt: skip
DECODER = ["decode", "tune, decoder"]  # commands that spend their time in kernels of results
OTHERS = [name for name in [*ALL][::12] if name not in DECODER]
PIPES = ["apply, to stdout", "extract, to stdout", "lexicon, to stdout", "score, to stdout"]


@pytest.mark.parametrize("name", CASES)
def test_faults(seeds: Path, tmp_path: Path, name: str) -> None:
    case = Case(name, seeds)
    operations, expected = count_operations(case, tmp_path / "undisturbed")
    assert (0, ()) == (expected.status, expected.temporary)
    assert operations >= 3
    complaints = {}
    for at in range(1, operations + 1, CASES[name]):
        for kind in ("killed", "disk full"):
            complaints[kind, at] = try_fault(case, tmp_path / "hurt", kind, at, expected)
            rmtree(tmp_path / "hurt")
    assert {key: text for key, text in complaints.items() if text} == {}


@pytest.mark.parametrize("name", PIPES)
def test_nobody_reads_standard_output(seeds: Path, tmp_path: Path, name: str) -> None:
    case = Case(name, seeds)
    _, expected = count_operations(case, tmp_path / "undisturbed")
    assert try_fault(case, tmp_path / "hurt", "closed pipe", 0, expected) == ""


@pytest.mark.parametrize("name", [*DECODER, *OTHERS])
def test_signals_while_kernels_are_at_work(seeds: Path, tmp_path: Path, name: str) -> None:
    """All commands and kernels: python benchmarks/faults.py --in-kernels 10."""
    case, complaints = Case(name, seeds), {}
    _, expected = count_operations(case, tmp_path / "undisturbed")
    for threads, number in ((1, 5), (2, 4)):
        for moment in chosen_moments(case, tmp_path / "calls", threads, number):
            complaints[moment] = try_signal(case, tmp_path / "hurt", moment, expected)
            rmtree(tmp_path / "hurt")
        rmtree(tmp_path / "calls")
    assert {key: text for key, text in complaints.items() if text} == {}
    assert len(complaints) in ((9,) if name in DECODER else (0, 9))
