"""What bins weigh where weights are those of the scores that they stand for."""

from pathlib import Path

import pytest

from isogloss import program
from tune.weights.weights import Weights

from .test_decoder_loops import made_in, make


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return made_in(tmp_path / "work", make, monkeypatch)


def test_bins_begin_with_the_weight_of_their_score(work: Path) -> None:
    """Where each value is a bin of its own all scores are the same, by any weights."""
    options = ["--discretize", "p(f|e):4", "--discretize", "p(e|f):1"]
    assert program.main(["features", "table", "-o", "bins.gz", *options, "-q"]) == 0
    models = ("--lm", "lm", "--threads", "1", "-q")
    given = Weights.from_dict({"LM0": 1.0, "p(f|e)": -0.3, "lex(f|e)": 0.1, "p(e|f)": 0.1})
    given.write("own.json")
    lists = []
    for table in ("table", "bins.gz"):
        for weights in ([], ["--weights", "own.json"]):
            output = f"{len(lists)}.list"
            decode = ["decode", "dev", "--phrase-table", table, *models, *weights]
            assert program.main([*decode, "-o", "out", "--n-best", f"{output}:9"]) == 0
            hypotheses = [line.split(" ||| ") for line in Path(output).read_text().splitlines()]
            lists.append([float(fields[3].split()[0]) for fields in hypotheses])
    assert lists[0] == pytest.approx(lists[2], abs=1e-3)
    assert lists[1] == pytest.approx(lists[3], abs=1e-3)
    assert lists[0] != lists[1]
