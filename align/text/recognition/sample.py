"""Some lines of a text, to tell its form by."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from ...files.inputs.samples import FileSample

__all__ = ["TextSample"]

_BOM = "\ufeff"
_BEGIN = 50  # words
_LONGEST = 2000  # characters of a line
_MOST = 300  # of the first lines, which is more than enough


@dataclass(frozen=True)
class TextSample:
    """Lines of a text.

    head: the first bytes, as they stand; is_whole: they are all there is
    first: the first lines; others: lines from further on
    """

    head: bytes
    is_whole: bool
    first: tuple[str, ...]
    others: tuple[str, ...] = ()

    @classmethod
    def of(cls, sample: FileSample) -> "TextSample":
        """The lines of a file; what isn't UTF-8 becomes U+FFFD."""
        first = _lines(sample.head)
        if not sample.is_whole and len(first) > 1:
            first.pop()  # it may be a part of a line
        if first:
            first[0] = first[0].removeprefix(_BOM)
        others = [line for part in sample.parts for line in _lines(part)]
        return cls(sample.head, sample.is_whole, tuple(first[:_MOST]), tuple(others))

    @classmethod
    def of_lines(cls, lines: Iterable[str]) -> "TextSample":
        """The same of lines in memory, such as those of a column."""
        return cls(b"", True, tuple(lines))

    @cached_property
    def text(self) -> str:
        """All lines, for a fast look whether something is there at all."""
        return "\n".join(self.lines)

    @cached_property
    def lines(self) -> list[str]:
        """All lines that are not blank."""
        return [line for line in (*self.first, *self.others) if line.strip()]

    @cached_property
    def begin(self) -> str:
        """The first characters that aren't blank."""
        return "\n".join(self.first)[:2000].lstrip()

    def count(self, pattern: "re.Pattern[str]") -> int:
        """In how many lines a pattern is found."""
        return sum(pattern.search(line) is not None for line in self.lines)

    def share(self, pattern: "re.Pattern[str]") -> float:
        """The share of the lines that a pattern is found in, 0 where there are none."""
        return self.count(pattern) / max(len(self.lines), 1)

    def place(self, pattern: "re.Pattern[str]") -> int | None:
        """Number of the first line that a pattern is found in, if it is one of the first lines."""
        for number, line in enumerate(self.first, start=1):
            if pattern.search(line):
                return number
        return None

    @cached_property
    def tokens(self) -> list[str]:
        """The words of all lines."""
        return self.text.split()

    def are_tokens(self, pattern: "re.Pattern[str]", share: float) -> bool:
        """Whether more than a share of the words are of a pattern, among the first ones, too."""
        for tokens in (self.tokens[:_BEGIN], self.tokens):
            if not sum(map(bool, map(pattern.fullmatch, tokens))) > share * len(tokens):
                return False
        return True


def _lines(data: bytes) -> list[str]:
    lines = data.decode(errors="replace").split("\n")
    if not lines[-1]:
        lines.pop()
    return [line[:_LONGEST].removesuffix("\r") for line in lines]
