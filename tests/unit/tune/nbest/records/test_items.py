"""Lists without ids: each N lines, or records, are the hypotheses of a sentence."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isogloss.align.errors import DataError, DataWarning, OptionError, WrongTypeError
from isogloss.tune.nbest.records.fields import RecordFields
from isogloss.tune.nbest.types import NBest, read_nbest

BEAMS = "the cat\t-1.5\na cat\t-2\nyes\t-0.5\n\t-3\n"


def read(folder: Path, text: str, per_item: int, *fields: str) -> NBest:
    (folder / "list").write_text(text)
    return read_nbest([folder / "list"], fields=RecordFields.parse(fields, per_item))


def test_beams_of_nemo(tmp_path: Path) -> None:
    lists = read(tmp_path, BEAMS, 2)
    assert list(lists.texts) == ["the cat", "a cat", "yes", ""]
    assert lists.sentence_offsets.tolist() == [0, 2, 4]
    assert lists.space.names == ("score",)
    assert lists.rows.values.tolist() == [-1.5, -2, -0.5, -3]
    assert read_nbest(tmp_path / "list", fields={"per_item": 2}) == lists
    with pytest.warns(DataWarning, match="byte order mark|carriage return"):
        assert read(tmp_path, f"\ufeff{BEAMS}".replace("\n", "\r\n"), 2) == lists


def test_scores_first(tmp_path: Path) -> None:
    """As OpenNMT-tf and CTranslate2 write them; the first line decides."""
    lists = read(tmp_path, "-1.5 ||| the cat\n-2 ||| a ||| b\n-0.5 ||| yes\n-3e-1 ||| \n", 2)
    assert list(lists.texts) == ["the cat", "a ||| b", "yes", ""]
    assert lists.rows.values.tolist() == [-1.5, -2, -0.5, np.float32(-0.3)]
    with pytest.raises(DataError, match="list, line 2: the line has 0 scores instead of 1"):
        read(tmp_path, "-1 ||| a\nb\n", 2)
    with pytest.raises(DataError, match="list, line 2: 'b' is not a finite number"):
        read(tmp_path, "-1 ||| a\nb ||| c\n", 2)


def test_several_scores_and_their_names(tmp_path: Path) -> None:
    text = "a\t-1\t2\nb\t-3\t4\nc\t-5\t6\n"
    lists = read(tmp_path, text, 3)
    assert (len(lists), lists.space.names) == (1, ("score.0", "score.1"))
    assert read(tmp_path, text, 3, "features=am,lm").space.names == ("am", "lm")


def test_hypotheses_alone(tmp_path: Path) -> None:
    """Here | and a number are text."""
    lists = read(tmp_path, "a\n0 ||| b\n-1\nc\n", 2)
    assert list(lists.texts) == ["a", "0 ||| b", "-1", "c"]
    assert (lists.sentence_offsets.tolist(), len(lists.space)) == ([0, 2, 4], 0)


def test_two_lists_of_the_same_sentences(tmp_path: Path) -> None:
    (tmp_path / "one").write_text(BEAMS)
    (tmp_path / "two").write_text("no\t-1\nnever\t-4\n")
    fields = RecordFields.parse((), 1)
    lists = read_nbest([tmp_path / "one", tmp_path / "two"], fields=fields)
    assert lists.sentence_offsets.tolist() == [0, 2, 4, 5, 6]


RECORDS: list[dict[str, Any]] = [
    {"id": f"cmpl-{k}", "generated_text": text, "score": score}
    for k, (text, score) in enumerate([("a", -1), ("b", -2), ("c", -3), ("d", -4)])
]


@pytest.mark.parametrize("form", ["lines", "array"])
def test_records_of_hugging_face(tmp_path: Path, form: str) -> None:
    """With num_return_sequences=2, each hypothesis alone: ids are those of hypotheses."""
    text = json.dumps(RECORDS, indent=1)
    if form == "lines":
        text = "".join(f"{json.dumps(record)}\n" for record in RECORDS)
    lists = read(tmp_path, text, 2, "features=score")
    assert list(lists.texts) == ["a", "b", "c", "d"]
    assert lists.sentence_offsets.tolist() == [0, 2, 4]
    assert lists.rows.values.tolist() == [-1, -2, -3, -4]


def test_choices_of_a_batch_of_vllm(tmp_path: Path) -> None:
    """Ids of requests, and texts below keys of keys; no number of lines is needed."""
    records = [
        {"id": f"vllm-{k}", "custom_id": f"request-{k}", "response": {"body": {"choices": [
            {"index": n, "message": {"role": "assistant", "content": f"{k} {n}"}, "logprob": -n}
            for n in range(2)
        ]}}}
        for k in range(2)
    ]  # fmt: skip
    (tmp_path / "list").write_text("".join(f"{json.dumps(record)}\n" for record in records))
    fields = ("id=custom_id", "hyps=response.body.choices", "text=message.content")
    found = read_nbest(
        [tmp_path / "list"], fields=RecordFields.parse([*fields, "features=logprob"])
    )
    assert list(found.texts) == ["0 0", "0 1", "1 0", "1 1"]
    assert found.names == ("request-0", "request-1")


def test_outputs_of_vllm(tmp_path: Path) -> None:
    """Without ids, a record is a sentence."""
    records = [
        {"prompt": f"p{k}", "outputs": [{"text": f"{k} {n}", "cumulative_logprob": -n}
                                        for n in range(2)]}
        for k in range(2)
    ]  # fmt: skip
    (tmp_path / "list").write_text("".join(f"{json.dumps(record)}\n" for record in records))
    fields = {"src": "prompt", "hyps": "outputs", "features": "cumulative_logprob"}
    found = read_nbest(tmp_path / "list", fields=fields)
    assert list(found.texts) == ["0 0", "0 1", "1 0", "1 1"]
    assert found.sentence_offsets.tolist() == [0, 2, 4]
    assert list(found.sources or ()) == ["p0", "p1"]
    assert found.rows.values.tolist() == [0, -1, 0, -1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\t-1\nb\t-2\nc\t-3\n", "list: the file has 3 lines; expected a multiple of 2, the number"
         " of hypotheses of each sentence. Check that the file is complete, and"),
        ("a\t-1\nb\n", "list, line 2: the line has 0 scores instead of 1; expected a hypothesis"),
        ("a\t-1\nb\tx\n", "list, line 2: 'x' is not a finite number; expected a hypothesis and"),
        ('{"text": "a"}\n{"text": "b"}\n{"text": "c"}\n', "list: the file has 3 lines; expected"),
        ('[{"text": "a"},\n{"text": "b"},\n{"text": "c"}]\n', "list: the file has 3 elements; exp"),
    ],
)  # fmt: skip
def test_what_cannot_be_read(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read(tmp_path, text, 2)


def test_numbers_that_are_none(tmp_path: Path) -> None:
    (tmp_path / "list").write_text(BEAMS)
    with pytest.raises(WrongTypeError, match=r"fields\['per_item'\] must be a number of lines per"):
        read_nbest(tmp_path / "list", fields={"per_item": "2"})
    with pytest.raises(OptionError, match=r"fields\['per_item'\] must be at least 0"):
        read_nbest(tmp_path / "list", fields={"per_item": -2})
