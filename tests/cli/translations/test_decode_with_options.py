"""`isogloss decode` with a moses.ini and options that add to it."""

from pathlib import Path

import pytest

from tests.cli.translations.test_decode import INI, decoded, write_system


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return write_system(tmp_path, monkeypatch)


def test_a_language_model_that_the_ini_lacks(
    system: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = decoded("a b\nb a\n", "-f", "moses.ini")
    text = INI.replace("KENLM name=LM path=lm order=2\n", "").replace("LM= 0.75\n", "")
    (system / "moses.ini").write_text(text)
    assert decoded("a\n", "-f", "moses.ini")[0] == 1
    assert "line 1: there is no KENLM below [feature]; expected KENLM path=" in (
        said := capsys.readouterr().err
    )
    assert "`isogloss decode` also takes --lm FILE" in said
    status, lines = decoded("a b\nb a\n", "-f", "moses.ini", "--lm", "lm")
    assert status == 0
    assert len(lines) == len(whole[1])
