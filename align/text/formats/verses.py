"""Verses of Bible translations that are aligned by a list of references, as in the eBible corpus.

A verse that is part of the one before has the line ``<range>``.
"""

from collections.abc import Iterable, Iterator
from html import unescape

from .pair import Pair

__all__ = ["VERSES", "joined_verses"]

VERSES = "vref"  # the format, by the name of the list of references
_RANGE = "<range>"


def joined_verses(pairs: Iterable[Pair]) -> Iterator[Pair]:
    """Pairs of verses as they belong together: what one side joins is joined on the other, too.

    The joined verses stand at the first of them, and the others are empty pairs, so that numbers of
    lines stay.
    """
    held: list[Pair] = []
    for pair in pairs:
        sides = [None if _is_range(side) else side for side in (pair.source, pair.target)]
        if None not in sides:
            yield from held
            held = [pair]
            continue
        if held:
            first = held[0]
            source, target = map(_joined, (first.source, first.target), sides)
            held[0] = first._replace(source=source, target=target)
            sides = ["", ""]
        source, target = (side or "" for side in sides)
        held.append(pair._replace(source=source, target=target))
    yield from held


def _is_range(text: str) -> bool:
    """Whether a line is the mark of a range, perhaps tokenized or escaped."""
    return len(text) < 40 and unescape("".join(text.split())) == _RANGE


def _joined(first: str, more: str | None) -> str:
    return f"{first} {more}".strip(" ") if more else first
