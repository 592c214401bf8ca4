"""What rules of the doctor are made of."""

import numpy as np

from isogloss.align.errors import pluralize
from isogloss.doctor.rules import Rule, rule
from isogloss.doctor.survey import MOST_LINES, Tally


def test_numbers_of_things() -> None:
    assert [pluralize(number) for number in (0, 1, 2)] == ["0 lines", "1 line", "2 lines"]
    assert pluralize(3, "blank line") == "3 blank lines"


def test_lines_are_those_of_the_tally() -> None:
    assert rule("name", "note", "text", "remedy", Tally(7, [3, 9])) == Rule(
        "name", "note", "text", "remedy", 7, (3, 9)
    )
    assert rule("name", "note", "text", "remedy").lines == ()


def test_a_tally_of_rows_counts_from_1_and_keeps_the_first() -> None:
    assert Tally.of(np.arange(4, 7)) == Tally(3, [5, 6, 7])
    tally = Tally.of(np.arange(MOST_LINES + 9))
    assert (tally.lines, tally.first[-1], len(tally.first)) == (
        MOST_LINES + 9,
        MOST_LINES,
        MOST_LINES,
    )
