"""Corpus, Bitext and Vocabulary: content and invariants."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.align.errors import DataError, WrongTypeError
from isogloss.align.text.bitext import Bitext, SentencePair
from isogloss.align.text.corpus import Corpus, CorpusBuilder
from isogloss.align.text.vocabulary import Vocabulary

words = st.text(
    st.characters(codec="utf-8", exclude_characters=" \t\n\r"), min_size=1, max_size=4
).filter(lambda word: word != "|||")
sentences = st.lists(st.lists(words, max_size=5), max_size=6)


@given(sentences)
def test_words_come_back(sentences: list) -> None:
    corpus = Corpus.from_sentences(sentences)
    assert sentences == [corpus.words(number) for number in range(len(corpus))]
    assert [len(sentence) for sentence in sentences] == corpus.lengths.tolist()


@given(sentences, st.data())
def test_select_is_indexing(sentences: list, data: st.DataObject) -> None:
    corpus = Corpus.from_sentences(sentences)
    rows = data.draw(st.lists(st.integers(0, len(sentences) - 1))) if sentences else []
    selected = corpus.select(np.array(rows, np.int64))
    assert [sentences[row] for row in rows] == [selected.words(n) for n in range(len(rows))]


@given(st.lists(sentences, min_size=1, max_size=3))
def test_joined_is_one_text(parts: list) -> None:
    joined = Corpus.joined([Corpus.from_sentences(part) for part in parts])
    whole = Corpus.from_sentences([sentence for part in parts for sentence in part])
    assert whole.vocabulary == joined.vocabulary
    assert whole.tokens.tolist() == joined.tokens.tolist()
    assert whole.offsets.tolist() == joined.offsets.tolist()


def test_unknown_words_stay_unknown_when_joined() -> None:
    known = Corpus.from_sentences([["a", "b"]])
    joined = Corpus.joined([known, Corpus.from_sentences([["b", "c"]], Vocabulary(["b"]))])
    assert joined.tokens.tolist() == [1, 2, 2, -1]
    assert joined.vocabulary.words == ("NULL", "a", "b")


def test_a_built_corpus_does_not_grow() -> None:
    builder = CorpusBuilder()
    builder.add(["a", "b"])
    corpus = builder.build()
    with pytest.raises(BufferError, match="cannot resize"):
        builder.add(["c"])
    assert corpus.words(0) == ["a", "b"]


@given(sentences)
def test_vocabulary_round_trip(sentences: list) -> None:
    vocabulary = Corpus.from_sentences(sentences).vocabulary
    assert vocabulary == Vocabulary.from_bytes(*vocabulary.to_bytes())


def test_ids_follow_first_appearance_and_null_is_no_token() -> None:
    corpus = Corpus.from_sentences([["b", "a", "b"], ["NULL"]])
    assert corpus.vocabulary.words == ("NULL", "b", "a", "NULL")
    assert corpus.tokens.tolist() == [1, 2, 1, 3]
    assert corpus.vocabulary.get("NULL") == 3
    assert (np.int32, np.int64) == (corpus.tokens.dtype, corpus.offsets.dtype)


def test_a_given_vocabulary_makes_other_words_unknown() -> None:
    vocabulary = Vocabulary(["a", "b"])
    with pytest.raises(WrongTypeError, match=r"integer, not 'a'; use vocabulary.get\('a'\)"):
        vocabulary["a"]  # type: ignore[index]
    with pytest.raises(IndexError, match="id 3 is out of range: there are 3"):
        vocabulary[3]
    for call in (vocabulary.get, vocabulary.__contains__):
        with pytest.raises(WrongTypeError, match=r"word must be a string, not \['a'\]"):
            call(["a"])  # type: ignore[arg-type]
    corpus = Corpus.from_sentences([["b", "c"], ["a"]], vocabulary)
    assert corpus.tokens.tolist() == [2, -1, 1]
    assert "c" not in vocabulary
    assert vocabulary.get("c", -5) == -5


def test_a_word_stands_once() -> None:
    with pytest.raises(ValueError, match="the words of a vocabulary must be unique"):
        Vocabulary(["a", "a"])


@pytest.mark.parametrize(
    ("tokens", "offsets", "message"),
    [
        ([1], [], "start with 0"),
        ([1], [1], "start with 0"),
        ([1], [0, 2], "end with the number of tokens"),
        ([1, 1], [0, 2, 1, 2], "corpus offsets must not decrease and must end with the number of"),
        ([3], [0, 1], "ids of its vocabulary"),
        ([0], [0, 1], "without NULL"),
    ],
)
def test_corpus_invariants(tokens: list, offsets: list, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Corpus(np.array(tokens, np.int32), np.array(offsets, np.int64), Vocabulary(["a", "b"]))


def bitext(labels: list[int], domains: tuple[str, ...] = ()) -> Bitext:
    source = Corpus.from_sentences([["a"], []])
    target = Corpus.from_sentences([["x", "y"], ["z"]])
    return Bitext(source, target, np.array(labels, np.int16), domains)


@pytest.mark.parametrize(
    ("labels", "domains", "message"),
    [
        ([0], ("d",), "one label per pair"),
        ([0, 1], ("d",), "index into the domain names"),
        ([0, -2], ("d",), "labels must be -1 or an index into the domain names"),
        ([0, 0], ("d", "d"), "domain names must be unique"),
        ([0, 0], ("d", "d e"), "domain names must be printable and contain no whitespace"),
    ],
)
def test_bitext_invariants(labels: list, domains: tuple, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        bitext(labels, domains)


def test_sides_have_the_same_length() -> None:
    one = Corpus.from_sentences([["a"]])
    with pytest.raises(ValueError, match="same number of sentences"):
        Bitext.unlabeled(one, Corpus.from_sentences([]))


@pytest.mark.parametrize(
    ("count", "begins"), [(0, [0]), (1, [0]), (3, [0]), (4, [0, 3]), (6, [0, 3]), (7, [0, 3, 6])]
)
def test_parts(monkeypatch: pytest.MonkeyPatch, count: int, begins: list[int]) -> None:
    """All pairs in order, never more than PART of them in a part; a short text is the part."""
    monkeypatch.setattr("isogloss.align.text.bitext.PART", 3)
    corpus = Corpus.from_sentences([f"w{number}"] for number in range(count))
    text = Bitext.unlabeled(corpus, corpus)
    parts = [*text.parts()]
    assert [begin for begin, _ in parts] == begins
    assert [pair.source for _, part in parts for pair in part] == [pair.source for pair in text]
    assert max(len(part) for _, part in parts) <= 3
    assert (parts[0][1] is text) == (count <= 3)


def test_reversed_selected_and_labeled() -> None:
    pairs = bitext([0, -1], ("d",))
    assert pairs.usable.tolist() == [True, False]
    assert pairs.reversed().source.words(0) == ["x", "y"]
    chosen = pairs.select(np.array([1, 0, 0]))
    assert chosen.label_ids.tolist() == [-1, 0, 0]
    assert [chosen.target.words(n) for n in range(3)] == [["z"], ["x", "y"], ["x", "y"]]
    assert pairs.with_numbered_labels(np.array([0, 0], np.int16), ("e",)).domains == ("e",)
    assert Bitext.unlabeled(pairs.source, pairs.target).label_ids.tolist() == [-1, -1]


def test_columns_are_read_only() -> None:
    corpus = Corpus.from_sentences([["a"]])
    with pytest.raises(ValueError, match="read-only"):
        corpus.tokens[0] = 1


def small_bitext() -> Bitext:
    source = Corpus.from_sentences([["the", "house"], ["a", "car"], []])
    target = Corpus.from_sentences([["la", "casa"], ["un", "coche"], ["ya"]])
    labels = np.array([1, -1, 1], np.int16)
    return Bitext(source, target, labels, ("law", "med"))


def test_a_sentence_pair_has_words_and_a_label() -> None:
    bitext = small_bitext()
    first = SentencePair(["the", "house"], ["la", "casa"], "med")
    assert bitext[0] == bitext[-3] == first
    assert list(bitext) == [first, (["a", "car"], ["un", "coche"], None), ([], ["ya"], "med")]
    assert [pair.target for pair in bitext] == [["la", "casa"], ["un", "coche"], ["ya"]]
    with pytest.raises(IndexError, match="sentence pair 3 is out of range: there are 3"):
        bitext[3]


def test_a_slice_of_a_bitext_is_one() -> None:
    bitext = small_bitext()
    assert isinstance(bitext[1:], Bitext)
    assert list(bitext)[1:] == list(bitext[1:])
    assert list(bitext)[::-1] == list(bitext[::-1])
    assert len(bitext[2:1]) == 0


def test_texts_print_what_they_hold() -> None:
    bitext = small_bitext()
    assert "Vocabulary(4 word types: the house a car)" == repr(bitext.source.vocabulary)
    assert "Vocabulary(0 word types)" == repr(Vocabulary([]))
    many = Vocabulary(f"word{k}" for k in range(1000))
    assert (
        "Vocabulary(1,000 word types: word0 word1 word2 word3 word4 word5 word6 word7 word8 ...)"
    ) == repr(many)
    assert "Corpus(3 sentences, 4 tokens, 4 word types; first: 'the house')" == repr(bitext.source)
    assert "Corpus(0 sentences, 0 tokens, 0 word types)" == repr(Corpus.from_sentences([]))
    assert (
        "Bitext(3 sentence pairs, 4 source and 5 target tokens; labels: law 0, med 2; "
        "first: 'the house' | 'la casa')"
    ) == repr(bitext)
    assert (
        "Bitext(1 sentence pairs, 2 source and 2 target tokens; no labels; "
        "first: 'the house' | 'la casa')"
    ) == repr(bitext[:1].with_numbered_labels(np.array([-1], np.int16), ()))
    assert "Bitext(0 sentence pairs, 0 source and 0 target tokens; labels: law 0, med 0)" == repr(
        bitext[:0]
    )
    long = Corpus.from_sentences([["w"] * 5000])
    assert 28 * "w " + "..." == repr(long).split("'")[1]


def test_more_pairs_than_links_can_be_numbered_for(monkeypatch: pytest.MonkeyPatch) -> None:
    side = Corpus.from_sentences([["a"], ["b"], ["c"]])
    monkeypatch.setattr("isogloss.align.links.formats.pharaoh.MAX_PAIRS", 2)
    with pytest.raises(DataError, match="3 sentence pairs; expected at most 2"):
        Bitext.unlabeled(side, side)


def test_a_carriage_return_in_a_line_parts_words(tmp_path: Path) -> None:
    (tmp_path / "text").write_bytes(b"the red\rhouse\n a\r b\r\r c\n")
    corpus = Corpus.load(tmp_path / "text")
    assert [corpus.words(row) for row in (0, 1)] == [["the", "red", "house"], ["a", "b", "c"]]
