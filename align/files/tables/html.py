"""Small tables and drawings of values in a notebook. What a text holds is shown, never obeyed."""

from collections.abc import Iterable, Sequence
from html import escape
from unicodedata import category

__all__ = ["escaped", "html_table", "visible"]

_HIDDEN = ("Cc", "Cf", "Zl", "Zp", "Cs")  # categories of characters
_SHAPING = "\u034f\u200c\u200d" + "".join(map(chr, range(0xFE00, 0xFE10)))  # of what they follow
_BLANK = "\u115f\u1160\u2800\u3164\uffa0" + _SHAPING
_LONGEST = 300  # characters of a cell


def visible(text: str) -> str:
    """A text with the numbers of characters that nobody sees, or that turn text around."""
    # as Iso.visible in isogloss/pages/static/data.js has it
    if text.isascii() and text.isprintable():
        return text
    shown, follows = list[str](), False  # whether a visible character is before this one
    for one in text:
        hidden = category(one) in _HIDDEN or one in _BLANK
        kept = not hidden or (follows and one in _SHAPING)
        follows = kept and not one.isspace()
        shown.append(one if kept else f"<{ord(one):04X}>")
    return "".join(shown)


def escaped(text: str) -> str:
    """A text as HTML, cut if it is long."""
    cut = text if len(text) <= _LONGEST else f"{text[:_LONGEST]} ..."
    return escape(visible(cut))


def html_table(
    title: str, header: Sequence[str], rows: Iterable[Sequence[object]], more: int = 0
) -> str:
    """A table that scrolls within a cell of a notebook.

    rows: numbers stand to the right, floats with four digits; None is empty
    more: rows that are not shown
    """
    head = "".join(f'<th scope="col" style="text-align:left">{escaped(one)}</th>' for one in header)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    rest = f"<p>... and {more:,} more</p>" if more > 0 else ""
    return (
        '<div style="max-height:24em;max-width:100%;overflow:auto">'
        f"<table><caption style='text-align:left'>{escaped(title)}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{rest}</div>"
    )


def _cell(value: object) -> str:
    if isinstance(value, bool) or value is None or isinstance(value, str):
        text = "" if value is None else str(value)
        return f'<td dir="auto" style="text-align:start">{escaped(text)}</td>'
    text = f"{value:.4g}" if isinstance(value, float) else f"{value:,}"
    return f'<td style="text-align:right">{text}</td>'
