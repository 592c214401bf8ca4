"""Scripture Burrito alignments: in every form of the specification, refused, and written."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isogloss.align.errors import DataError, DataWarning
from isogloss.align.files.text_io import read_lines
from isogloss.align.files.writers import write_lines
from isogloss.align.links.formats.burrito import (
    TokenIds,
    burrito_keys,
    burrito_records,
    read_token_ids,
)
from isogloss.align.links.formats.gold_formats import framed
from isogloss.align.links.formats.tables import lines_of_links
from isogloss.align.links.gold_links import GoldLinks
from isogloss.align.links.links import Links

SOURCE = ["n1 n2", "", "n3"]
TARGET = ["t1 t2", "t3", "t4 t5"]
RECORDS = [{"source": ["n1", "n2"], "target": ["t2"]}, {"source": ["n3"], "target": ["t4", "t5"]}]
REFERENCES = [{"references": [record["source"], record["target"]]} for record in RECORDS]
LINKS = Links.from_pairs([[(0, 1), (1, 1)], [], [(0, 0), (0, 1)]])


@pytest.fixture
def ids(tmp_path: Path) -> tuple[TokenIds, TokenIds]:
    write_lines(SOURCE, tmp_path / "src.ids")
    write_lines(TARGET, tmp_path / "tgt.ids.gz")
    return TokenIds(tmp_path / "src.ids"), TokenIds(tmp_path / "tgt.ids.gz")


def read(content: Any, ids: tuple[TokenIds, TokenIds]) -> Links:
    path = Path(ids[0].path).parent / "x.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content, indent=1))
    keys = burrito_keys(read_lines(path), path, ids)
    return Links.from_keys(np.array(keys, np.int64), len(SOURCE))


@pytest.mark.parametrize(
    "content",
    [
        {"type": "translation", "meta": {"creator": "x"}, "records": RECORDS},
        {"format": "alignment", "version": "0.3", "records": RECORDS},
        {"groups": [{"roles": ["source", "target"], "records": REFERENCES}]},
        {"groups": [{"records": RECORDS[:1]}, {"records": REFERENCES[1:]}]},
        {
            "roles": ["target", "source"],
            "records": [{"references": record["references"][::-1]} for record in REFERENCES],
        },
        {
            "records": [
                {
                    role: {"scheme": "BCVWP", "docid": "X", "selectors": selectors}
                    for role, selectors in record.items()
                }
                for record in RECORDS
            ]
        },
        {
            "records": [
                *({**record, "meta": {"status": "needsReview"}} for record in RECORDS),
                {"source": ["n1"], "target": ["t1"], "meta": {"status": "rejected"}},
                {"source": ["n1"], "target": []},
                {"source": [], "target": ["t1"]},
            ]
        },
    ],
)
def test_forms_of_records(content: Any, ids: tuple[TokenIds, TokenIds]) -> None:
    assert read(content, ids) == LINKS


def test_tokens_of_other_lines(ids: tuple[TokenIds, TokenIds]) -> None:
    records = [*RECORDS, {"source": ["n2", "n9"], "target": ["t3"]}]
    with pytest.warns(DataWarning) as caught:
        assert read({"records": records}, ids) == LINKS
    told = [str(warning.message).partition("x.json: ")[2] for warning in caught]
    assert told == [
        "1 token id is in no line of ids (first: 'n9'); links of these tokens are omitted",
        "1 record links tokens of different lines; these links are omitted",
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", r"x.json: invalid JSON \(.*\)\. Export the alignment again"),
        ([], 'the JSON has no groups of records; expected an object with "records" or "groups"'),
        ({"groups": []}, "the JSON has no groups of records"),
        ({"groups": [1]}, "the JSON has no list of records"),
        ({}, "the JSON has no list of records; expected .*. Export the alignment as Scripture Bu"),
        ({"records": [], "roles": ["from", "to"]}, r"the roles are \['from', .*; expected source"),
        ({"records": [7]}, "record 1 is 7; expected an object"),
        ({"records": [*RECORDS, {}]}, "source or target of record 3 is None; expected a list of t"),
        ({"records": [{"source": "n1", "target": ["t1"]}]}, "target of record 1 is 'n1'; expected"),
        ({"records": [{"source": [1], "target": ["t1"]}]}, r"of record 1 is \[1\]; expected a li"),
        ({"records": [{"references": [["n1"]]}]}, "the references of record 1 are .* a list of t"),
        (
            {"records": [{"source": ["410040030011"], "target": ["410040030011"]}]},
            r"no token id of a source is known \(first: '410040030011'\); expected ids of .*src",
        ),
        (
            {"records": [{"source": ["n1"], "target": ["n2"]}]},
            r"no token id of a target is known \(first: 'n2'\); expected ids of .*\. Pass the ids",
        ),
    ],
)
def test_other_shapes(content: Any, message: str, ids: tuple[TokenIds, TokenIds]) -> None:
    with pytest.raises(DataError, match=message):
        read(content, ids)


def test_json_on_one_long_line(ids: tuple[TokenIds, TokenIds], tmp_path: Path) -> None:
    """Other lines have at most 16 MB, but programs write all records on one line."""
    content = {"meta": {"note": "x" * (1 << 24)}, "records": RECORDS}
    (tmp_path / "x.json").write_text(json.dumps(content))
    files = ids[0].path, ids[1].path
    assert Links.load(tmp_path / "x.json", ids=files) == LINKS
    assert GoldLinks.load(tmp_path / "x.json", ids=files).sure == LINKS
    assert list(lines_of_links(tmp_path / "x.json")) == [json.dumps(content)]


def test_ids_that_are_no_ids(tmp_path: Path) -> None:
    write_lines(["n1", "n2 n1"], tmp_path / "x")
    with pytest.raises(
        DataError,
        match=r"x, line 2: the token id 'n1' occurs twice; expected ids .* the first is on line 1",
    ):
        TokenIds(tmp_path / "x")


def test_lines_of_ids_that_are_too_long(tmp_path: Path) -> None:
    write_lines([" ".join(map(str, range(65537)))], tmp_path / "x")
    with pytest.raises(
        DataError, match=r"x, line 1: the line has 65537 token ids; expected at most 65536, as link"
    ):
        TokenIds(tmp_path / "x")


def test_ids_of_texts_that_differ(ids: tuple[TokenIds, TokenIds], tmp_path: Path) -> None:
    write_lines(SOURCE[:2], tmp_path / "short")
    message = r"tgt.ids.gz: the file has 3 lines of token ids, but .*short has 2; expected one line"
    with pytest.raises(DataError, match=message):
        read_token_ids(tmp_path / "short", ids[1].path)


def test_records_are_written(ids: tuple[TokenIds, TokenIds]) -> None:
    """Words with the same links are one record."""
    lines = list(framed("burrito", burrito_records(LINKS, ids, "manual")))
    content = json.loads("\n".join(lines))
    assert content.pop("records") == [
        {**record, "meta": {"id": number, "origin": "manual", "status": "created"}}
        for record, number in zip(RECORDS, ("1.001", "3.001"), strict=True)
    ]
    assert content == {
        "meta": {"conformsTo": "0.3", "creator": "isogloss"},
        "roles": ["source", "target"],
        "type": "translation",
    }
    assert len(lines) == 4
    empty = list(framed("burrito", burrito_records([[], [], []], ids, "manual")))
    assert json.loads("".join(empty))["records"] == []


def test_links_outside_of_the_ids(ids: tuple[TokenIds, TokenIds]) -> None:
    with pytest.raises(
        DataError, match=r"src.ids, line 2: link 0-0 is out of range: .* 0 source w"
    ):
        list(burrito_records([[], [(0, 0)], []], ids, "manual"))
    with pytest.raises(DataError, match=r"line 4: link 0-0 is out of range: .* 0 source words"):
        list(burrito_records([[(0, 0)]], ids, "manual", first=3))
