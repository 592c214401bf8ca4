"""An alignment as a matrix of characters."""

from collections.abc import Iterator

from rich.cells import cell_len, set_cell_size

from isogloss.align.files.tables.html import visible

from .viewer import AlignmentView

__all__ = ["text_grid", "text_legend"]


def text_grid(view: AlignmentView, pair: int, width: int) -> Iterator[str]:
    """Lines of a pair: a row per source word, a column per target word, in blocks of the width.

    :func:`text_legend` says what the marks mean.
    """
    source = [visible(word) for word in view.bitext.source[pair]]
    target = [visible(word) for word in view.bitext.target[pair]]
    marks = _marks(view, pair)
    side = min(max(map(cell_len, source), default=0), max(8, width // 3))
    columns = max(1, (width - side - 1) // 3)
    if not source or not target:
        yield f"{' '.join(source) or '(empty)'} ||| {' '.join(target) or '(empty)'}"
        return
    for first in range(0, len(target), columns):
        shown = range(first, min(first + columns, len(target)))
        for i, word in enumerate(source):
            cells = "".join(f"{marks.get((i, j), '.'):>3}" for j in shown)
            yield f"{set_cell_size(word, side)} {cells}"
        yield f"{' ' * side} {''.join(f'{j:>3}' for j in shown)}"
        for j in shown:
            yield f"{j:>3} {target[j]}"


def text_legend(view: AlignmentView) -> str:
    """What the marks of :func:`text_grid` mean."""
    if view.gold is None:
        return "x = link"
    return "x = link in gold, ? = link not in gold, - = sure gold link that is missing"


def _marks(view: AlignmentView, pair: int) -> dict[tuple[int, int], str]:
    links = dict.fromkeys(view.links[pair], "x")
    if view.gold is None:
        return links
    sure, possible = view.gold[pair]
    found = {link: "x" if link in possible else "?" for link in links}
    return dict.fromkeys(sure, "-") | found
