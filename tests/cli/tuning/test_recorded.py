"""The command that a manifest records: what depends on it, and the way back."""

import json
from pathlib import Path

import pytest

from isogloss import program
from isogloss.align.errors import DataError
from isogloss.commands.tuning.recorded import recorded_command, recorded_options
from isogloss.commands.tuning.tune import TuneOptions
from isogloss.tuning.folder import TuningFolder

COMMAND = (
    "list", "more", "--refs", "r0", "r1", "--optimizer", "pro", "--pairs", "9", "--fixed", "LM0",
    "--fixed", "WP", "--no-normalize", "--folds", "3", "--seed", "7", "--metric", "chrf",
)  # fmt: skip


def given(*more: str) -> TuneOptions:
    options = program.parse("tune", [*COMMAND, *more])[1]
    assert isinstance(options, TuneOptions)
    return options


def stored(command: dict[str, object]) -> TuningFolder:
    return TuningFolder(Path("run"), {"command": json.loads(json.dumps(command))})


def test_there_and_back() -> None:
    assert recorded_options(stored(recorded_command(given())), TuneOptions) == given()


def test_what_changes_no_result_is_not_recorded() -> None:
    more = ("-o", "w", "--out", "run", "--threads", "1", "-q", "--max-memory", "1G", "--resume")
    command = recorded_command(given(*more))
    assert command == recorded_command(given())
    assert sorted(command) == list(command)
    assert command["nbest"] == ["list", "more"]
    assert command["fixed"] == ["LM0", "WP"]
    assert command["normalize"] is False
    assert command["rate"] is None  # an option of an optimizer that was not given


def test_a_folder_does_not_say_what_else_is_written() -> None:
    """As one of a stranger's might."""
    command = recorded_command(given()) | {"output": "/mine", "out": "/mine", "overwrite": True}
    assert recorded_options(stored(command), TuneOptions) == given()


@pytest.mark.parametrize("name", ["rate", "per_item"])
def test_options_that_are_not_given_may_be_missing(name: str) -> None:
    """As in a run of a time when there was no such option."""
    command = recorded_command(given())
    del command[name]
    assert recorded_options(stored(command), TuneOptions) == given()


def test_other_options_may_not() -> None:
    command = recorded_command(given())
    del command["folds"]
    message = r"run/manifest\.json: the recorded command lacks the option folds"
    with pytest.raises(DataError, match=message):
        recorded_options(stored(command), TuneOptions)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("runs", 1e9, "runs is 1000000000.0; expected an integer"),
        ("runs", 10**9, "runs is 1000000000; expected an integer of at most 10000"),
        ("folds", True, "folds is True; expected an integer"),
        ("seed", -1, "seed is -1; expected an integer of at least 0"),
        ("optimizer", "magic", "optimizer is 'magic'; expected one of adagrad-pro"),
        ("nbest", "list", "nbest is 'list'; expected a list"),
        ("nbest", ["a\0"], r"nbest\[0\] is 'a\\x00'; expected a string without NUL"),
        ("lowercase", 1, "lowercase is 1; expected true or false"),
    ],
)
def test_values_that_no_command_line_gives(name: str, value: object, message: str) -> None:
    command = recorded_command(given()) | {name: value}
    with pytest.raises(
        DataError, match=rf"run/manifest\.json: {message}.*Restore it from a backup"
    ):
        recorded_options(stored(command), TuneOptions)
