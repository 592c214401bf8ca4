"""The figures of the pages of results: drawn from the tables that stand there now, and shown."""

import importlib.util
from types import ModuleType

import pytest

from tests.architecture.reading import ROOT

SCRIPT = ROOT / "docs" / "figures" / "results.py"


@pytest.fixture(scope="module")
def results() -> ModuleType:
    spec = importlib.util.spec_from_file_location("figures_of_results", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_each_figure_is_of_its_table(results: ModuleType) -> None:
    assert results.stale() == [], "run docs/figures/results.py"


def test_each_figure_is_shown(results: ModuleType) -> None:
    pages = {name: (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
             for name in ("results", "reproductions")}  # fmt: skip
    shown = [name for name, figure in results.FIGURES.items()
             if f"](figures/{name}.svg)" in pages[figure.page]]  # fmt: skip
    assert shown == list(results.FIGURES)


def test_reading_of_tables(results: ModuleType) -> None:
    text = "| a | b |\n|---|---|\n| x | **1,538** |\n\n"
    text += "| a | c |\n|---|---|\n| y | -0.55 [-0.83, +0.28] |\n"
    assert results.read_table(text, "a") == [["x", "1,538"]]
    assert results.number("1,538 and more") == 1538
    [[_, cell]] = results.read_table(text, "a | c")
    assert results.interval(cell) == (-0.55, -0.83, 0.28)
