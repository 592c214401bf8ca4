"""Numbers of text files: those of ASCII digits, and nothing else that Python takes for one."""

import pytest

from isogloss.align.files.numerals import parse_number, parse_whole


@pytest.mark.parametrize("text", ["0", "-1", "+7", "007", "9223372036854775807"])
def test_whole_numbers(text: str) -> None:
    assert parse_whole(text) == int(text)
    assert parse_number(text) == float(text)


@pytest.mark.parametrize("text", ["0.5", "-.5", "5.", "1e-400", "1E+10", "-1.5e3"])
def test_numbers(text: str) -> None:
    assert parse_number(text) == float(text)
    with pytest.raises(ValueError, match="is not an integer"):
        parse_whole(text)


@pytest.mark.parametrize(
    "text",
    ["", " 1", "1\n", "1_0", "-1_0.5", "٣", "0x10", "inf", "-Infinity", "nan", "1e999", "--1", ".",
     "1e", "9" * 400, "1,5"],
)  # fmt: skip
def test_what_python_takes_and_we_do_not(text: str) -> None:
    with pytest.raises(ValueError, match="is not a finite number"):
        parse_number(text)
    with pytest.raises(ValueError, match="is not an integer"):
        parse_whole(text)


def test_whole_numbers_fit_64_bits() -> None:
    with pytest.raises(ValueError, match="'9223372036854775808' is not an integer"):
        parse_whole("9223372036854775808")
