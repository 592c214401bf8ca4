"""Words and characters as numbers, against Python's own splitting."""

import numpy as np
import pytest
from hypothesis import given
from numpy.typing import NDArray

from isogloss.align.text.string_array import Texts
from isogloss.tune.metrics.kernels.tokens import (
    CHARACTERS,
    PARTED_WORDS,
    SPACED_CHARACTERS,
    WORDS,
    SentenceTexts,
    number_units,
    split_units,
    white_space,
)
from tests.naive.chrf import parted_words
from tests.naive.odd_text import corpora

UNITS = {
    WORDS: str.split,
    CHARACTERS: lambda text: list("".join(text.split())),
    SPACED_CHARACTERS: lambda text: list(" ".join(text.split())),
    PARTED_WORDS: parted_words,
}
Corpus = list[tuple[list[str], list[str]]]


def test_white_space_is_what_python_takes_for_it() -> None:
    letters = [chr(k) for k in range(0x20000) if not 0xD800 <= k <= 0xDFFF]
    blanks = [letter for letter in letters if letter.isspace()]
    own = np.frombuffer("".join(blanks).encode(), np.uint8)
    place = 0
    for blank in blanks:
        assert len(blank.encode()) == white_space(own, place, len(own))
        place += len(blank.encode())
    texts = Texts.from_strings(["".join(one for one in letters if not one.isspace())])
    bounds = np.empty((len(texts.content), 2), np.int64)
    assert 1 == split_units(WORDS, texts.content, 0, len(texts.content), bounds)


def test_white_space_ends_with_the_text() -> None:
    for blank in ("\xa0", "\u2003", "\u3000"):
        content = np.frombuffer(blank.encode(), np.uint8)
        assert 0 == white_space(content, 0, len(content) - 1)


def arrays(texts: list[list[str]]) -> SentenceTexts:
    own = Texts.from_strings(text for row in texts for text in row)
    return SentenceTexts(own.content, own.offsets, np.cumsum([0, *map(len, texts)]))


def rows(symbols: NDArray[np.int32], offsets: NDArray[np.int64]) -> list[list[int]]:
    return [one.tolist() for one in np.split(symbols, offsets[1:-1])]


@pytest.mark.parametrize("unit", UNITS)
@given(corpora)
def test_numbers_follow_the_references(unit: int, corpus: Corpus) -> None:
    hypotheses, references = arrays([one[0] for one in corpus]), arrays([one[1] for one in corpus])
    found = number_units(unit, hypotheses, references, 0, len(corpus))
    expected, expected_references = [], []
    for own, others in corpus:
        units = [UNITS[unit](text) for text in others]
        number = {name: 0 for one in units for name in one}
        number = {name: k for k, name in enumerate(number, start=1)}
        expected_references += [[number[name] for name in one] for one in units]
        expected += [[number.get(name, 0) for name in UNITS[unit](text)] for text in own]
    assert expected == rows(found.symbols, found.offsets)
    assert expected_references == rows(found.reference_symbols, found.reference_offsets)
    assert hypotheses.sentences.tolist() == found.sentences.tolist()
    assert references.sentences.tolist() == found.reference_sentences.tolist()


def test_a_part_of_the_sentences() -> None:
    hypotheses, references = arrays([["a b"], ["b c", "x"], ["c"]]), arrays([["a"], ["c b"], ["c"]])
    found = number_units(WORDS, hypotheses, references, 1, 3)
    assert [[2, 1], [0], [1]] == rows(found.symbols, found.offsets)
    assert [[1, 2], [1]] == rows(found.reference_symbols, found.reference_offsets)
    assert ([0, 2, 3], [0, 1, 2]) == (
        found.sentences.tolist(),
        found.reference_sentences.tolist(),
    )
