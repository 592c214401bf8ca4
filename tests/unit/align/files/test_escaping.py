"""Text of strangers on a terminal: nothing is obeyed, and no cell breaks a table."""

import pytest

from isogloss.align.files.outputs import in_one_cell, on_a_terminal
from isogloss.report import format_table, table_lines


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred", r"\x1b[31mred"), ("a\u202eb", r"a\u202eb"), ("bell\x07", r"bell\x07"),
        ("é 語 \u00a0", "é 語 \u00a0"), ("\x85", r"\x85"), ("\u2028", r"\u2028"),
    ],
)  # fmt: skip
def test_what_a_terminal_would_obey_is_written_out(text: str, shown: str) -> None:
    assert on_a_terminal(text) == in_one_cell(text) == shown


def test_line_feeds_and_tabs_are_those_of_messages() -> None:
    assert on_a_terminal("a\n\tb") == "a\n\tb"
    assert in_one_cell("a\n\tb") == r"a\n\tb"


@pytest.mark.parametrize("odd", ["\u2028", "\x0b", "\x0c", "\x1c", "\x85", "\n", "\r", "\x1b[2J"])
def test_a_row_is_a_line(odd: str) -> None:
    lines = table_lines(["word", "count"], [[f"a{odd}b", 1], ["c", 22]])
    assert len(lines) == 3
    assert lines[1].split() == [in_one_cell(f"a{odd}b"), "1"]
    assert format_table("Title", ["word"], [["a"]]) == "Title\nword\na\n"
