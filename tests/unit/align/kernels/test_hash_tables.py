"""Hash tables against dictionaries, with hashes that collide."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.align.kernels.hash_tables import (
    TextTable,
    key_slot,
    number_keys,
    text_hash,
    text_slot,
)

CROWDED = st.sampled_from(["", "a", "b", "ab", "ba", "é", "ña", "abc"])


@settings(deadline=None)
@given(st.lists(st.integers(1, 40), max_size=8), st.integers(1, 3))
def test_keys_keep_their_slots(numbers: list[int], different: int) -> None:
    keys = np.zeros(16, np.uint64)
    slots: dict[int, int] = {}
    for number in numbers:
        key, value = np.uint64(number), np.uint64(number % different)  # few hashes: they collide
        slot = int(key_slot(keys, key, value))
        assert slot == slots.setdefault(number, slot)
        assert keys[slot] in (0, key)
        keys[slot] = key
    assert len(set(slots.values())) == len(slots)


@settings(deadline=None)
@given(st.lists(st.integers(0, 9) | st.integers(0, (1 << 63) - 1), max_size=40))
def test_numbers_of_keys(keys: list[int]) -> None:
    slots, slot_numbers = np.zeros(64, np.uint64), np.empty(64, np.int32)
    first, numbers = np.empty(len(keys), np.int64), np.empty(len(keys), np.int32)
    different = number_keys(np.array(keys, np.int64), slots, slot_numbers, first, numbers)
    known = list(dict.fromkeys(keys))
    assert [known.index(key) for key in keys] == numbers.tolist()
    assert [keys.index(key) for key in known] == first[:different].tolist()


@settings(deadline=None)
@given(st.lists(CROWDED, max_size=8), st.booleans())
def test_texts_are_told_apart(words: list[str], collide: bool) -> None:
    text = np.frombuffer("".join(words).encode() + b"\n", np.uint8).copy()
    table = TextTable(
        np.zeros(16, np.int32), np.zeros(8, np.uint64), np.zeros(8, np.int64),
        np.zeros(8, np.int64), text,
    )  # fmt: skip
    numbers: dict[str, int] = {}
    begin = 0
    for word in words:
        end = begin + len(word.encode())
        value = np.uint64(7 if collide else text_hash(text, begin, end))
        slot = text_slot(table, text, begin, end, value)
        assert int(table.slots[slot]) == numbers.get(word, -1) + 1  # 0 where it is new
        if word not in numbers:
            number = numbers[word] = len(numbers)
            table.slots[slot] = number + 1
            table.hashes[number], table.begins[number], table.ends[number] = value, begin, end
        begin = end


@pytest.mark.parametrize(
    ("text", "value"),
    [("", 0xCBF29CE484222325), ("a", 0xAF63DC4C8601EC8C), ("foobar", 0x85944171F73967E8)],
)
def test_the_hash_is_fnv(text: str, value: int) -> None:
    """Against the numbers that the authors of FNV publish."""
    content = np.frombuffer(b"." + text.encode(), np.uint8).copy()
    assert value == int(text_hash(content, 1, len(content)))
