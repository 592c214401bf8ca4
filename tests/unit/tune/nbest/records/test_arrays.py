"""Lists that are one JSON array, as pipelines of Hugging Face give them."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.align.errors import DataError
from isogloss.tune.nbest.records.arrays import ArrayReader
from isogloss.tune.nbest.records.fields import RecordFields
from isogloss.tune.nbest.types import NBest, parse_nbest, read_nbest

SINGLE = [{"translation_text": "x [y] {"}, {"translation_text": 'z " \\ \n w'}]
SEVERAL = [
    [{"generated_text": "a", "score": -1, "token": 3}, {"generated_text": "b", "score": -2}],
    [{"generated_text": "c", "score": -0.5}],
]


def read(folder: Path, text: str, *fields: str) -> NBest:
    (folder / "list").write_text(text, encoding="utf-8")
    return read_nbest([folder / "list"], fields=RecordFields.parse(fields))


def texts(lists: NBest) -> list[list[str]]:
    return [[hypothesis.text for hypothesis in hypotheses] for hypotheses in lists]


@pytest.mark.parametrize("indent", [None, 0, 2])
def test_what_pipelines_give(tmp_path: Path, indent: int | None) -> None:
    """On one line or on many; a text alone, or several of a sentence."""
    lists = read(tmp_path, json.dumps(SINGLE, indent=indent))
    assert texts(lists) == [["x [y] {"], ['z " \\   w']]
    lists = read(tmp_path, json.dumps(SEVERAL, indent=indent) + "\n")
    assert texts(lists) == [["a", "b"], ["c"]]
    assert len(lists.space) == 0
    lists = read(tmp_path, json.dumps(SEVERAL, indent=indent), "text=generated_text",
                 "features=score")  # fmt: skip
    assert lists.rows.values.tolist() == [-1, -2, -0.5]
    assert lists.space.names == ("score",)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[{"text": "a"}', "line 1: the array is truncated; expected [[{"),
        ('[{"text": "a"}\n{"text": "b"}]', "line 2: a comma between elements is missing"),
        ('[{"text": "a"}, 7, {"text": "b"}]', "line 1: there is ', 7,' between two elements"),
        ('[{"text": "a"}\n,]', "line 2: there is ',' between two elements"),
        ('[{"text": "a"}]\n{"text": "b"}', "line 2: "),
        ('[{"text": "a"}] b', "line 1: text follows the array"),
        ('[\n[{"target": "a"}]]', "line 2: a hypothesis has none of translation_text, generat"),
        ('[\n["a"]]', "line 2: a hypothesis has none of translation_text"),
        ('[{"text": 3}]', 'line 1: hypothesis 1: "text" is missing or not a string'),
        ('[{"text" "a"}]', "line 1: invalid JSON (Expecting ':' delimiter"),
        ("[]", "no hypothesis"),
    ],
)
def test_what_is_no_such_array(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(DataError, match=re.escape(said)):
        read(tmp_path, text)


objects = st.dictionaries(st.text(max_size=3), st.text(max_size=5) | st.integers(), max_size=3)


@given(
    st.lists(objects | st.lists(objects, max_size=3), max_size=4),
    st.sampled_from([None, 1]),
    st.integers(1, 40),
)
def test_elements_are_those_of_the_whole_array(
    elements: list[Any], indent: int | None, size: int
) -> None:
    """Wherever the lines are cut into blocks."""
    for element in elements:
        for hypothesis in element if isinstance(element, list) else [element]:
            hypothesis["text"] = json.dumps(hypothesis)
    lines = json.dumps(elements, indent=indent).split("\n")
    reader, records = ArrayReader("list"), []
    for begin in range(0, len(lines), size):
        records += list(reader.records("\n".join(lines[begin : begin + size]), begin + 1))
    reader.end(len(lines))
    assert [[hypothesis["text"] for hypothesis in record["hyps"]] for _, record in records] == [
        [hypothesis["text"] for hypothesis in (e if isinstance(e, list) else [e])] for e in elements
    ]
    assert [record["id"] for _, record in records] == list(range(len(elements)))


def test_a_text_in_place_of_a_file() -> None:
    assert texts(parse_nbest(json.dumps(SEVERAL), "answer")) == [["a", "b"], ["c"]]
    assert texts(parse_nbest("0 ||| a ||| LM= 1 ||| 1\r\n", "answer")) == [["a"]]
    with pytest.raises(DataError, match=r"answer, line 2: the line has 1 field"):
        parse_nbest("0 ||| a ||| LM= 1 ||| 1\nx", "answer")
