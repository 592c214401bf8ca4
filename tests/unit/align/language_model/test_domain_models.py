"""Language models of domains: asked again and again, compared, copied."""

import copy
import pickle

import numpy as np
import pytest

from isogloss.align import Bitext
from isogloss.align.language_model import domain_models, word_scoring
from isogloss.align.language_model.domain_models import DomainLanguageModels

TEXT = Bitext.from_sentences(
    ["a b c", "b c d", "x y", "y x y", "a x"], ["u v", "v w", "z", "z z u", "w"]
)
ROWS = [np.array([0, 1]), np.array([2, 3])]


def models() -> DomainLanguageModels:
    return DomainLanguageModels.from_samples(TEXT, ROWS, 2)


@pytest.fixture
def numbered(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many words there are, each time that a vocabulary is numbered."""
    sizes: list[int] = []
    number = word_scoring._numbers

    def numbered(model: object, vocabulary: object) -> object:
        sizes.append(len(vocabulary))  # type: ignore[arg-type]
        return number(model, vocabulary)  # type: ignore[arg-type]

    monkeypatch.setattr(word_scoring, "_numbers", numbered)
    return sizes


def test_a_vocabulary_is_numbered_once_for_each_model(numbered: list[int]) -> None:
    language = models()
    whole = language.score(TEXT)
    assert len(numbered) == 4
    for row in range(len(TEXT)):
        part = language.score(TEXT[row : row + 1])
        np.testing.assert_array_equal(part[:, 0], whole[:, row])
    assert len(numbered) == 4


def test_another_vocabulary_is_numbered_anew(numbered: list[int]) -> None:
    language = models()
    whole = language.score(TEXT)
    other = Bitext.from_sentences(["x y", "a b c"], ["z", "u v"])
    expected = np.stack([whole[:, 2], whole[:, 0]], axis=1)
    for text, known in ((other, expected), (TEXT, whole), (other, expected)):
        np.testing.assert_array_equal(language.score(text), known)
    assert len(numbered) == 16


def test_long_texts_leave_nothing_in_memory(
    numbered: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(domain_models, "_FEW", 4)
    language = models()
    language.score(TEXT)
    language.score(TEXT)
    assert len(numbered) == 8
    assert language._scorers == {}


def test_equal_by_content() -> None:
    one, other = models(), models()
    assert one == other == pickle.loads(pickle.dumps(one)) == copy.deepcopy(one)
    one.score(TEXT)
    assert one == other == pickle.loads(pickle.dumps(one)) == copy.copy(one)
    assert one != DomainLanguageModels.from_samples(TEXT, ROWS, 3)
    assert one != DomainLanguageModels.from_samples(TEXT, ROWS[::-1], 2)
    assert one != one.select([0])
    assert one.select([0, 1]) == one
    assert one != "models"
    assert repr(one) == "DomainLanguageModels(2 domains)"
