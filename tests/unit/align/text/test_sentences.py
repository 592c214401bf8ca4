"""Sentences in memory: what they may be, and what is refused with what to type."""

import re
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pytest

from isogloss.align.errors import DataError, UsageError, WrongTypeError
from isogloss.align.text.sentences import (
    domain_labels,
    sentence_words,
    table_sides,
    words_of_sentences,
)

TEXTS = ["the house", "a  book\t.\n", ""]
WORDS = [["the", "house"], ["a", "book", "."], []]


def column(library: str) -> Callable[[list[str]], Iterable[str]]:
    def make(values: list[str]) -> Iterable[str]:
        module: Any = pytest.importorskip(library, reason=f"{library} isn't installed")
        return module.array(values) if library == "pyarrow" else module.Series(values)

    return make


@pytest.mark.parametrize(
    "made",
    [list, tuple, iter, np.array, lambda texts: (text for text in texts), dict.fromkeys,
     column("pandas"), column("polars"), column("pyarrow")],
    ids=["list", "tuple", "iterator", "array", "generator", "keys", "pandas", "polars", "arrow"],
)  # fmt: skip
def test_strings_are_split_at_whitespace(made: Callable[[list[str]], Iterable[str]]) -> None:
    given = made(TEXTS)
    given = given.keys() if isinstance(given, dict) else given
    assert list(words_of_sentences(given)) == WORDS


@pytest.mark.parametrize("made", [list, tuple, iter, np.array, lambda words: map(str, words)])
def test_words_are_taken_as_they_are(made: Callable[[list[str]], Iterable[str]]) -> None:
    found = list(words_of_sentences(made(words) for words in WORDS if words))
    assert found == WORDS[:2]
    assert {type(word) for words in found for word in words} == {str}


def test_blanks_of_other_scripts_are_parts_of_words() -> None:
    assert sentence_words("x\u00a0y \u3000 z") == ["x\u00a0y", "\u3000", "z"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("a b", "source must be a list, not the string or path 'a b'; use [text] for one sentence"),
        (b"a", "source must be a list, not the string or path b'a'"),
        (None, "source must be a list of sentences, not None"),
        ({"a": 1}, "source must be a list of sentences, not {'a': 1}"),
        (["a", None], "source[1] is missing (None); fill it with an empty string ''"),
        ([float("nan")], "source[0] is missing (nan)"),
        ([3], "source[0] must be a string or a list of words, not 3"),
        ([b"a"], "source[0] must be a string or a list of words, not b'a'"),
        ([["a", ["b"]]], "source[0] must be a string or a list of words, but contains ['b']"),
    ],
)
def test_what_is_refused(given: object, said: str) -> None:
    with pytest.raises(WrongTypeError, match=f"^{re.escape(said)}"):
        list(words_of_sentences(given, "source"))


def test_a_whole_table_is_refused() -> None:
    pandas = pytest.importorskip("pandas", reason="pandas isn't installed")
    with pytest.raises(WrongTypeError, match=r"one column, not a whole DataFrame; use table\[NAME"):
        list(words_of_sentences(pandas.DataFrame({"en": ["a"]})))


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_a_table_of_sentence_pairs(library: str) -> None:
    module: Any = pytest.importorskip(library, reason=f"{library} isn't installed")
    make = module.table if library == "pyarrow" else module.DataFrame
    source, target = table_sides(make({"en": TEXTS, "es": [*TEXTS[:2], "x"]}))
    assert list(words_of_sentences(source)) == WORDS
    assert list(words_of_sentences(target)) == [*WORDS[:2], ["x"]]
    said = "source and target, not ['en', 'es', 'id']; use train(table['en'], table['es'])"
    with pytest.raises(WrongTypeError, match=re.escape(said)):
        table_sides(make({"en": TEXTS, "es": TEXTS, "id": TEXTS}))
    with pytest.raises(WrongTypeError, match=r"must have two columns, .*, not \['en'\]$"):
        table_sides(make({"en": TEXTS}))


def test_labels_are_numbered_by_name() -> None:
    numbers, names = domain_labels(["med", None, "law", "-", "", float("nan"), "med"], 7)  # type: ignore[list-item]
    assert names == ("law", "med")
    assert numbers.tolist() == [1, -1, 0, -1, -1, -1, 1]
    assert numbers.dtype == np.int16


@pytest.mark.parametrize(
    ("labels", "kind", "said"),
    [
        (["a"], DataError, "1 label was passed for 2 sentence pairs; expected one label per"),
        ([0, 1], WrongTypeError, "labels[0] must be the name of a domain or None, not 0"),
        ("ab", WrongTypeError, "labels must be a list of names, not the string or path 'ab'"),
        (["a b", None], UsageError, "the name of a domain must be printable and contain no"),
        (
            [f"d{k}" for k in range(32768)],
            DataError,
            "there are 32768 domains; expected at most 32767",
        ),
    ],
)
def test_labels_that_are_refused(labels: Any, kind: type[Exception], said: str) -> None:
    with pytest.raises(kind, match=f"^{re.escape(said)}"):
        domain_labels(labels, max(2, len(labels)) if len(labels) != 1 else 2)
