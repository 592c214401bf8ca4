"""A sentence pair and its links as a small SVG drawing, for notebooks and reports."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple
from unicodedata import bidirectional, east_asian_width

from .html import escaped, visible

__all__ = ["DrawnLink", "pair_svg"]

_WIDE, _NARROW = 15.0, 8.0  # pixels of a character
_GAP, _TOP, _BOTTOM, _HEIGHT = 14.0, 18, 112, 124
_TEXT = 'font-family="system-ui, sans-serif" font-size="14" fill="currentColor"'


class DrawnLink(NamedTuple):
    """A link between two words, by their positions, and what its curve looks like."""

    source: int
    target: int
    opacity: float = 1.0
    color: str = "#2a7dbf"
    dashed: bool = False


def pair_svg(source: Sequence[str], target: Sequence[str], links: Iterable[DrawnLink]) -> str:
    """Draw the words in two rows, and links as curves. What words hold is escaped."""
    widths = [[_width(word) for word in words] for words in (source, target)]
    whole = max(sum(row) + _GAP * len(row) for row in widths) + 2 * _GAP
    centers = [
        _centers(row, whole, words) for row, words in zip(widths, (source, target), strict=True)
    ]
    parts = []
    for link in links:
        a, b = centers[0][link.source], centers[1][link.target]
        dashes = ' stroke-dasharray="5 4"' if link.dashed else ""
        parts.append(
            f'<path d="M{a:.1f} 26C{a:.1f} 62,{b:.1f} 62,{b:.1f} 96" fill="none" '
            f'stroke="{link.color}" stroke-width="2" opacity="{link.opacity:.2f}"{dashes}/>'
        )
    for words, places, y in ((source, centers[0], _TOP), (target, centers[1], _BOTTOM)):
        for word, x in zip(words, places, strict=True):
            parts.append(
                f'<text x="{x:.1f}" y="{y}" text-anchor="middle" {_TEXT}>{escaped(word)}</text>'
            )
    size = f'width="{whole:.0f}" height="{_HEIGHT}" viewBox="0 0 {whole:.0f} {_HEIGHT}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="word alignment">'
        f"{''.join(parts)}</svg>"
    )


def _width(word: str) -> float:
    return sum(_WIDE if east_asian_width(one) in "WF" else _NARROW for one in visible(word))


def _centers(widths: Sequence[float], whole: float, words: Sequence[str]) -> list[float]:
    """Places of words, from the right if most of them are written so."""
    x = (whole - sum(widths) - _GAP * (len(widths) - 1)) / 2
    centers = []
    for width in widths:
        centers.append(x + width / 2)
        x += width + _GAP
    letters = [bidirectional(one) for word in words for one in word]
    flipped = sum(one in ("R", "AL") for one in letters) > letters.count("L")
    return [whole - center for center in centers] if flipped else centers
