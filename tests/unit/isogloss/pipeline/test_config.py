"""The configuration of a run."""

import hashlib
import json
import re
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from isogloss.align.errors import DataError, OutputError
from isogloss.align.model.parameters import PRESETS, AlignerOptions
from isogloss.pipeline.config import (
    _TABLES,
    EvaluationPart,
    RunConfig,
    Selection,
    check_features,
    config_from_values,
)
from isogloss.tune.decoder.model import DecoderSettings
from isogloss.tune.online.options import OnlineOptions

# Cuong & Sima'an (2015): sections 2 (jumps of up to 5 words), 3.1 (a jump table for each domain),
# 4 (seeds' labels hold, one iteration on each sample, the out-domain's sample by an iteration,
# language models that stay as they are), 5 (weights P(D | e)) and 7 (iterations, symmetrization).
# What it says nothing of is off.
PRINTED = {
    "model1_iterations": 5, "hmm_iterations": 3, "shared_iterations": 0, "jump_window": 5,
    "final_jumps": False, "jump_smoothing": 0.0, "jump_classes": 0, "agreement": False,
    "stem_length": 0, "sparse_prior": 0.0, "prune": 0.0, "domain_smoothing": 0.0,
    "domain_temperature": 1.0, "min_domain_posterior": 0.0, "seed_confidence": 1.0,
    "shared_jumps": False, "language_model_sides": "both", "language_model_refits": 0,
    "out_domain_selection": "burn-in", "heldout_every": 0, "domain_weighting": "source",
    "heuristic": "grow-diag-final",
}  # fmt: skip
TRAINING = {"train": [{"source": "f", "target": "e"}]}
# what a file without any other key stands for, as docs/reference/configuration.md has it
DEFAULTS = {
    "evaluation": (), "languages": ("source", "target"), "lowercase": False,
    "strip_punctuation": False, "seed": 1, "aligner": AlignerOptions(),
    "heuristic": "grow-diag-final-and", "gold_sample": None, "longest_pair": 1000, "extract": True,
    "max_phrase_length": 7,
    "table_limit": 100, "language_model_order": 3, "domain_features": None,
    "templates": ("pt", "al"), "plugins": {}, "templates_file": None, "count_features": (),
    "raw": (), "discretize": (), "drop": (), "epochs": 8, "nbest_size": 100, "tuning": None,
    "test": None,
    "decoder": DecoderSettings(
        stack_size=100, distortion_limit=6, table_limit=20, beam_threshold=0.0, pop_limit=0
    ),
    "optimizer": OnlineOptions(bin_regularizer="none"),
}  # fmt: skip
PAGE = Path(__file__).parents[4] / "docs" / "reference" / "configuration.md"


def configured(**align: object) -> RunConfig:
    return config_from_values(TRAINING | {"align": align}, Path("run.toml"))


def with_features(**features: object) -> RunConfig:
    return config_from_values(TRAINING | {"features": features}, Path("run.toml"))


def test_defaults() -> None:
    """They stand twice, for files and for configurations that are made in Python."""
    file = config_from_values(TRAINING, Path("run.toml"))
    made = RunConfig(out=file.out, training=file.training)
    known = [field.name for field in fields(RunConfig)]
    assert set(known) - set(DEFAULTS) == {"out", "training", "threads", "digest", "file", "values"}
    for config in (file, made):
        assert {name: getattr(config, name) for name in DEFAULTS} == DEFAULTS
    assert file.out == Path("runs/run").resolve()
    assert (made.threads, made.digest) == (1, "")


@pytest.mark.parametrize(
    ("table", "key", "value"),
    [
        ("run", "languages", DEFAULTS["languages"]),
        ("run", "lowercase", DEFAULTS["lowercase"]),
        ("run", "strip_punctuation", DEFAULTS["strip_punctuation"]),
        ("run", "seed", DEFAULTS["seed"]),
        ("align", "heuristic", DEFAULTS["heuristic"]),
        ("extract", "enabled", DEFAULTS["extract"]),
        ("extract", "max_phrase_length", DEFAULTS["max_phrase_length"]),
        ("language_model", "order", DEFAULTS["language_model_order"]),
        *(
            ("features", key, DEFAULTS[key])
            for key in (
                "templates", "count_features", "raw", "discretize", "drop", "table_limit"
            )
        ),
        *(("decoder", key, value) for key, value in vars(DEFAULTS["decoder"]).items()),
        ("align", "aim", "aer"),
        ("align", "keep_gold", False),
        ("tune", "epochs", DEFAULTS["epochs"]),
        ("tune", "nbest_size", DEFAULTS["nbest_size"]),
        ("tune", "bin_regularizer", "none"),
    ],
)  # fmt: skip
def test_the_page_tells_the_defaults(table: str, key: str, value: object) -> None:
    (section,) = re.findall(rf"^### {table}\n(.*?)^##", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    told = re.escape(f"{value:g}" if isinstance(value, float) else json.dumps(value))
    assert re.search(rf"^\| `{key}` \| `{told}` \|", section, re.MULTILINE)


@pytest.mark.parametrize(
    ("own", "there_are", "threads"),
    [
        (None, 3, 3), (None, 8, 8), (None, 40, 8), (0, 3, 3), (0, 40, 40), (0, 1024, 1024),
        (0, 5000, 1024), (2, 40, 2), (1024, 1, 1024),
    ],
)  # fmt: skip
def test_threads(
    own: int | None, there_are: int, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All processors, but by default 8 at most."""
    for module in ("align.execution.threads", "pipeline.config"):
        monkeypatch.setattr(f"isogloss.{module}.processors", lambda: there_are)
    run = {} if own is None else {"threads": own}
    assert config_from_values(TRAINING | {"run": run}, Path("run.toml")).threads == threads


@pytest.mark.parametrize(
    ("table", "values", "expected"),
    [
        ("run", {"threads": 1025}, r"\[run\] threads is 1025; expected .*1,?024"),
        ("run", {"threads": -1}, r"\[run\] threads is -1; expected"),
        ("extract", {"max_phrase_length": 0}, r"\[extract\] max_phrase_length is 0; expected"),
        ("extract", {"max_phrase_length": 9}, r"\[extract\] max_phrase_length is 9; expected .*8"),
        ("language_model", {"order": 0}, r"\[language_model\] order is 0; expected"),
        ("features", {"table_limit": 0}, r"\[features\] table_limit is 0; expected"),
    ],
)
def test_just_outside_of_a_range(table: str, values: dict[str, int], expected: str) -> None:
    with pytest.raises(DataError, match=expected):
        config_from_values(TRAINING | {table: values}, Path("run.toml"))


@pytest.mark.parametrize(
    ("table", "key", "value", "name"),
    [
        ("run", "threads", 1024, "threads"),
        ("extract", "max_phrase_length", 1, "max_phrase_length"),
        ("extract", "max_phrase_length", 8, "max_phrase_length"),
        ("language_model", "order", 1, "language_model_order"),
        ("features", "table_limit", 1, "table_limit"),
    ],
)
def test_the_ends_of_a_range(table: str, key: str, value: int, name: str) -> None:
    config = config_from_values(TRAINING | {table: {key: value}}, Path("run.toml"))
    assert getattr(config, name) == value


def test_all_files_that_are_read(tmp_path: Path) -> None:
    """Each once, in the order in which the tables name them."""
    values: dict[str, Any] = {
        "train": [
            {"index": "index.tsv"},
            {"source": "a.f", "target": "a.e", "labels": "a.labels"},
        ],
        "evaluate": [{"gold": "gold"}, {"gold": "gold.2", "source": "b.f", "target": "b.e"}],
        "align": {"gold_sample": "sample"},
        "tune": {"source": "c.f", "references": ["c.e", "c.2.e"]},
        "test": {"source": "c.f", "references": ["d.e"]},
    }
    template = tmp_path / "mine.py"
    template.write_text("class Mine:\n    def rule_features(self, rule):\n        yield 'x'\n")
    plain = config_from_values(values, tmp_path / "run.toml")
    expected = [
        "index.tsv", "a.f", "a.e", "a.labels", "gold", "b.f", "b.e", "gold.2", "sample",
        "c.f", "c.e", "c.2.e", "d.e",
    ]  # fmt: skip
    assert plain.inputs == tuple(tmp_path.resolve() / name for name in expected)
    own = config_from_values(values, tmp_path / "run.toml", str(template))
    assert list(own.plugins) == ["Mine"]
    assert own.inputs == (template.resolve(), *plain.inputs)
    elsewhere = own.with_out(tmp_path / "elsewhere")
    assert elsewhere.out == tmp_path.resolve() / "elsewhere"
    assert replace(elsewhere, out=own.out) == own


def test_another_folder_that_no_name_leads_to(tmp_path: Path) -> None:
    config = config_from_values({"train": [{"source": "f", "target": "e"}]}, tmp_path / "run.toml")
    (tmp_path / "circle").symlink_to("circle")
    with pytest.raises(OutputError, match=r"circle/out cannot be written: .*symbolic links"):
        config.with_out(tmp_path / "circle" / "out")


def test_the_digest_is_of_the_values_in_any_order() -> None:
    values = {"train": [{"target": "e", "source": "f"}], "align": {}}
    expected = hashlib.sha256(b'{"align": {}, "train": [{"source": "f", "target": "e"}]}')
    for path in ("run.toml", "other/place.toml"):
        assert config_from_values(values, Path(path)).digest == expected.hexdigest()
    assert configured(preset="best").digest != expected.hexdigest()


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
        ({"heuristic": "grow"}, "grow"),
        ({"heuristic": "posterior"}, "posterior"),
        ({"preset": "paper", "heuristic": "posterior"}, "posterior"),
    ],
)
def test_how_links_are_combined(align: dict[str, str], heuristic: str) -> None:
    config = configured(**align)
    assert config.heuristic == heuristic
    assert config.aligner.heuristic == align.get(
        "heuristic", PRESETS[align.get("preset", "best")].heuristic
    )


@pytest.mark.parametrize(
    ("features", "message"),
    [
        (
            {"domain_features": ["out", "med"]},
            r"domain_features = 'med'; expected some of law, out",
        ),
        (
            {"raw": ["lex"]},
            r"raw = 'lex'; expected some of p.*, DomainLex\.law, DomainLex\.out",
        ),
        (
            {"raw": ["DomainLex.out"], "domain_features": ["law"]},
            r"raw = 'DomainLex\.out'; expected some",
        ),
        ({"count_features": ["Words"]}, r"count_features = 'Words'; expected some of RuleCount"),
        ({"discretize": ["p(e|f):2"], "drop": ["p(e|f)"]}, r"drop = 'p\(e\|f\)'; expected some"),
        (
            {
                "discretize": ["p(e|f):2"],
                "drop": ["p(f|e)", "lex(f|e)", "lex(e|f)"],
                "domain_features": [],
            },
            r"removes all scores; expected at least one score per rule",
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


def test_all_lines_with_gold_links_are_evaluated() -> None:
    given = {**TRAINING, "evaluate": [{"gold": "law.gold", "source": "f", "target": "e"}]}
    part = EvaluationPart("law.gold", *(Path(name).absolute() for name in ("law.gold", "f", "e")))
    assert config_from_values(given, Path("run.toml")).evaluation == (part,)
    assert part.lines == 0


def test_all_lines_of_a_text_to_tune_on_are_read() -> None:
    texts = {
        "tune": {"source": "f", "references": ["e"]},
        "test": {"source": "g", "references": ["h"]},
    }
    config = config_from_values({**TRAINING, **texts}, Path("run.toml"))
    for selection, source, reference in ((config.tuning, "f", "e"), (config.test, "g", "h")):
        given = Path(source).absolute(), (Path(reference).absolute(),), 0
        assert selection == Selection(*given)


def test_an_unknown_key_of_an_evaluated_text() -> None:
    given = {**TRAINING, "evaluate": [{"gold": "g", "line": 3}]}
    with pytest.raises(DataError, match=r"\[evaluate\] has an unknown key 'line'"):
        config_from_values(given, Path("run.toml"))


@pytest.mark.parametrize(
    "table",
    ["run", "train", "align", "extract", "language_model", "features", "decoder", "tune", "test"],
)
def test_an_unknown_key_of_each_table(table: str) -> None:
    section: dict[str, object] = {"nothing": 3}
    if table in ("tune", "test"):
        section |= {"source": "f", "references": ["e"]}
    given = TRAINING | {table: [TRAINING["train"][0] | section] if table == "train" else section}
    with pytest.raises(DataError, match=rf"\[{table}\] has an unknown key 'nothing'"):
        config_from_values(given, Path("run.toml"))


@pytest.mark.parametrize(
    ("table", "key", "least", "most"),
    [
        ("run", "seed", 0, None), ("align", "max_length", 0, None), ("tune", "epochs", 1, None),
        ("tune", "nbest_size", 1, None), ("tune", "limit", 0, None), ("test", "limit", 0, None),
        ("language_model", "order", 1, 6), ("extract", "max_phrase_length", 1, 8),
        ("features", "table_limit", 1, None),
    ],
)  # fmt: skip
def test_the_bounds_of_each_number(table: str, key: str, least: int, most: int | None) -> None:
    files = {"source": "f", "references": ["e"]} if table in ("tune", "test") else {}

    def given(value: int) -> RunConfig:
        return config_from_values(TRAINING | {table: {key: value, **files}}, Path("run.toml"))

    given(least)
    with pytest.raises(DataError, match=rf"\[{table}\] {key} is {least - 1}; expected"):
        given(least - 1)
    if most is not None:
        given(most)
        with pytest.raises(DataError, match=rf"\[{table}\] {key} is {most + 1}; expected"):
            given(most + 1)


def test_templates_that_depend_on_the_previous_phrase() -> None:
    with pytest.raises(DataError, match=r"^run\.toml: \[features\] template 'lo' depends on the"):
        with_features(templates=["lo"])


def test_of_unknown_tables_the_first_by_name() -> None:
    with pytest.raises(DataError, match=r"the table \[fair\] is unknown"):
        config_from_values({**TRAINING, "zero": {}, "fair": {}}, Path("run.toml"))


@pytest.mark.parametrize(
    ("table", "remedy"),
    [
        ("algn", "did you mean align?"),
        ("traning", "did you mean train?"),
        ("Decoder", "did you mean decoder?"),
        ("model", "did you mean language_model?"),
        ("xyz", f"use {', '.join(_TABLES[:-1])} or test"),
    ],
)
def test_an_unknown_table_with_the_nearest_one(table: str, remedy: str) -> None:
    expected = re.escape(f"run.toml: the table [{table}] is unknown; {remedy}")
    with pytest.raises(DataError, match=f"^{expected}$"):
        config_from_values({**TRAINING, table: {}}, Path("run.toml"))


def test_neighbors_of_bins_that_there_will_not_be() -> None:
    """The dense weights, of scores without bins, are tuned without them."""
    values = {
        "train": [{"source": "f", "target": "e"}],
        "features": {"discretize": ["p(e|f):1"]},
        "tune": {"source": "f", "references": ["e"], "bin_regularizer": "linear"},
    }
    config = config_from_values(values, Path("run.toml"))
    with pytest.raises(DataError, match=r"^\[tune\] bin_regularizer = 'linear' needs a score"):
        check_features(config, [])
    check_features(replace(config, discretize=("p(e|f):2",)), [])
    check_features(replace(config, tuning=None), [])  # nothing is tuned


def test_features_that_there_will_be() -> None:
    own = {"raw": ["RuleCount"], "count_features": ["RuleCount"], "domain_features": []}
    own |= {"discretize": ["Raw.RuleCount:2:keep"], "drop": ["p(e|f)", "Raw.RuleCount"]}
    check_features(with_features(**own), ["law"])
    check_features(with_features(domain_features=["general"], raw=["DomainLex.general"]), [])
