"""Every command and every command of a command tells what its options are."""

import argparse
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from isogloss import program
from isogloss.command_line.help import FIRST_SCREEN, CommandParser, with_typed_names
from isogloss.command_line.parsers import program_parser

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


def test_verbose_means_the_same_for_commands_without_iterations() -> None:
    texts = {
        action.help
        for parser in BY_NAME.values()
        for action in parser._actions
        if "--verbose" in action.option_strings
    }
    assert texts == {"print more messages"}


def test_commands_of_one_stage_have_no_options_for_several() -> None:
    general = {"--quiet", "--verbose", "--threads", "--seed"}
    having = {
        name: general & parser._option_string_actions.keys() for name, parser in BY_NAME.items()
    }
    assert {"isogloss docs", "isogloss completion"} == {
        name for name, options in having.items() if not options and name != "isogloss"
    }
    assert having["isogloss convert"] == {"--quiet"}


@pytest.mark.parametrize("name", sorted(BY_NAME))
def test_only_commands_with_several_threads_have_the_option(name: str) -> None:
    kind = getattr(BY_NAME[name].get_default("chosen"), "options", None)
    if kind is None or kind.__name__ == "DomainsOptions":  # above actions
        return
    source = inspect.getsource(inspect.getmodule(kind) or inspect)
    uses = re.search(r"\bcommon\.threads\b", source) is not None
    assert ("--threads" in BY_NAME[name]._option_string_actions) == uses


def test_nested_commands_share_options(capsys: pytest.CaptureFixture[str]) -> None:
    """What stands before the name of a nested command holds."""
    command = ["--threads", "7", "summary", "m", "x.en", "x.es"]
    options: Any = program.parse("domains", command)[1]
    assert options.common.threads == 7
    assert program.main(["domains", "summary", "--help"]) == 0
    assert "(default: all, at most 8)" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("command", ["domains", "weights", "plot"])
def test_all_help_of_a_command_with_actions(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert program.main([command, "--help"]) == 0
    shown = capsys.readouterr().out
    assert program.main([command, "--help-all"]) == 0
    assert capsys.readouterr().out == shown


def test_only_commands_that_draw_have_a_seed() -> None:
    drawing = {"align", "train", "demo", "split", "classes", "compare", "tune", "view"}
    seeded = {name for name, parser in BY_NAME.items() if "--seed" in parser._option_string_actions}
    assert seeded == {f"isogloss {name}" for name in drawing}


NOT_A_PHRASE = re.compile(r"^(of|its|the same|for that|default:|\d+ =)\b|``|\bNone\b")


@pytest.mark.parametrize("name", sorted(BY_NAME))
def test_help_texts_stand_alone(name: str) -> None:
    """Each is a phrase; no option is shown twice, and none differs between machines."""
    for action in BY_NAME[name]._actions:
        assert len(set(action.option_strings)) == len(action.option_strings)
        text = action.help or ""
        assert not NOT_A_PHRASE.search(text), action.option_strings
        assert action.metavar != "SIZE" or not re.search(r"default: \d+\)", text)


@pytest.fixture
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "400")


def shown(command: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert program.main([command, "--help-all"]) == 0
    return " ".join(capsys.readouterr().out.split())


@pytest.mark.usefixtures("wide")
def test_help_of_the_model(capsys: pytest.CaptureFixture[str]) -> None:
    text = shown("align", capsys)
    assert "probability that a domain label is correct (default: 1.0) --" in text
    assert "EM iterations of the HMM (paper: 3; best: 5) --" in text


@pytest.mark.usefixtures("wide")
def test_defaults_of_optimizers(capsys: pytest.CaptureFixture[str]) -> None:
    """Other defaults of some optimizers stand apart from the default of the rest."""
    text = shown("tune", capsys)
    assert "(default: logistic; perceptron: perceptron; ramp: ramp" in text
    assert "(default: off; perceptron: on; hinge: on)" in text
    assert COUNT.search(text)


@pytest.mark.usefixtures("wide")
def test_values_of_optimizer_options(capsys: pytest.CaptureFixture[str]) -> None:
    """Fixed sets of values are listed; others have a metavariable that names them."""
    text = shown("tune", capsys)
    assert "--update {sgd,adagrad,arow,mira,perceptron} " in text  # of all optimizers
    assert "--background {hope,model} " in text
    assert "--ranges PREFIX=MIN..MAX " in text
    assert set(re.findall(r"(--\S+) (?:NAME|VALUE) ", text)) == {"--optimizer", "--metric"}


def test_options_are_not_broken(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for width in range(60, 100):
        monkeypatch.setenv("COLUMNS", str(width))
        assert program.main(["tune", "--help-all"]) == 0
        text = capsys.readouterr().out
        assert not re.search(r"\w-$", text[text.index("positional arguments") :], re.M)


PARENTS = sorted(name for name, parser in BY_NAME.items() if parser._subparsers is not None)
LONG = sorted(name for name, parser in BY_NAME.items() if parser.first)
OPTION = re.compile(r"^  -", re.M)


def test_the_first_screen_has_few_options(capsys: pytest.CaptureFixture[str]) -> None:
    assert set(BY_NAME) - set(LONG) - set(PARENTS) == {"isogloss completion"}  # without options
    for name in LONG:
        assert program.main([*name.split()[1:], "--help"]) == 0
        text = capsys.readouterr().out
        parser = BY_NAME[name]
        assert len(OPTION.findall(text)) == sum(map(len, parser.first.values())) <= FIRST_SCREEN
        assert all(f"\n{title}:\n" in text for title in parser.first)
        words = " ".join([name, *(["[^\n]+"] if _has_arguments(parser) else []), "[options]"])
        assert re.match(f"usage: {words.replace('[options]', re.escape('[options]'))}\n", text)
        assert len(re.findall(rf"^  {name}( |$)", text, re.M)) >= 2  # examples
        count = sum(bool(action.option_strings) for action in parser._actions)
        assert text.endswith(f"all {count} options: {name} --help-all\n") or parser.chooser


def _has_arguments(parser: argparse.ArgumentParser) -> bool:
    return any(not action.option_strings for action in parser._actions)


def test_usage_without_arguments_and_without_options(capsys: pytest.CaptureFixture[str]) -> None:
    for name, usage in (("serve", "serve [options]"), ("completion", "completion SHELL")):
        assert program.main([name, "--help"]) == 0
        text = capsys.readouterr().out
        assert text.startswith(f"usage: isogloss {usage}\n")
        assert ("all " in text) == ("[options]" in usage)


@pytest.mark.parametrize("name", PARENTS)
def test_commands_are_listed_before_options(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert program.main([*name.split()[1:], "--help"]) == 0
    text = capsys.readouterr().out
    heading = "commands" if name == "isogloss" else "actions"
    assert 0 < text.index(f"\n{heading}:\n") < text.index("\noptions:\n")


def test_all_options_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    for name in LONG:
        assert program.main([*name.split()[1:], "--help-all"]) == 0
        text = capsys.readouterr().out
        for action in BY_NAME[name]._actions:
            assert all(option in text for option in action.option_strings)


def test_the_options_of_an_optimizer(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["--optimizer", "mert"], ["list.gz", "--optimizer", "mert", "-o", "w"]):
        assert program.main(["tune", *words, "--help"]) == 0
        text = capsys.readouterr().out
        begin = text.index("\nfor --optimizer mert:\n")
        assert "--random-restarts N" in text[begin:]
        assert "--rate" not in text
    assert program.main(["tune", "--optimizer", "no such", "--help"]) == 2
    assert "invalid choice: 'no such'" in capsys.readouterr().err
    assert program.main(["tune", "--help"]) == 0
    text = capsys.readouterr().out
    assert "--random-restarts" not in text
    assert text.endswith("\noptions of one optimizer: isogloss tune --optimizer NAME --help\n")


@pytest.mark.parametrize(
    ("words", "prog"),
    [
        ("plot surface list --weights w -o a.png --feature am lm", "isogloss plot surface"),
        ("weights show w --nothing", "isogloss weights show"),
        ("tune list --nothing", "isogloss tune"),
    ],
)
def test_arguments_that_an_action_does_not_have(
    words: str, prog: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert program.main(words.split()) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"{prog}: unrecognized arguments: {words.split()[-1]}")
    assert said.endswith(f"; see {prog} --help\n")


def test_a_prefix_of_several_options_is_the_plural(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--ref` is --refs, though there are other options that begin so; others are ambiguous."""
    (tmp_path / "list").write_text("0 ||| a ||| x= 1 ||| 0\n")
    (tmp_path / "ref").write_text("a\n")
    for given in (["--ref", str(tmp_path / "ref")], [f"--ref={tmp_path / 'ref'}"]):
        words = ["tune", str(tmp_path / "list"), *given, "--folds", "0", "-o", str(tmp_path / "w")]
        assert program.main([*words, "--epochs", "1", "-q"]) == 0
    assert program.main(["tune", str(tmp_path / "list"), "--held", "x"]) == 2
    assert "ambiguous option: --held could match --held-out" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("lexicon m --format moses", "--to"),
        ("compare a b --format=json", "--to"),
        ("domains contrast m a,b x y --limit 3", "--top"),
        ("prune t -o p --limit 20", "--table-limit"),
        ("features t -o p --threshold 0.1", "--ratio"),
        ("concordance m x y links word --top 5", "--limit"),
        ("tune list --weights w", "--initial-weights"),
        ("dictionary m x y --posteriors p", "--domain-posteriors"),
        ("align x y --domains law", "--label-names"),
        ("features t -o p --domains law", "--domain-features"),
        ("domains contrast m a,b x y --examples", "--show-examples"),
    ],
)
def test_names_that_other_commands_have(
    words: str, meant: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert program.main(words.split()) == 2
    assert f"did you mean {meant}?)" in capsys.readouterr().err


@pytest.mark.parametrize("name", sorted(BY_NAME))
def test_an_option_is_named_as_it_was_typed(name: str) -> None:
    """By every name that it has, of any command, in messages of the parser and of others."""
    parser = BY_NAME[name]
    assert isinstance(parser, CommandParser)
    for action in parser._actions:
        several = isinstance(action, argparse.BooleanOptionalAction)
        for typed in action.option_strings:
            parser.given = ["x", typed, "y"]
            names = parser.typed_names()
            for other in () if several else action.option_strings:
                assert with_typed_names(f"{other} is", names) == f"{typed} is"
                assert with_typed_names(f"{other}-x `a {other}`", names) == f"{other}-x `a {other}`"
            joined = argparse._get_action_name(action)
            assert several or with_typed_names(f"argument {joined}:", names) == f"argument {typed}:"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("decode --lm lm -s x", "-s must be an integer, got 'x'"),
        ("decode --phrase-table t -s 0", "-s must be between 1 and"),
        ("decode --phrase-table t -s0", "-s must be between 1 and"),
        ("decode --phrase-table t --stack-size=0", "--stack-size must be between 1 and"),
        ("classes --num-classes 0 t", "--num-classes must be at least 1, got 0"),
        ("weights convert w --ini i -o -", "--ini needs -o FILE"),
    ],
)
def test_messages_name_options_as_typed(
    words: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert program.main(words.split()) == 2
    assert message in capsys.readouterr().err
