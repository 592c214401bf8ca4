"""Annotated sentences as JSON lines: words or text, and spans of either."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ...errors import DataError, pluralize, warn
from ...files.records import parse_json, shown
from ...files.text_io import split_tokens
from ...links.spans import Span, joined_parts
from .characters import WordPlaces, span_text
from .sentence import AnnotatedSentence, next_words
from .tags import TagReader

__all__ = ["TAG_KEYS", "CutWords", "json_line", "read_json_lines"]

SPAN_KEYS = ("spans", "entities", "ents", "labels", "label")
TAG_KEYS = ("tags", "ner_tags")
_STARTS, _ENDS, _LABELS = ("start", "start_offset"), ("end", "end_offset"), ("label", "type", "tag")
_TEXTS = ("text", "tokens")
# keys of a span that are written anew, or that count tokens of the source
_OWN = ("parts", "confidence", "token_start", "token_end")
# lists that tell of the source: by number of a span, by characters, by words
_LOST = (*SPAN_KEYS, *TAG_KEYS, "relations", "sents", "pos_tags", "chunk_tags")


class CutWords:
    """Counts spans of characters that begin or end within a word, and were taken whole."""

    def __init__(self) -> None:
        self.count, self.first_line = 0, 0

    def add(self, line: int) -> None:
        """One more."""
        self.count += 1
        self.first_line = self.first_line or line


def read_json_lines(
    lines: Iterable[str],
    tags: TagReader,
    cuts: CutWords,
    sentences: Iterator[Sequence[str]] | None = None,
    *,
    file: str | Path | None = None,
) -> Iterator[AnnotatedSentence]:
    """A sentence of each line, an object.

    With a key ``text`` spans count its characters, else the words of ``tokens``. Spans stand under
    ``spans``, ``entities``, ``ents``, ``labels`` or ``label``: lists [start, end, label], or
    objects with start (start_offset), end (end_offset) and label (type, tag), and ``parts`` where
    they have holes; or ``tags`` (ner_tags) has a tag per word. Other keys are kept, but for
    lists that are of the source: relations, and other spans and tags. Other keys of a span are
    kept, too; its ``text`` becomes that of the target.

    sentences: the words of the text, as links count them; default: tokens, or the text at blanks

    Warns (DataWarning) of keys that are left out. Raises DataError for a line that is none of this,
    and spans outside of it.
    """
    number, lost = 0, Counter[str]()
    for number, line in enumerate(lines, start=1):
        try:
            record = parse_json(line)
            if not isinstance(record, dict):
                raise DataError(
                    f"the record is {shown(record)}", "an object with text or tokens, and spans"
                )
            given = None if sentences is None else next_words(sentences, file, number)
            sentence = _sentence(record, given, tags, cuts, number)
            lost.update(key for key in _lists(record) if record[key] and key != sentence.key)
            yield sentence
        except DataError as error:
            raise error.placed(
                str(file),
                number,
                "See docs/howto/project-annotations.md for the keys that are read",
            ) from error
    if lost:
        told = ", ".join(f"{key} ({pluralize(count)})" for key, count in sorted(lost.items()))
        message = f"{file}: skipped {told}; only spans are projected"
        warn(message)
    if sentences is not None and next(sentences, None) is not None:
        raise DataError(
            "the annotations end before the text", "one record per line of text",
            file=file, line=number, remedy="Pass the text that was annotated",
        )  # fmt: skip


def _sentence(
    record: Mapping[str, Any],
    given: Sequence[str] | None,
    tags: TagReader,
    cuts: CutWords,
    line: int,
) -> AnnotatedSentence:
    """The sentence of a record."""
    words, places = _words(record, given)
    left_out = (*_TEXTS, *_lists(record))
    rest = {key: value for key, value in record.items() if key not in left_out}
    for key in TAG_KEYS:
        if isinstance(names := record.get(key), list) and _is_texts(names):
            if len(names) != len(words):
                raise DataError(
                    f"the record has {pluralize(len(names), 'tag')} for "
                    f"{pluralize(len(words), 'word')}",
                    "one tag per word",
                )
            spans = tags.spans(names, [line] * len(names))
            return AnnotatedSentence(
                len(words), spans, line, rest, key, in_characters=places is not None, words=words
            )
    key = next((key for key in SPAN_KEYS if key in record), "")
    values = record.get(key)
    numbers = next((key for key in TAG_KEYS if isinstance(record.get(key), list)), None)
    if not key and numbers:
        raise DataError(f"{numbers} is {_start(record[numbers])}", "tag names such as B-PER")
    if not isinstance(values, list):
        raise DataError(
            f"{key} is {shown(values)}" if key else "the record has no spans",
            f"a list under {SPAN_KEYS[0]!r}",
        )
    spans = [_span(value, len(words), places, cuts, line) for value in values]
    listed = bool(values) and isinstance(values[0], list)
    return AnnotatedSentence(
        len(words), spans, line, rest, key, listed, places is not None, _names(values), words,
        _extras(values),
    )  # fmt: skip


def _extras(values: Sequence[Any]) -> Sequence[Mapping[str, Any]]:
    """What spans that are objects hold beside start, end and label, where one holds more."""
    extras = []
    for value in values:
        found = value if isinstance(value, dict) else {}
        known = [_key(found, names) for names in (_STARTS, _ENDS, _LABELS)]
        extras.append({key: found[key] for key in found if key not in (*known, *_OWN)})
    return extras if any(extras) else ()


def _start(values: Any) -> str:
    """A list as JSON, or its beginning."""
    text = json.dumps(values, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:60]}..."


def _names(values: Sequence[Any]) -> tuple[str, str, str]:
    """What the start, end and label of spans are called, by the first of them."""
    first = values[0] if values and isinstance(values[0], dict) else {}
    start, end, label = (_key(first, names) for names in (_STARTS, _ENDS, _LABELS))
    return start, end, label


def _key(value: Mapping[str, Any], names: Sequence[str]) -> str:
    """The name that a span has for something, by default the first."""
    return next((name for name in names if name in value), names[0])


def _lists(record: Mapping[str, Any]) -> list[str]:
    """Keys of lists that tell of the source, and would be wrong of another text."""
    return [key for key in _LOST if isinstance(record.get(key), list)]


def _is_texts(values: Sequence[Any]) -> bool:
    return all(isinstance(value, str) for value in values)


def _words(
    record: Mapping[str, Any], given: Sequence[str] | None
) -> tuple[Sequence[str], WordPlaces | None]:
    """The words of a record, and where they stand in its text, if it has one."""
    text, tokens = record.get("text"), record.get("tokens")
    if isinstance(tokens, list) and all(isinstance(token, dict) for token in tokens):
        tokens = [_token(token, text) for token in tokens]
    if tokens is not None and not (isinstance(tokens, list) and _is_texts(tokens)):
        raise DataError(f"tokens is {shown(tokens)}", "a list of strings")
    if text is None and tokens is None:
        raise DataError("the record has neither text nor tokens")
    if text is None and tokens is not None:
        if given is not None and len(given) != len(tokens):
            raise DataError(
                f"the record has {pluralize(len(tokens), 'token')}",
                f"{len(given)}, one per word of the text",
            )
        return tokens, None
    if not isinstance(text, str):
        raise DataError(f"text is {shown(text)}", "a string")
    words = given if given is not None else split_tokens(text) if tokens is None else tokens
    return words, WordPlaces(words, text)


def _token(token: Mapping[str, Any], text: Any) -> Any:
    """The text of a token: its own, or that from its start to its end, as spaCy has it."""
    bounds = token.get("start"), token.get("end")
    if "text" not in token and isinstance(text, str) and all(type(end) is int for end in bounds):
        return text[bounds[0] : bounds[1]]
    return token.get("text")


def _span(value: Any, length: int, places: WordPlaces | None, cuts: CutWords, line: int) -> Span:
    """A span of words. value: as JSON has it; length: of the sentence"""
    if isinstance(value, list):
        value = dict(zip(("start", "end", "label"), value, strict=False))
    if not isinstance(value, dict):
        raise DataError(f"a span is {shown(value)}", "a list or an object")
    label = _get(value, _LABELS)
    ends = value.get("parts") or [[_get(value, _STARTS), _get(value, _ENDS)]]
    if not isinstance(label, str) or not _are_ranges(ends):
        raise DataError(f"a span is {json.dumps(value)[:60]}", "two integers and a string label")
    if places is not None:
        if any(places.cuts(start, end) for start, end in ends):
            cuts.add(line)
        ends = [places.words(start, end) for start, end in ends]
    for start, end in ends:
        if not 0 <= start < end <= length:
            raise DataError(
                f"a span covers the words {start} to {end} of a sentence of length {length}",
                "an end after the start, and both within the sentence",
            )
    return Span(joined_parts((start, end) for start, end in ends), label)


def _get(value: Mapping[str, Any], names: Sequence[str]) -> Any:
    return value.get(_key(value, names))


def _are_ranges(ends: Any) -> bool:
    """Whether a value is a list of pairs of whole numbers."""
    return isinstance(ends, list) and all(
        isinstance(part, list) and len(part) == 2 and all(type(end) is int for end in part)
        for part in ends
    )


def json_line(
    sentence: AnnotatedSentence,
    words: Sequence[str],
    spans: Sequence[Span],
    places: WordPlaces | None,
    tags: Sequence[str] | None = None,
    origin: Sequence[int] = (),
) -> str:
    """The line of a sentence with other words and spans, in the form of the one it comes from.

    places: of the words in the text that is annotated; None for spans of words
    tags: in place of spans
    origin: the span of the sentence that each of ``spans`` comes from; empty = they are its own
    """
    values: list[Any] = list(tags or ())
    for number, span in enumerate(spans if tags is None else ()):
        parts = span.parts if places is None else places.characters(span.parts)
        start, end = parts[0][0], parts[-1][1]
        if sentence.listed:
            values.append([start, end, span.label])
            continue
        value: dict[str, Any] = dict(zip(sentence.names, (start, end, span.label), strict=True))
        if len(parts) > 1:
            value["parts"] = parts
        if span.confidence is not None:
            value["confidence"] = round(span.confidence, 4)
        if sentence.extras:
            extra = sentence.extras[origin[number] if origin else number]
            value |= {key: extra[key] for key in extra if key not in value}
            if "text" in extra:
                value["text"] = span_text(span.parts, words, places)
        values.append(value)
    body = {"tokens": list(words)} if places is None else {"text": places.text}
    return json.dumps(body | {sentence.key: values} | dict(sentence.rest), ensure_ascii=False)
