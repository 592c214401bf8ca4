"""References in memory: which of several forms they have."""

from collections.abc import Iterable
from typing import Any

from ..errors import UsageError, WrongTypeError, check_argument, pluralize

__all__ = ["grouped_texts"]

_SHOWN = 60  # characters of a reference in an error
_SHORT = 4  # strings, as many as a sentence may well have words or references
_FORMS = (
    "for one reference each: References.from_sentences([' '.join(words) for words in sentences]); "
    "for several each: References.from_texts(texts)"
)


def grouped_texts(references: list[object]) -> list[list[str]]:
    """The texts of each sentence, by the depth of what is given.

    Raises UsageError for forms that differ or may be read in two ways.
    """
    parts = [_listed(part) for part in references]
    kinds = {kind: number for number, part in enumerate(parts) if (kind := _kind(part))}
    if len(kinds) > 1:
        shown = " and ".join(f"{kind} (number {number})" for kind, number in kinds.items())
        raise UsageError(
            f"the references of sentences must have the same form, got {shown}; {_FORMS}"
        )
    (kind,) = kinds or {_STRINGS: 0}
    rows = [[part] if isinstance(part, str) else part for part in parts]
    if kind == _LISTS:
        _check_sets(rows)
        return [[" ".join(words) for words in row] for row in rows]
    texts = [[str(text) for text in row] for row in rows]
    if kind == _TEXT or not _are_words(texts):
        _check_sets(texts)
        return texts
    return [[" ".join(row)] for row in texts]


_TEXT, _STRINGS, _LISTS = "strings", "lists of strings", "lists of lists of words"


def _listed(part: object) -> str | list[Any]:
    """A sentence as a text, or as a list of its strings or of lists of words."""
    if isinstance(part, str):
        return part
    check_argument(part, Iterable, "the references of a sentence", "a string or a list")
    assert isinstance(part, Iterable)
    return [item if isinstance(item, str) or not isinstance(item, Iterable) else list(item)
            for item in part]  # fmt: skip


def _kind(part: str | list[Any]) -> str:
    """What a sentence is given as; empty for an empty list, which may be either."""
    if isinstance(part, str):
        return _TEXT
    if all(isinstance(item, str) for item in part):
        return _STRINGS if part else ""
    if all(isinstance(item, list) and all(isinstance(word, str) for word in item) for item in part):
        return _LISTS
    raise WrongTypeError(
        f"the references of a sentence have no known form: {repr(part)[:_SHOWN]}; {_FORMS}"
    )


def _check_sets(rows: list[Any]) -> None:
    """Raise UsageError where each row may hold one reference of every sentence."""
    sizes = {len(row) for row in rows}
    if len(sizes) == 1 and len(rows) < min(sizes):
        raise UsageError(
            f"references must have an item for each sentence, but {pluralize(len(rows), 'list')} "
            f"of {min(sizes)} may be sets of references for {pluralize(min(sizes), 'sentence')}, "
            "as in sacrebleu. If so, use References.from_sentences([list(r) for r in zip(*sets)]); "
            "if not, use References.from_texts(texts)"
        )


def _are_words(rows: list[list[str]]) -> bool:
    """Whether lists of strings are words of a sentence; else they are texts, several each."""
    sizes = {len(row) for row in rows}
    longest = max(sizes, default=0)
    if longest <= 1:
        return False
    spaced = sum(" " in text for row in rows for text in row)
    total = sum(map(len, rows))
    if not spaced and longest > _SHORT and len(sizes) > 1:
        return True
    if spaced and (longest <= _SHORT or 2 * spaced >= total):
        return False
    shown = next(row for row in rows if len(row) > 1)
    raise UsageError(
        f"{repr(shown)[:_SHOWN]} may be the words of one reference or {len(shown)} references; "
        f"{_FORMS}"
    )
