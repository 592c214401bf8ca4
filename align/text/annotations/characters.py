"""Spans of characters to spans of words and back. Characters are Unicode code points."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from ...errors import DataError
from ...links.spans import Parts

__all__ = ["WordPlaces", "span_text"]


class WordPlaces:
    """Where the words of a sentence stand in its text.

    starts, ends: first character of each word, and the one behind its last

    Raises DataError, without a place, where the text doesn't hold these words with nothing but
    blanks between them.
    """

    def __init__(self, words: Sequence[str], text: str) -> None:
        self.text = text
        self.starts: list[int] = []
        self.ends: list[int] = []
        at = 0
        for word in words:
            while not text.startswith(word, at) and text[at : at + 1].isspace():
                at += 1
            if not text.startswith(word, at):
                raise DataError(
                    f"the text at character {at} is {text[at : at + 20]!r}",
                    f"the word {word[:40]!r}",
                    remedy="Text and words may differ only in whitespace: check escapes and letter "
                    "case",
                )  # fmt: skip
            self.starts.append(at)
            at += len(word)
            self.ends.append(at)
        if rest := text[at:].strip():
            raise DataError(
                f"{rest[:20]!r} follows the last word", "the end of the text",
                remedy="Pass the words of the whole text",
            )  # fmt: skip

    def words(self, start: int, end: int) -> tuple[int, int]:
        """The words that some characters touch: the first, and the one behind the last.

        Raises DataError, without a place, for characters outside the text or without a word.
        """
        if not 0 <= start < end <= len(self.text):
            raise DataError(
                f"a span covers the characters {start} to {end} of a text of length "
                f"{len(self.text)}",
                "an end after the start, and both within the text",
                remedy="Offsets are 0-based and count Unicode code points; offsets in bytes or "
                "UTF-16 units differ after any non-ASCII character",
            )  # fmt: skip
        first, last = bisect_right(self.ends, start), bisect_left(self.starts, end)
        if first >= last:
            raise DataError(
                f"the span of characters {start} to {end}, {self.text[start:end]!r}, contains no "
                "word",
                "at least one word", remedy="Remove the span, or correct its offsets",
            )  # fmt: skip
        return first, last

    def cuts(self, start: int, end: int) -> bool:
        """Whether characters ``start`` to ``end`` begin or end within a word."""
        first, last = self.words(start, end)
        return start > self.starts[first] or end < self.ends[last - 1]

    def characters(self, parts: Parts) -> Parts:
        """The characters of parts of a span, from the first word of each to its last one."""
        return tuple((self.starts[start], self.ends[end - 1]) for start, end in parts)


def span_text(parts: Parts, words: Sequence[str], places: WordPlaces | None = None) -> str:
    """The text of a span: of the words between spaces, or as it stands in a text."""
    if places is None:
        return " ".join(word for start, end in parts for word in words[start:end])
    return " ".join(places.text[start:end] for start, end in places.characters(parts))
