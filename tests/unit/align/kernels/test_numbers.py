"""Decimal numbers in text against Python's float."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.align.kernels.numbers import read_double
from tests.tiers import examples


def read(text: str) -> tuple[float, int]:
    value, end = read_double(np.frombuffer(f"x {text}".encode(), np.uint8), 2)
    return float(value), int(end) - 2


digits = st.integers(0, 10**19).map(str)


@examples(500)
@given(
    st.sampled_from(["", "-", "+"]), digits, st.sampled_from(["", "."]), digits | st.just(""),
    st.sampled_from(["", "e", "E-", "e+"]), st.integers(0, 40),
)  # fmt: skip
def test_what_is_read_is_the_nearest_double(
    sign: str, whole: str, point: str, fraction: str, mark: str, power: int
) -> None:
    text = f"{sign}{whole}{point}{fraction if point else ''}{mark}{power if mark else ''}"
    value, end = read(text)
    if end >= 0:
        assert end == len(text)
        assert math.copysign(1.0, value) == math.copysign(1.0, float(text))
        assert value == float(text)


@examples(300)
@given(st.floats(1e-7, 1e16), st.integers(1, 15))
def test_numbers_of_up_to_fifteen_digits_are_read(value: float, precision: int) -> None:
    text = f"{value:.{precision}g}"
    assert read(text) == (float(text), len(text))


@pytest.mark.parametrize(
    "text", ["", ".", "-", "x", "1x", "1e", "1e+", "nan", "inf", "1_0", "1e23", "1e-23", "0x1",
             "12345678901234567890"]
)  # fmt: skip
def test_what_is_left_to_others(text: str) -> None:
    assert read(text) == (0.0, -3)
