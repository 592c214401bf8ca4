"""Lines of Marian's n-best lists that hold more than those of Moses: links, scores of words.

With ``--alignment`` the links stand before the features, and with ``--word-scores`` the feature
``WordScores`` has a value for each token.
"""

import re

from isogloss.align.files.numerals import is_decimal
from isogloss.align.files.text_io import FIELD_SEPARATOR, split_fields

__all__ = ["is_marian", "marian_lines"]

_LINKS = re.compile(r"[0-9]+-[0-9]+(?: [0-9]+-[0-9]+)*|[0-9.e-]+(?:,[0-9.e-]+)+(?: [0-9.,e-]+)*")
_WORD_SCORES = re.compile(r"(?<!\S)WordScores=((?:[ \t]+[-+.0-9eE]+)+)")
_LEAST = 4  # fields of a line with links before its features


def is_marian(begin: bytes) -> bool:
    """Whether the first line of a list has links before its features, or scores of words."""
    fields = split_fields(begin.partition(b"\n")[0].decode())
    if len(fields) < _LEAST - 1:
        return False
    linked = _has_links(fields) and bool(fields[2] or not fields[1])
    return linked or _WORD_SCORES.search(" ".join(fields[2:4])) is not None


def marian_lines(block: bytes) -> bytes:
    """The lines as Moses has them: without links, and with the sum of the scores of words."""
    return "\n".join(map(_plain_line, block.decode().split("\n"))).encode()


def _plain_line(line: str) -> str:
    fields = split_fields(line)
    if _has_links(fields):
        del fields[2]
    if len(fields) > 2:
        fields[2] = _WORD_SCORES.sub(_summed, fields[2])
    return f" {FIELD_SEPARATOR} ".join(fields)


def _has_links(fields: list[str]) -> bool:
    """Whether a field of links, which may be empty, precedes the features."""
    if len(fields) < _LEAST or "=" not in fields[3]:
        return False
    return not fields[2] or _LINKS.fullmatch(fields[2]) is not None


def _summed(found: re.Match[str]) -> str:
    """A feature with the sum of its values, or with the one that is no number."""
    values = found[1].split()
    odd = next((value for value in values if not is_decimal(value)), None)
    return f"WordScores= {sum(map(float, values)) if odd is None else odd}"
