"""Discounted phrase probabilities against their slow twin."""

import warnings
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from isogloss.align.errors import DataError, DataWarning, UsageError
from isogloss.features.extraction.smoothing import (
    CountsOfCounts,
    GoodTuring,
    KneserNey,
    RelativeFrequency,
    Smoothing,
    parse_smoothing,
)
from tests.naive import smoothing as naive
from tests.tiers import examples

phrases = st.sampled_from("abcdef")
whole = st.sampled_from([1.0, 1.0, 1.0, 2.0, 2.0, 3.0, 4.0, 5.0, 8.0, 9.0, 10.0, 11.0, 400.0])
fractions = st.floats(1e-6, 12.0, allow_nan=False)


def tables_of(counts: st.SearchStrategy[float]) -> st.SearchStrategy[dict[naive.Rule, float]]:
    return st.dictionaries(st.tuples(phrases, phrases), counts, min_size=1, max_size=36)


TABLES = tables_of(whole) | tables_of(fractions)
SIDES = st.sampled_from([0, 1])


def columns(counts: naive.Counts, given: int) -> tuple[NDArray[np.float64], ...]:
    """count, total, types_given, types_generated of each rule."""
    total = naive.totals(counts, given)
    types = [naive.totals(dict.fromkeys(counts, 1.0), side) for side in (0, 1)]
    return tuple(
        np.array(column)
        for column in (
            list(counts.values()),
            [total[rule[given]] for rule in counts],
            [types[given][rule[given]] for rule in counts],
            [types[1 - given][rule[1 - given]] for rule in counts],
        )
    )


def estimate(
    smoothing: Smoothing, counts: naive.Counts
) -> RelativeFrequency | GoodTuring | KneserNey:
    """Without the warning that small tables give."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return smoothing.estimate(CountsOfCounts.from_counts(np.array(list(counts.values()))))


def kneser_ney(counts: naive.Counts, *, modified: bool) -> KneserNey:
    name = Smoothing.MODIFIED_KNESER_NEY if modified else Smoothing.KNESER_NEY
    estimator = estimate(name, counts)
    assert isinstance(estimator, KneserNey)
    return estimator


def mass(estimator: KneserNey, counts: naive.Counts, given: int) -> NDArray[np.float64]:
    taken = estimator.discount(np.array(list(counts.values())))
    given_phrase = np.array([ord(rule[given]) for rule in counts])
    return np.bincount(given_phrase, taken)[given_phrase]


@given(TABLES, SIDES)
def test_relative_frequency_and_good_turing(counts: naive.Counts, side: int) -> None:
    for smoothing, slow in (
        (Smoothing.NONE, naive.relative_frequency),
        (Smoothing.GOOD_TURING, naive.good_turing),
    ):
        probabilities = estimate(smoothing, counts).probability(*columns(counts, side))
        np.testing.assert_allclose(list(slow(counts, side).values()), probabilities, rtol=1e-12)


@given(TABLES, SIDES, st.booleans(), st.booleans())
@examples(200)
def test_kneser_ney(counts: naive.Counts, side: int, modified: bool, proper: bool) -> None:
    estimator = kneser_ney(counts, modified=modified)
    given_mass = mass(estimator, counts, side) if proper else None
    probabilities = estimator.probability(*columns(counts, side), mass=given_mass)
    slow = naive.kneser_ney(counts, side, modified=modified, proper=proper)
    expected = [min(slow[rule], 1.0) for rule in counts]  # Moses' mass may go beyond
    np.testing.assert_allclose(expected, probabilities, rtol=1e-9)


@given(TABLES, SIDES, st.sampled_from(Smoothing), st.sampled_from([np.float32, np.float64]))
@examples(200)
def test_always_probabilities(
    counts: naive.Counts, side: int, smoothing: Smoothing, precision: type[np.floating]
) -> None:
    arguments = [column.astype(precision) for column in columns(counts, side)]
    probabilities = estimate(smoothing, counts).probability(*arguments)
    assert probabilities.dtype == precision
    assert np.isfinite(probabilities).all()
    assert probabilities.min() > 0 and probabilities.max() <= 1


@given(TABLES, SIDES)
def test_good_turing_takes_from_each_phrase(counts: naive.Counts, side: int) -> None:
    estimator = estimate(Smoothing.GOOD_TURING, counts)
    probabilities = estimator.probability(*columns(counts, side))
    given_phrase = [ord(rule[side]) for rule in counts]
    assert np.bincount(given_phrase, probabilities).max() <= 1 + 1e-12
    factors = estimator.factors  # type: ignore[union-attr]
    assert all(a <= b for a, b in pairwise(factors))


@given(tables_of(whole), SIDES, st.booleans())
def test_kneser_ney_sums_to_one_over_all_phrases(
    counts: naive.Counts, side: int, modified: bool
) -> None:
    """Seen rules by the estimator, the pairs that were never seen by the twin."""
    estimator = kneser_ney(counts, modified=modified)
    # with one discount Moses' mass is the sum of what was taken
    given_mass = mass(estimator, counts, side) if modified else None
    probabilities = estimator.probability(*columns(counts, side), mass=given_mass)
    sums = dict.fromkeys(naive.totals(counts, side), 0.0)
    for rule, value in zip(counts, probabilities.tolist(), strict=True):
        sums[rule[side]] += value
    for phrase in sums.values():
        assert phrase <= 1 + 1e-9
    for rule, value in naive.kneser_ney(counts, side, modified=modified, proper=True).items():
        sums[rule[side]] += 0.0 if rule in counts else value
    assert list(sums.values()) == pytest.approx([1.0] * len(sums), rel=1e-9)


def test_moses_mass_is_no_distribution() -> None:
    # for each of the two rules of a, the one of count 3 counts its own discount
    counts = {("a", "x"): 3.0, ("a", "y"): 1.0, ("b", "x"): 1.0, ("c", "x"): 1.0, ("d", "x"): 1.0}
    estimator = KneserNey((0.5, 1.0, 1.5), len(counts))
    count, total, *types = columns(counts, 0)
    probabilities = estimator.probability(count, total, *types)
    assert probabilities[0] == pytest.approx((1.5 + 3.0 * 4 / 5) / 4)
    probabilities = estimator.probability(count, total, *types, mass=mass(estimator, counts, 0))
    assert probabilities[0] == pytest.approx((1.5 + 2.0 * 4 / 5) / 4)


def test_probabilities_beyond_one_are_cut() -> None:
    rule = np.array([3.0]), np.array([3.5]), np.array([2.0]), np.array([9.0])
    estimator = KneserNey((0.9, 1.9, 2.9), 10)
    assert (0.1 + 5.8 * 0.9) / 3.5 > 1
    assert estimator.probability(*rule).tolist() == [1.0]


@given(st.lists(whole | fractions, max_size=30), st.lists(whole | fractions, max_size=30))
def test_blocks_add_up(left: list[float], right: list[float]) -> None:
    joined = CountsOfCounts.from_counts(np.array(left)) + CountsOfCounts.from_counts(
        np.array(right)
    )
    assert joined == CountsOfCounts.from_counts(np.array(left + right))
    slow = naive.counts_of_counts(dict(enumerate(left + right)))  # type: ignore[arg-type]
    assert joined.rules_with == tuple(slow[count] for count in range(1, 11))
    assert joined.num_rules == len(left + right)


def test_counts_of_counts() -> None:
    counts = np.array([1, 1, 2, 10, 11, 400.0])
    assert CountsOfCounts.from_counts(counts) == CountsOfCounts((2, 1, *[0] * 7, 1), 6)
    fractions_up = np.array([0.2, 1.0000001, 1.2, 9.9, 10.1])
    assert CountsOfCounts.from_counts(fractions_up) == CountsOfCounts((2, 1, *[0] * 7, 1), 5)
    blocks = [CountsOfCounts.from_counts(counts[k:]) for k in range(3)]
    assert sum(blocks, CountsOfCounts()).rules_with[:2] == (3, 3)


def test_counts_of_counts_are_checked() -> None:
    with pytest.raises(ValueError, match="one number for each count from 1 to 10"):
        CountsOfCounts((1, 2), 3)
    with pytest.raises(ValueError, match="the number of counted rules must not exceed the number"):
        CountsOfCounts((3, *[0] * 9), 2)


def coc(*numbers: int, above: int = 0) -> CountsOfCounts:
    return CountsOfCounts((*numbers, *[0] * (10 - len(numbers))), sum(numbers) + above)


def test_good_turing_factors() -> None:
    factors = GoodTuring.estimate(coc(100, 30, 15, 9, 9, 6, 4, 3, 2, 1)).factors
    expected = [
        2 * 30.1 / 100.1,
        3 / 2 * 15.1 / 30.1,
        4 / 3 * 9.1 / 15.1,
        1.0,  # 5/4
        1.0,  # 6/5 * 6.1/9.1 = 0.80 would fall
        1.0,
        1.0,
        1.0,
    ]
    assert factors == pytest.approx(expected, rel=1e-12)


def test_kneser_ney_discounts() -> None:
    y = 100 / 160
    estimator = KneserNey.estimate(coc(100, 30, 15, 9, above=7))
    assert estimator.num_rules == 161
    assert estimator.discounts == pytest.approx((y, 2 - 3 * y * 15 / 30, 3 - 4 * y * 9 / 15))
    assert KneserNey.estimate(coc(100, 30), modified=False).discounts == pytest.approx((y, y, y))
    taken = estimator.discount(np.array([0.05, 1.0, 1.9, 2 - 1e-9, 2.9, 3.0, 70.0])).tolist()
    first, second, third = estimator.discounts
    assert taken == pytest.approx([0.04, first, first, second, second, third, third])


@pytest.mark.parametrize(
    ("numbers", "modified", "seen", "discounts"),
    [
        (
            coc(5),
            True,
            " 5, 0, 0, 0 rules with counts 1, 2, 3, 4; the discounts 0.9, 1, 1.5 are used",
            (0.9, 1.0, 1.5),
        ),
        (coc(0, 4, 3, 2), True, " 0, 4, 3, 2 rules", (0.5, 1.0, 1.5)),
        (
            coc(0, 4, 3, 2),
            False,
            r" 0, 4, 3, 2 rules.*; the discount 0\.5 is used\. The text may",
            (0.5, 0.5, 0.5),
        ),
        (coc(0, above=4), True, " 0, 0, 0, 0 rules", (0.5, 1.0, 1.5)),
        (
            coc(9, 3, 40, 3),
            True,
            r"; the discounts 0\.6, 1, 2\.82 are used\. The text may be too small$",
            (0.6, 1.0, 3 - 4 * 0.6 * 3 / 40),
        ),
    ],
)
def test_kneser_ney_fallback(
    numbers: CountsOfCounts, modified: bool, seen: str, discounts: tuple[float, ...]
) -> None:
    with pytest.warns(
        DataWarning, match=f"Kneser-Ney discounts cannot be estimated .*{seen}"
    ) as told:
        estimator = KneserNey.estimate(numbers, modified)
    assert [warning.filename for warning in told] == [__file__]
    assert estimator.discounts == pytest.approx(discounts)


def test_one_discount_needs_no_rules_of_count_two() -> None:
    assert KneserNey.estimate(coc(5), modified=False).discounts == (0.9, 0.9, 0.9)


@pytest.mark.parametrize(
    ("numbers", "message", "factor"),
    [
        (coc(5), " 5 and 0 rules with counts 1 and 2; .*keeps 0.0392", 0.2 / 5.1),
        (coc(500), "keeps 0.01 of its probability", 0.01),
        (coc(0, 4), " 0 and 4 rules .*keeps 1 of its", 1.0),
        (coc(0, above=4), " 0 and 0 rules", 1.0),
    ],
)
def test_good_turing_without_rules_of_count_one_or_two(
    numbers: CountsOfCounts, message: str, factor: float
) -> None:
    told = f"Good-Turing discounts cannot be estimated .*{message}"
    with pytest.warns(DataWarning, match=told) as warned:
        estimator = GoodTuring.estimate(numbers)
    assert warned[0].filename == __file__
    assert estimator.factors[0] == pytest.approx(factor)


@pytest.mark.parametrize("smoothing", list(Smoothing)[1:])
def test_no_rule_is_an_error(smoothing: Smoothing) -> None:
    with pytest.raises(DataError, match="the phrase table is empty; expected at least one rule"):
        smoothing.estimate(CountsOfCounts())


@pytest.mark.parametrize("smoothing", list(Smoothing))
@pytest.mark.parametrize(
    ("count", "total", "seen"),
    [
        (0.0, 0.0, "the count of rule 1 is 0 of a total of 0"),
        (-1.0, 2.0, "the count of rule 1 is -1 of a total of 2"),
        (3.0, 2.0, "the count of rule 1 is 3 of a total of 2"),
        (1.0002, 1.0, "the count of rule 1 is 1.0002 of a total of 1"),
        (np.nan, 2.0, "the count of rule 1 is nan of a total of 2"),
        (1.0, np.inf, "the count of rule 1 is 1 of a total of inf"),
    ],
)
def test_counts_that_are_none(smoothing: Smoothing, count: float, total: float, seen: str) -> None:
    estimator = smoothing.estimate(coc(100, 30, 15, 9))
    two = np.ones(2)
    with pytest.raises(DataError, match=f"{seen}; expected .*Extract the table again"):
        estimator.probability(np.array([1.0, count]), np.array([1.0, total]), two, two)


def test_totals_that_were_added_in_another_order() -> None:
    """A ten-thousandth below the count is rounding; still no probability is above 1."""
    count, total = np.array([1.00005, 0.5]), np.array([1.0, 1.0])
    assert RelativeFrequency().probability(count, total).tolist() == [1.0, 0.5]


def test_counts_of_an_unfinished_table() -> None:
    with pytest.raises(DataError, match="the count of rule 2 is 0 of a total of 0; expected"):
        CountsOfCounts.from_counts(np.array([1.0, 2.0, 0.0]))


@pytest.mark.parametrize(
    ("types", "message"),
    [
        (0.0, "a phrase occurs in 0 rules; expected at least 1"),
        (155.0, "a phrase occurs in 155 rules, but the discounts were estimated on 154 rules"),
        (np.nan, "a phrase occurs in nan rules; expected at least 1"),
    ],
)
def test_numbers_of_rules_of_another_table(types: float, message: str) -> None:
    estimator = KneserNey.estimate(coc(100, 30, 15, 9))
    ones = np.ones(1)
    for pair in ((ones, ones * types), (ones * types, ones)):
        with pytest.raises(DataError, match=message):
            estimator.probability(ones, ones, *pair)


def test_numbers_of_rules_that_differ_are_told() -> None:
    ones, types = np.ones(3), np.array([1.0, 7.0, 400.0])
    told = r"in 400 rules, but .* on 154 rules\. Estimate the discounts on this table"
    with pytest.raises(DataError, match=told):
        KneserNey.estimate(coc(100, 30, 15, 9)).probability(ones, ones, types, ones)


def test_estimators_are_checked() -> None:
    with pytest.raises(ValueError, match="one factor for each count"):
        GoodTuring((0.5,))
    with pytest.raises(ValueError, match="above 0 and at most 1"):
        GoodTuring((*[0.5] * 7, 1.5))
    with pytest.raises(ValueError, match="above 0 and at most 1"):
        GoodTuring((0.0, *[0.5] * 7))
    assert GoodTuring((*[0.5] * 7, 1.0)).factors[-1] == 1.0


@pytest.mark.parametrize(
    ("discounts", "num_rules"),
    [
        ((1.0, 1.0, 1.0), 5), ((0.5, 2.0, 1.5), 5), ((0.5, 1.0, 3.0), 5),
        ((0.0, 1.0, 1.5), 5), ((0.5, 0.0, 1.5), 5), ((0.5, 1.0, -0.5), 5),
        ((0.5, 1.0, 1.5), 0),
    ],
)  # fmt: skip
def test_discounts_at_their_limits(discounts: tuple[float, float, float], num_rules: int) -> None:
    """Neither nothing is taken nor all of a count."""
    assert KneserNey((0.999, 1.999, 0.001), 1).discounts == (0.999, 1.999, 0.001)
    with pytest.raises(ValueError, match="discounts must be above 0 and below the counts 1, 2"):
        KneserNey(discounts, num_rules)


def test_names() -> None:
    assert [parse_smoothing(name) for name in Smoothing] == list(Smoothing)
    with pytest.raises(
        UsageError,
        match=r"must be one of none, .*-kneser-ney, got 'KneserNey'; in Moses",
    ):
        parse_smoothing("KneserNey")


@pytest.mark.filterwarnings("ignore:no proper:isogloss.align.errors.DataWarning")
@pytest.mark.parametrize("smoothing", list(Smoothing))
def test_all_rules_of_a_table(smoothing: Smoothing) -> None:
    """Rules a x 3, a y 1, b x 1, b z 2, by either side."""
    counts = {("a", "x"): 3.0, ("a", "y"): 1.0, ("b", "x"): 1.0, ("b", "z"): 2.0}
    slow = {
        Smoothing.NONE: naive.relative_frequency,
        Smoothing.GOOD_TURING: naive.good_turing,
        Smoothing.KNESER_NEY: lambda *sides: naive.kneser_ney(*sides, modified=False),
        Smoothing.MODIFIED_KNESER_NEY: lambda *sides: naive.kneser_ney(*sides, modified=True),
    }[smoothing]
    count = np.array(list(counts.values()))
    estimator = smoothing.estimate(CountsOfCounts.from_counts(count))
    total = np.array([4.0, 4.0, 3.0, 3.0]), np.array([4.0, 1.0, 4.0, 2.0])
    types = np.array([2.0, 2.0, 2.0, 2.0]), np.array([2.0, 1.0, 2.0, 1.0])
    for given_side, other_side in ((0, 1), (1, 0)):
        probabilities = estimator.probability(
            count, total[given_side], types[given_side], types[other_side]
        )
        expected = slow(counts, given_side)
        assert probabilities.tolist() == pytest.approx([expected[rule] for rule in counts])
