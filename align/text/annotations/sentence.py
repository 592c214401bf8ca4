"""A sentence with its spans, as readers give it and writers take it."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import DataError
from ...links.spans import Span

__all__ = ["AnnotatedSentence", "next_words"]


class AnnotatedSentence(NamedTuple):
    """What is known of a sentence.

    length: its words; spans: of these words; line: where it begins in its file, from 1 on
    rest: of a JSON record, what it holds beside text and spans
    key, listed: what its spans are called there, and whether each is a list
    names: what their start, end and label are called there
    in_characters: whether they count those of a text there
    words: empty if only their number is known
    extras: what each span holds there beside start, end and label; empty if no span holds more
    """

    length: int
    spans: Sequence[Span]
    line: int = 0
    rest: Mapping[str, Any] = {}
    key: str = "spans"
    listed: bool = False
    in_characters: bool = False
    names: tuple[str, str, str] = ("start", "end", "label")
    words: Sequence[str] = ()
    extras: Sequence[Mapping[str, Any]] = ()


def next_words(
    sentences: Iterator[Sequence[str]], file: str | Path | None, line: int
) -> Sequence[str]:
    """The next sentence of the text. Raises DataError where it has ended."""
    words = next(sentences, None)
    if words is None:
        raise DataError(
            "the annotations have more sentences than the text",
            "one annotated sentence per line of text",
            file=file, line=line, remedy="Pass the text that was annotated, line by line",
        )  # fmt: skip
    return words
