"""Bitexts of sentences in memory, and bitexts and corpora as sequences."""

import copy
import pickle
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from isogloss.align import Bitext, read_bitext
from isogloss.align.errors import DataError, UsageError, WrongTypeError
from isogloss.align.text.corpus import Corpus

SOURCE = ["the house", "a book", "", "a house"]
TARGET = ["la casa", "un libro", "x", "una casa"]
LABELS = ["law", None, "-", "med"]


@pytest.fixture
def bitext() -> Bitext:
    return Bitext.from_sentences(SOURCE, TARGET, LABELS)


def test_sentences_in_memory_are_as_those_of_files(bitext: Bitext, tmp_path: Path) -> None:
    for name, lines in (("s", SOURCE), ("t", TARGET)):
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines))
    with pytest.warns(UserWarning, match="empty"):
        read = read_bitext(tmp_path / "s", tmp_path / "t")
    assert read.with_labels(LABELS) == bitext
    assert read != bitext
    assert Bitext.from_pairs(zip(SOURCE, TARGET, strict=True), LABELS) == bitext
    assert Bitext.from_pairs(np.array([SOURCE, TARGET]).T, LABELS) == bitext
    words = [text.split() for text in SOURCE], [text.split() for text in TARGET]
    assert Bitext.from_sentences(*words, iter(LABELS)) == bitext
    assert Bitext.from_sentences(zip(SOURCE, TARGET, strict=True), labels=LABELS) == bitext
    assert bitext.domains == ("law", "med")
    assert [pair.label for pair in bitext] == ["law", None, None, "med"]


def test_labels_are_names(bitext: Bitext) -> None:
    assert bitext.labels.tolist() == ["law", "", "", "med"]
    assert bitext.label_ids.tolist() == [0, -1, -1, 1]
    assert bitext[bitext.labels == "med"][0].target == ["una", "casa"]
    assert bitext.with_labels(bitext.labels) == bitext
    assert bitext.with_labels([None] * 4).labels.tolist() == [""] * 4


def test_bitexts_one_after_the_other(bitext: Bitext) -> None:
    other = Bitext.from_sentences(["a dog", "the dog"], ["un perro", "el perro"], ["game", "law"])
    both = Bitext.concat(iter([bitext, other, bitext[:0]]))
    assert list(both) == [*bitext, *other]
    assert both.domains == ("game", "law", "med")
    assert Bitext.concat([bitext]) == bitext
    with pytest.raises(UsageError, match="the list of bitexts is empty; pass at least one"):
        Bitext.concat([])
    with pytest.raises(WrongTypeError, match=r"bitexts\[0\] must be a Bitext, not Sent.*concat"):
        Bitext.concat(bitext)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("call", "kind", "said"),
    [
        (lambda: Bitext.from_sentences("a b", "c"), WrongTypeError, "source must be a list, not"),
        (lambda: Bitext.from_sentences(["a"], 4), WrongTypeError, "target must be a list of sen"),
        (lambda: Bitext.from_sentences(["a"], ["b", "c"]), DataError,
         "the source has 1 sentence, but the target has 2"),
        (lambda: Bitext.from_sentences([["New York"]], ["c"]), UsageError,
         "'New York' is not a valid word: words must not be empty, contain whitespace or be |||;"),
        (lambda: Bitext.from_sentences(["a"], [["|||"]]), UsageError, "'|||' is not a valid"),
        (lambda: Bitext.from_sentences([[""]], ["a"]), UsageError, "'' is not a valid word:"),
        (lambda: Bitext.from_sentences(["a " * 65537], ["a"]), DataError,
         "sentence 0 has 65,537 words; expected at most 65,536"),
        (lambda: Bitext.from_pairs(["ab"]), WrongTypeError,
         "pairs[0] must be (source, target), not 'ab'"),
        (lambda: Bitext.from_pairs([("a", "b"), ("a", "b", "c")]), WrongTypeError,
         "pairs[1] must be (source, target), not ('a', 'b', 'c')"),
        (lambda: Bitext.from_pairs([("a", 3)]), WrongTypeError,
         "the target of pairs[0] must be a string or a list of words, not 3"),
        (lambda: read_bitext(["a"], ["b"]), WrongTypeError,  # type: ignore[arg-type]
         "source must be a path, not ['a']; for sentences in memory use Bitext.from_sentences"),
    ],
)  # fmt: skip
def test_what_is_no_bitext(call: Callable[[], Bitext], kind: type[Exception], said: str) -> None:
    with pytest.raises(kind, match=f"^{re.escape(said)}"):
        call()


def test_pairs_are_chosen_as_in_numpy(bitext: Bitext) -> None:
    expected = [tuple(pair) for pair in bitext]
    for chosen, rows in (
        (slice(1, 3), [1, 2]), (slice(None, None, -1), [3, 2, 1, 0]), ([3, -4], [3, 0]), ([], []),
        (np.array([2, 2]), [2, 2]), (np.array([True, False, False, True]), [0, 3]),
        ([False, True, False, False], [1]),
    ):  # fmt: skip
        assert [tuple(pair) for pair in bitext[chosen]] == [expected[row] for row in rows]
        assert list(bitext.source[chosen]) == [expected[row][0] for row in rows]
        assert bitext.select(chosen) == bitext[chosen]
    assert bitext[-1] == bitext[np.int64(3)] == bitext[3]
    assert bitext.source[-1] == ["a", "house"]


@pytest.mark.parametrize(
    ("chosen", "kind", "said"),
    [
        (4, IndexError, "sentence pair 4 is out of range: there are 4"),
        ([0, 4], IndexError, "sentence pairs must be numbered between -4 and 3, got 0 to 4"),
        (
            [True],
            IndexError,
            "the mask must have 4 values, one for each of the sentence pairs; got 1",
        ),
        (
            "law",
            WrongTypeError,
            "sentence pairs must be selected by a number, a slice, a list of numbers",
        ),
        ([0.5], WrongTypeError, "sentence pairs must be selected by a number, a slice, a list of"),
        ([[0]], WrongTypeError, "sentence pairs must be selected by a number, a slice, a list of"),
    ],
)
def test_pairs_that_there_are_not(
    bitext: Bitext, chosen: object, kind: type[Exception], said: str
) -> None:
    with pytest.raises(kind, match=f"^{re.escape(said)}"):
        bitext[chosen]  # type: ignore[call-overload]


def test_sentences_in_a_corpus(bitext: Bitext) -> None:
    assert ["the", "house"] in bitext.source
    assert "a book" in bitext.source
    assert "" in bitext.source
    assert "house the" not in bitext.source
    assert "the" not in bitext.source
    assert "zzz" not in bitext.source
    assert list(bitext.target) == [text.split() for text in TARGET]


def test_equal_sentences_are_equal_whatever_their_ids(bitext: Bitext) -> None:
    again = Bitext.from_sentences(SOURCE[::-1], TARGET[::-1], LABELS[::-1])[::-1]
    assert again.source.tokens.tolist() != bitext.source.tokens.tolist()
    assert again == bitext
    assert bitext != bitext[[1, 0, 2, 3]]
    assert bitext != bitext.reversed()
    assert bitext != bitext.with_labels([None] * 4)
    assert (bitext == "bitext") is False
    assert bitext.source != Corpus.from_sentences(SOURCE[:3])


def test_unknown_words_are_equal_to_themselves_alone(bitext: Bitext) -> None:
    unknown = Corpus.from_sentences(["a zzz"], bitext.source.vocabulary)
    assert unknown.tokens.tolist() == [3, -1]
    assert unknown == Corpus.from_sentences(["a yyy"], bitext.source.vocabulary)
    assert unknown.to_vocabulary(bitext.target.vocabulary).tokens.tolist() == [-1, -1]
    assert unknown != Corpus.from_sentences(["a zzz"])


def test_copies_are_equal(bitext: Bitext) -> None:
    for made in (copy.copy, copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))):
        assert made(bitext) == bitext
        assert made(bitext.source) == bitext.source


def test_what_is_saved_is_read_again(bitext: Bitext, tmp_path: Path) -> None:
    bitext = bitext[[0, 1, 3, 0, 3]]
    bitext.save(tmp_path / "b.tsv.gz")
    assert read_bitext(tmp_path / "b.tsv.gz", labels="column") == bitext
    bitext.save(tmp_path / "s", tmp_path / "t", labels=tmp_path / "l")
    assert read_bitext(tmp_path / "s", tmp_path / "t", labels=tmp_path / "l") == bitext
    assert (tmp_path / "l").read_text() == "law\n-\nmed\nlaw\nmed\n"
    plain = bitext.with_labels([None] * 5)
    plain.save(tmp_path / "p")
    assert read_bitext(tmp_path / "p") == plain
    unknown = Bitext.unlabeled(*[Corpus.from_sentences(["zz"], bitext.source.vocabulary)] * 2)
    with pytest.raises(DataError, match="unknown words"):
        unknown.save(tmp_path / "u")
    assert not (tmp_path / "u").exists()


def test_pairs_of_a_bitext_make_one() -> None:
    bitext = Bitext.from_pairs([("the house", "la casa"), ("a book", "un libro")], ["x", None])
    assert Bitext.from_pairs([bitext[1], bitext[0]]) == Bitext.from_pairs(
        [("a book", "un libro"), ("the house", "la casa")]
    )


def test_pairs_that_are_there() -> None:
    bitext = Bitext.from_sentences(
        ["the house", "a book", "a book"],
        ["la casa", "un libro", "el libro"],
        labels=["law", None, "law"],
    )
    assert ("the house", "la casa") in bitext
    assert (["the", "house"], ["la", "casa"]) in bitext
    assert ["a book", ("el", "libro")] in bitext
    assert all(pair in bitext for pair in bitext)
    assert ("the house", "un libro") not in bitext
    assert ("the house", "la casa blanca") not in bitext
    assert ("the house", "la casa", "medical") not in bitext
    assert ("a book", "un libro", None) in bitext
    assert bitext.source.find("a book").tolist() == [1, 2]
    assert bitext.source.find(["a", "cat"]).tolist() == bitext.source.find("").tolist() == []
    message = r"the pair must be \(source, target\), not 'the house'; use `sentence in bitext"
    with pytest.raises(WrongTypeError, match=message):
        "the house" in bitext  # noqa: B015
    with pytest.raises(WrongTypeError, match="the pair must be"):
        3 in bitext  # noqa: B015


def test_bitexts_are_equal_if_their_sentences_and_labels_are() -> None:
    bitext = Bitext.from_sentences(["a", "b"], ["x", "y"], labels=["law", "it"])
    assert bitext[:1] == Bitext.from_sentences(["a"], ["x"], labels=["law"])
    assert bitext != bitext.with_labels(["it", "law"])
    assert bitext != bitext.reversed()
    assert bitext != "a"


def test_damaged_files_of_pairs(tmp_path: Path) -> None:
    path = tmp_path / "pairs.tsv"
    path.write_text("a\tx\nb\ty\tlaw\n")
    with pytest.raises(
        DataError, match=r"pairs\.tsv, line 2: the line has 3 fields; expected sour"
    ):
        Bitext.load(path)
    path.write_text("a\n")
    with pytest.raises(DataError, match=r"line 1: the line has 1 field.*with read_bitext"):
        Bitext.load(path)


def test_two_files_and_their_labels(tmp_path: Path) -> None:
    bitext = Bitext.from_sentences(["a b", "", "c"], ["x", "y", ""], labels=["law", None, "it"])
    files = tmp_path / "source", tmp_path / "target"
    bitext.save(*files, labels=tmp_path / "labels")
    assert Bitext.load(*files, labels=tmp_path / "labels") == bitext
    assert Bitext.load(*files) == bitext.with_labels([None] * 3)
    bitext.save(tmp_path / "pairs")
    assert Bitext.load(tmp_path / "pairs") == bitext
