"""Tags in columns, a word a line with a blank line behind each sentence, and tags on lines."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from ...errors import DataError, pluralize
from ...files.text_io import split_tokens
from ...links.spans import Span
from .sentence import AnnotatedSentence, next_words
from .tags import TagReader, encode_tags

__all__ = ["column_lines", "read_columns", "read_tag_lines"]

_FEWEST = 3  # words of a sentence that are compared


def read_columns(
    lines: Iterable[str],
    tags: TagReader,
    sentences: Iterator[Sequence[str]] | None = None,
    *,
    tabs: bool = True,
    column: int = 0,
    file: str | Path | None = None,
) -> Iterator[AnnotatedSentence]:
    """Sentences of a file in columns, as CoNLL's: the word first, its tag last.

    Several blank lines are as one; where the text is given, its empty lines are empty sentences.
    With tabs, a line ``# ...`` without one is a comment.

    sentences: the words of the text
    tabs: whether tabs are between the columns, else blanks; column: that of the tag, from 1 on,
        0 = the last one

    Raises DataError for a line without a tag, or another number of words than the text has.
    """
    rows: list[tuple[str, str, int]] = []
    number = 0
    for number, line in enumerate(lines, start=1):
        if line.strip(" \t"):
            if tabs and line.startswith("#") and "\t" not in line:
                continue
            fields = line.split("\t") if tabs else split_tokens(line)
            if len(fields) < max(column, 2):
                raise DataError(
                    f"the line {line[:60]!r} is malformed",
                    f"a word and its tag, separated by {'a tab' if tabs else 'spaces'}",
                    file=file, line=number, remedy="Add the missing tag, or check the format of "
                    "the file",
                )  # fmt: skip
            rows.append((fields[0].strip(" "), fields[column - 1].strip(" "), number))
        elif rows:
            yield from _sentence(rows, tags, sentences, file)
            rows = []
    if rows:
        yield from _sentence(rows, tags, sentences, file)
    for words in sentences or ():
        if words:
            raise _ended(file, number)
        yield AnnotatedSentence(0, (), number)


def _ended(file: str | Path | None, line: int) -> DataError:
    return DataError(
        "the annotations end before the text", "one annotated sentence per line of text",
        file=file, line=line, remedy="Pass the text that was annotated",
    )  # fmt: skip


def _sentence(
    rows: Sequence[tuple[str, str, int]],
    tags: TagReader,
    sentences: Iterator[Sequence[str]] | None,
    file: str | Path | None,
) -> Iterator[AnnotatedSentence]:
    """A sentence, after the empty ones that the text has before it."""
    words: Sequence[str]
    words, names, lines = zip(*rows, strict=True)
    annotated = words
    if sentences is not None:
        while not (words := next_words(sentences, file, lines[0])):
            yield AnnotatedSentence(0, (), lines[0])
        _check_count(len(names), words, file, lines[0])
        _check_words(annotated, words, file, lines[0])
    yield AnnotatedSentence(len(names), tags.spans(names, lines), lines[0], words=words)


def _check_count(count: int, words: Sequence[str], file: str | Path | None, line: int) -> None:
    """Raise DataError where there aren't as many tags as words."""
    if count != len(words):
        raise DataError(
            f"the sentence that begins with {' '.join(words[:5])[:60]!r} has "
            f"{pluralize(count, 'tag')} for {pluralize(len(words), 'word')}",
            "one tag per word of the text", file=file, line=line,
            remedy="Check for missing lines and for a different tokenization",
        )  # fmt: skip


def _check_words(
    annotated: Sequence[str], words: Sequence[str], file: str | Path | None, line: int
) -> None:
    """Raise DataError for a sentence of which the text has other words throughout."""
    # Some may be spelled otherwise, as escapes are, or in lower case; the column may hold numbers.
    if len(words) < _FEWEST or any(one.isdecimal() for one in annotated):
        return
    pairs = zip(annotated, words, strict=True)
    if not any(one.casefold() == other.casefold() for one, other in pairs):
        raise DataError(
            f"the annotated words differ from the text, such as {annotated[0]!r} and {words[0]!r}",
            "the text that was annotated", file=file, line=line,
            remedy="Pass the tokenized source text as `sentences=...`",
        )  # fmt: skip


def read_tag_lines(
    lines: Iterable[str],
    tags: TagReader,
    sentences: Iterator[Sequence[str]] | None = None,
    *,
    file: str | Path | None = None,
) -> Iterator[AnnotatedSentence]:
    """Sentences of which each line holds the tags, blanks between them.

    sentences: the words of the text, whose number is compared

    Raises DataError for another number of tags than words.
    """
    number = 0
    for number, line in enumerate(lines, start=1):
        names = split_tokens(line)
        words: Sequence[str] = ()
        if sentences is not None:
            words = next_words(sentences, file, number)
            _check_count(len(names), words, file, number)
        spans = tags.spans(names, [number] * len(names))
        yield AnnotatedSentence(len(names), spans, number, words=words)
    if sentences is not None and next(sentences, None) is not None:
        raise _ended(file, number)


def column_lines(
    words: Sequence[str], spans: Sequence[Span], scheme: str, *, confidence: bool = False
) -> Iterator[str]:
    """Lines of a sentence in columns: word, tag, and where it is asked for how sure the span is."""
    sure = ["_"] * len(words)
    for span in spans if confidence else ():
        for start, end in span.parts:
            sure[start:end] = [f"{span.confidence or 0.0:.4f}"] * (end - start)
    for word, tag, value in zip(words, encode_tags(spans, len(words), scheme), sure, strict=True):
        yield f"{word}\t{tag}\t{value}" if confidence else f"{word}\t{tag}"
    yield ""
