"""Lists written with new scores and in a new order are read as they were."""

import warnings
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from isogloss.align.errors import DataError, DataWarning, UsageError
from isogloss.tune.nbest.store import open_nbest, store_nbest
from isogloss.tune.nbest.types import NBest, read_nbest
from isogloss.tune.nbest.writer import nbest_lines
from tests.naive.lists import build_nbest


def as_read(lists: NBest) -> list[NDArray[np.int64]]:
    return [np.array(lists.hypotheses(k), np.int64) for k in range(len(lists))]


def again(lists: NBest, folder: Path, form: str = "") -> NBest:
    lines = nbest_lines(lists, as_read(lists), np.zeros(len(lists.texts)), form)
    (folder / "again").write_text("".join(line + "\n" for line in lines))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return read_nbest([folder / "again"])


def assert_same(one: NBest, other: NBest) -> None:
    assert one.space.names == other.space.names
    assert one.texts == other.texts
    assert one.rows == other.rows
    np.testing.assert_array_equal(one.sentence_offsets, other.sentence_offsets)


LISTS = build_nbest([
    [("the house", [("LM", -1.5), ("T.0", 0.1), ("T.1", 3.0), ("x_=", 2.0)]),
     ("", [("LM", 1e-7), ("T.0", 1 / 3), ("T.1", -1e20)])],
    [("b  |c|", [("LM", 0.0), ("T.0", 0.0), ("T.1", 0.0)])],
])  # fmt: skip


def test_moses_by_hand() -> None:
    order = [np.array([1, 0]), np.array([2])]
    lines = nbest_lines(LISTS, order, np.array([0.123456789, 2.0, -1e-9]))
    assert list(lines) == [
        "0 |||  ||| LM= 1e-07 T= 0.33333334 -1e+20 ||| 2",
        "0 ||| the house ||| LM= -1.5 T= 0.1 3 x_== 2 ||| 0.123457",
        "1 ||| b  |c| ||| LM= 0 T= 0 0 ||| -1e-09",
    ]


def test_jsonl_by_hand() -> None:
    lines = list(nbest_lines(LISTS, [np.array([0]), np.array([], np.int64)], np.ones(3), "jsonl"))
    assert lines == [
        '{"id": 0, "hyps": [{"text": "the house", "features": {"LM": -1.5, "T.0": 0.1, '
        '"T.1": 3.0, "x_=": 2.0}, "score": 1.0}]}',
        '{"id": 1, "hyps": []}',
    ]


@pytest.mark.parametrize("form", ["moses", "jsonl"])
def test_round_trip(tmp_path: Path, form: str) -> None:
    assert_same(LISTS, again(LISTS, tmp_path, form))


@pytest.mark.parametrize("form", ["moses", "jsonl"])
@pytest.mark.parametrize("name", ["weather-it-en.iter01", "europarl-10sent.iter3"])
def test_round_trip_of_real_lists(shared_data: Path, tmp_path: Path, form: str, name: str) -> None:
    lists = read_nbest([shared_data / "nbest" / f"{name}.nbest.gz"])
    assert_same(lists, again(lists, tmp_path, form))


def test_jsonl_keeps_everything(tmp_path: Path) -> None:
    line = (
        '{"id": "x 1", "src": "s", "refs": ["r", "q"], "hyps": [{"text": "é", "features": '
        '{"lm": 0.5}, "metrics": {"m": 0.1}, "score": 2.5}]}'
    )
    (tmp_path / "list").write_text(line + "\n")
    lists = read_nbest([tmp_path / "list"])
    assert [line] == list(nbest_lines(lists, as_read(lists), np.array([2.5])))
    found = again(lists, tmp_path)
    assert_same(lists, found)
    assert ("x 1",) == found.names
    assert [0.1] == found.columns["m"].tolist()


@pytest.mark.parametrize("name", ["5", '"5"', "0.5", "-1", '"x 1"', "1e+30", '"é"'])
def test_ids_are_written_as_they_were(tmp_path: Path, name: str) -> None:
    line = f'{{"id": {name}, "hyps": [{{"text": "a", "features": {{}}, "score": 0.0}}]}}'
    lines = [line, line.replace(name, '"and"')]
    (tmp_path / "list").write_text("".join(one + "\n" for one in lines))
    lists = read_nbest([tmp_path / "list"])
    assert lines == list(nbest_lines(lists, as_read(lists), np.zeros(2)))
    store_nbest([tmp_path / "list"], tmp_path / "stored")
    stored = open_nbest(tmp_path / "stored")
    assert lines == list(nbest_lines(stored, as_read(stored), np.zeros(2)))


def test_a_group_of_which_a_part_is_missing(tmp_path: Path) -> None:
    lists = build_nbest([[("a", [("T.0", 1.0), ("T.1", 2.0)]), ("b", [("T.1", 3.0)]),
                          ("c", [("T.1", 3.0), ("T.0", 3.0)])]])  # fmt: skip
    lines = list(nbest_lines(lists, as_read(lists), np.zeros(3)))
    assert ["T= 1 2", "T.1= 3", "T.1= 3 T.0= 3"] == [line.split(" ||| ")[2] for line in lines]
    assert_same(lists, again(lists, tmp_path))


def test_elements_beside_their_head(tmp_path: Path) -> None:
    lists = build_nbest([[("a", [("T", 1.0), ("T.0", 1.0), ("T.1", 2.0)])]])
    assert_same(lists, again(lists, tmp_path))


def test_a_sparse_feature_twice_in_jsonl() -> None:
    lists = build_nbest([[("a", [("x_", 1.0), ("x_", 2.0)])]])
    (line,) = nbest_lines(lists, as_read(lists), np.zeros(1), "jsonl")
    assert '"features": {"x_": 3.0}' in line


def test_what_the_form_of_moses_cannot_hold() -> None:
    lists = build_nbest([[("a ||| b", [("x", 1.0)])]])
    with pytest.raises(
        DataError, match=r"the hypothesis 'a \|\|\| b' contains '\|\|\|'.*Write JSONL"
    ):
        list(nbest_lines(lists, as_read(lists), np.zeros(1)))
    lists = build_nbest([[("a", [("x y", 1.0)])]])
    with pytest.raises(DataError, match="the feature name 'x y' contains whitespace; expected"):
        list(nbest_lines(lists, as_read(lists), np.zeros(1)))


def test_another_format() -> None:
    with pytest.raises(UsageError, match="format must be moses or jsonl, got 'xml'"):
        nbest_lines(LISTS, as_read(LISTS), np.zeros(3), "xml")
