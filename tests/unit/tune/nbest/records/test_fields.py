"""JSONL lists that are not ours, by which of their keys hold what."""

import json
from pathlib import Path
from typing import Any

import pytest

from isogloss.align.errors import DataError, UsageError
from isogloss.tune.examples import Examples
from isogloss.tune.nbest.records.fields import RecordFields
from isogloss.tune.nbest.store import open_nbest, store_nbest
from isogloss.tune.nbest.types import NBest, read_nbest


def read(folder: Path, records: list[Any], *fields: str) -> NBest:
    path = folder / "list"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return read_nbest([path], fields=RecordFields.parse(fields))


FLAT = [
    {"segment": "a", "out": {"es": "x y"}, "score": -1, "comet": 0.5, "ref": "r", "in": "s"},
    {"segment": "b", "out": {"es": "z"}, "score": -3, "comet": 0.25, "ref": "q", "in": "t"},
    {"segment": "a", "out": {"es": "x"}, "score": -2, "comet": 0.75, "ref": "r", "in": "s"},
]
OF_FLAT = (
    "id=segment", "text=out.es", "features=score", "metrics=comet", "refs=ref", "src=in",
)  # fmt: skip


@pytest.mark.filterwarnings("ignore:.*ids are not sorted")
def test_a_record_for_each_hypothesis(tmp_path: Path) -> None:
    lists = read(tmp_path, FLAT, *OF_FLAT)
    assert ["x y", "x", "z"] == list(lists.texts)
    assert [0, 2, 3] == lists.sentence_offsets.tolist()
    assert (("a", "b"), ("score",)) == (lists.names, lists.space.names)
    assert [-1, -2, -3] == lists.rows.values.tolist()
    assert [0.5, 0.75, 0.25] == lists.columns["comet"].tolist()
    assert lists.references is not None
    assert [["r"], ["q"]] == [lists.references.of(k) for k in range(2)]
    assert ["s", "t"] == list(lists.sources or ())
    fields = RecordFields.parse(OF_FLAT)
    given = {
        "id": "segment", "text": "out.es", "features": "score", "metrics": ["comet"],
        "refs": "ref", "src": "in",
    }  # fmt: skip
    assert fields == RecordFields.of(given)
    assert lists == read_nbest(tmp_path / "list", fields=given)
    assert lists == read_nbest(tmp_path / "list", fields=fields)
    store_nbest([tmp_path / "list"], tmp_path / "stored", fields=fields)
    assert list(lists) == list(open_nbest(tmp_path / "stored"))


@pytest.mark.parametrize(
    ("record", "fields"),
    [
        ({"best": ["x y", "z"], "p": [1, 2], "q": [3, 4]}, ["text=best"]),
        ({"id": 0, "best": ["x y", "z"], "p": [1, 2], "q": [3, 4]}, ["hyps=best"]),
        ({"best": [{"t": "x y", "p": 1, "q": 3}, {"t": "z", "p": 2, "q": 4}]},
         ["hyps=best", "text=t"]),
        ([{"generated_text": "x y", "p": 1, "q": 3}, {"generated_text": "z", "p": 2, "q": 4}],
         ["text=generated_text"]),
    ],
)  # fmt: skip
def test_a_record_for_each_sentence(tmp_path: Path, record: Any, fields: list[str]) -> None:
    lists = read(tmp_path, [record], *fields, "features=p,q")
    assert (["x y", "z"], [1, 3, 2, 4]) == (list(lists.texts), lists.rows.values.tolist())
    assert (("0",), ("p", "q")) == (lists.names, lists.space.names)


def test_our_own_features_need_no_name(tmp_path: Path) -> None:
    record = {"id": 7, "out": [{"t": "x", "features": {"lm": 1.5}, "metrics": {"m": 2.0}}]}
    lists = read(tmp_path, [record], "hyps=out", "text=t")
    assert ([1.5], [2.0]) == (lists.rows.values.tolist(), lists.columns["m"].tolist())


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"id": 1}, 'the record has neither a list "hyps" nor strings "t"; .* Pass the names of'),
        ({"t": "x", "p": 1}, '"id" is missing'),
        ("x", "the record is neither an"),
        ({"t": ["x"], "p": [1, 2]}, '"p" is not a list of 1 numbers'),
        ({"t": ["x"]}, '"p" is not a list of 1 numbers'),
        ({"id": 1, "t": "x"}, r'a hypothesis has no "p"; .* Pass the names of the keys \(`fields'),
        ({"id": 1, "t": "x", "p": None}, '"p" of a hypothesis is null; expected a number$'),
        ({"t": ["x"], "p": [None]}, '"p" of a hypothesis is null; expected a number$'),
        ({"id": 1, "t": "x", "p": {"q": None}}, '"p.q" of a hypothesis is null; expected a num'),
        (
            {"id": 1, "t": "x", "p": "1"},
            "hypothesis 1: the value of 'p' in 'features' is not a number: '1'",
        ),
        ({"id": 1, "hyps": [{"p": 1}]}, 'hypothesis 1: "text" is missing or not a string'),
    ],
)
def test_records_that_do_not_fit(tmp_path: Path, record: Any, message: str) -> None:
    first = {"id": 0, "t": "x", "p": 1}
    with pytest.raises(DataError, match=f"list, line 2: {message}"):
        read(tmp_path, [first, record], "text=t", "features=p")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        (
            ["score=x"],
            "--fields 'score=x' is malformed; expected KEY=NAME, where KEY is one of id, src, refs",
        ),
        (["text"], "--fields 'text' is malformed; expected KEY=NAME"),
        (
            ["text=a,features=b"],
            "--fields 'text=a,features=b' must have spaces between its pairs, not commas. Pass "
            "--fields text=a features=b",
        ),
        (
            ["features=a,lm,metrics=b"],
            "--fields 'features=a,lm,metrics=b' must have spaces between its pairs, not commas",
        ),
        (["text=a", "text=b"], "--fields 'text=b' is repeated; expected KEY=NAME"),
    ],
)
def test_fields_that_cannot_be_read(fields: list[str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        RecordFields.parse(fields)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"source": "x"}, r"unknown key 'source' of fields; did you mean src\?"),
        ({"score": "x"}, "unknown key 'score' of fields; expected one of id, src, refs, hyps, "),
        ({"text": 3}, r"fields\['text'\] must be the name of a key, not 3"),
        ({"text": ["a"]}, r"fields\['text'\] must be the name of a key, not \['a'\]"),
        ({"features": 3}, r"fields\['features'\] must be a list of names, not 3"),
        ({"metrics": ["m", 3]}, r"fields\['metrics'\] must be the name of a key, not 3"),
        ("text=a", "fields must be a dict of names by key, such as .*, not 'text=a'"),
    ],
)
def test_a_dict_of_fields_that_is_none(tmp_path: Path, fields: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        read_nbest(tmp_path / "list", fields=fields)


def test_a_flat_list_without_fields_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r'"hyps" is not a list; .* `fields=.* "text": NAM'):
        read(tmp_path, [{"id": 1, "text": "x", "score": 1}])


def test_metrics_that_no_record_has(tmp_path: Path) -> None:
    path = tmp_path / "list"
    fields = {"text": "t", "features": ["p"], "metrics": ["m"]}
    records = [{"id": k, "t": "x", "p": k} for k in range(2)]
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records))
    assert read_nbest(path, fields=fields).columns == {}
    path.write_text("".join(f"{json.dumps(record | {'m': 2})}\n" for record in records))
    lists = read_nbest(path, fields=fields)
    assert lists.columns["m"].tolist() == [2.0, 2.0]
    examples = Examples.from_nbest(lists, metric="column:m")
    assert examples.best_score({"p": 1.0}) == 2.0
    path.write_text(path.read_text() + json.dumps(records[0]))
    with pytest.raises(DataError, match=r"list, line 3: .*the metric 'm' is missing, unlike in"):
        read_nbest(path, fields=fields)
