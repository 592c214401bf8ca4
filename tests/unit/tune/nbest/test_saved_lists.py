"""NBest.save and NBest.load, and lists in a new order."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from isogloss.align.errors import DataError, ModelError, UsageError, WrongTypeError
from isogloss.tune.nbest.store import open_nbest, store_nbest
from isogloss.tune.nbest.types import NBest, parse_nbest, read_nbest

MOSES = (
    "0 ||| bad ||| LM0= -9 ||| 0\n0 ||| good ||| LM0= -2 PT_a= 1 ||| 0\n1 ||| x ||| LM0= -1 ||| 0\n"
)
RECORDS = "".join(
    json.dumps(
        {"id": f"s{k}", "src": "a", "refs": ["b", "c d"], "more": k, "hyps": [
            {"text": f"t{j}", "features": {"LM0": j}, "metrics": {"m": j / 4}, "own": [j]}
            for j in range(3)
        ]}
    ) + "\n"
    for k in range(2)
)  # fmt: skip


@pytest.mark.parametrize("text", [MOSES, RECORDS])
@pytest.mark.parametrize("name", ["lists", "lists.jsonl", "lists.jsonl.gz"])
def test_round_trip(tmp_path: Path, text: str, name: str) -> None:
    lists = parse_nbest(text, "lists")
    lists.save(tmp_path / name)
    again = NBest.load(tmp_path / name)
    assert list(lists) == list(again)
    assert lists.references == again.references
    if name == "lists":
        assert lists == again
        assert open_nbest(tmp_path / name) == lists


def test_moses_lists(tmp_path: Path) -> None:
    lists = parse_nbest(MOSES, "lists")
    lists.save(tmp_path / "a.txt.gz", weights={"LM0": 0.5})
    assert gzip.decompress((tmp_path / "a.txt.gz").read_bytes()).decode() == (
        "0 ||| good ||| LM0= -2 PT_a= 1 ||| -1\n"
        "0 ||| bad ||| LM0= -9 ||| -4.5\n"
        "1 ||| x ||| LM0= -1 ||| -0.5\n"
    )
    lists.save(tmp_path / "a.nbest")
    assert (tmp_path / "a.nbest").read_text().startswith("0 ||| bad ||| LM0= -9 ||| 0\n")
    assert read_nbest(str(tmp_path / "a.nbest")) == read_nbest([tmp_path / "a.nbest"])


def test_records_keep_their_keys(tmp_path: Path) -> None:
    parse_nbest(RECORDS, "lists").save(tmp_path / "a.jsonl", weights={"LM0": 1})
    first = json.loads((tmp_path / "a.jsonl").read_text().split("\n")[0])
    assert first["more"] == 0
    assert [hypothesis["own"] for hypothesis in first["hyps"]] == [[2], [1], [0]]
    assert first["hyps"][0]["score"] == 2.0


def test_a_stored_list_is_what_was_read(tmp_path: Path) -> None:
    (tmp_path / "text").write_text(RECORDS)
    store_nbest([tmp_path / "text"], tmp_path / "stored", keep_records=True)
    read_nbest(tmp_path / "text", keep_records=True).save(tmp_path / "saved")
    assert NBest.load(tmp_path / "stored") == NBest.load(tmp_path / "saved")


def test_a_new_order() -> None:
    lists = parse_nbest(RECORDS, "lists").rerank({"LM0": 1.0}, 2)
    assert [[one.text for one in sentence] for sentence in lists] == [["t2", "t1"]] * 2
    assert lists.columns["m"].tolist() == [0.5, 0.25] * 2
    assert lists.places is not None
    assert lists.places.tolist() == [2, 1, 2, 1]
    assert lists.best(np.array([-1.0])).tolist() == [1, 3]
    with pytest.raises(UsageError, match=r"there is no feature 'LM'; did you mean LM0\?"):
        lists.rerank({"LM": 1.0})


def test_sentences_by_number_and_slice() -> None:
    lists = parse_nbest(RECORDS, "lists")
    assert lists[0:2] == lists
    assert lists[1:].names == ("s1",) if lists.names else ("1",)
    assert list(lists[1:]) == [lists[-1]]
    assert len(lists[1:0]) == 0
    assert lists[np.int64(1)] == lists[1]
    with pytest.raises(
        WrongTypeError, match="the number of a sentence must be an integer, got 's0'"
    ):
        lists["s0"]  # type: ignore[call-overload]
    with pytest.raises(IndexError, match="sentence 2 is out of range for 2 sentences"):
        lists[2]


@pytest.mark.parametrize("name", ["a.csv", "a.gz", "a.json", "run.1"])
def test_other_endings(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match=r"must end in \.jsonl, \.txt, \.nbest, or one of"):
        parse_nbest(MOSES, "lists").save(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_there(tmp_path: Path) -> None:
    lists = parse_nbest(MOSES, "lists")
    lists.save(tmp_path / "a")
    with pytest.raises(ModelError, match="a exists"):
        lists.save(tmp_path / "a")
    lists.save(tmp_path / "a", overwrite=True)
    (tmp_path / "b").mkdir()
    with pytest.raises(ModelError, match="is not a folder of n-best lists"):
        NBest.load(tmp_path / "b")


def test_what_are_no_paths(tmp_path: Path) -> None:
    with pytest.raises(WrongTypeError, match="n-best lists must be a path or a list of paths, not"):
        NBest.load(7)  # type: ignore[arg-type]
    with pytest.raises(WrongTypeError, match="files of n-best lists must be paths, not 7"):
        read_nbest([7])  # type: ignore[list-item]
    with pytest.raises((DataError, OSError)):
        NBest.load(tmp_path / "none")
