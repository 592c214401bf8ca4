"""`isogloss decode` of text, and by weights, that don't fit the phrase table."""

from pathlib import Path

import pytest

from isogloss import program
from tests.cli.translations.test_decode import ARPA, RULES

MODELS = ("--phrase-table", "table", "--lm", "lm")


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with a table and a language model."""
    for name, text in (("table", RULES), ("lm", ARPA)):
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def decode(text: str, *options: str) -> int:
    Path("in").write_text(text)
    return program.main(["decode", "in", "-o", "out", *options])


def test_text_that_the_table_lacks_the_words_of_is_told_of(
    system: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = "in: 67 % of the words are unknown to the phrase table, such as 'zebra', 'A'. They are c"
    text = "a zebra zebra A a zebra\n" * 20
    assert decode(text, *MODELS) == 0
    assert capsys.readouterr().err.startswith(f"warning: {said}")
    assert program.main(["decode", *MODELS, "--save", "models"]) == 0
    assert decode(text, "--phrase-table", "models") == 0
    assert f"warning: {said}" in capsys.readouterr().err


def test_weights_of_another_system(system: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for weights, said in (
        ("PT_a_b 1\n", "isogloss decode: w: weights of PT_a_b; expected weights of LM0, Distor"),
        ("LM0 1\n", "warning: w has weights for 1 of the decoder's 8 dense features; Distorti"),
    ):
        Path("w").write_text(weights)
        assert decode("a b\n", *MODELS, "--weights", "w") == int("PT" in weights)
        assert said in capsys.readouterr().err
