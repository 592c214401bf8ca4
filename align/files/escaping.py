"""Text of strangers, as a terminal may show it."""

import re

__all__ = ["in_one_cell", "on_a_terminal"]

_CONTROL = re.compile(
    r"[^\n\t -~\u00a0-\U0010ffff]|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
_BREAKS = re.compile(r"[\n\t]")


def on_a_terminal(text: str) -> str:
    """The same text without what a terminal would obey, but for line feeds and tabs.

    Characters for control, and those that turn the direction of text, are as Python writes them.
    """
    return _CONTROL.sub(_written_out, text)


def in_one_cell(text: str) -> str:
    """The same without line feeds and tabs, too."""
    return _BREAKS.sub(_written_out, on_a_terminal(text))


def _written_out(match: re.Match[str]) -> str:
    return ascii(match[0])[1:-1]
