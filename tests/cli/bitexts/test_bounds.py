"""Numbers of the command line have bounds; what lies outside is refused before anything is read."""

from pathlib import Path

import pytest

from isogloss import program


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--dictionary-weight", "inf", "a finite number, got 'inf'"),
        ("--dictionary-weight", "-1", "between 0 and 1000000000, got -1.0"),
        ("--sparse-prior", "inf", "a finite number, got 'inf'"),
        ("--sparse-prior", "1_0", "a finite number, got '1_0'"),
        ("--known-confidence", "nan", "a finite number, got 'nan'"),
        ("--jump-window", "1_0", "an integer, got '1_0'"),
        ("--max-length", "-1", "at least 0, got -1"),
        ("--threads", "1000000", "between 0 and 1024, got 1000000"),
    ],
)
def test_what_is_out_of_bounds(
    option: str, value: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert program.main(["align", "none", "none", f"{option}={value}"]) == 2
    assert f"{option} must be {message}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--sparse-prior", "1e308", r"--sparse-prior must be between 0 and 1e6, got 1e+308"),
        (
            "--domain-temperature",
            "5e-324",
            "--domain-temperature must be between 0.001 and 1e6, got 5e-324",
        ),
        (
            "--domain-smoothing",
            "1e13",
            "--domain-smoothing must be between 0 and 1e12, got 10000000000000.0",
        ),
    ],
)
def test_what_leads_to_no_probabilities(
    option: str, value: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert program.main(["align", "none", "none", f"{option}={value}"]) == 2
    assert f"isogloss align: {message}" in capsys.readouterr().err


@pytest.mark.parametrize("option", ["--scores", "--posterior-threshold=0.4"])
def test_probabilities_of_links_need_an_hmm(
    option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = str(tmp_path / "m")
    arguments = ["align", "none", "none", option, "--hmm-iterations=0", "--model", model]
    assert program.main(arguments) == 2
    message = f"{option.partition('=')[0]} needs link probabilities; set --hmm-iterations above 0"
    assert message in capsys.readouterr().err
    assert [*tmp_path.iterdir()] == []
