"""Strings as one block of UTF-8."""

import numpy as np
import pytest

from isogloss.align.errors import DataError
from isogloss.align.text.string_array import Texts

WORDS = ["", "a", "日本", "ü b", ""]


def test_strings_come_back() -> None:
    texts = Texts.from_strings(WORDS)
    assert WORDS == list(texts)
    assert WORDS[1:4] == texts[1:4]
    assert texts[-2] == "ü b"
    with pytest.raises(IndexError, match="5"):
        texts[5]


def test_a_string_that_is_not_utf8_is_named() -> None:
    texts = Texts(np.array([97, 255, 98], np.uint8), np.array([0, 1, 2, 3]))
    with pytest.raises(DataError, match="string 1 is not UTF-8"):
        list(texts)
    with pytest.raises(DataError, match="string 1 is not UTF-8"):
        texts[1]


@pytest.mark.parametrize("prefix", ["", "a", "ü", "ü b", "ü bc", "日"])
def test_strings_that_begin_alike(prefix: str) -> None:
    found = Texts.from_strings(WORDS).starting_with(prefix)
    assert [word.startswith(prefix) for word in WORDS] == found.tolist()


def test_select_and_join() -> None:
    texts = Texts.from_strings(WORDS)
    chosen = texts.select(np.array([3, 0, 2, 3]))
    assert ["ü b", "", "日本", "ü b"] == list(chosen)
    assert Texts.from_strings([*WORDS, "ü b", "", "日本", "ü b"]) == Texts.joined([texts, chosen])
    assert [] == list(texts.select(np.zeros(0, np.int64)))


def test_a_part_is_a_view() -> None:
    texts = Texts.from_strings(WORDS)
    part = texts.part(1, 4)
    assert WORDS[1:4] == list(part)
    assert np.shares_memory(part.content, texts.content)
    assert [] == list(texts.part(2, 2))


def test_offsets_that_do_not_fit() -> None:
    with pytest.raises(ValueError, match="offsets must run from 0 to the length of the content"):
        Texts(np.zeros(3, np.uint8), np.array([0, 2]))
