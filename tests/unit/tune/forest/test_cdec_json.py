"""cdec's JSON of forests."""

import gzip
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.align.errors import DataError, UsageError
from isogloss.tune.forest.cdec_json import cdec_text, read_cdec
from isogloss.tune.forest.inference import k_best
from tests.naive import forest as naive

TEXT = """{"rules":[1,"[X] ||| das haus ||| the house",2,"[S] ||| [X,1] ist ||| [1] is ||| LM=2"],
"features":["LM","WT_a"],
"edges":[{"tail":null,"spans":[0,2,-1,-1],"feats":[0,-1.5,1,1],"rule":1},
{"feats":["TM",2],"rule":"[X] ||| das haus ||| house"}],
"node":{"in_edges":[0,1],"cat":"X"},
"edges":[{"tail":[0],"feats":[0,-3],"rule":2},{"tail":[0]}],"node":{"in_edges":[2,3]}}
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "0.json"
    path.write_text(text, encoding="utf-8")
    return path


def test_what_stands_in_the_file(tmp_path: Path) -> None:
    (tmp_path / "0.json.gz").write_bytes(gzip.compress(TEXT.encode()))
    graph = read_cdec(tmp_path / "0.json.gz")
    assert list(graph.space.names) == ["LM", "TM", "WT_a"]
    assert (graph.num_nodes, graph.num_edges, graph.covered.tolist()) == (2, 4, [2, 2, 1, 0])
    best = k_best(graph, graph.scores(np.array([1.0, 10.0, 2.0])), 9)
    assert best.scores.tolist() == [20.0, 17.0, 0.5, -2.5]
    texts = [" ".join(best.text(graph, k)) for k in range(4)]
    assert texts == ["house", "house is", "the house", "the house is"]


@settings(max_examples=40)
@given(st.integers(0, 10**6))
def test_what_is_written_is_read_again(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    graph = naive.random_graph(np.random.default_rng(seed), nodes=4, longest=3)
    again = read_cdec(written(tmp_path_factory.mktemp("cdec"), cdec_text(graph)))
    for name in ("edge_offsets", "tail_offsets", "tails", "item_offsets", "covered"):
        np.testing.assert_array_equal(getattr(again, name), getattr(graph, name))
    assert list(again.space.names) == list(graph.space.names)
    assert again.rows == graph.rows
    texts = [[one.text for one in naive.derivations(each)] for each in (graph, again)]
    assert texts[0] == texts[1]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('{"rules"', '["rules"', "0.json.*: invalid JSON"),
        (TEXT, "[1, 2]", r"0.json: the text is .*; expected an object"),
        ('"features"', '"feature"', "the key 'feature' is unknown; expected rules, features,"),
        ('[1,"[X]', '["x","[X]', "the rule 'x', .* is malformed; expected a number and a string"),
        ('"[X] ||| das haus ||| the house"', '"das haus"', r"the rule 'das haus' is malformed;"),
        (' is ||| LM=2"]', ' is",3]', "the rule 3 has no string; expected alternating"),
        ('["LM","WT_a"]', '["LM","W T"]', "the feature name 'W T' is invalid; expected a"),
        ('"feats":[0,-3]', '"feats":[7,-3]', "edge 2 has the unknown feature 7; expected a name,"),
        ('"feats":[0,-3]', '"feats":[0,1e39]', "edge 2 has the feature value 1e[+]?39; expected"),
        ('"feats":[0,-3]', '"feats":[0,true]', "edge 2 has the feature value .*; expected a"),
        ('"feats":[0,-3]', '"feats":[0]', "the last feature of edge 2 has no value; expected"),
        ('"tail":[0],"feats"', '"tail":[1],"feats"', "edge 2 has the tail 1; expected the number"),
        ('"tail":[0],"feats"', '"tail":{},"feats"', "edge 2.*must have each of its 0 tails once"),
        ('"tail":[0],"feats"', '"tail":5,"feats"', "tails of edge 2 is 5; expected a list"),
        ('"rule":2', '"rule":9', "edge 2 has the unknown rule 9; expected a rule of"),
        ('"rule":2', '"role":2', "edge 2 has the unknown key 'role'; expected tail"),
        ('[2,3]}}', '[2]}}', "edge 3 belongs to no node; expected each edge in the in_edges"),
        ('[2,3]}}', '[2,1]}}', "node 1 has the edge 1; expected the numbers of earlier"),
        ('[2,3]}}', '[]}}', "node 1 has no edge; expected at least one in in_edges"),
        ("[1] is", "[2] is", "must have each of its 1 tails once"),
    ],
)  # fmt: skip
def test_bad_files_say_what_is_wrong(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in TEXT
    with pytest.raises(DataError, match=message):
        read_cdec(written(tmp_path, TEXT.replace(old, new, 1)))


def test_words_that_look_like_tails_cannot_be_written() -> None:
    for word in ("[3]", "[X,1]", "|||"):
        graph = naive.build(
            [0, 1], [([], [0], [])], lambda columns, w=word: columns.update(words=(w, "b"))
        )
        with pytest.raises(
            UsageError, match=r"the word .* cannot be written in the text of a cdec forest"
        ):
            cdec_text(graph)
