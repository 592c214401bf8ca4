"""Good-Turing and Kneser-Ney probabilities against Moses' own tables of the same rules."""

import gzip
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from isogloss.features.extraction.smoothing import CountsOfCounts, GoodTuring, KneserNey, Smoothing
from tests.naive import smoothing as naive

# relative: 5e-6, half a unit of the sixth digit, and some 6e-8 of roundings of Moses' float
PRINTED = 6e-6
TABLES = {
    Smoothing.NONE: "phrase-table.gz",
    Smoothing.GOOD_TURING: "phrase-table.good-turing.gz",
    Smoothing.MODIFIED_KNESER_NEY: "phrase-table.kneser-ney.gz",
}
smoothings = pytest.mark.parametrize("smoothing", TABLES)
directions = pytest.mark.parametrize("given", [1, 0], ids=["p(f|e)", "p(e|f)"])


class Rules(NamedTuple):
    """What the scores of Moses' table come from."""

    phrases: list[tuple[str, str]]  # source, target
    counts: NDArray[np.float64]  # c(e), c(f), c(f, e)
    types: tuple[NDArray[np.float64], NDArray[np.float64]]  # rules of the source, of the target


def read_fields(path: Path) -> list[list[str]]:
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as stream:
        return [line.rstrip("\n").split(" ||| ") for line in stream]


@pytest.fixture(scope="module")
def tables(shared_data: Path) -> dict[Smoothing, list[list[str]]]:
    return {key: read_fields(shared_data / "moses-golden" / name) for key, name in TABLES.items()}


@pytest.fixture(scope="module")
def rules(tables: dict[Smoothing, list[list[str]]]) -> Rules:
    fields = tables[Smoothing.NONE]
    types = []
    for side in (0, 1):
        _, inverse, number = np.unique(
            [row[side] for row in fields], return_inverse=True, return_counts=True
        )
        types.append(number[inverse].astype(np.float64))
    counts = np.array([row[4].split() for row in fields], np.float64)
    return Rules([(row[0], row[1]) for row in fields], counts, (types[0], types[1]))


def printed(
    tables: dict[Smoothing, list[list[str]]], smoothing: Smoothing, given: int
) -> list[str]:
    """p(f|e) or p(e|f) as Moses printed them."""
    return [row[2].split()[0 if given else 2] for row in tables[smoothing]]


def own(
    rules: Rules, smoothing: Smoothing, given: int, precision: type[np.floating]
) -> NDArray[np.floating]:
    count = rules.counts[:, 2]
    estimator = smoothing.estimate(CountsOfCounts.from_counts(count))
    columns = (count, rules.counts[:, 1 - given], rules.types[given], rules.types[1 - given])
    return estimator.probability(*(column.astype(precision) for column in columns))


def test_the_tables_differ_in_these_scores_only(
    tables: dict[Smoothing, list[list[str]]],
) -> None:
    plain = tables[Smoothing.NONE]
    assert len(plain) == 74551
    for other in tables.values():
        for row, twin in zip(plain, other, strict=True):
            assert row[:2] + row[3:] == twin[:2] + twin[3:]
            assert row[2].split()[1::2] == twin[2].split()[1::2]


@smoothings
@directions
def test_every_row_to_the_printed_precision(
    tables: dict[Smoothing, list[list[str]]], rules: Rules, smoothing: Smoothing, given: int
) -> None:
    expected = np.array(printed(tables, smoothing, given), np.float64)
    scores = own(rules, smoothing, given, np.float64)
    np.testing.assert_allclose(expected, scores, rtol=PRINTED, atol=0.0)


@smoothings
@directions
def test_in_single_precision_every_row_has_the_same_digits(
    tables: dict[Smoothing, list[list[str]]], rules: Rules, smoothing: Smoothing, given: int
) -> None:
    scores = own(rules, smoothing, given, np.float32)
    assert scores.dtype == np.float32
    digits = [f"{value:.6g}" for value in scores.tolist()]
    assert printed(tables, smoothing, given) == digits


@directions
def test_the_slow_twin_agrees(
    tables: dict[Smoothing, list[list[str]]], rules: Rules, given: int
) -> None:
    counts = dict(zip(rules.phrases, rules.counts[:, 2].tolist(), strict=True))
    slow = naive.good_turing(counts, given)
    expected = np.array(printed(tables, Smoothing.GOOD_TURING, given), np.float64)
    scores = [slow[rule] for rule in rules.phrases]
    np.testing.assert_allclose(expected, scores, rtol=PRINTED, atol=0.0)


def test_discounts_of_the_table(rules: Rules) -> None:
    counts = CountsOfCounts.from_counts(rules.counts[:, 2])
    assert counts.rules_with == (72151, 1336, 383, 193, 112, 63, 61, 43, 19, 24)
    assert counts.num_rules == 74551
    factors = GoodTuring.estimate(counts).factors
    np.testing.assert_allclose(
        [0.0370362, 0.430095, 0.672061, 0.725660, 0.725660, 1, 1, 1], factors, rtol=1e-5
    )
    discounts = KneserNey.estimate(counts).discounts
    np.testing.assert_allclose([0.9, 1.170683, 1.056316], discounts, rtol=1e-6)


@smoothings
@directions
def test_the_probabilities_of_a_phrase_sum_to_no_more_than_one(
    rules: Rules, smoothing: Smoothing, given: int
) -> None:
    numbers = np.unique([phrases[given] for phrases in rules.phrases], return_inverse=True)[1]
    sums = np.bincount(numbers, own(rules, smoothing, given, np.float64))
    limit = 1 + 1e-9 if smoothing is Smoothing.NONE else 1.0
    assert sums.max() <= limit
