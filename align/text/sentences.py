"""Sentences as people have them in memory: strings, lists of words, columns of tables."""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError, UsageError, WrongTypeError, check_argument, pluralize, shown
from ..files.records import is_name
from ..files.text_io import split_tokens

__all__ = [
    "Sentences",
    "Table",
    "domain_labels",
    "sentence_words",
    "table_sides",
    "values_of",
    "words_of_one",
    "words_of_sentences",
]

Sentences = Iterable[str | Iterable[str]]
"""Sentences in memory: each is a string, split at whitespace, or its words."""


class Table(Protocol):
    """A table of named columns: a DataFrame of pandas or polars, or a table of Arrow."""

    @property
    def columns(self) -> Any:
        """The names of its columns, or, of Arrow, the columns."""

    def __getitem__(self, name: Any, /) -> Any:
        """Return a column by its name."""


_LINE_ENDS = str.maketrans("\n\r", "  ")
_BLANK = re.compile(r"[ \t\r\n]")  # what separates words in text
_UNLABELED = ("", "-")
_ROWS = 1 << 15  # domains that labels of 16 bits can number


def words_of_sentences(sentences: object, role: str = "sentences") -> Iterator[list[str]]:
    """Yield the words of sentences, which are strings or lists of words.

    Parameters
    ----------
    sentences : iterable of str or of iterables of str
        Lists, generators, NumPy arrays, columns of pandas, polars and Arrow.
    role : str
        What messages call them.

    Raises
    ------
    WrongTypeError
        If it isn't iterable, is one string or path, a mapping or a whole table, or holds
        something other than sentences.
    """
    for number, sentence in enumerate(values_of(sentences, role)):
        yield sentence_words(sentence, f"{role}[{number}]")


def sentence_words(sentence: object, role: str = "sentence") -> list[str]:
    """Return the words of a sentence, a string or an iterable of its words.

    Raises
    ------
    WrongTypeError
        If it is something else, such as a missing value, or a list of sentences.
    """
    if isinstance(sentence, str):
        return split_tokens(sentence.translate(_LINE_ENDS))
    if hasattr(sentence, "as_py"):  # a scalar of Arrow
        return sentence_words(sentence.as_py(), role)
    if sentence is None or (isinstance(sentence, float) and np.isnan(sentence)):
        raise WrongTypeError(f"{role} is missing ({sentence}); fill it with an empty string ''")
    if isinstance(sentence, bytes | Path | Mapping) or not isinstance(sentence, Iterable):
        raise WrongTypeError(f"{role} must be a string or a list of words, not {shown(sentence)}")
    words = list(sentence)
    for word in words:
        if not isinstance(word, str):
            raise WrongTypeError(
                f"{role} must be a string or a list of words, but contains {shown(word)}"
            )
    return list(map(str, words))  # NumPy's strings become Python's


def words_of_one(sentence: object) -> list[str]:
    """Return the words of a single sentence, which must be words: not empty, without whitespace.

    Raises
    ------
    WrongTypeError
        If it is something else, such as a list of several sentences.
    """
    several = "for several sentences use [decoder.translate(one) for one in sentences]"
    if isinstance(sentence, list | tuple) and any(
        isinstance(one, list | tuple) for one in sentence
    ):
        raise WrongTypeError(
            f"sentence must be a string or a list of words, not a list of lists; {several}"
        )
    words = sentence_words(sentence)
    for number, word in enumerate(words):
        if not word or _BLANK.search(word):
            raise WrongTypeError(f"sentence[{number}] must be a word, not {shown(word)}; {several}")
    return words


def values_of(values: object, role: str) -> Iterable[object]:
    """The values of a list or a column. Raises WrongTypeError for what is neither."""
    if isinstance(values, str | bytes | Path):
        raise WrongTypeError(
            f"{role} must be a list, not the string or path {shown(values)}; use [text] for one "
            "sentence, or read_sentences(path) or read_bitext(source, target) for files"
        )
    if hasattr(values, "columns"):
        raise WrongTypeError(
            f"{role} must be one column, not a whole {type(values).__name__}; use table[NAME]"
        )
    if hasattr(values, "source") and hasattr(values, "target"):
        raise WrongTypeError(
            f"{role} must be one side, not a whole {type(values).__name__}; use bitext.source or "
            "bitext.target, or bitext[first:end] for some pairs"
        )
    if isinstance(values, Mapping) or not isinstance(values, Iterable):
        raise WrongTypeError(f"{role} must be a list of sentences, not {shown(values)}")
    return values


def table_sides(table: Any) -> tuple[Any, Any]:
    """Return the columns of a table of sentence pairs. Raises WrongTypeError unless it has two."""
    names = list(getattr(table, "column_names", table.columns))  # Arrow's columns have no names
    if len(names) != 2:
        sides = ", ".join(f"table[{name!r}]" for name in names[:2])
        remedy = f"; use train({sides})" if len(names) > 2 else ""
        raise WrongTypeError(
            "a table of sentence pairs must have two columns, source and target, not "
            f"{shown(names)}{remedy}"
        )
    return table[names[0]], table[names[1]]


def domain_labels(
    labels: Iterable[str | None], count: int
) -> tuple[NDArray[np.int16], tuple[str, ...]]:
    """Number the domains of sentence pairs.

    Parameters
    ----------
    labels : iterable of str or None
        Name of each pair's domain; None, NaN, an empty string or ``-`` if it is unknown.
    count : int
        Number of pairs.

    Returns
    -------
    numbers : ndarray of int16, shape (count,)
        Index into the names, -1 for unknown.
    names : tuple of str
        Sorted.

    Raises
    ------
    WrongTypeError
        If a label isn't a string.
    DataError
        If there are more or fewer labels than pairs.
    UsageError
        If a name holds whitespace or can't be printed.
    """
    if isinstance(labels, str | Path):
        raise WrongTypeError(
            f"labels must be a list of names, not the string or path {shown(labels)}; use "
            "read_bitext(source, target, labels=path) or train(source, target, labels=path) for a "
            "file"
        )
    check_argument(labels, Iterable, "labels", "a list of names or the path of a file")
    values = [_label(label, number) for number, label in enumerate(values_of(labels, "labels"))]
    if len(values) != count:
        raise DataError(
            f"{pluralize(len(values), 'label', 'was')} passed for "
            f"{pluralize(count, 'sentence pair')}",
            "one label per pair, or None if unknown",
        )
    names = tuple(sorted(set(values) - set(_UNLABELED)))
    for name in names:
        if not is_name(name):
            raise UsageError(
                f"the name of a domain must be printable and contain no whitespace, got {name!r}"
            )
    if len(names) >= _ROWS:
        raise DataError(f"there are {len(names)} domains", f"at most {_ROWS - 1}")
    number = {name: k for k, name in enumerate(names)} | dict.fromkeys(_UNLABELED, -1)
    return np.array([number[value] for value in values], np.int16), names


def _label(label: object, number: int) -> str:
    if hasattr(label, "as_py"):
        label = label.as_py()
    if label is None or (isinstance(label, float) and np.isnan(label)):
        return ""
    if not isinstance(label, str):
        raise WrongTypeError(
            f"labels[{number}] must be the name of a domain or None, not {shown(label)}"
        )
    return str(label)
