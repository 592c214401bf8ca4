"""What a comparison of systems found, as text, Markdown, LaTeX or JSON."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from tune.significance import BootstrapTest, RandomizationTest

from .comparison import ComparedSystem, Comparison, MetricComparison
from .report import format_table

__all__ = ["COMPARISON_FORMATS", "format_comparison"]

_LATEX = str.maketrans(
    {character: f"\\{character}" for character in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
)


def format_comparison(found: Comparison, form: str) -> Iterator[str]:
    """Lines of one of the COMPARISON_FORMATS."""
    return COMPARISON_FORMATS[form](found)


def _columns(found: MetricComparison) -> dict[str, Callable[[ComparedSystem], str]]:
    """What to show of each system, by heading; columns without any value are left out."""
    columns: dict[str, Callable[[ComparedSystem], str]] = {
        "system": lambda one: one.name,
        "runs": lambda one: str(len(one.files)),
        found.metric: lambda one: f"{one.score.mean:.2f}",
        "s_opt": lambda one: _deviation(one.score.optimizer_deviation),
        "s_sel": lambda one: _deviation(one.score.sampling_deviation),
        "95 %": lambda one: _interval(one.score.interval, ""),
        "difference": lambda one: _difference(one.bootstrap or one.randomization),
        "its 95 %": lambda one: "" if not one.bootstrap else _interval(one.bootstrap.interval, "+"),
        "p bootstrap": lambda one: _p_value(one.bootstrap),
        "p randomization": lambda one: _p_value(one.randomization),
    }
    if all(len(one.files) == 1 for one in found.systems):
        del columns["runs"]
    return {name: cell for name, cell in columns.items() if any(map(cell, found.systems))}


def _deviation(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _interval(interval: tuple[float, float], sign: str) -> str:
    low, high = interval
    return f"[{low:{sign}.2f}, {high:{sign}.2f}]"


def _difference(test: BootstrapTest | RandomizationTest | None) -> str:
    return "" if test is None else f"{test.difference:+.2f}"


def _p_value(test: BootstrapTest | RandomizationTest | None) -> str:
    if test is None:
        return ""
    return f"{test.p_value:.4f}" if test.p_value >= 0.0001 else "<0.0001"


def _table(found: MetricComparison) -> tuple[list[str], list[list[str]]]:
    columns = _columns(found)
    return list(columns), [[cell(one) for cell in columns.values()] for one in found.systems]


def _heading(found: MetricComparison) -> str:
    return f"{found.metric}, {'higher' if found.higher_is_better else 'lower'} is better"


def _notes(found: Comparison) -> list[str]:
    """What the columns are; those that are shown somewhere."""
    shown = {name for metric in found.metrics for name in _columns(metric)}
    every: Mapping[str, str] = {
        "s_opt": "standard deviation over the runs of a system",
        "s_sel": "standard deviation over resampled sentences, mean of the runs",
        "95 %": "of resamples, all runs of a system together",
        "difference": f"from the baseline, {found.metrics[0].systems[0].name}",
        "p bootstrap": "paired bootstrap resampling (Koehn 2004)",
        "p randomization": "approximate randomisation (Riezler & Maxwell 2005), runs pooled "
        "(Clark et al. 2011)",
    }
    notes = [f"{name}: {text}" for name, text in every.items() if name in shown]
    return [*notes, f"{found.sentences} sentences, {found.trials} trials, seed {found.seed}"]


def _text(found: Comparison) -> Iterator[str]:
    for one in found.metrics:
        columns, rows = _table(one)
        yield from format_table(_heading(one), columns, rows).splitlines()
        yield f"signature: {one.signature}"
        yield ""
    yield from _notes(found)


def _markdown(found: Comparison) -> Iterator[str]:
    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

    for one in found.metrics:
        columns, rows = _table(one)
        yield f"**{_heading(one)}** (`{one.signature}`)"
        yield ""
        yield line(columns)
        yield "|---|" + "---:|" * (len(columns) - 1)
        yield from map(line, rows)
        yield ""
    yield from (f"- {note}" for note in _notes(found))


def _latex(found: Comparison) -> Iterator[str]:
    """Tables for the package booktabs; signatures and notes are comments."""

    def line(cells: Sequence[str]) -> str:
        return " & ".join(_latex_cell(cell) for cell in cells) + r" \\"

    for one in found.metrics:
        columns, rows = _table(one)
        yield f"% {_heading(one)}: {one.signature}"
        yield rf"\begin{{tabular}}{{l{'r' * (len(columns) - 1)}}}"
        yield r"\toprule"
        yield line(columns)
        yield r"\midrule"
        yield from map(line, rows)
        yield r"\bottomrule"
        yield r"\end{tabular}"
    yield from (f"% {note}" for note in _notes(found))


def _latex_cell(text: str) -> str:
    """Signs of numbers are set as such, whatever else is special is escaped."""
    if text[:1] in "+-<" and text[1:2].isdigit():
        return f"${text}$"
    if text[:1] == "[" and text[-1:] == "]" and text[1:2] in "+-":
        return f"[{', '.join(f'${part}$' for part in text[1:-1].split(', '))}]"
    return text.translate(_LATEX)


def _json(found: Comparison) -> Iterator[str]:
    def plain(value: Any) -> Any:
        return value.tolist()

    yield from json.dumps(asdict(found), default=plain, ensure_ascii=False, indent=1).splitlines()


COMPARISON_FORMATS: Mapping[str, Callable[[Comparison], Iterator[str]]] = {
    "text": _text,
    "markdown": _markdown,
    "latex": _latex,
    "json": _json,
}
