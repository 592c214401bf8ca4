"""Line searches against all pairwise crossings, and which interval is taken."""

from fractions import Fraction
from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from isogloss.align.errors import DataError
from isogloss.tune.optimizers.kernels.envelope import (
    envelopes,
    running_sums,
    sort_slopes,
    statistics_changes,
)
from isogloss.tune.optimizers.line_search import (
    Columns,
    LineSearcher,
    Surface,
    best_step,
    common_step,
    error_surface,
    line_search,
    smooth,
    spread,
)
from tests.naive.examples import mean_examples, random_examples
from tests.naive.mert import surface

Floats = NDArray[np.float64]

# small whole numbers: parallel and equal lines, and many through one point
small = st.integers(-4, 4)
hypotheses = st.tuples(small, small, st.tuples(st.integers(0, 3), st.integers(0, 3)))
corpora = st.lists(st.lists(hypotheses, min_size=1, max_size=6), min_size=1, max_size=4)
Corpus = list[list[tuple[int, int, tuple[int, int]]]]


def swept(corpus: Corpus) -> tuple[Floats, Floats]:
    """Boundaries and sums, by the kernels."""
    flat = [line for sentence in corpus for line in sentence]
    scores, slopes = (np.array([line[k] for line in flat], np.float64) for k in (0, 1))
    statistics = np.array([line[2] for line in flat], np.float64)
    offsets = np.cumsum([0, *map(len, corpus)]).astype(np.int64)
    order = np.empty(len(flat), np.uint32)
    sort_slopes(slopes, offsets, order)
    steps, changes, first = (
        np.empty(len(flat)),
        np.empty((len(flat), 2)),
        np.empty(len(corpus), int),
    )
    before, after = np.empty(len(flat), np.int64), np.empty(len(flat), np.int64)
    count = envelopes(scores, slopes, order, offsets, steps, before, after, first)
    steps = steps[:count]
    count = statistics_changes(statistics, before, after, steps, changes)
    sums = statistics[first].sum(0)
    boundaries, totals = np.empty(count), np.empty((2, count + 1))
    by_step = np.argsort(steps[:count], kind="stable")
    count = running_sums(by_step, steps, changes, sums, boundaries, totals)
    return boundaries[:count], totals[:, : count + 1].T


@given(corpora)
def test_sums_between_boundaries_are_those_of_all_pairwise_crossings(corpus: Corpus) -> None:
    lines = [
        [(Fraction(score), Fraction(slope)) for score, slope, _ in sentence] for sentence in corpus
    ]
    expected, sums = surface(lines, [[value[2] for value in sentence] for sentence in corpus])
    boundaries, totals = swept(corpus)
    # changes of several sentences at one step may cancel each other; the twin has no boundary there
    kept = np.append(True, (np.diff(totals, axis=0) != 0).any(1))
    np.testing.assert_allclose(
        boundaries[kept[1:]], [float(value) for value in expected], rtol=1e-14
    )
    assert totals[kept].tolist() == sums
    assert (np.diff(boundaries) > 0).all()


def test_equal_hypotheses_the_first_is_taken_on_either_side() -> None:
    corpus = [[(0, 0, (1, 0)), (0, 2, (2, 0)), (0, 2, (3, 0)), (0, -1, (4, 0)), (0, -1, (5, 0))]]
    boundaries, totals = swept(corpus)
    assert boundaries.tolist() == [0.0]
    assert totals.tolist() == [[4.0, 0.0], [2.0, 0.0]]


def test_one_hypothesis_per_sentence_has_no_boundary() -> None:
    boundaries, totals = swept([[(1, 2, (3, 4))], [(0, -1, (1, 1))]])
    assert (boundaries.tolist(), totals.tolist()) == ([], [[4.0, 5.0]])


def test_lines_that_meet_beyond_all_numbers_are_parallel() -> None:
    examples = mean_examples([[0.0, 1.0, 2.0]], [[[0.0], [0.0], [0.0]]])
    scores, slopes = np.array([0.0, 1.0, -1.0]), np.array([1e-320, 0.0, 0.0])
    flat = LineSearcher(examples).surface(scores, slopes)
    assert (flat.boundaries.tolist(), flat.scores.tolist()) == ([], [100.0])


@pytest.mark.parametrize(
    ("boundaries", "gains", "step"),
    [
        ([], [1.0], 0.0),
        ([1.0], [1.0, 1.0], 0.0),  # equal: where it is
        ([1.0, 2.0], [0.0, 1.0, 0.0], 1.5),
        ([-2.0, -1.0, 1.0, 3.0], [0.0, 1.0, 0.0, 1.0, 0.0], -1.5),  # equally near: the first
        ([-3.0, -2.0, 1.0, 3.0], [0.0, 1.0, 0.0, 1.0, 0.0], 2.0),  # the nearer one
        ([3.0], [0.0, 1.0], 6.0),  # without end: three times as far counts
        ([-3.0], [1.0, 0.0], -6.0),
        ([0.5], [0.0, 1.0], 1.5),  # without end and near: two units count
        ([-0.5], [1.0, 0.0], -1.5),
        ([0.0], [0.0, 1.0], 1.0),  # on a boundary: to the better side
        ([2.0, 1000.0], [0.0, 1.0, 0.0], 4.0),  # very wide
        ([1.0, 1.0 + 1e-9, 4.0], [0.0, 2.0, 1.0, 0.0], 2.0),  # too narrow
    ],
)  # fmt: skip
def test_middle_of_the_best_interval(
    boundaries: list[float], gains: list[float], step: float
) -> None:
    reached = best_step(np.array(boundaries), np.array(gains), 1.0)
    assert reached == pytest.approx(step, rel=1e-8)


def test_step_between_limits() -> None:
    boundaries, gains = np.array([-1.0, 1.0, 5.0]), np.array([9.0, 0.0, 1.0, 8.0])
    assert best_step(boundaries, gains, 1.0, -0.5, 3.0) == 2.0
    assert best_step(boundaries, gains, 1.0, -1.5, 3.0) == -1.25
    assert best_step(boundaries, gains, 1.0, -0.5, 0.5) == 0.0
    assert best_step(boundaries, gains, 1.0, 0.0, 0.0) == 0.0
    assert best_step(boundaries, gains, 1.0, -inf, inf) == -2.0


def test_smoothing_by_hand() -> None:
    gains = np.array([0.0, 3.0, 9.0, 0.0])
    assert smooth(gains, "none", 1) is gains
    assert smooth(gains, "average", 1).tolist() == [1.0, 4.0, 4.0, 3.0]
    assert smooth(gains, "minimum", 1).tolist() == [0.0, 0.0, 0.0, 0.0]
    assert smooth(gains + 1.0, "minimum", 2).tolist() == [1.0] * 4


def test_spread_is_within_sentences() -> None:
    values = np.array([1.0, 3.0, 100.0, 5.0, 5.0])
    assert spread(values, np.array([0, 2, 3, 5])) == pytest.approx(np.sqrt(0.4), rel=1e-12)


def test_score_at_a_step() -> None:
    example = Surface(np.array([-1.0, 2.0]), np.array([1.0, 2.0, 3.0]))
    assert [example.at(step) for step in (-2.0, -1.0, 0.0, 2.0, 9.0)] == [1.0, 2.0, 2.0, 3.0, 3.0]


@pytest.mark.parametrize("seed", range(10))
def test_surface_holds_when_scored_anew(seed: int) -> None:
    rng = np.random.default_rng(seed)
    examples = random_examples(rng, 30, 20, 4)
    weights, direction = rng.normal(size=4), rng.normal(size=4)
    along = error_surface(examples, weights, direction)
    edges = [along.boundaries[0] - 1, *along.boundaries, along.boundaries[-1] + 1]
    for k, score in enumerate(along.scores.tolist()):
        middle = (edges[k] + edges[k + 1]) / 2
        anew = examples.best_score(weights + middle * direction)
        assert anew == pytest.approx(score, rel=1e-12), k


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("seed", range(5))
def test_line_search_finds_the_best_score(seed: int, sign: int) -> None:
    rng = np.random.default_rng(seed)
    features = rng.integers(-5, 6, size=(6, 7, 2)).astype(float).tolist()
    numbers = rng.integers(0, 9, size=(6, 7)).astype(float)
    examples = mean_examples(numbers.tolist(), features, sign=sign)
    lines = [[(Fraction(int(a)), Fraction(int(b))) for a, b in sentence] for sentence in features]
    _, sums = surface(lines, [[[int(value), 1] for value in sentence] for sentence in numbers])
    step, score = line_search(examples, np.array([1.0, 0.0]), np.array([0.0, 1.0]))
    assert score == examples.best_score(np.array([1.0, step]))
    assert score == max((100.0 * a / b for a, b in sums), key=lambda value: sign * value)


def test_line_search_stays_where_nothing_is_better() -> None:
    examples = mean_examples([[1.0, 0.0]], [[[1.0, 0.0], [0.0, 1.0]]])
    assert line_search(examples, np.array([1.0, 0.0]), np.array([0.0, 1.0])) == (0.0, 100.0)
    assert line_search(examples, np.zeros(2), np.zeros(2)) == (0.0, 100.0)


def test_scores_that_are_not_finite() -> None:
    examples = mean_examples([[1.0, 0.0]], [[[1.0, 0.0], [0.0, 1.0]]])
    with pytest.raises(DataError, match=r"model scores are not finite\. Scale the weights or"):
        line_search(examples, np.array([np.nan, 0.0]), np.ones(2))
    with pytest.raises(DataError, match=r"model scores are not finite"):
        error_surface(examples, np.ones(2), np.array([0.0, np.inf]))


def test_columns_leave_out_what_is_the_same_within_each_sentence() -> None:
    features = [[[1.0, 5.0, 2.0], [3.0, 5.0, 1.0]], [[4.0, 6.0, 1.0], [4.0, 6.0, 3.0]]]
    examples = mean_examples([[0.0, 1.0], [0.0, 1.0]], features)
    columns = Columns.of(examples, np.array([0, 1, 2]))
    assert columns.features.tolist() == [0, 2]
    assert columns.values.tolist() == [[1.0, 3.0, 4.0, 4.0], [2.0, 1.0, 1.0, 3.0]]
    assert columns.orders.tolist() == [[0, 1, 0, 1], [1, 0, 0, 1]]
    assert columns.scores(np.array([1.0, -1.0])).tolist() == [-1.0, 2.0, 3.0, 1.0]
    constant = np.array([9.0, 0.0, 0.0, 0.0])
    assert columns.scores(np.array([1.0, 0.0]), constant).tolist() == [10.0, 3.0, 4.0, 4.0]
    first = spread(columns.values[0], examples.sentence_offsets)
    step = common_step(columns.spreads, np.zeros(2), np.array([2.0, 0.0]))
    assert step == pytest.approx(0.5 / first)
    none = Columns.of(examples, np.array([1]))
    assert none.values.shape == (0, 4)
