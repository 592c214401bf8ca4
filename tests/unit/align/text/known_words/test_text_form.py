"""How a text is written, as its words tell."""

import pytest

from isogloss.align.text.corpus import Corpus
from isogloss.align.text.known_words.text_form import (
    TextForm,
    type_counts,
    unsegmented_length,
    untokenized_example,
)
from isogloss.align.text.vocabulary import Vocabulary


def corpus(*lines: str) -> Corpus:
    return Corpus.from_sentences([line.split(" ") for line in lines])


def test_words_are_counted() -> None:
    assert type_counts(corpus("a b a", "b a")).tolist() == [0, 3, 2]
    known = Corpus.from_sentences([["a", "x"]], Vocabulary(["b", "a"]))
    assert type_counts(known).tolist() == [0, 0, 1]


@pytest.mark.parametrize(
    ("line", "lowercase"),
    [("the house", True), ("The house", False), ("家 123 .", True), ("straße", True), ("É", False)],
)
def test_lower_case(line: str, lowercase: bool) -> None:
    assert TextForm.of(corpus(line)) == TextForm(lowercase, tokenized=True)
    assert TextForm.of_words(Vocabulary(line.split())) == TextForm(lowercase, tokenized=None)


def test_text_that_is_not_split_into_words() -> None:
    """Chinese, Japanese or Thai with a token for each sentence; long words of others are words."""
    whole = ["我們需要更多的時間來討論這個問題", "このもんだいについてはなしあう"]
    assert unsegmented_length(corpus(*whole * 60)) == pytest.approx(15.5)
    assert unsegmented_length(corpus(*whole * 40)) == 0  # too few to judge by
    assert unsegmented_length(corpus(*["我們 需要 更 多 的 時間 來 討論"] * 60)) == 0
    assert unsegmented_length(corpus(*["Donaudampfschifffahrtsgesellschaft und so"] * 60)) == 0


def test_punctuation_that_sticks_to_most_words() -> None:
    glued = ["yes, no: well, maybe, or so"] * 7
    assert untokenized_example(corpus(*glued)) == "yes,"
    assert not TextForm.of(corpus(*glued)).tokenized
    assert untokenized_example(corpus(*glued[:5])) == ""  # too few to judge by
    escaped = ["&quot; it &apos;s &quot; so caf&#233; and &eacute;t&eacute; &amp; more"] * 20
    assert untokenized_example(corpus(*escaped)) == ""
    alone = ["yes , no : well , maybe , or e.g. 10:30 and U.S. so ."] * 7
    assert untokenized_example(corpus(*glued, *alone)) == ""
    assert TextForm.of(corpus(*alone)).tokenized
    pieces = ["yes \u0120, no \u2581: well \u0120, may be"] * 9
    assert untokenized_example(corpus(*pieces)) == ""
    assert TextForm.of(corpus(", : ;, ,,")).tokenized
