"""What rules of the doctor are made of."""

import numpy as np

from isogloss.align.errors import pluralize
from isogloss.doctor.rules import SHOWN_LINES, Rule, line_numbers, rule
from isogloss.doctor.survey import Tally


def test_numbers_of_things() -> None:
    assert [pluralize(number) for number in (0, 1, 2)] == ["0 lines", "1 line", "2 lines"]
    assert pluralize(3, "blank line") == "3 blank lines"


def test_lines_are_those_of_the_tally() -> None:
    assert rule("note", "text", "remedy", Tally(7, [3, 9])) == Rule(
        "note", "text", "remedy", (3, 9)
    )
    assert rule("note", "text", "remedy").lines == ()


def test_line_numbers_are_the_first_ones_from_1() -> None:
    assert line_numbers(np.arange(4, 20)) == (5, 6, 7, 8, 9)
    assert len(line_numbers(np.arange(100))) == SHOWN_LINES
