"""Bins of even population, and how scores are to be discretized."""

import numpy as np
import pytest

from isogloss.align.errors import DataError, UsageError
from isogloss.features.bins.binning import (
    BinSpec,
    parse_bin_spec,
)
from isogloss.features.bins.histogram import Histogram
from isogloss.features.bins.uniform import Bins, uniform_population_bins
from tests.naive import binning


def binned(values: list[float], bits: int) -> list[list[float]]:
    bins = uniform_population_bins(np.array(values), bits)
    distinct = np.unique(values)
    ids = bins.assign(distinct)
    return [distinct[ids == k].tolist() for k in range(len(bins))]


def bins_from(first: list[float]) -> Bins:
    """Bins of one value each, one rule in each."""
    own = np.array(first)
    return Bins(own, own, own, np.ones(len(own)))


@pytest.mark.parametrize(
    ("values", "bits", "expected"),
    [
        ([1.0, 2.0, 3.0, 4.0], 1, [[1.0, 2.0], [3.0, 4.0]]),
        # a value of half the population has a bin of its own: u = 4, then 3 for the others
        ([5.0] * 6 + [1.0, 2.0, 3.0], 1, [[1.0, 2.0, 3.0], [5.0]]),
        # u = 8 / 2; value 2 lies 1 of 3 outside of the first bin: less than half
        ([1.0] * 2 + [2.0] * 3 + [3.0] * 3, 1, [[1.0, 2.0], [3.0]]),
        # u = 8 / 2; value 2 lies 2 of 3 outside: more than half
        ([1.0] * 3 + [2.0] * 3 + [3.0] * 2, 1, [[1.0], [2.0, 3.0]]),
        # u = 12 / 2; value 2 lies 1 of 4 outside
        ([1.0] * 3 + [2.0] * 4 + [3.0] * 3 + [4.0] * 2, 1, [[1.0, 2.0], [3.0, 4.0]]),
        # clipped twice: u = 22 / 4 clips 12, u = 10 / 3 clips 4, u = 6 / 2 is the bin's size
        (
            [1.0] * 12 + [2.0] * 4 + [3.0] * 3 + [4.0] * 2 + [5.0],
            2,
            [[1.0], [2.0], [3.0], [4.0, 5.0]],
        ),
        # u = 4 / 3, frequencies 1, 1, 1, 1, 4/3: 2 lies 2/3 outside of bin 1, 3 lies 1/3
        # outside of bin 2
        ([1.0, 2.0, 3.0, 4.0] + [5.0] * 10, 2, [[1.0], [2.0, 3.0], [4.0], [5.0]]),
        # u = 3 / 2: exactly half of 4 lies outside of bin 3, so it opens the next one
        ([1.0] * 8 + [2.0] * 8 + [3.0, 4.0, 5.0], 2, [[1.0], [2.0], [3.0], [4.0, 5.0]]),
        # an exact half without clipping: u = 2
        ([0.0, 1.0, 1.0, 2.0], 1, [[0.0], [1.0, 2.0]]),
        # no more values than bins
        ([3.0, 1.0, 3.0], 2, [[1.0], [3.0]]),
        ([-1.0, 0.0, -1.0], 1, [[-1.0], [0.0]]),
        ([0.0, -0.0], 1, [[0.0]]),
        ([7.0], 5, [[7.0]]),
    ],
)
def test_worked_examples(values: list[float], bits: int, expected: list[list[float]]) -> None:
    assert expected == binned(values, bits)
    assert expected == binning.bins(values, bits)


def test_what_bins_hold() -> None:
    bins = uniform_population_bins(np.array([4.0, 1.0, 2.0, 2.0, 9.0, 8.0, 8.0, 8.0]), 1)
    assert [[1.0, 8.0], [2.0, 8.0], [4.0, 9.0], [4.0, 4.0]] == [
        bins.first.tolist(),
        bins.median.tolist(),
        bins.last.tolist(),
        bins.population.tolist(),
    ]


def test_medians_are_those_of_the_weights() -> None:
    bins = uniform_population_bins(np.arange(1.0, 7.0), 1, np.array([1.0, 1, 1, 1, 2, 1]))
    assert bins.median.tolist() == [2.0, 5.0]


def test_the_largest_number_of_bits() -> None:
    assert len(uniform_population_bins(np.arange(3.0), 16).first) == 3


def test_values_outside_the_range_go_to_the_end_bins() -> None:
    bins = bins_from([1.0, 2.0, 4.0])
    values = np.array([-1e300, 0.9, 1.0, 1.9, 2.0, 3.9, 4.0, 1e300])
    assert [0, 0, 0, 0, 1, 1, 2, 2] == bins.assign(values).tolist()


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_values_are_finite(bad: float) -> None:
    values = np.array([1.0, bad, 2.0])
    message = f"the value at index 1 is {bad}; expected finite values"
    with pytest.raises(DataError, match=message):
        uniform_population_bins(values, 1)
    with pytest.raises(DataError, match=message):
        bins_from([1.0]).assign(values)
    with pytest.raises(DataError, match=f"the weight at index 1 is {bad}; expected finite"):
        Histogram().add(np.zeros(3), values)


def test_weights_of_a_histogram_are_not_negative() -> None:
    with pytest.raises(DataError, match=r"the weight at index 1 is -1\.0; expected 0 or more"):
        Histogram().add(np.zeros(2), np.array([0.0, -1.0]))


@pytest.mark.parametrize(("values", "weights"), [([], []), ([1.0], [0.0]), ([1.0], [1e-9])])
def test_no_values(values: list[float], weights: list[float]) -> None:
    with pytest.raises(DataError, match="the list of values is empty; expected at least one"):
        uniform_population_bins(np.array(values), 1, np.array(weights))


@pytest.mark.parametrize("bits", [0, 17, -1])
def test_bits_out_of_range(bits: int) -> None:
    with pytest.raises(UsageError, match=f"bits must be between 1 and 16, got {bits}"):
        uniform_population_bins(np.array([1.0, 2.0]), bits)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ([[], [], [], []], "each bin must have a first, median and last value and a population"),
        ([[1.0], [1.0], [1.0, 2.0], [1.0]], "each bin must have a first, median and last value"),
        ([[1.0], [1.0], [np.inf], [1.0]], "values must be finite and populations above 0"),
        ([[1.0], [1.0], [1.0], [0.0]], "values must be finite and populations above 0"),
        ([[1.0, 2.0]] * 3 + [[1.0, 0.0]], "values must be finite and populations above 0"),
        ([[1.0, np.nan]] * 3 + [[1.0, 1.0]], "values must be finite and populations above 0"),
        ([[1, 2, 3], [1, 2, 3], [1, 2, np.inf], [1, 1, 1]], "values must be finite and"),
        ([[-np.inf, 2, 3], [1, 2, 3], [1, 2, 3], [1, 1, 1]], "values must be finite and"),
        ([[1.0], [0.5], [1.0], [1.0]], "values must increase from bin to bin"),
        ([[1.0], [1.5], [1.2], [1.0]], "values must increase from bin to bin"),
        ([[1.0, 2.0], [1.0, 2.0], [2.0, 2.0], [1.0, 1.0]], "values must increase from bin to bin"),
        ([[1, 3, 5], [1, 3, 5], [2, 5, 6], [1, 1, 1]], "values must increase from bin to bin"),
    ],
)
def test_bins_that_are_none(columns: list[list[float]], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Bins(*(np.array(column) for column in columns))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("p(e|f):4", BinSpec("p(e|f)", 4)),
        ("a:4:5", BinSpec("a:4", 5)),
        ("x y:16:keep", BinSpec("x y", 16, keep=True)),
        ("p:2:overlap=1:keep", BinSpec("p", 2, (1,), keep=True)),
        ("p:3:keep:overlap=0,1,2", BinSpec("p", 3, (0, 1, 2), keep=True)),
        ("p:3:extend=1", BinSpec("p", 3, extend=1)),
    ],
)
def test_specifications(text: str, expected: BinSpec) -> None:
    assert expected == parse_bin_spec(text)


@pytest.mark.parametrize(
    "text",
    ["", "lex", "lex:", ":4", "lex:x", "lex:-1", "lex:4:", "lex:4:kept", "lex:4:overlap",
     "lex:4:overlap=", "lex:4:overlap=1,", "lex:4:keep:keep", "lex:4:overlap=1:overlap=2",
     "lex:999999"],
)  # fmt: skip
def test_specifications_of_another_form(text: str) -> None:
    with pytest.raises(UsageError, match="discretize must be NAME:BITS, optionally followed"):
        parse_bin_spec(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("p:0", "p: bits must be between 1 and 16, got 0"),
        ("p:17", "p: bits must be between 1 and 16, got 17"),
        ("p:1:overlap=1", "p: overlap must be between 0 and 0 for 2 bins, got 1"),
        ("p:2:overlap=0,3", "p: overlap must be between 0 and 2 for 4 bins, got 0,3"),
        ("p:2:extend=3", "p: extend must be between 0 and 2 for 4 bins, got 3"),
        ("p:3:overlap=1,1", r"p: overlap widths must be unique, got \(1, 1\)"),
        ("p:3:overlap=1:extend=1", "p: overlap and extend are mutually exclusive; use only one"),
    ],
)
def test_specifications_out_of_range(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse_bin_spec(text)
