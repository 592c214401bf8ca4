"""Phrase extraction and its scores against the definition."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from align.corpus import Bitext, Corpus
from align.errors import DataError, UsageError
from align.links import Links
from features.extract import extract_phrase_table, word_table
from features.phrase_table import MOSES_SCORES, PhraseTable, phrase_texts
from tests.naive import phrase_pairs as naive

# few words, so that phrases repeat; their bytes tell byte order from other orders
SOURCE_WORDS = ["a", "a!", "B", "é", "語", "\u00a0"]
TARGET_WORDS = ["x", "x-", "ж", "\U0001f600"]


@st.composite
def pairs(draw: st.DrawFn) -> list[naive.Pair]:
    result = []
    for _ in range(draw(st.integers(1, 4))):
        source = draw(st.lists(st.sampled_from(SOURCE_WORDS), max_size=9))
        target = draw(st.lists(st.sampled_from(TARGET_WORDS), max_size=9))
        cells = [(j, i) for j in range(len(source)) for i in range(len(target))]
        links = draw(st.sets(st.sampled_from(cells), max_size=10)) if cells else set()
        result.append((source, target, sorted(links)))
    return result


def columns(found: list[naive.Pair]) -> tuple[Bitext, Links]:
    source = Corpus.from_sentences([pair[0] for pair in found])
    target = Corpus.from_sentences([pair[1] for pair in found])
    return Bitext.unlabelled(source, target), Links.from_pairs(pair[2] for pair in found)


def extracted(found: list[naive.Pair], max_length: int) -> PhraseTable:
    return extract_phrase_table(*columns(found), max_length)


def rules(table: PhraseTable) -> list[tuple[str, str]]:
    source, target = phrase_texts(table.source), phrase_texts(table.target)
    return [
        (source[left], target[right])
        for left, right in zip(table.rule_source, table.rule_target, strict=True)
    ]


def inner_links(table: PhraseTable) -> list[list[tuple[int, int]]]:
    bounds = table.links.offsets
    return [
        [(int(k) >> 8, int(k) & 255) for k in table.links.ids[bounds[row] : bounds[row + 1]]]
        for row in range(len(table))
    ]


@settings(max_examples=150, deadline=None)
@given(pairs(), st.sampled_from([1, 2, 3, 4, 7]))
def test_table_equals_the_definition(found: list[naive.Pair], max_length: int) -> None:
    expected = naive.phrase_table(found, max_length)
    table = extracted(found, max_length)
    assert [(" ".join(r.source), " ".join(r.target)) for r in expected] == rules(table)
    assert [r.counts for r in expected] == [tuple(row) for row in table.counts.tolist()]
    assert MOSES_SCORES == table.score_names
    scores = np.array([r.scores for r in expected]).reshape(-1, 4)
    np.testing.assert_allclose(scores[:, ::2], table.scores[:, ::2], rtol=1e-12)
    clear = [k for k, r in enumerate(expected) if not r.tied]
    found_links = inner_links(table)
    assert [expected[k].links for k in clear] == [found_links[k] for k in clear]
    np.testing.assert_allclose(scores[clear], table.scores[clear], rtol=1e-12)


@pytest.mark.parametrize(
    ("links", "others"),
    [
        ([(0, 0), (0, 1)], [(0, 0)]),
        ([(0, 0), (0, 1)], [(0, 1)]),
        ([(0, 0), (1, 0), (1, 1)], [(0, 0), (1, 0)]),
        ([(1, 0), (0, 1)], [(0, 0), (1, 0)]),
    ],
)
def test_of_equally_frequent_inner_links_the_greatest_win(
    links: list[tuple[int, int]], others: list[tuple[int, int]]
) -> None:
    table = extracted([(["a", "b"], ["x", "y"], own) for own in (links, others)], 2)
    row = rules(table).index(("a b", "x y"))
    assert sorted(links) == sorted(inner_links(table)[row])


@settings(max_examples=50, deadline=None)
@given(pairs())
def test_word_table_equals_counting(found: list[naive.Pair]) -> None:
    bitext, links = columns(found)
    expected = naive.word_probabilities(found)
    table = word_table(bitext.source, bitext.target, links)
    words, given_words = bitext.source.vocabulary.words, bitext.target.vocabulary.words
    own: dict[tuple[str | None, str | None], float] = {}
    for key, value in zip(table.keys.tolist(), table.values.tolist(), strict=True):
        right, left = divmod(key, table.num_generated_types)
        own[words[left], given_words[right]] = value
    own |= {(words[k], None): v for k, v in enumerate(table.null.tolist()) if v}
    own |= {(None, given_words[k]): v for k, v in enumerate(table.null_given.tolist()) if v}
    assert expected == pytest.approx(own, rel=1e-12)


def test_worked_example() -> None:
    # la casa verde / the green house: verde crosses casa, so "la casa" has no partner
    pair = (["la", "casa", "verde"], ["the", "green", "house"], [(0, 0), (1, 2), (2, 1)])
    assert [  # "casa verde |||" comes before "casa |||" in bytes
        ("casa verde", "green house"),
        ("casa", "house"),
        ("la casa verde", "the green house"),
        ("la", "the"),
        ("verde", "green"),
    ] == rules(extracted([pair], 7))


def test_unlinked_words_join_phrases_at_their_edges() -> None:
    pair = (["x"], ["do", "x", "it"], [(0, 1)])
    assert [("x", "do x it"), ("x", "do x"), ("x", "x it"), ("x", "x")] == rules(
        extracted([pair], 7)
    )


def test_most_frequent_inner_links_win() -> None:
    often = (["a", "b"], ["x", "y"], [(0, 0), (0, 1), (1, 0), (1, 1)])
    once = (["a", "b"], ["x", "y"], [(0, 0), (1, 1)])
    table = extracted([once, often, often], 2)
    row = rules(table).index(("a b", "x y"))
    assert [(0, 0), (1, 0), (0, 1), (1, 1)] == inner_links(table)[row]
    assert [3.0, 3.0, 3.0] == table.counts[row].tolist()


def test_longest_phrase_has_eight_words() -> None:
    words = [f"w{k}" for k in range(9)]
    pair = (words, words, [(k, k) for k in range(9)])
    lengths = {len(source.split()) for source, _ in rules(extracted([pair], 8))}
    assert set(range(1, 9)) == lengths


def test_nothing_to_extract() -> None:
    table = extracted([([], ["x"], []), (["a"], [], []), (["a"], ["x"], [])], 7)
    assert [] == rules(table)
    assert (0, 4) == table.scores.shape


@pytest.mark.parametrize("max_length", [0, 9, -1])
def test_phrase_length_out_of_range(max_length: int) -> None:
    with pytest.raises(UsageError, match=rf"phrase length {max_length}; expected 1 to 8"):
        extracted([(["a"], ["x"], [(0, 0)])], max_length)


def test_links_outside_of_their_pair() -> None:
    with pytest.raises(DataError, match=r"link 0-1, but the pair has 1 source and 1 target words"):
        extracted([(["a"], ["x"], [(0, 0)]), (["a"], ["x"], [(0, 1)])], 7)


def test_links_of_another_text() -> None:
    bitext, _ = columns([(["a"], ["x"], [])])
    with pytest.raises(DataError, match="2 lines of links; expected 1, one per sentence pair"):
        extract_phrase_table(bitext, Links.from_pairs([[], []]))
