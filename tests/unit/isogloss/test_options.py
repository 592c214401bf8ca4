"""Parsers that are made of dataclasses."""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pytest

from isogloss.options import (
    Bounds,
    add_options,
    build_options,
    field_lines,
    flat_values,
    group,
    natural,
    number,
    option,
    option_names,
    positional,
    positive,
    seed,
    size,
    whole,
)


def _collected(parser: argparse.ArgumentParser) -> Sequence[str]:
    parser.add_argument("--extra", type=int, default=argparse.SUPPRESS, help="more")
    return ["extra"]


@dataclass(frozen=True)
class Below:
    """Options of several commands.

    rate, limit: numbers, one
        line for both
    """

    rate: float = 0.5
    limit: int | None = option(default=None, parse=natural, metavar="N", exclusive="x")
    whole: bool = option(default=False, exclusive="x")


@dataclass(frozen=True)
class Everything:
    """What a command is asked.

    shell: which one
    text: to read
    rest: perhaps
    names: a word each time
    deep: at 100 % (default: as it stands)
    """

    shell: str = positional("SHELL", choices=("bash", "zsh"))
    text: str = positional("TEXT")
    rest: str | None = positional("REST", default=None)
    direction: Literal["s2t", "t2s"] = "s2t"
    names: tuple[str, ...] = option("-n", default=(), append=True)
    pair: tuple[int, ...] = ()
    deep: bool = True
    below: Below = group(Below, title="numbers")
    more: Mapping[str, Any] = group(collect=_collected)


def _parse(*arguments: str) -> Everything:
    parser = argparse.ArgumentParser()
    assert add_options(parser, Everything) == ["rest"]
    return build_options(Everything, vars(parser.parse_args(arguments)))


def test_defaults_stand_in_the_dataclass() -> None:
    assert _parse("zsh", "a") == Everything("zsh", "a")


def test_every_kind_of_option() -> None:
    options = _parse(
        "zsh", "a", "r", "--direction", "t2s", "-n", "x", "--names", "y", "--pair", "1", "2",
        "--no-deep", "--rate", "2", "--limit", "0", "--extra", "7",
    )  # fmt: skip
    below = Below(rate=2.0, limit=0)
    expected = Everything("zsh", "a", "r", "t2s", ("x", "y"), (1, 2), False, below, {"extra": 7})
    assert options == expected
    assert build_options(Everything, flat_values(options)) == expected
    assert set(option_names(Everything)) == {*flat_values(options)}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["zsh", "a", "--direction", "up"], "invalid choice: 'up'"),
        (["zsh", "a", "--limit", "1", "--whole"], "not allowed with argument"),
        (["zsh", "a", "--limit", "-1"], "must be at least 0, got -1"),
        (["fish", "a"], "argument SHELL: invalid choice: 'fish'"),
        (["zsh", "a", "--pair", "x"], "must be an integer, got 'x'"),
    ],
)
def test_what_is_refused(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        _parse(*arguments)
    assert message in capsys.readouterr().err


def test_help() -> None:
    parser = argparse.ArgumentParser()
    add_options(parser, Everything)
    text = " ".join(parser.format_help().split())
    assert "numbers: --rate RATE numbers, one line for both (default: 0.5) --limit N" in text
    assert "--deep, --no-deep at 100 % (default: as it stands)" in text
    assert field_lines(Below)["limit"] == "numbers, one line for both"


@dataclass(frozen=True)
class Documented(Below):
    """Options with the sections of numpydoc.

    Parameters
    ----------
    order : int, default 3
        Length of n-grams: the longest
        ones.
    left, right : str, optional
        EM of each side.

    Raises
    ------
    UsageError
        If a value is out of range.
    """

    order: int = 3
    left: str = ""
    right: str = ""


def test_lines_of_numpydoc() -> None:
    assert field_lines(Documented) == {
        **field_lines(Below),
        "order": "length of n-grams: the longest ones.",
        "left": "EM of each side.",
        "right": "EM of each side.",
    }


def test_numbers() -> None:
    assert (positive("3"), natural("0"), size("2K"), size("1.5G")) == (3, 0, 2048, 3 << 29)
    for parse, text, message in (
        (positive, "0", "must be at least 1, got 0"),
        (natural, "-1", "must be at least 0, got -1"),
        (natural, "1_0", "must be an integer, got '1_0'"),
        (whole, "9" * 99, "must be an integer, got '9"),
        (whole, str(1 << 31), "must be at most 2147483647, got 2147483648"),
        (seed, str(1 << 60), "must be at most 9007199254740992, got 1152921504606846976"),
        (number, "inf", "must be a finite number, got 'inf'"),
        (number, "1e999", "must be a finite number, got '1e999'"),
        (Bounds(0.0, 1.0), "1.5", "must be between 0 and 1, got 1.5"),
        (size, "9e99T", "must be at most 8192T, got '9e99T'"),
        (size, "1_0", "must be a size such as 12G, got '1_0'"),
        (size, "0", "must be at least 1 byte, got '0'"),
        (size, "many", "must be a size such as 12G, got 'many'"),
    ):
        with pytest.raises(argparse.ArgumentTypeError, match=message):
            parse(text)
