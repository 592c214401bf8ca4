"""Lists of words written as running text."""

from __future__ import annotations


def listed(text: str) -> list[str]:
    """The blank-separated words of a text."""
    return text.split()
