"""Phrases by number against a dictionary."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.features.table import phrases as module
from isogloss.features.table.phrases import PhraseNumbers
from tests.tiers import examples

word = st.sampled_from(["a", "b", "ab", "é", "語", "|", "~"]) | st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters=" \n"), min_size=1, max_size=3
)
phrases = st.lists(st.lists(word, min_size=1, max_size=4).map(" ".join), max_size=20)


@pytest.mark.parametrize("few", [0, 5, module.FEW])
@examples(100)
@given(parts=st.lists(phrases, max_size=4))
def test_numbers_texts_and_words(few: int, parts: list[list[str]]) -> None:
    """By a dictionary as long as there are few, by a kernel from then on."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "FEW", few)
        check_numbers(parts)


def check_numbers(parts: list[list[str]]) -> None:
    known: dict[str, int] = {}
    numbers = PhraseNumbers()
    for part in parts:
        expected = [known.setdefault(text, len(known)) for text in part]
        assert numbers.number_texts(part).tolist() == expected
        assert len(numbers) == len(known)
    assert numbers.texts() == list(known)
    corpus = numbers.corpus()
    assert [corpus.words(k) for k in range(len(corpus))] == [text.split(" ") for text in known]
    words = dict.fromkeys(word for text in known for word in text.split(" "))
    assert corpus.vocabulary.words == ("NULL", *words)


def test_many_phrases() -> None:
    numbers = PhraseNumbers()
    texts = [f"w{k % 700} v{k % 11} x" for k in range(9000)]
    known = {text: k for k, text in enumerate(dict.fromkeys(texts))}
    found = [numbers.number_texts(texts[begin : begin + 1000]) for begin in range(0, 9000, 1000)]
    assert np.concatenate(found).tolist() == [known[text] for text in texts]
    assert numbers.texts() == list(known)
    assert len(numbers.corpus().vocabulary) == 1 + 700 + 11 + 1
