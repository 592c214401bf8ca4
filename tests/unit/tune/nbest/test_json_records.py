"""JSONL lists: records with texts, features, metrics, references."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isogloss.align.errors import DataError, DataWarning
from isogloss.tune.nbest.types import read_nbest


def hypothesis(text: str, metrics: dict[str, float] | None = None, **features: float) -> Any:
    result: dict[str, Any] = {"text": text, "features": features}
    return result if metrics is None else result | {"metrics": metrics}


def written(folder: Path, records: Sequence[Any], name: str = "list.jsonl") -> Path:
    lines = [one if isinstance(one, str) else json.dumps(one) for one in records]
    (folder / name).write_text("".join(line + "\n" for line in lines))
    return folder / name


def test_a_list_with_everything(tmp_path: Path) -> None:
    path = written(tmp_path, [
        {"id": "news-1", "src": "la casa", "refs": ["the house", "house"], "hyps": [
            hypothesis("the house", {"chrf": 0.9, "bleu": 1}, lm=-1.5, len_ratio=2),
            hypothesis("a\nhouse ", {"bleu": 0, "chrf": 0.5}, lm=-2),
            hypothesis("", {"bleu": 0, "chrf": 0}, lm=0),
        ]},
        {"id": 7, "src": "sí", "refs": ["yes"], "hyps": [
            hypothesis("yes", {"chrf": 1, "bleu": 1}, lm=-0.5)
        ]},
    ])  # fmt: skip
    lists = read_nbest([path])
    assert ["the house", "a house", "", "yes"] == list(lists.texts)
    assert [0, 3, 4] == lists.sentence_offsets.tolist()
    assert ("lm", "len_ratio") == lists.space.names
    assert ("news-1", "7") == lists.names
    assert [0, 1, 0, 0, 0] == lists.rows.ids.tolist()
    assert [-1.5, 2, -2, 0, -0.5] == lists.rows.values.tolist()
    assert ["chrf", "bleu"] == list(lists.columns)
    assert [0.9, 0.5, 0, 1] == lists.columns["chrf"].tolist()
    assert [1, 0, 0, 1] == lists.columns["bleu"].tolist()
    assert lists.references is not None
    assert [["the house", "house"], ["yes"]] == [lists.references.of(k) for k in range(2)]
    assert ["la casa", "sí"] == list(lists.sources or ())


def test_what_may_be_missing(tmp_path: Path) -> None:
    lists = read_nbest([written(tmp_path, [{"id": 0, "hyps": [{"text": "a"}]}])])
    assert ["a"] == list(lists.texts)
    assert {} == lists.columns
    assert lists.references is None
    assert lists.sources is None


def test_lists_are_merged_by_id(tmp_path: Path) -> None:
    one = written(tmp_path, [
        {"id": "x", "refs": ["r"], "hyps": [hypothesis("a", lm=1)]},
        {"id": "y", "refs": ["s"], "hyps": [hypothesis("b", lm=1)]},
    ], "one")  # fmt: skip
    two = written(tmp_path, [
        {"id": "y", "hyps": [hypothesis("b", lm=1), hypothesis("c", lm=1)]},
        {"id": "x", "refs": ["r"], "hyps": [hypothesis("d", lm=1)]},
    ], "two")  # fmt: skip
    with pytest.warns(DataWarning, match="two: sentence ids are not sorted"):
        lists = read_nbest([one, two])
    assert ["a", "d", "b", "c"] == list(lists.texts)
    assert ("x", "y") == lists.names


def test_beside_a_list_of_moses(tmp_path: Path) -> None:
    one = written(tmp_path, [{"id": 0, "hyps": [hypothesis("a", LM=1)]},
                             {"id": 1, "hyps": [hypothesis("b", LM=2)]}])  # fmt: skip
    (tmp_path / "moses").write_text("1 ||| c ||| LM= 3 ||| 0\n")
    lists = read_nbest([tmp_path / "moses", one])
    assert ["a", "c", "b"] == list(lists.texts)
    assert lists.names is None
    two = written(tmp_path, [{"id": "one", "hyps": [hypothesis("a", LM=1)]}])
    with pytest.raises(DataError, match="the id 'one' does not fit the other list"):
        read_nbest([tmp_path / "moses", two])


def test_a_record_without_hypotheses(tmp_path: Path) -> None:
    records = [{"id": "x", "hyps": []}, {"id": "y", "hyps": [hypothesis("b", lm=1)]}]
    with pytest.warns(DataWarning, match=r"1 sentence has no hypothesis \(first: 'x'\)"):
        lists = read_nbest([written(tmp_path, records)])
    assert [0, 0, 1] == lists.sentence_offsets.tolist()


def test_a_missing_dense_feature(tmp_path: Path) -> None:
    records = [{"id": "x", "hyps": [hypothesis("a", lm=1), hypothesis("b", w=1)]},
               {"id": "y", "hyps": [hypothesis("b", lm=1, w=2)]}]  # fmt: skip
    with pytest.warns(DataWarning) as found:
        read_nbest([written(tmp_path, records)])
    assert "the dense feature 'lm' is missing in 1 of 3 hypotheses, first at line 1" in str(
        found[0].message
    )
    assert "the dense feature 'w' is missing in 1 of 3 hypotheses, first at line 1" in str(
        found[1].message
    )


GOOD = {"id": "g", "refs": ["r"], "hyps": [hypothesis("a", {"m": 1}, lm=1)]}


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ("{", "not a JSON record"),
        ("", "the line is blank"),
        ("[1]", "not a JSON object"),
        (
            '{"id": 1, "id": 2, "hyps": []}',
            r"not a JSON record \(the key 'id' occurs twice in an object\)",
        ),
        ({"hyps": []}, '"id" is missing'),
        ({"id": True, "hyps": []}, '"id" is neither a string nor a number'),
        ({"id": 1}, '"hyps" is not a list'),
        ({"id": 1, "hyps": [], "refs": "x"}, '"refs" is not a list of strings'),
        ({"id": 1, "hyps": [], "src": 1}, '"src" is not a string'),
        (
            {"id": "g", "refs": ["q"], "hyps": []},
            "the references of 'g' differ from those of an earlier",
        ),
        ({"id": 1, "hyps": ["x"]}, 'hypothesis 1: "text" is missing or not a string'),
        ({"id": 1, "hyps": [{"text": 1}]}, 'hypothesis 1: "text" is missing or not a string'),
        (
            {"id": 1, "hyps": [hypothesis("x", {"m": 1}, lm="1")]},  # type: ignore[arg-type]
            "hypothesis 1: the value of 'lm' in 'features' is not a number: '1'",
        ),
        (
            {"id": 1, "hyps": [hypothesis("x", {"m": 1}), hypothesis("x", {"m": 1}, a=1e39)]},
            r"hypothesis 2: the value of 'a' is not finite in single precision",
        ),
        (
            {"id": 1, "hyps": [hypothesis("x", {"m": 1}, a=float("nan"))]},
            "hypothesis 1: the value of .* is not finite",
        ),
        (
            {"id": 1, "hyps": [hypothesis("x", {"m": 1}, a=10**400)]},
            "hypothesis 1: a number in 'features' is too large",
        ),
        ({"id": 1, "hyps": [{"text": "x", "features": [1]}]}, '"features" is not an object'),
        (
            {"id": 1, "hyps": [hypothesis("x", {"m": 1}), hypothesis("x", {})]},
            r"hypothesis 2: the metric 'm' is missing, unlike in .* \(first: .*list.jsonl, line 1\)"
            ".*Add the metric to every hypothesis, or remove it from all",
        ),
        (
            {"id": 1, "hyps": [hypothesis("x", {"m": 1, "n": 2})]},
            "hypothesis 1: the metric 'n' is missing in earlier hypotheses .*Add the metric",
        ),
        (
            {"id": 1, "hyps": [hypothesis("x", {"m": float("inf")})]},
            "hypothesis 1: the metric 'm' is not finite",
        ),
        (
            {"id": 4, "hyps": [hypothesis("x", {"m": 1})]},
            r"there are more records than the 1 sentence \(first: record 2\)",
        ),
    ],
)
def test_bad_record(tmp_path: Path, record: Any, message: str) -> None:
    path = written(tmp_path, [GOOD, record])
    limit = 1 if "more records" in message else 0
    with pytest.raises(DataError, match=rf"(?s)^{path}, line 2: .*{message}"):
        read_nbest([path], limit)


HALF = "\ud83d"


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"id": f"x{HALF}", "hyps": []}, '"id" contains'),
        ({"id": 1, "hyps": [], "src": HALF}, '"src" contains'),
        ({"id": 1, "hyps": [], "refs": ["r", f"{HALF}x"]}, '"refs" contains'),
        (
            {"id": 1, "hyps": [hypothesis("a", {"m": 1}), {"text": HALF}]},
            'hypothesis 2: "text" contains',
        ),
        (
            {"id": 1, "hyps": [hypothesis("a", {"m": 1}, **{f"lm{HALF}": 1.0})]},
            'hypothesis 1: "features" contains',
        ),
    ],
)
def test_half_a_character(tmp_path: Path, record: Any, message: str) -> None:
    path = written(tmp_path, [GOOD, record])
    message = rf"^{path}, line 2: {message} the unpaired surrogate \\ud83d; .*Write the whole"
    with pytest.raises(DataError, match=message):
        read_nbest([path])


def test_half_a_character_in_the_name_of_a_metric(tmp_path: Path) -> None:
    path = written(tmp_path, [{"id": 1, "hyps": [hypothesis("x", {HALF: 1})]}])
    message = rf'^{path}, line 1: hypothesis 1: "metrics" contains the unpaired surrogate \\ud83d;'
    with pytest.raises(DataError, match=message):
        read_nbest([path])
    path = written(tmp_path, [GOOD, {"id": 1, "hyps": [hypothesis("x", {"m": 1, HALF: 1})]}])
    with pytest.raises(DataError, match=r"the metric '\\ud83d' is missing in earlier hypotheses"):
        read_nbest([path])


def test_whole_characters_and_what_is_passed_over(tmp_path: Path) -> None:
    text = "\U0001f600 \\ud83d"
    record = {"id": 0, "note": HALF, "hyps": [hypothesis(text, None, **{"\U0001f600": 1.0})]}
    lists = read_nbest([written(tmp_path, [record])])
    assert "\\ud83d\\ude00" in (tmp_path / "list.jsonl").read_text()
    assert [text] == list(lists.texts)
    assert ("\U0001f600",) == lists.space.names


def test_a_group_beside_a_value(tmp_path: Path) -> None:
    (tmp_path / "moses").write_text("0 ||| c ||| T= 3 4 ||| 0\n")
    path = written(tmp_path, [{"id": 0, "hyps": [hypothesis("a", T=1)]}])
    message = rf"^{path}, line 1: 'T' has 1 value, but 2 in {tmp_path}/moses, line 1"
    with pytest.raises(DataError, match=message):
        read_nbest([tmp_path / "moses", path])


def test_metrics_in_some_lists_only(tmp_path: Path) -> None:
    (tmp_path / "moses").write_text("0 ||| c ||| lm= 3 ||| 0\n")
    path = written(tmp_path, [GOOD | {"id": 0}])
    with pytest.raises(
        DataError, match=r"moses, line 1: the metric 'm' is missing, unlike in earlier"
    ):
        read_nbest([path, tmp_path / "moses"])
    with pytest.raises(
        DataError, match=r"the metric 'm' is missing in earlier hypotheses \(first: .*mos"
    ):
        read_nbest([tmp_path / "moses", path])


def test_references_in_some_records_only(tmp_path: Path) -> None:
    path = written(tmp_path, [GOOD, {"id": "h", "hyps": [hypothesis("a", {"m": 1}, lm=1)]}])
    with pytest.raises(DataError, match="the record 'h' has no references, but other records do"):
        read_nbest([path])


def test_fewer_records_than_sentences(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="1 record; expected 3, one per sentence"):
        read_nbest([written(tmp_path, [GOOD])], 3)


def test_numbers_are_those_of_the_file(tmp_path: Path) -> None:
    values = [0.1, -1.23456789, 1e-30, 3, -0.0]
    features = {f"f{k}": value for k, value in enumerate(values)}
    lists = read_nbest([written(tmp_path, [{"id": 0, "hyps": [hypothesis("a", **features)]}])])
    np.testing.assert_array_equal(np.array(values, np.float32), lists.rows.values)
