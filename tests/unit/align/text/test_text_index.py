"""Texts by number, against a dict."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from isogloss.align.text.string_array import Texts
from isogloss.align.text.text_index import TextIndex


@given(
    st.lists(st.text("aü_", max_size=3), max_size=30),
    st.lists(st.text("aü_", max_size=3), max_size=9),
)
def test_numbers_are_those_of_a_dict(strings: list[str], sought: list[str]) -> None:
    index, numbers = TextIndex.numbered(Texts.from_strings(strings))
    expected: dict[str, int] = {}
    assert [expected.setdefault(text, len(expected)) for text in strings] == numbers.tolist()
    assert list(expected) == list(index.texts)
    assert len(expected) == len(index)
    assert [expected.get(text, -1) for text in sought] == index.find(sought).tolist()


def test_many_texts() -> None:
    strings = [f"PT_{number}~b_c" for number in np.random.default_rng(1).permutation(5000)]
    index, numbers = TextIndex.numbered(Texts.from_strings(strings))
    assert list(range(5000)) == numbers.tolist() == index.find(strings).tolist()
    assert [-1, -1] == index.find(["PT_5000~b_c", ""]).tolist()
