"""Charts: points and marks are inside the box, and where their numbers say."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.pages.charts import Chart, Line

_NUMBERS = st.floats(-1e9, 1e9, allow_nan=False).map(lambda value: round(value, 3))
_POINTS = st.lists(st.tuples(st.integers(0, 10_000), _NUMBERS), min_size=1, max_size=30)


def chart(*lines: Line) -> Chart:
    return Chart("scores by epoch", "epoch", "score", lines)


@given(st.lists(_POINTS, min_size=1, max_size=3))
def test_everything_is_inside_the_box(lines: list[list[tuple[float, float]]]) -> None:
    drawn = chart(*(Line(str(number), points) for number, points in enumerate(lines)))
    left, top, right, bottom = drawn.box
    places = [place for line in drawn.lines for place in drawn.places(line)]
    assert all(left <= x <= right and top <= y <= bottom for x, y in places)
    for ticks, low, high in ((drawn.x_ticks, left, right), (drawn.y_ticks, top, bottom)):
        assert len(ticks) <= 6
        assert all(low <= tick.place <= high for tick in ticks)
        assert len({tick.text for tick in ticks}) == len(ticks)


@given(_POINTS)
def test_higher_values_stand_higher(points: list[tuple[float, float]]) -> None:
    line = Line("a", sorted(points, key=lambda point: point[1]))
    heights = [y for _, y in chart(line).places(line)]
    assert all(lower >= higher for lower, higher in pairwise(heights))


def test_marks_are_round_numbers() -> None:
    drawn = chart(Line("bleu", [(0, 20.07), (5, 20.31)]))
    assert [tick.text for tick in drawn.x_ticks] == ["0", "1", "2", "3", "4", "5"]
    assert [tick.text for tick in drawn.y_ticks] == ["20.10", "20.15", "20.20", "20.25", "20.30"]
    drawn = chart(Line("likelihood", [(1, -585_881.0), (2, -240_000.0)]))
    assert [tick.text for tick in drawn.y_ticks] == ["-500,000", "-400,000", "-300,000"]
    assert [tick.text for tick in drawn.x_ticks] == ["1", "2"]


@pytest.mark.parametrize(
    ("lowest", "left"), [(-0.5, 64.0), (-200_000.0, 82.0), (-20_000_000.0, 109.0)]
)
def test_long_numbers_have_room(lowest: float, left: float) -> None:
    assert chart(Line("likelihood", [(1, lowest), (2, lowest / 2)])).box[0] == left


def test_a_mark_is_at_its_number() -> None:
    line = Line("a", [(0, 0.0), (10, 100.0)])
    drawn = chart(line)
    (x0, y0), (x1, y1) = drawn.places(line)
    for tick in drawn.y_ticks:
        assert tick.place == pytest.approx(y0 + (y1 - y0) * float(tick.text) / 100, abs=0.06)
    for tick in drawn.x_ticks:
        assert tick.place == pytest.approx(x0 + (x1 - x0) * float(tick.text) / 10, abs=0.06)
