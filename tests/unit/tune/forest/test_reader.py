"""Forests of many sentences from files of other programs."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from isogloss.align.errors import DataError, DataWarning
from isogloss.align.files.writers import write_lines
from isogloss.tune import Hypergraph, read_forests
from isogloss.tune.forest.cdec_json import cdec_text, parse_cdec, read_cdec
from isogloss.tune.forest.forests import Forests
from isogloss.tune.forest.moses_text import read_moses
from isogloss.tune.forest.reader import store_forests
from tests.naive import forest as naive
from tests.naive.forest import MOSES_TEXT
from tests.unit.tune.forest.test_store import same, write

ANOTHER = MOSES_TEXT.replace("LM0", "LM1").replace("WT_x", "WT_new")


def graphs() -> list[Hypergraph]:
    rng = np.random.default_rng(5)
    written = [cdec_text(naive.random_graph(rng, nodes=nodes)) for nodes in (2, 4, 3)]
    return [*map(parse_cdec, written)]


def check(path: Path, expected: list[Hypergraph | None]) -> Forests:
    """What is read is expected, and is the same when it was stored in between."""
    read = read_forests(path)
    folder = path.with_name("stored")
    store_forests(path, folder, overwrite=True)
    for forests in (read, read_forests(folder)):
        assert forests.found.tolist() == [k for k, graph in enumerate(expected) if graph]
        found = forests.select(forests.found)
        assert all(map(same, found, filter(None, expected)))
        assert all(graph.space is forests.space for graph in found)
        assert sorted(forests.space) == sorted(read.space)
    return read


def test_a_folder_of_files(tmp_path: Path) -> None:
    """Moses's and cdec's, compressed or not; one sentence has none, one's space is another."""
    folder = tmp_path / "hypergraph"
    for name, text in (("0.txt", MOSES_TEXT), ("10.gz", ANOTHER), ("weights", "LM0= 1\n")):
        write_lines([text.rstrip("\n")], folder / name)
    (folder / "2.json").write_text(cdec_text(graphs()[1]))
    (folder / ".hidden").write_text("x")
    expected: list[Hypergraph | None] = [None] * 11
    expected[0], expected[10] = read_moses(folder / "0.txt"), read_moses(folder / "10.gz")
    expected[2] = read_cdec(folder / "2.json")
    with pytest.warns(DataWarning, match=r"8 sentences have no forest \(first: 1\)"):
        forests = check(folder, expected)
    names = ["TM0.0", "TM0.1", "LM0", "TM0", "LM1", "WT_du~the", "WT_x", "PT_a", "PT_b", "WT_new"]
    assert list(forests.space) == names
    with pytest.raises(DataError, match="hypergraph: sentence 1 has no forest"):
        forests[1]


@pytest.mark.parametrize("name", ["lines.json", "lines.jsonl.gz"])
def test_a_forest_per_line(tmp_path: Path, name: str) -> None:
    for count in (1, 3):
        write_lines(map(cdec_text, graphs()[:count]), tmp_path / name)
        check(tmp_path / name, [*graphs()[:count]])


def test_empty_lines_are_sentences_without_a_forest(tmp_path: Path) -> None:
    first, second = map(cdec_text, graphs()[:2])
    write_lines([first, "", second, ""], tmp_path / "lines.json")
    with pytest.warns(DataWarning, match=r"1 sentence has no forest \(first: 1\)"):
        check(tmp_path / "lines.json", [graphs()[0], None, graphs()[1]])


def test_a_file_of_one_forest(tmp_path: Path) -> None:
    (tmp_path / "0.json").write_text(cdec_text(graphs()[1]).replace(',"', ',\n"'))
    check(tmp_path / "0.json", [graphs()[1]])
    (tmp_path / "0.gz").write_bytes(gzip.compress(MOSES_TEXT.encode()))
    check(tmp_path / "0.gz", [read_moses(tmp_path / "0.gz")])


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ([], "f: the folder is empty; expected files named by the number"),
        (["weights", ".x"], "f: the folder is empty; expected files named by the number"),
        (["x.gz"], "f: the folder contains 'x.gz'; expected files named by"),
        (["0.gz", "01.gz"], "f: the folder contains '01.gz'; expected files named by"),
        (["0.gz/y"], "f: the folder contains '0.gz'; expected files named by"),
        (
            ["0.gz", "0.txt"],
            r"f: 0.gz and 0.txt belong to the same sentence; expected one file per sentence",
        ),
        (["0.gz", "1201"], "f: the folder has a file for sentence 1201, but only 2 files"),
    ],
)
def test_folders_of_something_else(tmp_path: Path, names: list[str], message: str) -> None:
    (tmp_path / "f").mkdir()
    for name in names:
        write_lines(["x"], tmp_path / "f" / name)
    with pytest.raises(DataError, match=message):
        read_forests(tmp_path / "f")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("f/0.txt", MOSES_TEXT.replace("[0] of", "[1] of"), "0.txt, line 9: an edge of node 1"),
        ("f/1.json", '{"node":{"in_edges":[0]}}', "1.json: node 0 has the edge 0; expected"),
        ("f", "{}\n{}\n", "f, line 1: a hypergraph needs at least one node, the goal"),
        ("f", '{"nodes":1}\n', "f, line 1: the key 'nodes' is unknown; expected rules"),
        ("f", "{}\n\n{}\n", "f, line 1: a hypergraph needs at least one node"),
        ("f", "{\n}\n", "f: a hypergraph needs at least one node, the goal"),
        ("f", "", "f, line .*: the file is truncated; expected # target"),
        ("f", "0 ||| x\n", "f, line 1: the title is '0 |||"),
    ],
)  # fmt: skip
def test_bad_files_are_named(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text(text)
    with pytest.raises(DataError, match=message.replace("|", "[|]")):
        read_forests(tmp_path / "f")
    with pytest.raises(DataError):
        store_forests(tmp_path / "f", tmp_path / "stored")
    assert not (tmp_path / "stored").exists()


def test_a_later_line_is_named(tmp_path: Path) -> None:
    lines = [*map(cdec_text, graphs()), "x", cdec_text(graphs()[0])]
    write_lines(lines, tmp_path / "f")
    with pytest.raises(DataError, match="f, line 4: invalid JSON"):
        read_forests(tmp_path / "f")
    lines[3] = lines[1].replace('"tail": []', '"tail": [3]', 1)
    write_lines(lines, tmp_path / "f")
    with pytest.raises(
        DataError, match=r"f, line 4: edge .* has the tail 3; expected the number of"
    ):
        read_forests(tmp_path / "f")


def test_what_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(
        DataError, match="standard input: the file is a pipe or device; expected a regular file"
    ):
        read_forests("-")
    with pytest.raises(DataError, match="nothing"):
        read_forests(tmp_path / "nothing")


def test_moses_own_hypergraph(shared_data: Path, tmp_path: Path) -> None:
    one = read_moses(shared_data / "nbest" / "hypergraph-sparse.hg.gz")
    forests = read_forests(shared_data / "nbest" / "hypergraph-sparse.hg.gz")
    assert len(forests) == 1
    assert same(forests[0], one)
    assert same(read_forests(write(tmp_path / "stored", [one]))[0], one)
