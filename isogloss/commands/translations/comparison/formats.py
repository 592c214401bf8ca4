"""What a comparison of systems found, as text, Markdown, LaTeX or JSON."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from isogloss.align.errors import pluralize
from isogloss.tune.significance import LEVEL, BootstrapTest, RandomizationTest

from ....report import table_lines
from .systems import ComparedSystem, Comparison, MetricComparison

__all__ = ["COMPARISON_FORMATS", "format_comparison"]

_LATEX = str.maketrans(
    {character: f"\\{character}" for character in "&%$#_{}"}
    | {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
)


def format_comparison(comparison: Comparison, format: str) -> Iterator[str]:
    """Lines of a comparison. format: one of COMPARISON_FORMATS"""
    return COMPARISON_FORMATS[format](comparison)


def _columns(compared: MetricComparison) -> dict[str, Callable[[ComparedSystem], str]]:
    """By heading, the cell of a system in that column; columns without any value are left out."""
    digits = compared.decimals
    columns: dict[str, Callable[[ComparedSystem], str]] = {
        "system": lambda system: system.name,
        "runs": lambda system: str(len(system.files)),
        compared.metric: lambda system: f"{system.score.mean:.{digits}f}",
        "s_opt": lambda system: _deviation(system.score.optimizer_deviation, digits),
        "s_sel": lambda system: _deviation(system.score.sampling_deviation, digits),
        "95% CI": lambda system: _interval(system.score.interval, "", digits),
        "difference": lambda system: _difference(system.bootstrap or system.randomization, digits),
        "95% CI of difference": lambda system: (
            "" if not system.bootstrap else _interval(system.bootstrap.interval, "+", digits)
        ),
        "p bootstrap": lambda system: _p_value(system.bootstrap),
        "p randomization": lambda system: _p_value(system.randomization),
    }
    if all(len(system.files) == 1 for system in compared.systems):
        del columns["runs"]
    return {name: cell for name, cell in columns.items() if any(map(cell, compared.systems))}


def _deviation(value: float | None, digits: int) -> str:
    return "" if value is None else f"{value:.{digits}f}"


def _interval(interval: tuple[float, float], sign: str, digits: int) -> str:
    low, high = interval
    return f"[{low:{sign}.{digits}f}, {high:{sign}.{digits}f}]"


def _difference(test: BootstrapTest | RandomizationTest | None, digits: int) -> str:
    return "" if test is None else f"{test.difference:+.{digits}f}"


def _p_value(test: BootstrapTest | RandomizationTest | None) -> str:
    if test is None:
        return ""
    return f"{test.p_value:.4f}" if test.p_value >= 0.0001 else "<0.0001"


def _table(compared: MetricComparison) -> tuple[list[str], list[list[str]]]:
    """Headings, and a row of cells for each system."""
    columns = _columns(compared)
    rows = [[cell(system) for cell in columns.values()] for system in compared.systems]
    return list(columns), rows


def _heading(compared: MetricComparison) -> str:
    return f"{compared.metric}, {'higher' if compared.higher_is_better else 'lower'} is better"


def _verdicts(compared: MetricComparison) -> list[str]:
    """Of each system but the baseline, whether it is better."""
    baseline, *others = compared.systems
    return [_verdict(system, baseline.name, compared.decimals) for system in others]


def _verdict(system: ComparedSystem, baseline: str, digits: int) -> str:
    tests = [test for test in (system.bootstrap, system.randomization) if test]
    p_values = " and ".join(_p_value(test) for test in tests)
    found = f"{_difference(tests[0], digits)}, p {p_values}"
    if system.verdict == "unclear":
        return f"the tests disagree on {system.name} and {baseline}: {found}"
    if system.verdict in ("better", "worse"):
        return f"{system.name} is significantly {system.verdict} than {baseline}: {found}"
    return f"{system.name} and {baseline} do not differ significantly: {found}"


def _notes(comparison: Comparison) -> list[str]:
    """What the columns that are shown mean, and what the tests depend on."""
    shown = {name for compared in comparison.metrics for name in _columns(compared)}
    every: Mapping[str, str] = {
        "s_opt": "standard deviation over the runs of a system",
        "s_sel": "standard deviation across resamples, averaged over runs",
        "95% CI": "confidence interval of the score over resamples, runs pooled",
        "difference": f"difference from the baseline, {comparison.metrics[0].systems[0].name}",
        "p bootstrap": f"paired bootstrap resampling (Koehn 2004), {_kind(comparison)}",
        "p randomization": "approximate randomization (Riezler & Maxwell 2005), runs pooled "
        "(Clark et al. 2011)",
    }
    notes = [f"{name}: {text}" for name, text in every.items() if name in shown]
    return [
        *notes,
        f"significantly better or worse: p at most {LEVEL} in every test",
        f"{pluralize(comparison.sentences, 'sentence')}, {pluralize(comparison.trials, 'trial')}, "
        f"seed {comparison.seed}",
    ]


def _kind(comparison: Comparison) -> str:
    """How the bootstrap was done."""
    tests = [system.bootstrap for system in comparison.metrics[0].systems if system.bootstrap]
    by_sacrebleu = any(test.kind == "sacrebleu" for test in tests)
    return "sacrebleu's formula" if by_sacrebleu else "centered"


def _text(comparison: Comparison) -> Iterator[str]:
    for compared in comparison.metrics:
        columns, rows = _table(compared)
        yield _heading(compared)
        yield from table_lines(columns, rows)
        yield f"signature: {compared.signature}"
        yield from _verdicts(compared)
        yield ""
    yield from _notes(comparison)


def _markdown(comparison: Comparison) -> Iterator[str]:
    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

    for compared in comparison.metrics:
        columns, rows = _table(compared)
        yield f"**{_heading(compared)}** (`{compared.signature}`)"
        yield ""
        yield line(columns)
        yield "|---|" + "---:|" * (len(columns) - 1)
        yield from map(line, rows)
        yield ""
        yield from (f"- {verdict}" for verdict in _verdicts(compared))
        yield ""
    yield from (f"- {note}" for note in _notes(comparison))


def _latex(comparison: Comparison) -> Iterator[str]:
    """Tables for the package booktabs; signatures and notes are comments."""

    def line(cells: Sequence[str]) -> str:
        return " & ".join(_latex_cell(cell) for cell in cells) + r" \\"

    for compared in comparison.metrics:
        columns, rows = _table(compared)
        yield f"% {_heading(compared)}: {compared.signature}"
        yield rf"\begin{{tabular}}{{l{'r' * (len(columns) - 1)}}}"
        yield r"\toprule"
        yield line(columns)
        yield r"\midrule"
        yield from map(line, rows)
        yield r"\bottomrule"
        yield r"\end{tabular}"
        yield from (f"% {verdict}" for verdict in _verdicts(compared))
    yield from (f"% {note}" for note in _notes(comparison))


def _latex_cell(text: str) -> str:
    """A cell with the signs of numbers in math mode and other special characters escaped."""
    if text[:1] in "+-<" and text[1:2].isdigit():
        return f"${text}$"
    if text[:1] == "[" and text[-1:] == "]" and text[1:2] in "+-":
        return f"[{', '.join(f'${part}$' for part in text[1:-1].split(', '))}]"
    return text.translate(_LATEX)


def _json(comparison: Comparison) -> Iterator[str]:
    def plain(value: Any) -> Any:
        return value.tolist()

    text = json.dumps(asdict(comparison), default=plain, ensure_ascii=False, indent=1)
    yield from text.split("\n")


COMPARISON_FORMATS: Mapping[str, Callable[[Comparison], Iterator[str]]] = {
    "text": _text,
    "markdown": _markdown,
    "latex": _latex,
    "json": _json,
}
