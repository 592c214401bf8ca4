"""Kernels inside kernels: compiled for their callers alone, with the results that Numba gives."""

import logging

import numba
import numpy as np
import pytest

from isogloss.align import kernel_cache
from isogloss.align.kernels import inner
from isogloss.align.kernels.lazy import Kernel, njit


def scaled(values, factor):
    """A new array of products; raises where the factor is 0."""
    if factor == 0.0:
        raise ValueError("the factor is 0")
    return values * factor


def total(values):
    """Through a loop, an allocation and a call of NumPy's."""
    rows = np.zeros(len(values))
    for number in range(len(values)):
        rows[number] = values[number]
    return np.sort(rows).sum()


def made(**options):
    """A kernel that calls two others, one of them twice."""
    first, second = Kernel(scaled, options), Kernel(total, options)

    @njit(**options)
    def both(values, factor):
        return second(first(values, factor)) + second(values)

    return both, first, second


@pytest.mark.parametrize("tested", [kernel_cache.TESTED, ()])
def test_results_are_those_of_python(monkeypatch, tested):
    monkeypatch.setattr(kernel_cache, "TESTED", tested)
    kernel, first, second = made(nogil=True)
    values = np.random.default_rng(1).normal(size=50)
    expected = np.sort(values * 3.0).sum() + np.sort(values).sum()
    assert kernel(values, 3.0) == pytest.approx(expected, rel=1e-12)
    with pytest.raises(ValueError, match="the factor is 0"):
        kernel(values, 0.0)
    # from Python, too, after they were called from a kernel
    np.testing.assert_array_equal(first(values, 2.0), values * 2.0)
    assert second(values) == pytest.approx(values.sum(), rel=1e-12)


def test_an_inner_kernel_has_no_machine_code_of_its_own():
    kernel, first, _ = made(nogil=True)
    kernel(np.ones(3), 2.0)
    assert first._dispatcher is None
    assert len(first._inner.overloads) == 1
    assert len(kernel.signatures) == 1


def test_what_can_not_be_called_raises():
    kernel, first, _ = made(nogil=True)
    kernel(np.ones(3), 2.0)
    with pytest.raises(MemoryError):
        first._inner(np.ones(3), 2.0)


def test_numba_is_one_that_this_was_tested_with():
    """Where this fails, run the tests, compare links and tables, and add the version."""
    assert kernel_cache.is_tested()


@pytest.mark.parametrize("tested", [kernel_cache.TESTED, ()])
def test_what_is_compiled_is_logged(monkeypatch, caplog, tested):
    monkeypatch.setattr(kernel_cache, "TESTED", tested)
    kernel, *_ = made(nogil=True)
    with caplog.at_level(logging.INFO, "isogloss.align.kernels.reporting"):
        kernel(np.ones(3), 2.0)
        kernel(np.ones(3), 3.0)
    name = "made.<locals>.both"
    first, last = caplog.records[0], caplog.records[-1]
    assert first.getMessage() == f"compiling {name} (first use)"
    assert last.getMessage() == f"compiled {name} in {last.seconds:.1f} s"
    assert len(caplog.records) == (2 if tested else 6)  # else inner kernels are like outer ones


def test_a_constant_argument_has_nothing_compiled_anew():
    first = Kernel(scaled, {"nogil": True})

    @njit(nogil=True)
    def both(values, factor):
        return first(values, 2.0).sum() + first(values, factor).sum()

    assert both(np.ones(2), 3.0) == 10.0
    assert len(first._inner.overloads) == 1


def test_functions_of_numba_that_were_linked_serve_other_kernels_too():
    """What was compiled for a kernel is found by plain Numba afterwards."""
    kernel, *_ = made(nogil=True)
    values = np.linspace(0.0, 1.0, 20)
    kernel(values, 2.0)

    @numba.njit
    def plain(values):
        rows = np.zeros(len(values))
        for number in range(len(values)):
            rows[number] = values[number]
        return np.sort(rows)

    np.testing.assert_array_equal(plain(values[::-1].copy()), values)


def test_callers_are_linked_before_what_they_call():
    """Else LLVM would drop what only a later one calls."""

    def library(name, *called):
        made = object.__new__(inner._InnerLibrary)
        made.__dict__ |= {"own_module": name, "_linking_libraries": [*called, *called]}
        made.__dict__ |= {"_reload_init": {name}}
        return made

    text = library("text")
    first, second = library("first", text), library("second", text)
    outer = library("outer", first, library("between", second), text)
    order = list(inner._linked_into(outer))
    assert sorted(order) == ["between", "first", "second", "text"]
    assert order.index("between") < order.index("second")
    assert order[-1] == "text"
    assert outer._reload_init == {"outer", *order}
