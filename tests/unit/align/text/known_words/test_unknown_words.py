"""Words that a model lacks, and why."""

from collections import Counter
from collections.abc import Sequence

import pytest

from isogloss.align.text.known_words.unknown_words import (
    Fit,
    Model,
    exchanged,
    fit_text,
    fit_warning,
)

MODEL = Model("the table", "Take another one")
KNOWN = frozenset(["the", "house", "is", "big", ",", "and", "I", "saw", "Paris"])
OTHER = frozenset(["la", "casa", "es", "grande", ",", "y", "vi"])


def fit(text: str, known: frozenset[str] = KNOWN, other: frozenset[str] = OTHER) -> Fit:
    return fit_text(Counter(text.split()), known, other)


def naive(words: Sequence[str]) -> tuple[int, int, int]:
    """Unknown words, those of another casing, those with punctuation that sticks to them."""
    unknown = [word for word in words if word not in KNOWN]
    recased = [word for word in unknown if any(word.lower() == k.lower() for k in KNOWN)]
    glued = [word for word in unknown if word not in recased and word.strip(".,") in KNOWN]
    return len(unknown), len(recased), len(glued)


def test_counts_are_those_of_the_words_one_by_one() -> None:
    text = "The house is big, and i saw paris and la casa . zebra , house. zebra the The"
    found = fit(text)
    assert (found.unknown, found.recased, found.glued) == naive(text.split()) == (11, 4, 2)
    assert found.words == len(text.split())
    assert found.other_side == sum(word in OTHER for word in text.split()) == 3
    assert found.recased_example == ("The", "the")
    assert found.glued_example == ("big,", "big")
    assert found.frequent == ("The", "zebra", "big,")


def warning(text: str, times: int = 30) -> str:
    return fit_warning(fit(" ".join([text] * times)), "new.en", MODEL)


def test_text_that_fits() -> None:
    assert warning("the house is big , and I saw Paris") == ""
    assert warning("the house is big , and I saw zebras .") == ""  # a fifth


def test_many_unknown_words() -> None:
    text = "a zebra is yellow ."
    assert warning(text) == (
        "new.en: 80% of the words are unknown to the table, such as 'a', 'yellow', 'zebra'. "
        "Take another one"
    )
    assert warning(text, 19) == ""  # too few words to judge by


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("The House is big", "such as 'House' for 'house'. Lowercase it (`lowercase=True`)"),
        ("the house and paris", "'paris' for 'Paris'. Use the casing of the training text"),
    ],
)
def test_another_casing(text: str, said: str) -> None:
    assert f"{said}" in warning(text)
    assert "100% of them only because of letter case" in warning(text)


def test_few_words_of_another_casing_than_that_of_a_model_in_lower_case() -> None:
    lower = frozenset(f"w{number}" for number in range(200)) | {"house"}
    told = "t: 50% of the words are unknown to the table, 100% of them only because of letter"
    for known in (lower, lower | {"Él"}):  # a letter that was missed
        assert fit_warning(fit("House w1", known), "t", MODEL).startswith(told)
        assert fit_warning(fit("zebra w1", known), "t", MODEL) == ""
    assert fit_warning(fit("House w1", lower | {"A", "B", "C"}), "t", MODEL) == ""


def test_untokenized_text() -> None:
    assert warning("the house, and the «house» is big").startswith(
        "new.en: 29% of the words are unknown to the table, 100% of them because of attached "
        "punctuation, such as 'house,' for 'house'. Tokenize the text like the training text"
    )


def test_vowel_signs_are_no_punctuation() -> None:
    assert fit("की", frozenset(["क"])).glued == 0


def test_exchanged_sides() -> None:
    text = " ".join(["la casa es grande , y vi Paris"] * 20)
    fits = fit(text), fit("the house is big", OTHER, KNOWN)
    assert exchanged(fits[:1])
    assert exchanged(fits)
    assert not exchanged((fit(text, OTHER, KNOWN),))
    assert not exchanged((fit(text, KNOWN, KNOWN),))  # both sides of one language
    assert not exchanged((fit("la casa es grande"),))  # too few words to judge by
