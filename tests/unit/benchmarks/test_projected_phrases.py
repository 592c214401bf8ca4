"""Phrases of hand links that the benchmark of projection takes."""

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from isogloss.align.links.gold_links import parse_gold

BENCHMARKS = Path(__file__).resolve().parents[3] / "benchmarks"


@pytest.fixture
def benchmark(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    yield import_module("projection")
    sys.modules.pop("projection")


@pytest.mark.parametrize(
    ("links", "length", "phrases"),
    [
        ("0-0 1-1", 2, [((0, 2), (0, 2))]),
        ("0-1 1-0 2-2", 3, [((0, 3), (0, 3))]),
        ("0-0 1-2", 2, [((0, 1), (0, 1)), ((1, 2), (2, 3))]),  # a hole in between
        ("0-0 1-0 2p1", 3, [((0, 2), (0, 1))]),  # the last word has no sure link
        ("0-0 6-0 1-1", 7, [((1, 2), (1, 2))]),  # too long to be closed
        ("0-0 0p1", 1, []),  # the last word of the other side has no sure link
        ("", 2, []),
    ],
)
def test_closed_phrases(benchmark: Any, links: str, length: int, phrases: Any) -> None:
    assert list(benchmark.closed_phrases(parse_gold([links]), 0, length)) == phrases
