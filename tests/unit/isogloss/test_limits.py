"""Options that ask for work without end are refused, whoever gives them."""

import re
from dataclasses import fields

import pytest

from align.errors import MOST_HYPOTHESES, MOST_ROUNDS, MOST_SAMPLES, UsageError
from align.model.parameters import AlignerOptions
from isogloss.tuning.batch_loop import BatchOptions
from tune.decoder.model import MOST_RULES, DecoderSettings
from tune.methods import OPTIMIZERS
from tune.online.options import DecoderTuningOptions

KINDS = {
    AlignerOptions,
    BatchOptions,
    DecoderSettings,
    DecoderTuningOptions,
    *(method.options for method in OPTIMIZERS.values()),
}
# what makes nothing longer, however large it is
HARMLESS = {
    "batch_size", "held_out", "max_checks", "min_feature_count", "out_sample", "patience",
    "stem_length",
}  # fmt: skip
COUNTS = [
    pytest.param(kind, field.name, id=f"{kind.__name__}.{field.name}")
    for kind in sorted(KINDS, key=lambda kind: kind.__name__)
    for field in fields(kind)
    if field.type is int and field.name not in HARMLESS
]


@pytest.mark.parametrize(("kind", "name"), COUNTS)
def test_counts_have_bounds(kind: type, name: str) -> None:
    shown = name.replace("_", ".")
    with pytest.raises(UsageError, match=rf"{shown}.*{1 << 53}.*(at most|to) \d+"):
        kind(**{name: 1 << 53})


@pytest.mark.parametrize(
    ("kind", "name", "most"),
    [
        (AlignerOptions, "hmm_iterations", MOST_ROUNDS),
        (BatchOptions, "nbest", MOST_HYPOTHESES),
        (DecoderSettings, "stack_size", MOST_SAMPLES),
        (DecoderSettings, "table_limit", MOST_RULES),
        (DecoderTuningOptions, "epochs", MOST_ROUNDS),
    ],
)
def test_at_the_bound(kind: type, name: str, most: int) -> None:
    assert getattr(kind(**{name: most}), name) == most
    with pytest.raises(UsageError, match=re.escape(f"at most {most}")):
        kind(**{name: most + 1})
