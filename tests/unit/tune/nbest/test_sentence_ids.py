"""Ids of JSONL lists: numbers of sentences where they can be, names else; in memory and stored."""

import json
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isogloss.align.errors import DataError, DataWarning
from isogloss.tune.nbest.sentence_ids import (
    NumberId,
    check_sentence_names,
    number_names,
    whole_numbers,
)
from isogloss.tune.nbest.store import open_nbest, store_nbest
from isogloss.tune.nbest.types import NBest, read_nbest

UNSORTED = "list: sentence ids are not sorted; they are grouped by id"


def record(name: Any, **more: Any) -> dict[str, Any]:
    """A record with a hypothesis that tells its id."""
    return {"id": name, "hyps": [{"text": f"of {name}", "features": {"x": 1.0}}]} | more


def written(folder: Path, records: Sequence[Any], name: str = "list") -> Path:
    (folder / name).write_text("".join(json.dumps(one) + "\n" for one in records))
    return folder / name


def texts(lists: NBest) -> list[list[str]]:
    return [[lists.texts[k] for k in lists.hypotheses(one)] for one in range(len(lists))]


def read(paths: Sequence[Path], num_sentences: int = 0) -> tuple[NBest, list[str]]:
    """The list and what was warned of, the same in memory and stored."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        lists = read_nbest(paths, num_sentences)
    told = [str(one.message) for one in caught if one.category is DataWarning]
    folder = paths[0].parent / f"stored{num_sentences}"
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        store_nbest(paths, folder, num_sentences=num_sentences, max_memory=1)
    assert told == [str(one.message) for one in caught if one.category is DataWarning]
    stored = open_nbest(folder, verify=True)
    assert lists.names == stored.names
    assert list(map(type, lists.names or ())) == list(map(type, stored.names or ()))
    assert texts(lists) == texts(stored)
    assert lists.rows == stored.rows
    assert lists.sources == stored.sources
    assert (lists.references is None) == (stored.references is None)
    if lists.references is not None and stored.references is not None:
        assert lists.references.streams() == stored.references.streams()
    return lists, told


@pytest.mark.parametrize("form", [int, str])
@pytest.mark.parametrize("num_sentences", [0, 12])
def test_numbers_are_those_of_the_sentences(tmp_path: Path, form: type, num_sentences: int) -> None:
    path = written(tmp_path, [record(form(k), src=f"source {k}") for k in range(11, -1, -1)])
    lists, told = read([path], num_sentences)
    assert [[f"of {k}"] for k in range(12)] == texts(lists)
    assert [f"source {k}" for k in range(12)] == list(lists.sources or ())
    assert tuple(map(str, range(12))) == lists.names
    assert len(told) == 1
    assert told[0].endswith(UNSORTED)


def test_references_follow_their_sentences(tmp_path: Path) -> None:
    lists, _ = read([written(tmp_path, [record(k, refs=[f"ref {k}"]) for k in (2, 0, 1)])])
    assert lists.references is not None
    assert [["ref 0"], ["ref 1"], ["ref 2"]] == [lists.references.of(k) for k in range(3)]
    assert [["of 0"], ["of 1"], ["of 2"]] == texts(lists)


def test_sentences_without_records(tmp_path: Path) -> None:
    path = written(tmp_path, [record("3", src="s"), record(0)])
    lists, told = read([path])
    assert [["of 0"], [], [], ["of 3"]] == texts(lists)
    assert ("0", "1", "2", "3") == lists.names
    assert ["", "", "", "s"] == list(lists.sources or ())
    assert told[0].endswith(UNSORTED)
    assert ["2 sentences have no hypothesis (first: 1)"] == told[1:]
    lists, told = read([path], 5)
    assert [["of 0"], [], [], ["of 3"], []] == texts(lists)
    assert ["3 sentences have no hypothesis (first: 1)"] == told[1:]


@pytest.mark.parametrize("names", [[2, 1, 3], [1], [1007, 1001]])
def test_numbers_that_do_not_begin_with_0_are_names(tmp_path: Path, names: list[int]) -> None:
    """Unless the number of sentences says what they are."""
    path = written(tmp_path, list(map(record, names)))
    lists, told = read([path])
    assert [[f"of {one}"] for one in names] == texts(lists)
    assert tuple(map(str, names)) == lists.names
    assert [] == told
    lists, told = read([path], 1008)
    assert [["of 1"] if 1 in names else []] == texts(lists)[1:2]


def test_several_lists_and_records_of_a_sentence(tmp_path: Path) -> None:
    one = written(tmp_path, [record(2), record(0)])
    two = written(tmp_path, [record(1), record(2) | {"hyps": [{"text": "b"}]}], "two")
    with pytest.warns(DataWarning, match="'x' is missing"):
        lists = read_nbest([two, written(tmp_path, [record(0), record(2)], "three")])
    assert [["of 0"], ["of 1"], ["b", "of 2"]] == texts(lists)
    lists, told = read([one, two])
    assert [["of 0"], ["of 1"], ["of 2", "b"]] == texts(lists)
    assert [f"{one}: sentence ids are not sorted; they are grouped by id"] == [
        text for text in told if "sorted" in text
    ]


@pytest.mark.parametrize(
    "names", [["1", "x"], ["1", "00"], [1, 0.0], [1, -1], [1, "+0"], [1, "10000"], [1, 10**30]]
)
def test_names_stand_in_the_order_of_the_list(tmp_path: Path, names: list[Any]) -> None:
    lists, told = read([written(tmp_path, list(map(record, names)))])
    assert tuple(map(str, names)) == lists.names
    assert [[f"of {one}"] for one in names] == texts(lists)
    assert [] == told


@pytest.mark.parametrize(
    ("names", "line", "odd"),
    [([1, 2, 3], 3, 3), (["0", "1007", "1001"], 2, 1007), ([2, 0, 3], 3, 3)],
)
def test_numbers_of_other_sentences(tmp_path: Path, names: list[Any], line: int, odd: int) -> None:
    path = written(tmp_path, list(map(record, names)))
    lists, told = read([path], 3)
    assert [[f"of {one}"] for one in names] == texts(lists)
    assert len(told) == 1
    assert told[0].startswith(
        f"{path}, line {line}: the sentence id {odd} is not among 0 ... 2, so records are "
    )
    assert told[0].endswith("number the records from 0")


def test_the_place_of_a_number_in_the_second_list(tmp_path: Path) -> None:
    one = written(tmp_path, [record(0)])
    two = written(tmp_path, [record(0), record(9)], "two")
    with pytest.warns(
        DataWarning, match=rf"^{two}, line 2: the sentence id 9 is not among 0 ... 1"
    ):
        read_nbest([one, two], 2)


def test_numbers_of_some_sentences_of_others(tmp_path: Path) -> None:
    path = written(tmp_path, [record(1), record(3)])
    message = (
        rf"^{path}: the list has 2 records; expected 3, one per sentence\. Check that the list"
    )
    with pytest.raises(DataError, match=message):
        read_nbest([path], 3)


def test_gaps_among_records_with_references(tmp_path: Path) -> None:
    path = written(tmp_path, [record(2, refs=["r"]), record(0, refs=["q"])])
    lists, told = read([path])
    assert ("2", "0") == lists.names  # every sentence has references
    assert lists.references is not None
    assert [["r", "q"]] == lists.references.streams()
    assert [] == told
    lists, told = read([path], 4)
    assert [["of 0"], [], ["of 2"], []] == texts(lists)
    assert lists.references is None
    assert told[1:] == [
        "2 sentences have no hypothesis (first: 1)",
        "the references in the list are ignored, because 2 sentences have no record (first: 1)",
    ]


def test_far_fewer_hypotheses_than_sentences(tmp_path: Path) -> None:
    path = written(tmp_path, [record(0)])
    with pytest.raises(DataError, match="there are 5000 sentences, but only 1 sentence with"):
        read_nbest([path], 5000)


def test_how_far_apart_ids_may_lie(tmp_path: Path) -> None:
    """Below 1,000, and 100 more for each sentence with a hypothesis."""
    one = written(tmp_path, [record(0)])
    with pytest.warns(DataWarning, match="1099 sentences have no hypothesis"):
        assert len(read_nbest([one], 1100)) == 1100
    with pytest.raises(DataError, match="there are 1101 sentences, but only 1 sentence with"):
        read_nbest([one], 1101)
    (tmp_path / "moses").write_text("1099 ||| a ||| x= 1 ||| 0\n")
    with pytest.warns(DataWarning, match="1099 sentences have no hypothesis"):
        assert len(read_nbest([tmp_path / "moses"])) == 1100
    (tmp_path / "moses").write_text("1100 ||| a ||| x= 1 ||| 0\n")
    with pytest.raises(DataError, match="the sentence id 1100 is too large for 1 sentence with"):
        read_nbest([tmp_path / "moses"])


@pytest.mark.parametrize(
    ("last", "sentences", "warned"),
    [(1199, 1200, ["1198 sentences have no hypothesis (first: 1)"]), (1200, 2, [])],
)
def test_numbers_that_lie_too_far_apart_are_names(
    tmp_path: Path, last: int, sentences: int, warned: list[str]
) -> None:
    lists, told = read([written(tmp_path, [record(0), record(last)])])
    assert len(lists) == sentences
    assert [["of 0"], [f"of {last}"]] == [own for own in texts(lists) if own]
    assert warned == told


@pytest.mark.parametrize("num_sentences", [0, 4])
def test_beside_lines_in_any_order(tmp_path: Path, num_sentences: int) -> None:
    (tmp_path / "moses").write_text("1 ||| moses ||| x= 1 ||| 0\n3 ||| last ||| x= 1 ||| 0\n")
    path = written(tmp_path, [record(2, src="two"), record("1"), record(0)])
    for paths in ([tmp_path / "moses", path], [path, tmp_path / "moses"]):
        with pytest.warns(DataWarning, match=UNSORTED):
            lists = read_nbest(paths, num_sentences)
        assert [["of 0"], {"of 1", "moses"}, ["of 2"], ["last"]] == [
            set(own) if len(own) > 1 else own for own in texts(lists)
        ]
        assert lists.names is None
        assert ["", "", "two", ""] == list(lists.sources or ())


def test_references_of_some_sentences_beside_lines(tmp_path: Path) -> None:
    (tmp_path / "moses").write_text("0 ||| moses ||| x= 1 ||| 0\n2 ||| last ||| x= 1 ||| 0\n")
    path = written(tmp_path, [record(1, refs=["r"])])
    message = r"ignored, because 2 sentences have no record \(first: 0\)"
    with pytest.warns(DataWarning, match=message):
        assert read_nbest([tmp_path / "moses", path]).references is None


@pytest.mark.parametrize(
    ("name", "num_sentences", "expected"),
    [("x", 0, "ids 0, 1, 2, ..."), (2, 2, r"ids 0 \.\.\. 1 in both"), ("01", 2, "ids 0 ")],
)
def test_names_beside_lines(tmp_path: Path, name: Any, num_sentences: int, expected: str) -> None:
    (tmp_path / "moses").write_text("0 ||| moses ||| x= 1 ||| 0\n")
    path = written(tmp_path, [record(0), record(name)])
    message = rf"^{path}, line 2: the id '{name}' does not fit .*; expected {expected}"
    with pytest.raises(DataError, match=message):
        read_nbest([tmp_path / "moses", path], num_sentences)


def test_whole_numbers() -> None:
    ids = ["0", "12", "012", "-1", "1.0", "", "٣", "9" * 18, "9" * 19]
    assert [0, 12, -1, -1, -1, -1, -1, 10**18 - 1, -1] == whole_numbers(ids).tolist()


def test_sentences_without_id_are_named_as_the_others_are() -> None:
    for kind in (str, NumberId):
        found = number_names([kind("2")], np.array([2]), 3)
        assert ("0", "1", "2") == found
        assert [kind] * 3 == list(map(type, found))


def test_names_of_a_folder_have_no_line() -> None:
    with pytest.warns(DataWarning, match=r"^stored: the sentence id 2 is not among 0 \.\.\. 1"):
        check_sentence_names(["1", "2"], 2, lambda record: ("stored", 0))
