"""The figures of docs/results.md, drawn from the tables of that page.

    python docs/figures/results.py

Writes ``alignment-error.svg`` and ``tuning.svg`` beside this file. Needs matplotlib.
"""

import re
from pathlib import Path

import matplotlib as mpl

mpl.use("svg")
import matplotlib.pyplot as plt
from matplotlib.figure import Figure

HERE = Path(__file__).parent
PAGE = HERE.parent / "results.md"
BLUE, GRAY, LIGHT = "#1f6fb4", "#7a7a7a", "#c4c4c4"
# where the name of a point is written, in points right of it and above it, if it would overlap
OFFSETS = {
    "AROW": (-34, -2), "SGD": (-9, 7), "AdaGrad-PRO": (-20, -12), "ramp": (6, -2),
    "minimum risk": (-62, -3), "k-best MIRA": (5, -10), "cdec rampion": (5, -10),
    "cdec PRO": (5, -9), "cdec minimum risk": (-80, 5),
}  # fmt: skip


def read_table(text: str, header: str) -> list[list[str]]:
    """Rows of the table whose first header cell is ``header``, without bold marks."""
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
    found = re.match(r"[-+]?\d+(?:\.\d+)?", cell)
    return float(found[0]) if found else float("nan")


def draw_alignment(rows: list[list[str]]) -> None:
    """AER of each test set as bars."""
    rows = [row for row in rows if row[0] != "mean"]
    figure, axes = plt.subplots(figsize=(7.2, 4.2))
    systems = ((1, "isogloss", BLUE), (3, "eflomal 2.0", GRAY), (4, "MGIZA Model 4", LIGHT))
    for place, (column, name, color) in enumerate(systems):
        heights = [row_number + (place - 1) * 0.27 for row_number in range(len(rows))]
        values = [number(row[column]) for row in rows]
        axes.barh(heights, values, height=0.25, label=name, color=color)
    axes.set_yticks(range(len(rows)), [row[0] for row in rows])
    axes.invert_yaxis()
    axes.set_xlabel("alignment error rate (%), lower is better")
    axes.legend(frameon=False, loc="upper right")
    axes.spines[["top", "right"]].set_visible(False)
    save(figure, "alignment-error.svg")


def draw_tuning(rows: list[list[str]]) -> None:
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
    axes.spines[["top", "right"]].set_visible(False)
    save(figure, "tuning.svg")


def save(figure: Figure, name: str) -> None:
    """Write a figure whose bytes depend on its content alone."""
    figure.tight_layout()
    figure.savefig(HERE / name, metadata={"Date": None}, facecolor="white")
    plt.close(figure)


if __name__ == "__main__":
    plt.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "isogloss", "font.size": 9})
    page = PAGE.read_text(encoding="utf-8")
    draw_alignment(read_table(page, "test set, AER (%)"))
    draw_tuning(read_table(page, "method"))
