"""An alignment as a matrix of characters."""

from collections.abc import Iterator
from textwrap import wrap

from rich.cells import cell_len, set_cell_size

from isogloss.align.files.tables.html import visible

from .viewer import AlignmentView

__all__ = ["LONGEST_MATRIX", "text_grid", "text_legend"]

LONGEST_MATRIX = 60  # words of a side; links of longer sentences are listed

_Marks = dict[tuple[int, int], str]


def text_grid(view: AlignmentView, pair: int, width: int) -> Iterator[str]:
    """Lines of a pair: a row per source word, a column per target word, in blocks of the width.

    Of a long sentence, each source word with the target words that it is linked to.
    :func:`text_legend` says what the marks mean.
    """
    source = [visible(word) for word in view.bitext.source[pair]]
    target = [visible(word) for word in view.bitext.target[pair]]
    marks = _marks(view, pair)
    if not source or not target:
        yield f"{' '.join(source) or '(empty)'} ||| {' '.join(target) or '(empty)'}"
    elif max(len(source), len(target)) > LONGEST_MATRIX:
        yield from _list(source, target, marks, width)
    else:
        yield from _matrix(source, target, marks, width)


def _matrix(source: list[str], target: list[str], marks: _Marks, width: int) -> Iterator[str]:
    side = min(max(map(cell_len, source)), max(8, width // 3))
    columns = max(1, (width - side - 1) // 3)
    for first in range(0, len(target), columns):
        shown = range(first, min(first + columns, len(target)))
        for i, word in enumerate(source):
            cells = "".join(f"{marks.get((i, j), '.'):>3}" for j in shown)
            yield f"{set_cell_size(word, side)} {cells}"
        yield f"{' ' * side} {''.join(f'{j:>3}' for j in shown)}"
        for j in shown:
            yield f"{j:>3} {target[j]}"


def _list(source: list[str], target: list[str], marks: _Marks, width: int) -> Iterator[str]:
    """A row per source word, with its number and with the mark, number and word of each link."""
    digits = len(str(max(len(source), len(target)) - 1))
    side = min(max(map(cell_len, source)), max(8, width // 3))
    rows: list[list[str]] = [[] for _ in source]
    for (i, j), mark in sorted(marks.items()):
        rows[i].append(f"{mark} {j} {target[j]}")
    for i, (word, row) in enumerate(zip(source, rows, strict=True)):
        yield f"{i:>{digits}} {set_cell_size(word, side)} {', '.join(row) or '(no link)'}"
    linked = {j for _, j in marks}
    if rest := [f"{j} {word}" for j, word in enumerate(target) if j not in linked]:
        yield "target words without a link:"
        yield from wrap(", ".join(rest), max(width, 20), break_on_hyphens=False)


def text_legend(view: AlignmentView, width: int) -> Iterator[str]:
    """What the marks of :func:`text_grid` mean, in lines of the width that break between marks."""
    line = "x = link"
    if view.gold is not None:
        line = "x = link in gold"
        for mark in ("? = link not in gold", "- = sure gold link that is missing"):
            line += ","
            if len(line) + 1 + len(mark) < width:
                line += f" {mark}"
            else:
                yield line
                line = mark
    yield line


def _marks(view: AlignmentView, pair: int) -> _Marks:
    links = dict.fromkeys(view.links[pair], "x")
    if view.gold is None:
        return links
    sure, possible = view.gold[pair]
    found = {link: "x" if link in possible else "?" for link in links}
    return dict.fromkeys(sure, "-") | found
