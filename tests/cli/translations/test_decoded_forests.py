"""`isogloss decode --forests`: the forests of sentences, beside the other outputs."""

import json
from pathlib import Path

import numpy as np
import pytest

from isogloss import program
from isogloss.tune import Weights, read_forests
from tests.cli.translations.test_decode import MODELS, decoded, system
from tests.naive import forest as naive
from tests.unit.tune.forest.test_store import same

__all__ = ["system"]

TEXT = "a b\n\nodd b a b\na\n" * 5
WEIGHTS = "LM0 0.5\nDistortion0 0.3\nWordPenalty0 -1\nPhrasePenalty0 0.2\nUnknownWordPenalty0 1\n"
WEIGHTS += "".join(f"{name} 0.2\n" for name in ("p(f|e)", "lex(f|e)", "p(e|f)", "lex(e|f)"))


def listed(file: str) -> dict[int, list[tuple[str, float]]]:
    lists: dict[int, list[tuple[str, float]]] = {}
    for line in Path(file).read_text().splitlines():
        number, text, _, score = line.split(" ||| ")
        lists.setdefault(int(number), []).append((text, float(score)))
    return lists


def test_forests_hold_the_lists_for_any_number_of_threads(system: Path) -> None:
    Path("w").write_text(WEIGHTS)
    for threads in ("1", "2"):
        more = ["--weights", "w", "--forests", f"forests{threads}", "--n-best", "list:9"]
        status, lines = decoded(TEXT, *MODELS, *more, "-q", "--threads", threads)
        assert (status, len(lines)) == (0, 21)
    files = sorted(path.name for path in Path("forests1").iterdir())
    for file in files:
        assert Path("forests1", file).read_bytes() == Path("forests2", file).read_bytes()
    forests = read_forests("forests1")
    weights = Weights.load("w").to_space(forests.space).values
    assert len(forests) == 20
    for number, expected in listed("list").items():
        graph = forests[number]
        scores = graph.scores(weights)
        best: dict[str, float] = {}
        for one in naive.derivations(graph):
            text = " ".join(one.text)
            best[text] = max(best.get(text, -np.inf), one.total(scores))
        for text, score in expected:
            assert best[text] == pytest.approx(score, abs=1e-3)
        assert len(expected) == min(9, len(best))
        assert sorted(best.values())[-len(expected)] > expected[-1][1] - 1e-3


def test_forests_under_the_names_of_a_moses_ini(
    system: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In our folder and in Moses's files, whose numbers have fewer digits, pruned."""
    outputs = ["--forests", "f", "-output-search-graph-hypergraph", "true", "gz", "h"]
    assert decoded(TEXT, "-f", "moses.ini", "-q", *outputs)[0] == 0
    forests, texts = read_forests("f"), read_forests("h")
    names = ["TM.0", "Order.2", "LM", "WordPenalty0", "UnknownWordPenalty0"]
    assert {*names} <= {*forests.space}
    assert sorted(path.name for path in Path("h").iterdir())[:2] == ["0.gz", "1.gz"]
    assert len(forests) == len(texts) == 20
    for one, other in zip(forests, texts, strict=True):
        assert (one.num_nodes, one.num_edges) == (other.num_nodes, other.num_edges)
        assert one.covered.tolist() == other.covered.tolist()
        assert [one.space.names[k] for k in one.rows.ids] == [
            other.space.names[k] for k in other.rows.ids
        ]
        np.testing.assert_allclose(one.rows.values, other.rows.values, rtol=1e-6)
    assert decoded(TEXT, "-f", "moses.ini", "-q", *outputs[2:])[0] == 1
    assert "h exists; choose another folder or pass --overwrite" in capsys.readouterr().err
    section = "\n[output-search-graph-hypergraph]\ntrue\ntxt\n"
    for name, status in (("h", 2), ("n\0", 2), ("../h", 2), ("new", 0)):
        Path("own.ini").write_text(Path("moses.ini").read_text() + section + name)
        assert decoded("a b\n", "-f", "own.ini", "-q")[0] == status
    assert "own.ini names the output ../h, which is not a new file" in capsys.readouterr().err
    assert [path.name for path in Path("new").iterdir()] == ["0.txt"]
    few = ["--overwrite", "--forest-density", "1", *outputs]
    assert decoded(TEXT, "-f", "moses.ini", "-q", *few)[0] == 0
    pruned = read_forests("f")
    assert [graph.num_edges for graph in read_forests("h")] == [one.num_edges for one in pruned]
    assert pruned[0].num_edges < forests[0].num_edges
    assert same(pruned[1], forests[1])
    capsys.readouterr()
    assert program.main(["check", "f", "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert (figures["sentences"], figures["forests"], figures["checksums"]) == (20, 20, True)
    assert figures["edges"] == sum(graph.num_edges for graph in pruned)
    assert program.main(["check", "h", "--json"]) == 0
    names = ["sentences", "forests", "nodes", "edges", "feature_names"]
    assert json.loads(capsys.readouterr().out) == {name: figures[name] for name in names}
    assert program.main(["check", "h", "-q"]) == 0
    assert capsys.readouterr().out.split()[:3] == ["Forests", "sentences", "20"]
    assert program.main(["check", "h/3.gz", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["edges"] == read_forests("h")[3].num_edges
    Path("h/3.gz").write_bytes(Path("h/3.gz").read_bytes()[:50])
    assert program.main(["check", "h", "-q"]) == 1
    assert "h/3.gz" in capsys.readouterr().err


def test_sentences_without_a_translation_have_an_empty_place(
    system: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("references").write_text("nothing of it\nodd\nx\n")
    outputs = ["--constraint", "references", "--forests", "f", "--hypergraphs", "true", "txt", "h"]
    assert decoded("a b\nodd\na\n", *MODELS, *outputs)[0] == 0
    assert (
        "1 of 3 sentences has no translation that meets the requirements" in capsys.readouterr().err
    )
    assert read_forests("f").lacking.tolist() == [0]
    assert sorted(path.name for path in Path("h").iterdir()) == ["1.txt", "2.txt"]
    with pytest.warns(UserWarning, match=r"1 sentence has no forest \(first: 0\)"):
        assert read_forests("h").found.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("text", "options", "status", "message"),
    [
        ("a\n", ["--forests", "there"], 1, "there is not a folder of forests, so it is not"),
        ("a\n", ["--forests", "w", "--overwrite"], 1, "w is not a folder of forests, so it is"),
        ("a\n", ["--forest-density", "2"], 2, "--forest-density has no effect without forests"),
        ("a\n", ["--forests", "f", "--forest-density", "0.5"], 2,
            "--forest-density must be at least 1, got 0.5"),
        ("a\n", ["--hypergraphs", "true", "gz"], 2,
            "--hypergraphs must be true txt|gz|bz2 DIR, got 'true gz'"
        ),
        ("a\n", ["--hypergraphs", "true", "gz", "w"], 1, "w is not a folder and is not replaced"),
        ("a\n", ["--hypergraphs", "true", "xz", "h"], 2, "must be true txt|gz|bz2 DIR"),
        ("a\n", ["--hypergraphs", "true", "gz", "there"], 1, "there contains mine, which is"),
        ("a\n", ["--hypergraphs", "true", "gz", "f", "--forests", "f"], 2, "f is used for two out"),
        ("a\n[3]\n", ["--hypergraphs", "true", "gz", "f"], 1, "in, line 2: the word '[3]' cannot"),
    ],
)  # fmt: skip
def test_folders_that_cannot_be_written(
    system: Path,
    capsys: pytest.CaptureFixture[str],
    text: str,
    options: list[str],
    status: int,
    message: str,
) -> None:
    Path("there").mkdir()
    Path("there", "mine").write_text("mine\n")
    if "there" in options:
        options = [*options, "--overwrite"]
    assert decoded(text, *MODELS, *options)[0] == status
    assert message in capsys.readouterr().err
    assert not Path("out").exists()
    assert not Path("f").exists()
    assert [path.name for path in Path("there").iterdir()] == ["mine"]
