"""Every command and every command of a command tells what its options are."""

import argparse
import re
from collections.abc import Iterator
from typing import Any

import pytest

from isogloss import program
from isogloss.command_line import program_parser

COUNT = re.compile(r"\(default: [^;)]+(; [a-z0-9-]+: [^;)]+)+\)")


def parsers(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """A parser, and those of all commands below it."""
    yield parser
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield from parsers(below)


BY_NAME = {parser.prog: parser for parser in parsers(program_parser(whole=True))}


def test_commands_of_commands_are_found() -> None:
    assert {"isogloss", "isogloss align", "isogloss plot l1-path", "isogloss weights show"} <= set(
        BY_NAME
    )


@pytest.mark.parametrize("name", sorted(BY_NAME))
def test_help_is_shown(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main([*name.split()[1:], "--help"]) == 0
    captured = capsys.readouterr()
    assert captured.out.startswith(f"usage: {name} ")
    assert "%(" not in captured.out
    assert captured.err == ""


@pytest.mark.parametrize("name", sorted(BY_NAME))
def test_every_option_has_a_help_text(name: str) -> None:
    for action in BY_NAME[name]._actions:
        if isinstance(action, argparse._SubParsersAction):
            told = {choice.dest: choice.help for choice in action._choices_actions}
            assert set(told) == set(action.choices)
            assert all(told.values())
        else:
            assert action.help, action.option_strings or action.dest


def test_nested_commands_share_options(capsys: pytest.CaptureFixture[str]) -> None:
    """What stands before the name of a nested command holds, and its help tells the default."""
    command = ["--seed", "7", "tuning", "run", "-o", "x.svg"]
    options: Any = program.parse("plot", command)[1]
    assert options.common.seed == 7
    threads = options.common.threads
    assert program.main(["plot", "tuning", "--help"]) == 0
    assert f"a result (default: {threads})" in " ".join(capsys.readouterr().out.split())


@pytest.fixture
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "400")


def shown(command: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert program.main([command, "--help"]) == 0
    return " ".join(capsys.readouterr().out.split())


@pytest.mark.usefixtures("wide")
def test_help_of_the_model(capsys: pytest.CaptureFixture[str]) -> None:
    text = shown("align", capsys)
    assert "beyond doubt (default: 1.0) --" in text
    assert "EM iterations of the HMM (paper: 3; best: 5) --" in text


@pytest.mark.usefixtures("wide")
def test_defaults_of_optimizers(capsys: pytest.CaptureFixture[str]) -> None:
    """Other defaults of some optimisers stand apart from the default of the rest."""
    text = shown("tune", capsys)
    assert "(default: logistic; perceptron: perceptron; ramp: ramp" in text
    assert COUNT.search(text)
