"""Kernels that came compiled: read where they fit, passed over where they don't."""

import json

import numba
import pytest

from isogloss.align import kernel_cache, shipped_kernels
from isogloss.align.shipped_kernels import LEVEL, MADE_FOR, OTHER_CODE, account, made_here, misfit

FEATURES = dict.fromkeys(shipped_kernels.FEATURES, True)


@pytest.fixture(autouse=True)
def no_settings(monkeypatch):
    for name in OTHER_CODE:
        monkeypatch.delenv(name, raising=False)
    misfit.cache_clear()
    yield
    misfit.cache_clear()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Made for what runs here, on a processor of the level."""
    monkeypatch.setattr(shipped_kernels.llvm, "get_host_cpu_features", lambda: FEATURES)
    place = tmp_path / "compiled"
    place.mkdir()
    (place / MADE_FOR).write_text(json.dumps(made_here()))
    return place


def test_what_was_made_for_this_process_fits(folder):
    assert misfit(folder) is None


def test_none_came_with_the_installation(tmp_path):
    assert misfit(tmp_path) == "the installation contains no compiled kernels"


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("python", "cpython-39", f"are for python cpython-39, not {made_here()['python']}"),
        ("numba", "0.61.0", f"are for numba 0.61.0, not {numba.__version__}"),
        ("system", "arm64-apple", f"are for system arm64-apple, not {made_here()['system']}"),
        ("sources", {"align": "0"}, "were built from other sources"),
    ],
)
def test_they_were_made_for_something_else(folder, name, value, reason):
    (folder / MADE_FOR).write_text(json.dumps(made_here() | {name: value}))
    assert misfit(folder) == f"the installed kernels {reason}"


def test_an_older_processor(folder, monkeypatch):
    older = FEATURES | {"fma": False, "avx2": False}
    monkeypatch.setattr(shipped_kernels.llvm, "get_host_cpu_features", lambda: older)
    assert misfit(folder) == "the installed kernels need a processor with avx2, fma"


def test_settings_that_ask_for_other_code(folder, monkeypatch):
    monkeypatch.setenv("NUMBA_OPT", "1")
    assert misfit(folder) == "the installed kernels cannot be used because NUMBA_OPT is set"


@pytest.mark.parametrize(
    "text", ["{", "{}", "[]", "[" * 9**5, '{"python": 3}', '{"numba": "1", "numba": "2"}']
)
def test_damage_is_told(folder, text):
    (folder / MADE_FOR).write_text(text)
    assert misfit(folder) == f"{folder / MADE_FOR} is damaged"


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        (None, f"loaded from the installation (for {LEVEL} processors)"),
        ("none came", "compiled on this machine; none came"),
    ],
)
def test_what_is_told_of_them(monkeypatch, reason, told):
    monkeypatch.setattr(shipped_kernels, "misfit", lambda: reason)
    assert account() == told


def test_a_version_of_numba_that_kernels_were_not_tested_with(monkeypatch):
    monkeypatch.setattr(kernel_cache, "TESTED", ("0.1.0", "0.2.0"))
    assert account() == (
        f"compiled on this machine by Numba; Numba {numba.__version__} has not "
        "been tested; Numba 0.1.0 or 0.2.0 compiles twice as fast"
    )
