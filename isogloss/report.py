"""The table that a run prints: alignment error, phrase pairs, features, BLEU, time and memory."""

import io
import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from rich.console import Console as RichConsole
from rich.table import Table

from align.files.writers import write_lines

__all__ = ["format_report", "format_table", "write_rows"]

WIDEST = 100_000  # columns of a table: long file names are not cut short


def format_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A plain-text table; the first column is left-aligned, the others right-aligned."""
    table = Table(box=None, pad_edge=False)
    for number, column in enumerate(columns):
        table.add_column(column, justify="left" if number == 0 else "right", no_wrap=True)
    for row in rows:
        table.add_row(*map(str, row))
    stream = io.StringIO()
    plain = RichConsole(
        file=stream, width=WIDEST, no_color=True, markup=False, emoji=False, highlight=False
    )
    plain.print(table)
    lines = [title] if title else []
    lines += [line.rstrip() for line in stream.getvalue().splitlines()]
    return "\n".join(lines) + "\n"


def write_rows(
    value: Any,
    rows: Sequence[Mapping[str, Any]],
    text: Callable[[], Iterable[str]],
    output: str | None,
    form: str | None = None,
) -> None:
    """Write a result as ``json`` (value), ``tsv`` (rows, with a header) or ``text``.

    Without a form, as text on a terminal and as TSV to a file or a pipe. None in a row is empty.
    """
    if form is None:
        form = "text" if output is None and sys.stdout.isatty() else "tsv"
    if form == "json":
        write_lines([json.dumps(value, ensure_ascii=False, indent=1)], output)
    elif form == "text":
        write_lines(text(), output)
    else:
        header = ["\t".join(rows[0])] if rows else []
        lines = (
            "\t".join("" if cell is None else str(cell) for cell in row.values()) for row in rows
        )
        write_lines([*header, *lines], output)


def format_report(manifest: Mapping[str, Any]) -> str:
    """All figures of a run as text."""
    stages: Mapping[str, Any] = manifest["stages"]
    figures = {name: stage["figures"] for name, stage in stages.items()}
    parts = [_corpus(figures), _alignment(figures), _model(figures), _bleu(figures)]
    usage = [
        (name, f"{one['usage']['seconds']:.1f}", f"{one['usage']['cpu_seconds']:.1f}",
         f"{one['usage']['megabytes']:.0f}")
        for name, one in stages.items()
    ]  # fmt: skip
    total = sum(one["usage"]["seconds"] for one in stages.values())
    cpu = sum(one["usage"]["cpu_seconds"] for one in stages.values())
    peak = max(one["usage"]["megabytes"] for one in stages.values())
    usage.append(("total / peak", f"{total:.1f}", f"{cpu:.1f}", f"{peak:.0f}"))
    parts.append(format_table("Time and memory", ("stage", "wall s", "CPU s", "peak MB"), usage))
    return "\n".join(part for part in parts if part)


def _corpus(figures: Mapping[str, Any]) -> str:
    text = figures["text"]
    rows = [
        ("sentence pairs", text["pairs"]),
        ("source / target tokens", f"{text['source_tokens']} / {text['target_tokens']}"),
        *((f"seed pairs, {name}", count) for name, count in text["seeds"].items()),
    ]
    return format_table("Training text", ("", ""), rows)


def _alignment(figures: Mapping[str, Any]) -> str:
    flat = figures.get("align-flat", {}).get("aer", {})
    latent = figures.get("align-latent", {}).get("aer", {})
    rows = [
        (
            f"{name}, {heuristic}",
            f"{error:.2f}",
            f"{latent[name][heuristic]:.2f}" if name in latent else "-",
        )
        for name, errors in flat.items()
        for heuristic, error in errors.items()
    ]
    table = format_table("Alignment error rate (%)", ("gold links", "flat", "latent"), rows)
    domains = figures.get("align-latent", {})
    if domains.get("domain_accuracy") is not None:
        table += f"hidden domain labels found: {domains['domain_accuracy']:.2f} %\n"
    return table if rows else ""


def _model(figures: Mapping[str, Any]) -> str:
    rows: list[tuple[str, object]] = []
    if "extract" in figures:
        rows.append(("phrase pairs", figures["extract"]["phrase_pairs"]))
        rows.append(("rules for tuning and test", figures["features"]["rules"]))
    for kind in ("dense", "full"):
        tuned = figures.get(f"tune-{kind}")
        if tuned:
            counts = f"{tuned['active']} / {tuned['features']}"
            rows.append((f"features active / in all, {kind}", counts))
    return format_table("Phrase model", ("", ""), rows) if rows else ""


def _bleu(figures: Mapping[str, Any]) -> str:
    test = figures.get("translate", {}).get("test_bleu", {})
    tuned = {kind: figures.get(f"tune-{kind}") for kind in ("dense", "full")}

    def on_tuning(kind: str, last: bool) -> str:
        own = tuned[kind]
        return f"{own['tuning_bleu'][own['best_epoch'] if last else 0]:.2f}" if own else "-"

    rows = [
        ("before tuning", on_tuning("dense", last=False), test.get("untuned", "-")),
        ("dense", on_tuning("dense", last=True), test.get("dense", "-")),
        ("dense + domain + sparse", on_tuning("full", last=True), test.get("full", "-")),
    ]
    if not test and not tuned["dense"]:
        return ""
    table = format_table("BLEU", ("weights", "tuning set", "test set"), rows)
    return table + (f"test set: sacrebleu {test['signature']}\n" if test else "")
