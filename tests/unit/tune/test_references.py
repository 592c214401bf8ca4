"""References: of sentences in memory and of files, and what is warned of when they are read."""

from pathlib import Path

import numpy as np
import pytest

from isogloss.align import read_sentences
from isogloss.align.errors import DataError, DataWarning, UsageError, WrongTypeError
from isogloss.tune.references import References, read_references


@pytest.mark.parametrize(
    ("form", "told"),
    [
        ("utt-{} the cat", r"such as utt-1, as in files of Kaldi.* cut -d' ' -f2- "),
        ("A12_{}_x the cat", "such as A12_1_x, as in files of Kaldi"),
        ("spk{} the cat", "such as spk1, as in files of Kaldi"),
        ("the cat (s_{}.wav)", r"such as \(s_1.wav\), as in files of sclite.* sed 's/ \*"),
    ],
)
def test_names_of_utterances_are_told(tmp_path: Path, form: str, told: str) -> None:
    path = tmp_path / "ref"
    path.write_text("".join(f"{form.format(number)}\n" for number in range(1, 8)))
    with pytest.warns(DataWarning, match=told):
        read_references([path])


@pytest.mark.parametrize("form", ["utt-1 cat {}", "{} cats", "utt-{}", "the-{}cat", "I have ({})"])
def test_other_first_words_are_none(tmp_path: Path, form: str) -> None:
    path = tmp_path / "ref"
    lines = [form.format(number) for number in range(1, 8)]
    if "(" in form or "{}c" in form:
        lines[3] = lines[2]
    path.write_text("".join(f"{line}\n" for line in lines))
    assert len(read_references([path])) == 7


WORDS = [["the", "cat", "sat", "down", "."], ["it", "rained"], [], ["no"]]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["the cat", "it rained"], [["the cat"], ["it rained"]]),
        (WORDS, [["the cat sat down ."], ["it rained"], [""], ["no"]]),
        (map(iter, WORDS), [["the cat sat down ."], ["it rained"], [""], ["no"]]),
        ([["the cat", "a cat"], ("it rained",)], [["the cat", "a cat"], ["it rained"]]),
        (
            [["the cat", "cats"], ["it rained", "rain"]],
            [["the cat", "cats"], ["it rained", "rain"]],
        ),
        ([["yes"], ["no"]], [["yes"], ["no"]]),
        ([[["the", "cat"], ["cats"]], [["no"]]], [["the cat", "cats"], ["no"]]),
        ([], []),
    ],
)
def test_forms_are_told_by_their_depth(given: list[object], expected: list[list[str]]) -> None:
    references = References.from_sentences(given)
    assert [references.of(k) for k in range(len(references))] == expected


def test_sentences_of_a_file_are_one_reference_each(tmp_path: Path) -> None:
    (tmp_path / "ref").write_text("the cat sat on the mat\nit rained\nx\n")
    references = References.from_sentences(read_sentences(tmp_path / "ref"))
    assert (len(references), len(references.texts)) == (3, 3)
    assert references == read_references(tmp_path / "ref")


@pytest.mark.parametrize(
    "given",
    [
        [["yes", "yeah"], ["no", "nope"]],
        [["yes", "yeah", "yo"], ["no"]],
        [["我爱你", "我喜欢你"]] * 9,
        [["a", "b", "c", "d", "e"]] * 3,
        [["a b", "c", "d", "e", "f"], ["x"]],
    ],
)
def test_what_may_be_words_or_texts_is_refused(given: list[list[str]]) -> None:
    message = (
        r"\['.*\] may be the words of one reference or \d references; for one reference each: "
        r"References.from_sentences\(\[' '.join\(words\) for words in sentences\]\); for several "
        r"each: References.from_texts\(texts\)"
    )
    with pytest.raises(UsageError, match=message):
        References.from_sentences(given)
    assert len(References.from_texts(given).texts) == sum(map(len, given))


@pytest.mark.parametrize(
    "sets",
    [
        [["the cat", "it rained"]],
        [["the cat", "it rained", "no no"], ["a cat", "rain fell", "no !"]],
        [[["the", "cat"], ["it", "rained"]]],
    ],
)
def test_sets_of_references_are_refused(sets: list[list[str]]) -> None:
    message = (
        r"an item for each sentence, but \d lists? of \d may be sets of references for \d sent.* "
        r"use References.from_sentences\(\[list\(r\) for r in zip\(\*sets\)\]\)"
    )
    with pytest.raises(UsageError, match=message):
        References.from_sentences(sets)
    turned = References.from_sentences([list(texts) for texts in zip(*sets, strict=True)])
    assert turned.of(1)[0] == "it rained"


def test_some_sentences_are_chosen() -> None:
    references = References.from_texts([["a"], ["b", "c"], ["d"]])
    assert list(references) == [["a"], ["b", "c"], ["d"]]
    assert references[-2] == ["b", "c"]
    assert list(references[1:]) == list(references.select([1, 2])) == [["b", "c"], ["d"]]
    assert list(references[[2, 0]]) == [["d"], ["a"]]
    assert references[np.array([True, False, True])] == references[[0, 2]]
    with pytest.raises(IndexError, match="sentence 3 is out of range: there are 3"):
        references[3]
    with pytest.raises(WrongTypeError, match="sentences must be selected by a number, a slice, a"):
        references["a"]  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("given", "kind", "message"),
    [
        (
            ["a b", ["c"]],
            UsageError,
            r"same form, got strings \(number 0\) and lists of strings \(number 1",
        ),
        ([["a"], [["b"]]], UsageError, "lists of strings .* and lists of lists of words"),
        (
            [[["a"], [1]]],
            WrongTypeError,
            r"the references of a sentence have no known form: \[\['a'\], \[1\]\]; for one",
        ),
        ([7], WrongTypeError, "references of a sentence must be a string or a list, not 7"),
        (
            7,
            WrongTypeError,
            r"references must be a list with an item .* not 7; use read_references",
        ),
        (["a", []], DataError, "the sentence has no reference"),
    ],
)
def test_what_are_no_references(given: object, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        References.from_sentences(given)  # type: ignore[arg-type]


def test_one_path_or_several(tmp_path: Path) -> None:
    path = tmp_path / "ref"
    path.write_text("a b\nc\n")
    assert read_references(path) == read_references(str(path)) == read_references([path])
    assert read_references([path, path]).of(0) == ["a b", "a b"]
    for given in (7, [7], None):
        with pytest.raises(WrongTypeError, match=r"files of references must be .*path"):
            read_references(given)  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["a\tb", "a\nb", "a\r"])
def test_references_that_a_file_cannot_hold(tmp_path: Path, text: str) -> None:
    references = References.from_texts([["yes"], [text]])
    with pytest.raises(DataError, match=r"the reference '.*' contains a tab or a line end\. Repl"):
        references.save(tmp_path / "x")
    assert not (tmp_path / "x").exists()
