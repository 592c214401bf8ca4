"""The figures of docs/results.md and docs/reproductions.md, drawn from the tables of these pages.

    python docs/figures/results.py

Writes an SVG file beside this file for each table of ``FIGURES`` that has changed since its figure
was drawn; so does the build of the site. A figure holds a digest of its table. Needs matplotlib.
"""

import hashlib
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

__all__ = ["FIGURES", "draw_stale", "setup", "stale"]

HERE = Path(__file__).parent
BLUE, GRAY, LIGHT = "#1f6fb4", "#7a7a7a", "#c4c4c4"
# where the name of a point is written, in points right of it and above it, if it would overlap
OFFSETS = {
    "AROW": (-34, -2), "SGD": (-9, 7), "AdaGrad-PRO": (-20, -12), "ramp": (6, -2),
    "minimum risk": (-62, -3), "k-best MIRA": (5, -10), "cdec rampion": (5, -10),
    "cdec PRO": (5, -9), "cdec minimum risk": (-80, 5), "cube pruning 1000": (-86, -13),
}  # fmt: skip
STYLE = {"svg.fonttype": "none", "svg.hashsalt": "isogloss", "font.size": 9}
Rows = list[list[str]]


class Drawn(NamedTuple):
    """A figure: its tables, by page and the beginning of their headers, and what draws them."""

    page: str
    headers: Sequence[str]
    draw: Callable[..., Figure]


def read_table(text: str, header: str) -> Rows:
    """Rows of the table whose header begins with ``header``, without bold marks."""
    lines = text.splitlines()
    start = next(n for n, line in enumerate(lines) if line.startswith(f"| {header} |"))
    rows = []
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        cells = [re.sub(r"\*\*", "", cell).strip() for cell in line.strip("|").split("|")]
        rows.append(cells)
    return rows


def number(cell: str) -> float:
    """The first number of a cell; not a number for an empty one."""
    found = re.match(r"[-+]?\d+(?:,\d{3})*(?:\.\d+)?", cell)
    return float(found[0].replace(",", "")) if found else float("nan")


def interval(cell: str) -> tuple[float, float, float]:
    """Value, lower and upper end of a cell such as ``-0.55 [-0.83, -0.28]``."""
    value, low, high = map(float, re.findall(r"[-+]?\d+(?:\.\d+)?", cell)[:3])
    return value, low, high


def bare(axes: Axes, names: Sequence[str] = ()) -> None:
    """Only two spines, and names from top to bottom, if any."""
    axes.spines[["top", "right"]].set_visible(False)
    if names:
        axes.set_yticks(range(len(names)), names)
        axes.invert_yaxis()


# --- alignment


def draw_alignment(rows: Rows) -> Figure:
    """AER of each test set as bars."""
    rows = [row for row in rows if row[0] != "mean"]
    figure, axes = plt.subplots(figsize=(7.2, 4.2))
    systems = ((1, "isogloss", BLUE), (3, "eflomal 2.0", GRAY), (4, "MGIZA Model 4", LIGHT))
    for place, (column, name, color) in enumerate(systems):
        heights = [row_number + (place - 1) * 0.27 for row_number in range(len(rows))]
        values = [number(row[column]) for row in rows]
        axes.barh(heights, values, height=0.25, label=name, color=color)
    bare(axes, [row[0] for row in rows])
    axes.set_xlabel("alignment error rate (%), lower is better")
    axes.legend(frameon=False, loc="upper right")
    return figure


def draw_alignment_time(rows: Rows) -> Figure:
    """CPU time of aligners relative to eflomal as bars on a log scale."""
    figure, axes = plt.subplots(figsize=(7.2, 2.3))
    values = [number(row[2]) for row in rows]
    colors = [BLUE if row[0].startswith("isogloss") else GRAY for row in rows]
    bars = axes.barh(range(len(rows)), values, height=0.65, left=0, color=colors)
    axes.bar_label(bars, [f"{value:g}" for value in values], padding=3)
    axes.set_xscale("log")
    axes.set_xlim(0.05, 12)
    axes.set_xlabel("CPU time relative to eflomal, lower is better")
    bare(axes, [row[0] for row in rows])
    return figure


def draw_external(rows: Rows) -> Figure:
    """Change of AER by external alignments, with intervals."""
    return draw_differences(
        [(row[0], interval(row[4])) for row in rows],
        "change of AER (points) by external alignments, lower is better",
    )


def draw_differences(rows: Sequence[tuple[str, tuple[float, float, float]]], label: str) -> Figure:
    """Values with intervals around 0: blue if the interval leaves 0 out."""
    figure, axes = plt.subplots(figsize=(7.2, 0.9 + 0.24 * len(rows)))
    axes.axvline(0, color="black", linewidth=0.8)
    for place, (_, (value, low, high)) in enumerate(rows):
        color = BLUE if low > 0 or high < 0 else GRAY
        axes.plot((low, high), (place, place), color=color, linewidth=2)
        axes.plot(value, place, "o", color=color)
    bare(axes, [name for name, _ in rows])
    axes.set_xlabel(label)
    return figure


def draw_confidence(rows: Rows) -> Figure:
    """Share of correct dictionary entries by their confidence."""
    figure, axes = plt.subplots(figsize=(4.6, 3.6))
    axes.plot((0.5, 1), (50, 100), color="black", linewidth=0.8, label="perfectly calibrated")
    ends = [tuple(map(float, row[0].split(" to "))) for row in rows]
    middles = [sum(pair) / 2 for pair in ends]
    for column, name, color in ((2, "words", BLUE), (4, "phrases", GRAY)):
        axes.plot(middles, [number(row[column]) for row in rows], "o-", color=color, label=name)
    axes.set_xlabel("confidence")
    axes.set_ylabel("correct entries (%)")
    axes.legend(frameon=False, loc="lower right")
    bare(axes)
    return figure


# --- phrases and decoding


def draw_extraction(rows: Rows) -> Figure:
    """CPU time and memory of phrase extraction as bars."""
    figure, panels = plt.subplots(1, 2, figsize=(7.2, 2.3), sharey=True)
    names = [row[0].replace("isogloss, `--max-memory 600M`", "limit of 600 MB") for row in rows]
    colors = [GRAY if row[0] == "Moses" else BLUE for row in rows]
    for axes, column, label in zip(panels, (1, 2), ("CPU s", "peak memory (MB)"), strict=True):
        values = [number(row[column]) for row in rows]
        bars = axes.barh(range(len(rows)), values, height=0.65, color=colors)
        axes.bar_label(bars, [f"{value:g}" for value in values], padding=3)
        axes.set_xlabel(label)
        axes.set_xlim(0, max(values) * 1.15)
        bare(axes)
    bare(panels[0], names)
    return figure


def draw_decoding(spanish: Rows, german: Rows) -> Figure:
    """Mean model score by CPU time for both languages."""
    figure, panels = plt.subplots(1, 2, figsize=(7.6, 3.2))
    for axes, rows, title in zip(
        panels, (spanish, german), ("Spanish-English", "German-English"), strict=True
    ):
        for system, color in (("isogloss", BLUE), ("Moses", GRAY)):
            points = [row for row in rows if row[0].startswith(system)]
            seconds, scores = ([number(row[column]) for row in points] for column in (1, 2))
            axes.plot(seconds, scores, "o", color=color, label=system)
            for row, x, y in zip(points, seconds, scores, strict=True):
                name = row[0].partition(", ")[2]
                offset = OFFSETS.get(name, (5, -3))
                axes.annotate(name, (x, y), offset, textcoords="offset points", fontsize=8)
        axes.set_title(title, fontsize=9)
        axes.set_xlabel("CPU s for 1,000 sentences")
        axes.margins(x=0.22, y=0.12)
        axes.set_xlim(left=0)
        bare(axes)
    panels[0].set_ylabel("mean model score, higher is better")
    panels[0].legend(frameon=False, loc="lower right")
    return figure


# --- tuning


def draw_tuning(rows: Rows) -> Figure:
    """BLEU on the lists by CPU time: a point for each optimizer."""
    figure, axes = plt.subplots(figsize=(7.2, 3.8))
    points = {(row[0], number(row[1]), number(row[2])): BLUE for row in rows}
    points |= {(row[3], number(row[4]), number(row[5])): GRAY for row in rows if row[3]}
    for (name, bleu, seconds), color in points.items():
        axes.plot(seconds, bleu, "o", color=color)
        offset = OFFSETS.get(name, (5, 3))
        axes.annotate(name, (seconds, bleu), offset, textcoords="offset points", fontsize=8)
    axes.set_xscale("log")
    axes.set_xlim(0.08, 250)
    axes.set_xlabel("CPU seconds")
    axes.set_ylabel("BLEU")
    for name, color in (("isogloss", BLUE), ("peers", GRAY)):
        axes.plot([], [], "o", color=color, label=name)
    axes.legend(frameon=False, loc="lower right")
    bare(axes)
    return figure


def draw_held_out(rows: Rows) -> Figure:
    """BLEU on training and held-out sentences: a line for each method and set of features."""
    figure, axes = plt.subplots(figsize=(7.2, 3.2))
    for place, row in enumerate(rows):
        training, held_out = number(row[2]), number(row[3])
        axes.plot((training, held_out), (place, place), color=LIGHT, linewidth=2, zorder=0)
        axes.plot(training, place, "o", color=GRAY, label="training" if place == 0 else None)
        axes.plot(held_out, place, "o", color=BLUE, label="held out" if place == 0 else None)
    axes.set_xlabel("BLEU")
    axes.legend(frameon=False, loc="upper right")
    bare(axes, [f"{row[0]}, {row[1]}" for row in rows])
    return figure


# --- domains


def draw_labels(rows: Rows) -> Figure:
    """Change of AER by the number of domain labels, on three corpora and all test sets."""
    chosen = {
        "smoothed, random labels": "random labels", "smoothed": "a tenth of the pairs",
        "smoothed, four times the labels": "four times as many",
        "smoothed, all known labels": "all known labels",
    }  # fmt: skip
    by_name = {row[0]: row for row in rows}
    figure, axes = plt.subplots(figsize=(7.2, 3.2))
    colors = (LIGHT, "#9ec5e8", "#5b9bd0", BLUE)
    for place, (name, label) in enumerate(chosen.items()):
        values, lows, highs = zip(*map(interval, by_name[name][1:]), strict=True)
        heights = [group + (place - 1.5) * 0.2 for group in range(len(values))]
        axes.bar(heights, values, 0.18, color=colors[place], label=label)
        axes.vlines(heights, lows, highs, color="black", linewidth=0.8)
    axes.axhline(0, color="black", linewidth=0.8)
    axes.set_xticks(range(4), ["en-fr (A)", "en-cs (B)", "en-es (C)", "all nine texts"])
    axes.set_ylabel("change of AER (points)")
    axes.legend(frameon=False, loc="lower left", bbox_to_anchor=(0, 1), ncols=4)
    bare(axes)
    return figure


def draw_domain_scores(rows: Rows) -> Figure:
    """Gain in BLEU over the single-domain system, by test set."""
    figure, axes = plt.subplots(figsize=(7.2, 2.8))
    systems = (
        (2, "latent alignments", LIGHT), (3, "+ Model 1 scores", "#5b9bd0"),
        (4, "+ all scores", BLUE),
    )  # fmt: skip
    for place, (column, name, color) in enumerate(systems):
        heights = [row_number + (place - 1) * 0.27 for row_number in range(len(rows))]
        gains = [number(row[column]) - number(row[1]) for row in rows]
        axes.barh(heights, gains, height=0.25, label=name, color=color)
    axes.axvline(0, color="black", linewidth=0.8)
    axes.set_xlabel("BLEU minus the single-domain system, higher is better")
    axes.legend(frameon=False, loc="lower right")
    bare(axes, [row[0] for row in rows])
    return figure


FIGURES = {
    "alignment-error": Drawn("results", ["test set, AER (%) | isogloss | isogloss, latent domains"],
                             draw_alignment),
    "alignment-time": Drawn("results", ["aligner | CPU s"], draw_alignment_time),
    "external-alignments": Drawn(
        "results", ["test set, AER (%) | isogloss | eflomal, intersection"], draw_external
    ),
    "dictionary-confidence": Drawn("results", ["confidence"], draw_confidence),
    "extraction": Drawn("results", ["system | CPU s"], draw_extraction),
    "decoding": Drawn("results", ["Spanish-English", "German-English"], draw_decoding),
    "tuning": Drawn("results", ["method | isogloss"], draw_tuning),
    "held-out": Drawn("results", ["method | features"], draw_held_out),
    "domain-labels": Drawn("reproductions", ["recipe, labels"], draw_labels),
    "domain-scores": Drawn("reproductions", ["test set | single-domain"], draw_domain_scores),
}  # fmt: skip


def tables_of(figure: Drawn) -> tuple[list[Rows], str]:
    """The tables that a figure is drawn from, and their digest."""
    text = (HERE.parent / f"{figure.page}.md").read_text(encoding="utf-8")
    tables = [read_table(text, header) for header in figure.headers]
    return tables, hashlib.sha256(repr(tables).encode()).hexdigest()[:16]


def stale() -> list[str]:
    """Names of the figures that were drawn from other tables."""
    paths = {name: HERE / f"{name}.svg" for name in FIGURES}
    drawn = {name: path.read_text(encoding="utf-8") if path.exists() else ""
             for name, path in paths.items()}  # fmt: skip
    return [name for name, figure in FIGURES.items() if tables_of(figure)[1] not in drawn[name]]


def draw_stale() -> None:
    """Draw those figures again, as files whose bytes depend on their content alone."""
    for name in stale():
        tables, digest = tables_of(FIGURES[name])
        with plt.rc_context(STYLE):
            figure = FIGURES[name].draw(*tables)
            figure.tight_layout()
            about = {"Date": None, "Description": f"tables {digest}"}
            figure.savefig(HERE / f"{name}.svg", metadata=about, facecolor="white")
            plt.close(figure)


def setup(_: object) -> dict[str, bool]:
    """Draw them when the site is built."""
    draw_stale()
    return {"parallel_read_safe": True, "parallel_write_safe": True}


if __name__ == "__main__":
    draw_stale()
