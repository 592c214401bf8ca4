"""The keys of a gold sample in the configuration of a run."""

import re
from pathlib import Path

import pytest

from isogloss.align.errors import DataError
from isogloss.pipeline.config import GoldSamplePart, RunConfig, config_from_values


def with_align(**align: object) -> RunConfig:
    values = {"train": [{"source": "f", "target": "e"}], "align": align}
    return config_from_values(values, Path("run.toml"))


def test_a_gold_sample_needs_the_links_that_it_teaches() -> None:
    config = with_align(gold_sample="sample")
    sample = Path("sample").resolve()
    assert (config.heuristic, config.gold_sample) == (
        "posterior",
        GoldSamplePart(sample, "aer", False),
    )
    config = with_align(gold_sample="sample", aim="precision=0.9", keep_gold=True)
    assert config.gold_sample == GoldSamplePart(sample, "precision=0.9", True)


@pytest.mark.parametrize(
    ("align", "message"),
    [
        ({"aim": "f1"}, "aim has no effect without gold_sample"),
        ({"keep_gold": True}, "keep_gold has no effect without gold_sample"),
        (
            {"gold_sample": "g", "heuristic": "union"},
            "gold_sample has no effect with heuristic = 'union'; expected 'posterior'",
        ),
        (
            {"gold_sample": "g", "preset": "paper"},
            "gold_sample has no effect with heuristic = 'grow-diag-final'; expected 'posterior'",
        ),
        (
            {"gold_sample": "g", "hmm_iterations": 0},
            "gold_sample needs link probabilities; expected hmm_iterations above 0",
        ),
        (
            {"gold_sample": "g", "aim": "recall"},
            "aim = 'recall'; expected aer, f1 or precision=P with P between 0 and 1",
        ),
        ({"gold_sample": "g", "keep_gold": 1}, "keep_gold is 1; expected true or false"),
        ({"gold_sampel": "g"}, "has an unknown key 'gold_sampel'; did you mean gold_sample"),
    ],
)
def test_gold_samples_that_do_not_fit(align: dict[str, object], message: str) -> None:
    with pytest.raises(DataError, match=rf"^run\.toml: \[align\] {re.escape(message)}"):
        with_align(**align)
