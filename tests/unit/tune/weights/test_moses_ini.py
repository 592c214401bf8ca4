"""A moses.ini is read as a whole, within bounds."""

import pytest

import isogloss.tune.weights.moses_ini
from isogloss.align.errors import DataError
from isogloss.tune.weights.moses_ini import _replaced, read_moses_ini


def test_a_file_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(isogloss.tune.weights.moses_ini, "LARGEST_FILE", 1000)
    with pytest.raises(
        DataError, match=r"/dev/zero: the file has more than 1000 bytes; expected a moses\.ini"
    ):
        read_moses_ini("/dev/zero")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("a= 1", "X"), ("  a= 1\t# c # d\r", "  X\t# c # d\r"), ("a= 1 \r", "X \r"),
        ("a= 1 \r ", "X "), ("a= 1" + " " * 10**6 + "2", "X"),  # once, quadratic in the blanks
        ("a= 1" + "\t" * 10**6 + "#", "X" + "\t" * 10**6 + "#"),
    ],
    ids=range(6),
)  # fmt: skip
def test_a_line_with_another_text(line: str, expected: str) -> None:
    assert _replaced(line, "X") == expected
