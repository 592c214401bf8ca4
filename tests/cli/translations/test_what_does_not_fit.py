"""`isogloss decode` of text, and by weights and models, that don't fit together."""

from pathlib import Path

import pytest

from isogloss import program
from tests.cli.translations.test_decode import INI, MODELS, write_system


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with models and a moses.ini."""
    return write_system(tmp_path, monkeypatch)


def decode(text: str, *options: str) -> int:
    Path("in").write_text(text)
    return program.main(["decode", "in", "-o", "out", *options])


def test_text_that_the_table_lacks_the_words_of_is_told_of(
    system: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = "in: 67% of the words are unknown to the phrase table, such as 'zebra', 'A'. They are c"
    text = "a zebra zebra A a zebra\n" * 20
    assert decode(text, *MODELS) == 0
    assert capsys.readouterr().err.startswith(f"warning: {said}")
    assert program.main(["decode", *MODELS, "--save", "models"]) == 0
    assert decode(text, "--phrase-table", "models") == 0
    assert f"warning: {said}" in capsys.readouterr().err


def test_weights_of_another_system(system: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for weights, said in (
        (
            "PT_a_b 1\n",
            "isogloss decode: w: the file has weights for PT_a_b; expected weights for LM0, Distor",
        ),
        ("LM0 1\n", "warning: w has weights for 1 of the decoder's 8 dense features; Distorti"),
    ):
        Path("w").write_text(weights)
        assert decode("a b\n", *MODELS, "--weights", "w") == int("PT" in weights)
        assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "type=wbe-msd-backward-fe", "type=hier-msd-backward-fe",
            "models: the reordering model is wbe-msd-backward-fe; expected hier-msd-backward-fe, "
            "as configured. Save the models again from the files",
        ),
        (
            "order=2", "order=5",
            "models: the language model has order 2; expected order 5, as configured",
        ),
    ],
)  # fmt: skip
def test_saved_models_that_a_moses_ini_says_to_be_others(
    system: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, message: str
) -> None:
    assert program.main(["decode", "-f", "moses.ini", "--save", "models"]) == 0
    assert decode("a b\n", "-f", "moses.ini", "--phrase-table", "models") == 0
    other = INI.replace(old, new)
    for text in (other, other.replace("path=table", "path=models")):
        Path("moses.ini").write_text(text)
        assert decode("a b\n", "-f", "moses.ini", "--phrase-table", "models") == 1
        assert message in capsys.readouterr().err
    assert decode("a b\n", "-f", "moses.ini") == 1
    assert message in capsys.readouterr().err


def test_a_state_template_that_raises(system: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("mine.py").write_text(
        "class Crash:\n    of_orientation = True\n\n"
        "    def state_features(self, application, previous):\n        raise KeyError('x')\n"
    )
    own = ["--plugin", "mine.py", "--state-templates", "Crash"]
    assert decode("a b\n", *MODELS, *own) == 2
    assert "template 'Crash' raised KeyError: 'x' (" in capsys.readouterr().err


def test_state_templates_are_not_saved(system: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main(["decode", *MODELS, "--state-templates", "lo", "--save", "models"]) == 0
    said = "warning: state templates are not saved in models; pass --state-templates again with"
    assert said in capsys.readouterr().err
    assert program.main(["decode", *MODELS, "--save", "models", "--overwrite"]) == 0
    assert "state templates" not in capsys.readouterr().err


def test_no_limit_of_rules(system: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules = [f"a ||| x{k} ||| 0.5 0.5 0.5 0.5 ||| 0-0\n" for k in range(25)]
    Path("table").write_text("".join(rules))
    for limit, number in (("1", 1), ("20", 20), ("0", 25)):
        assert decode("a\n", *MODELS, "-ttl", limit, "--n-best", "list:99") == 0
        assert len(Path("list").read_text().splitlines()) == number
    message = "must be at least 1, or 0 for all, got -1"
    assert decode("a\n", *MODELS, "-ttl", "-1") == 2
    assert f"-ttl {message}" in capsys.readouterr().err
    Path("moses.ini").write_text(f"{INI}\n[ttable-limit]\n-1\n")
    assert decode("a\n", "-f", "moses.ini") == 1
    assert f"moses.ini: table_limit {message}" in capsys.readouterr().err
