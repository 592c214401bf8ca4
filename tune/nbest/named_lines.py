"""Lines ``id ||| hypothesis ||| features`` whose ids are names, such as those of utterances."""

import re
from collections.abc import Callable, Iterator

from isogloss.align.files.text_io import split_fields

from .kernels.lines import MAX_FIELDS
from .lines import LineFault

__all__ = ["has_named_lines", "is_name", "numbered_lines"]

_NAME = re.compile(r"(?=\S*[^\W\d_])[^\s|]{2,}|[0-9]+([-_][0-9]+)+")  # sw02-A_17, 1089-134686-0
_NUMBER = "Use names in all lines, or number the sentences from 0"


def has_named_lines(begin: bytes) -> bool:
    """Whether a list is one of lines whose ids are names, by its first line."""
    fields = split_fields(begin.partition(b"\n")[0].decode())
    return 3 <= len(fields) <= MAX_FIELDS and _NAME.fullmatch(fields[0]) is not None


def is_name(text: str) -> bool:
    """Whether a list of lines can have this name of a sentence."""
    return _NAME.fullmatch(text) is not None


def numbered_lines(block: str, number: Callable[[str], int]) -> Iterator[bytes]:
    """The lines with numbers in place of their names.

    number: the number of a name; ValueError for a name that is one too many

    Raises LineFault for the first line without such a number, when those before it are given back.
    """
    lines: list[str] = []
    for line in block.split("\n"):
        name, *rest = split_fields(line)
        if len(rest) > 1 and not _NAME.fullmatch(name):
            seen = f"the sentence id {name!r} is not a name, unlike earlier ids"
            fault = LineFault(0, seen, _NUMBER)
            break
        try:
            # the rest as it is: a field without its blanks may look like a separator
            lines.append(f"{number(name)}{line[line.index(name) + len(name) :]}")
        except ValueError as error:
            fault = LineFault(0, str(error))
            break
    else:
        fault = None
    if lines:
        yield "\n".join(lines).encode()
    if fault:
        raise fault
