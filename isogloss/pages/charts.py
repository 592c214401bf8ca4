"""Charts as a page draws them: places in a box, which a template turns into SVG.

They take the colors of the page, light or dark, and need no Matplotlib, which is an extra;
`isogloss plot` draws for papers.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

__all__ = ["Chart", "Line", "Tick"]

WIDTH, HEIGHT = 560.0, 240.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 64.0, 12.0, 10.0, 40.0
_TICKS = 5
_DIGIT, _GAP = 9.0, 10.0  # width of a character of a mark, as on a phone, and what is beside it


class Tick(NamedTuple):
    """A place on an axis, and its number as text."""

    place: float
    text: str


@dataclass(frozen=True)
class Line:
    """A line of a chart: its name, and its points (x, y); marked: the point with a dot."""

    name: str
    points: Sequence[tuple[float, float]]
    dashed: bool = False
    marked: int | None = None


@dataclass(frozen=True)
class Chart:
    """Lines over a common axis.

    title: what it shows, which a screen reader says; x_label, y_label: of the axes
    """

    title: str
    x_label: str
    y_label: str
    lines: Sequence[Line]
    kind: str = "chart"

    @property
    def box(self) -> tuple[float, float, float, float]:
        """Left, top, right and bottom of the drawn part."""
        return self._left, _TOP, WIDTH - _RIGHT, HEIGHT - _BOTTOM

    @property
    def size(self) -> tuple[float, float]:
        """Width and height with labels."""
        return WIDTH, HEIGHT

    @property
    def x_ticks(self) -> list[Tick]:
        """Marks of the horizontal axis, at whole numbers."""
        low, high = self._range(0)
        return [Tick(self._x(value), text) for value, text in _marks(low, high, whole=True)]

    @property
    def y_ticks(self) -> list[Tick]:
        """Marks of the vertical axis."""
        low, high = self._range(1)
        return [Tick(self._y(value), text) for value, text in _marks(low, high)]

    def places(self, line: Line) -> list[tuple[float, float]]:
        """Where the points of a line are."""
        return [(self._x(x), self._y(y)) for x, y in line.points]

    @property
    def _left(self) -> float:
        """Where the longest mark of the vertical axis ends."""
        longest = max(len(text) for _, text in _marks(*self._range(1)))
        return max(_LEFT, _GAP + _DIGIT * longest)

    def _range(self, axis: int) -> tuple[float, float]:
        values = [point[axis] for line in self.lines for point in line.points]
        low, high = min(values), max(values)
        if low == high:  # a single level is drawn in the middle
            spread = abs(low) * 0.01 or 1.0
            return low - spread, high + spread
        return low, high

    def _x(self, value: float) -> float:
        low, high = self._range(0)
        left = self._left
        return round(left + (WIDTH - left - _RIGHT) * (value - low) / (high - low), 1)

    def _y(self, value: float) -> float:
        low, high = self._range(1)
        reach = HEIGHT - _TOP - _BOTTOM - 12.0
        return round(HEIGHT - _BOTTOM - 6.0 - reach * (value - low) / (high - low), 1)


def _marks(low: float, high: float, *, whole: bool = False) -> list[tuple[float, str]]:
    """Round numbers between two, at most six: steps of 1, 2 or 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10((high - low) / _TICKS))
    step = next(
        step for step in (power, 2 * power, 5 * power, 10 * power) if high - low <= _TICKS * step
    )
    if whole:
        step = max(1.0, round(step))
    digits = max(0, -math.floor(math.log10(step)))
    first = math.ceil(low / step - 1e-9)
    count = math.floor(high / step + 1e-9) - first + 1
    values = [(first + number) * step for number in range(count)]
    return [(value, f"{value:,.{digits}f}") for value in values]
