"""Lists of lines whose ids are names."""

from pathlib import Path

import pytest

from isogloss.align.errors import DataError, DataWarning
from isogloss.tune.nbest.types import NBest, read_nbest

LIST = (
    "utt-2 ||| a b ||| am= -1 F_x= 1 F_x= 2 ||| 0\n"
    "utt-2 ||| a ||| am=-2 ||| 0 ||| 0-0\n"
    "utt-1 ||| c ||| am= -3\n"
)


def read(path: Path, text: str, count: int = 0) -> NBest:
    path.write_text(text, encoding="utf-8")
    return read_nbest([path], count)


def test_names_are_sentences_in_their_order(tmp_path: Path) -> None:
    lists = read(tmp_path / "list", LIST)
    assert lists.names == ("utt-2", "utt-1")
    assert list(lists.texts) == ["a b", "a", "c"]
    assert lists.sentence_offsets.tolist() == [0, 2, 3]
    assert [0, 2] == lists.best(lists.space.vector({"am": 1.0})).tolist()
    assert lists.rows.scores(lists.space.vector({"F_x": 1.0})).tolist() == [3.0, 0.0, 0.0]


def test_as_a_list_of_records(tmp_path: Path) -> None:
    record = '{"id": "1089-134686-0000", "hyps": [{"text": "a", "features": {"am": -1}}]}'
    (tmp_path / "records").write_text(record)
    named = read(tmp_path / "list", "1089-134686-0000 ||| a ||| am= -1")
    assert named == read_nbest([tmp_path / "records"])


def test_two_lists_are_merged_by_name(tmp_path: Path) -> None:
    (tmp_path / "one").write_text(LIST)
    (tmp_path / "two").write_text("utt-1 ||| d ||| am= -1 ||| 0\n")
    lists = read_nbest([tmp_path / "one", tmp_path / "two"])
    assert list(lists.texts) == ["a b", "a", "c", "d"]
    assert lists.sentence_offsets.tolist() == [0, 2, 4]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("3 ||| a ||| am= 1", "line 4: the sentence id '3' is not a name, .*Use "
         "names in all lines, or number the sentences from 0"),
        (" ||| a ||| am= 1", "line 4: the sentence id '' is not a name"),
        ("utt-4 ||| a", "line 4: the line has 2 fields; expected id"),
        ("utt-4 ||| a ||| am= x", "line 4: 'x' is not a number; expected id"),
        ("utt-4 ||| a ||| am= 1 am= 2", "line 4: the dense feature 'am' is repeated"),
        ("utt-4 ||| a ||| am= inf", "line 4: the value of .* is not finite"),
    ],
)  # fmt: skip
def test_lines_that_cannot_be_read(tmp_path: Path, line: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read(tmp_path / "list", f"{LIST}{line}\n")


def test_other_ids_beside_names(tmp_path: Path) -> None:
    told = "line 2: the sentence id 'utt-2' is not a number; .* Number the sentences from 0, or"
    with pytest.raises(DataError, match=told):
        read(tmp_path / "list", f"0 ||| a ||| am= -1\n{LIST}")
    (tmp_path / "numbers").write_text("0 ||| a ||| am= -1\n")
    (tmp_path / "names").write_text(LIST)
    with pytest.raises(
        DataError, match="names, line 1: the id 'utt-2' does not fit the other list"
    ):
        read_nbest([tmp_path / "numbers", tmp_path / "names"])
    with pytest.raises(DataError, match="2 records; expected 3, one per sentence"):
        read(tmp_path / "list", LIST, 3)
    with pytest.warns(DataWarning, match="list: sentence ids are not sorted"):
        read(tmp_path / "list", f"{LIST}utt-2 ||| e ||| am= 1\n")


def test_numbers_of_values_are_compared(tmp_path: Path) -> None:
    told = r"line 4: 'am' has 2 values, but 1 in .*list, line 1"
    with pytest.raises(DataError, match=told):
        read(tmp_path / "list", f"{LIST}utt-4 ||| a ||| am= 1 2\n")
    with pytest.raises(
        DataError, match=r"line 3: there are more records than the 1 sentence \(first: record 2\)"
    ):
        read(tmp_path / "list", LIST, 1)


def test_a_list_of_kaldi_has_no_scores(tmp_path: Path) -> None:
    (tmp_path / "list").write_text("utt-1-1 turn left\nutt-1-2 turned left\n")
    said = r"line 1: the line has 1 field; expected id .* Join the scores of a Kaldi list to its w"
    with pytest.raises(DataError, match=said):
        read_nbest([tmp_path / "list"])
