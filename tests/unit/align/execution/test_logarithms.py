"""Logarithms and exponentials are the nearest float64 there is, whatever the processor."""

from decimal import Decimal, localcontext

import numpy as np
import pytest

from isogloss.align.execution import exp, log

VALUES = np.random.default_rng(1).normal(size=2000) * 20.0
EXTENDED = np.finfo(np.longdouble).nmant > np.finfo(np.float64).nmant


@pytest.mark.skipif(not EXTENDED, reason="no extended precision here")
def test_nearest() -> None:
    with localcontext(prec=40):
        exact = [(Decimal(x).exp(), Decimal(abs(x)).ln()) for x in VALUES.tolist()]
    expected = np.array(exact, np.float64).T
    np.testing.assert_array_equal(exp(VALUES), expected[0])
    np.testing.assert_array_equal(log(np.abs(VALUES)), expected[1])
    np.testing.assert_array_equal(log(np.abs(VALUES[::3])), expected[1][::3])


def test_shapes_and_limits() -> None:
    assert exp(0.0) == 1.0
    assert log(np.ones((2, 0, 3))).shape == (2, 0, 3)
    assert exp(np.array([-np.inf, -800.0])).tolist() == [0.0, 0.0]
    with np.errstate(divide="ignore"):
        assert log(np.array([0, 1])).tolist() == [-np.inf, 0.0]
    assert exp(np.zeros(3)).dtype == log(np.ones(3)).dtype == np.float64
