"""Links of a text in numbers."""

import numpy as np
import pytest

from isogloss.align.links.links import Links
from isogloss.align.text.bitext import Bitext
from isogloss.commands.bitexts.link_sums import LinkSums
from isogloss.console import Console


def scored(pairs: list[list[tuple[int, int]]], probability: list[float]) -> Links:
    links = Links.from_pairs(pairs)
    return Links(links.source, links.target, links.offsets, np.array(probability, np.float32))


def test_blocks_are_added_up(capsys: pytest.CaptureFixture[str]) -> None:
    sums = LinkSums()
    first = Bitext.from_sentences(["a b c d", ""], ["x y", "z"])
    sums.add(first, scored([[(0, 0), (1, 0), (1, 1)], []], [1.0, 0.5, 0.9]))
    sums.add(Bitext.from_sentences(["a"], ["x y"]), scored([[(0, 1)]], [0.8]))
    sums.tell(Console())
    assert capsys.readouterr().err == (
        "3 pairs, 0.80 links per source word with a mean probability of 0.80; without a link: "
        "40.0% of the source words and 40.0% of the target words\n"
    )


def test_links_without_probabilities(capsys: pytest.CaptureFixture[str]) -> None:
    sums = LinkSums()
    sums.add(Bitext.from_sentences(["a b"], ["x"]), Links.from_pairs([[(1, 0)]]))
    sums.tell(Console())
    assert capsys.readouterr().err == (
        "1 pair, 0.50 links per source word; without a link: 50.0% of the source words and "
        "0.0% of the target words\n"
    )


def test_words_that_the_model_lacks(capsys: pytest.CaptureFixture[str]) -> None:
    known = Bitext.from_sentences(["a b"], ["x y"])
    text = Bitext.from_sentences(["a c d e"], ["x y"])
    sides = [
        own.to_vocabulary(side.vocabulary)
        for own, side in ((text.source, known.source), (text.target, known.target))
    ]
    sums = LinkSums()
    sums.add(Bitext.unlabeled(*sides), Links.from_pairs([[(0, 0)]]))
    sums.tell(Console())
    assert capsys.readouterr().err.endswith("; unknown to the model: 75.0% and 0.0%\n")


@pytest.mark.parametrize(("linked", "are_usual", "warns"), [
    (59, True, True), (61, True, False), (59, False, False),
])  # fmt: skip
def test_many_words_without_a_link(
    capsys: pytest.CaptureFixture[str], linked: int, are_usual: bool, warns: bool
) -> None:
    sums = LinkSums()
    text = Bitext.from_sentences(["a " * 100], ["x " * 100])
    sums.add(text, Links.from_pairs([[(k, k) for k in range(linked)]]))
    sums.tell(Console(), are_usual=are_usual)
    told = capsys.readouterr().err
    assert ("warning: 41% of the words of a side have no link; the text differs" in told) == warns


def test_nothing_is_said_of_no_words(capsys: pytest.CaptureFixture[str]) -> None:
    sums = LinkSums()
    sums.tell(Console())
    sums.add(Bitext.from_sentences([""], ["x"]), Links.from_pairs([[]]))
    sums.tell(Console())
    assert capsys.readouterr().err == ""
