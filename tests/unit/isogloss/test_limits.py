"""Options that ask for work without end are refused, whoever gives them."""

from argparse import ArgumentParser
from collections.abc import Iterator
from dataclasses import fields
from itertools import chain

import pytest

from isogloss.align.errors import MAX_HYPOTHESES, MAX_INT, MAX_ROUNDS, MAX_SAMPLES, UsageError
from isogloss.align.model.parameters import AlignerOptions
from isogloss.command_line.parsers import COMMANDS, load_command
from isogloss.options import Bounds, Command, add_options
from isogloss.tune.decoder.model import MAX_RULES, DecoderSettings
from isogloss.tune.methods import OPTIMIZERS
from isogloss.tune.online.options import DecoderTuningOptions
from isogloss.tuning.loops.batch_loop import BatchOptions

KINDS = {
    AlignerOptions,
    BatchOptions,
    DecoderSettings,
    DecoderTuningOptions,
    *(method.options for method in OPTIMIZERS.values()),
}
# what makes nothing longer, however large it is
LARGE = {
    "batch_size", "heldout_every", "max_checks", "min_feature_count", "out_domain_size", "patience",
    "stem_length",
}  # fmt: skip
COUNTS = [
    pytest.param(kind, field.name, id=f"{kind.__name__}.{field.name}")
    for kind in sorted(KINDS, key=lambda kind: kind.__name__)
    for field in fields(kind)
    if field.type is int
]


@pytest.mark.parametrize(("kind", "name"), COUNTS)
def test_counts_have_bounds(kind: type, name: str) -> None:
    shown = name.replace("_", ".")
    with pytest.raises(UsageError, match=rf"{shown}.* up to {MAX_INT}.*{1 << 53}"):
        kind(**{name: 1 << 53})
    if name not in LARGE:
        with pytest.raises(UsageError, match=rf"{shown}.*(\d+.*{MAX_INT}|{MAX_INT}.*\d+)"):
            kind(**{name: MAX_INT})


def int_options(command: Command, name: str) -> Iterator[tuple[str, Bounds]]:
    if command.options:
        parser = ArgumentParser(add_help=False)
        add_options(parser, command.options)
        for action in parser._actions:
            if isinstance(action.type, Bounds) and isinstance(action.type.low, int):
                yield f"{name} {action.dest}", action.type
    for below, action in command.actions.items():
        yield from int_options(action, f"{name} {below}")


def test_whole_numbers_of_all_commands_have_bounds() -> None:
    found = dict(chain(*(int_options(load_command(name), name) for name in COMMANDS)))
    assert len(found) > 100
    most = {name: bounds.high for name, bounds in found.items() if bounds.high > MAX_INT}
    assert set(most.values()) == {1 << 53}
    assert {name.split()[-1] for name in most} == {"seed"}


@pytest.mark.parametrize(
    ("kind", "name", "most"),
    [
        (AlignerOptions, "hmm_iterations", MAX_ROUNDS),
        (BatchOptions, "nbest_size", MAX_HYPOTHESES),
        (DecoderSettings, "stack_size", MAX_SAMPLES),
        (DecoderSettings, "table_limit", MAX_RULES),
        (DecoderTuningOptions, "epochs", MAX_ROUNDS),
    ],
)
def test_at_the_bound(kind: type, name: str, most: int) -> None:
    assert getattr(kind(**{name: most}), name) == most
    with pytest.raises(UsageError, match=rf"(at most|and) {most}\b"):
        kind(**{name: most + 1})
