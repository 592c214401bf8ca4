"""Which commands the benchmark of starts runs."""

import importlib
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[3] / "benchmarks"


def test_a_command_needs_those_that_write_what_it_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(FOLDER), *sys.path])
    start = importlib.import_module("start")
    assert start.needed(["evaluate"]) == {"align, flat", "align, labels", "evaluate"}
    assert start.needed(["lm", "align, flat"]) == {"lm", "align, flat"}
    tuned = {"tune, decoder", "lm", "extract", "align, labels"}
    assert start.needed(["tune, decoder"]) == tuned
    ranked = {"rerank", "tune, list", "decode", "lm", "extract", "align, labels"}
    assert start.needed(["rerank"]) == ranked
    assert start.needed(start.COMMANDS) == set(start.COMMANDS)
    assert start.parse(["--only", "version", "tune, help"]).only == ("version", "tune, help")
    assert not [name for name in start.COMMANDS if name.startswith("-")]  # else --only takes none
