"""Lists block by block: no more than a line at a time, their order, what each sentence takes."""

import gzip
import json
import tracemalloc
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from isogloss.align.errors import DataError, DataWarning
from isogloss.tune.nbest.reader import NBestReader
from isogloss.tune.nbest.types import read_nbest


def reader_of(**lists: Sequence[str]) -> NBestReader:
    """A reader of lists by name, each of some blocks of lines."""

    def blocks(name: str, longest: object) -> Iterator[bytes]:
        return (block.encode() for block in lists[name])

    return NBestReader(blocks=blocks)


def lines_of(*sentences: int) -> str:
    return "\n".join(f"{k} ||| a {number} ||| x= 1 ||| 0" for number, k in enumerate(sentences))


@pytest.mark.parametrize(
    "ids",
    [
        [[1, 0, 1]],
        [[0, 2, 1]],
        [[0, 0, 1, 1, 0]],
        [[0, 1], [2, 3, 2]],
        [[0, 2], [1, 3]],  # from one block to the next
        [[3], [2]],
    ],
)
def test_ids_that_fall_somewhere(ids: list[list[int]]) -> None:
    reader = reader_of(x=[lines_of(*block) for block in ids])
    with pytest.warns(
        DataWarning, match="^x: sentence ids are not sorted; they are grouped by id$"
    ) as told:
        parts = list(reader.blocks(["x"]))
    assert len(told) == 1
    assert ids == [part.sentences.tolist() for part in parts]


def test_ids_that_stay_or_rise_and_begin_anew_in_each_list() -> None:
    reader = reader_of(x=[lines_of(0, 0), lines_of(0, 2)], y=[lines_of(0), lines_of(1, 1, 2)])
    assert [[0, 0], [0, 2], [0], [1, 1, 2]] == [
        part.sentences.tolist() for part in reader.blocks(["x", "y"])
    ]


def test_bytes_that_the_hypotheses_of_a_sentence_take() -> None:
    """Those of the text, 12 of each entry and 128 of each hypothesis, of all blocks and lists."""
    record = {"id": "1", "hyps": [{"text": "abc", "features": {"x": 1.0, "s_y": 1.0, "s_z": 1.0}}]}
    reader = reader_of(
        x=[
            "0 ||| ab ||| x= 1 s_y= 2 ||| 0\n1 ||| é ||| x= 1 ||| 0",
            "1 |||  ||| x= 2 ||| 0",
        ],
        y=[json.dumps(record)],
    )
    assert [2, 1, 1] == [len(part) for part in reader.blocks(["x", "y"])]
    facts = reader.facts()
    assert facts.sizes == {0: 2 + 24 + 128, 1: (2 + 12 + 128) + (0 + 12 + 128) + (3 + 36 + 128)}
    assert facts.num_sentences == 2


@pytest.mark.parametrize(
    ("begin", "most"), [("0 ||| ", 1 << 24), ('\ufeff{"id": 0, "hyps": [{"text": "', 1 << 25)]
)
def test_a_line_of_a_small_archive_that_is_too_long(tmp_path: Path, begin: str, most: int) -> None:
    """200 KB of gz took 990 MB: no more of a line is read than a hypothesis, or a record, has."""
    with gzip.open(tmp_path / "list.gz", "wb", compresslevel=1) as stream:
        stream.write(begin.encode())
        for _ in range(200):
            stream.write(b"a " * (1 << 19))
    tracemalloc.start()
    with pytest.raises(DataError, match=rf"list.gz, line 1: the line is longer than {most} bytes"):
        read_nbest([tmp_path / "list.gz"])
    assert tracemalloc.get_traced_memory()[1] < 2 * most
    tracemalloc.stop()


def test_tabs_beside_separators(tmp_path: Path) -> None:
    (tmp_path / "list").write_text("0\t|||\ta b\t|||\tx= 1\ty= 2\t|||\t3\n")
    (sentence,) = read_nbest(tmp_path / "list")
    assert [(hyp.text, dict(hyp.features)) for hyp in sentence] == [("a b", {"x": 1.0, "y": 2.0})]


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        (
            "# target ||| features ||| source-covered\n3 2\n",
            "line 1: the file is a hypergraph of Moses",
        ),
        (
            '{"rules": [], "features": [], "edges": []}\n',
            "line 1: the record is a hypergraph, as of",
        ),
    ],
)
def test_hypergraphs_are_no_lists(tmp_path: Path, text: str, seen: str) -> None:
    (tmp_path / "list").write_text(text)
    with pytest.raises(
        DataError, match=rf"{seen}.*\. Pass the folder .* `isogloss tune --forests`"
    ):
        read_nbest(tmp_path / "list")
