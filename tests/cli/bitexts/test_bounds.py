"""Numbers of the command line have bounds; what lies outside is refused before anything is read."""

from pathlib import Path

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


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("--sparse-prior", "1e308", r"sparse_prior = 1e+308; expected from 0 to 1e6"),
        ("--domain-temperature", "5e-324", "domain_temperature = 5e-324; expected from 0.001 to 1"),
        ("--domain-smoothing", "1e13", "domain_smoothing = 10000000000000.0; expected from 0 to 1"),
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
    message = f"{option.partition('=')[0]} needs probabilities of links, and --hmm-iterations above"
    assert message in capsys.readouterr().err
    assert [*tmp_path.iterdir()] == []
