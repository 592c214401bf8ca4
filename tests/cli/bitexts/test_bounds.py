"""Numbers of the command line have bounds; what lies outside is refused before anything is read."""

import pytest

from isogloss import program


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--dictionary-weight", "inf", "'inf' is not a finite number"),
        ("--dictionary-weight", "-1", "-1 is below 0.0"),
        ("--sparse-prior", "inf", "'inf' is not a finite number"),
        ("--sparse-prior", "1_0", "'1_0' is not a finite number"),
        ("--hand-confidence", "nan", "'nan' is not a finite number"),
        ("--window", "1_0", "'1_0' is not a whole number"),
        ("--seed", "-1", "-1 is below 0"),
        ("--threads", "1000000", "1000000 is above 1024"),
    ],
)
def test_what_is_out_of_bounds(
    option: str, value: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert program.main(["align", "none", "none", f"{option}={value}"]) == 2
    assert f"argument {option}: {message}" in capsys.readouterr().err
