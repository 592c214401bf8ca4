"""The configuration of a run."""

from dataclasses import replace
from pathlib import Path

import pytest

from isogloss.align.errors import DataError
from isogloss.pipeline.config import RunConfig, check_features, config_from_values

# Cuong & Sima'an (2015): sections 2 (jumps of up to 5 words), 3.1 (a jump table for each domain),
# 4 (seeds' labels hold, one iteration on each sample, the out-domain's sample by an iteration,
# language models that stay as they are), 5 (weights P(D | e)) and 7 (iterations, symmetrisation).
# What it says nothing of is off.
PRINTED = {
    "model1_iterations": 5, "hmm_iterations": 3, "flat_iterations": 0, "window": 5,
    "final_jumps": False, "jump_smoothing": 0.0, "jump_classes": 0, "agreement": False,
    "stem_length": 0, "sparse_prior": 0.0, "prune": 0.0, "domain_smoothing": 0.0,
    "domain_temperature": 1.0, "unlikely_domain": 0.0, "seed_confidence": 1.0,
    "shared_jumps": False, "language_model_sides": "both", "language_model_refits": 0,
    "out_selection": "burn-in", "held_out": 0, "decoding_weights": "side",
    "combination": "grow-diag-final",
}  # fmt: skip


def configured(**align: object) -> RunConfig:
    values = {"train": [{"source": "f", "target": "e"}], "align": align}
    return config_from_values(values, Path("run.toml"))


def with_features(**features: object) -> RunConfig:
    values = {"train": [{"source": "f", "target": "e"}], "features": features}
    return config_from_values(values, Path("run.toml"))


def test_the_preset_of_the_paper_is_the_paper() -> None:
    config = configured(preset="paper")
    assert {name: getattr(config.aligner, name) for name in PRINTED} == PRINTED
    assert config.heuristic == "grow-diag-final"


@pytest.mark.parametrize(
    ("align", "heuristic"),
    [
        ({}, "grow-diag-final-and"),
        ({"preset": "best"}, "grow-diag-final-and"),
        ({"preset": "paper", "heuristic": "union"}, "union"),
        ({"combination": "grow"}, "grow"),
        ({"preset": "paper", "combination": "posterior"}, "posterior"),
        ({"combination": "grow", "heuristic": "union"}, "union"),
    ],
)
def test_how_links_are_combined(align: dict[str, str], heuristic: str) -> None:
    assert configured(**align).heuristic == heuristic


@pytest.mark.parametrize(
    ("features", "message"),
    [
        ({"domains": ["out", "med"]}, r"domains = 'med'; expected some of law, out"),
        (
            {"raw": ["lex"]},
            r"raw = 'lex'; expected some of p.*, DomainLex\.law, DomainLex\.out",
        ),
        ({"raw": ["DomainLex.out"], "domains": ["law"]}, r"raw = 'DomainLex\.out'; expected some"),
        ({"count_features": ["Words"]}, r"count_features = 'Words'; expected some of RuleCount"),
        ({"discretize": ["p(e|f):2"], "drop": ["p(e|f)"]}, r"drop = 'p\(e\|f\)'; expected some"),
        (
            {"discretize": ["p(e|f):2"], "drop": ["p(f|e)", "lex(f|e)", "lex(e|f)"], "domains": []},
            r"no score is left; expected one score or more per rule",
        ),
        ({"discretize": ["RuleCount:2"]}, r"discretize = 'RuleCount'; expected some of p"),
        (
            {"discretize": ["p(e|f):2"], "raw": ["p(e|f)"]},
            r"discretize = 'p\(e\|f\)'; expected .*Raw\.p\(e\|f\)",
        ),
    ],
)
def test_features_that_there_will_not_be(features: dict[str, list[str]], message: str) -> None:
    with pytest.raises(DataError, match=rf"^\[features\] {message}"):
        check_features(with_features(**features), ["law"])


def test_neighbours_of_bins_that_there_will_not_be() -> None:
    """The dense weights, of scores without bins, are tuned without them."""
    values = {
        "train": [{"source": "f", "target": "e"}],
        "features": {"discretize": ["p(e|f):1"]},
        "tune": {"source": "f", "references": ["e"], "neighbours": "linear"},
    }
    config = config_from_values(values, Path("run.toml"))
    with pytest.raises(DataError, match=r"^\[tune\] neighbours = 'linear' without a score"):
        check_features(config, [])
    check_features(replace(config, discretize=("p(e|f):2",)), [])


def test_features_that_there_will_be() -> None:
    own = {"raw": ["RuleCount"], "count_features": ["RuleCount"], "domains": []}
    own |= {"discretize": ["Raw.RuleCount:2:keep"], "drop": ["p(e|f)", "Raw.RuleCount"]}
    check_features(with_features(**own), ["law"])
    check_features(with_features(domains=["general"], raw=["DomainLex.general"]), [])
