"""Types that hold arrays: equal by content, picklable, copied, and short to print."""

import pickle
from collections.abc import Callable
from copy import copy, deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isogloss.features import Binning, Dictionary, PhraseTable
from isogloss.tune import Decoder, Examples, Hypergraph, NBest, References, TuningResult, Weights
from isogloss.tune.forest.hypergraph import Edge
from isogloss.tune.nbest.types import parse_nbest
from isogloss.tune.results import Epoch
from tests.unit.tune.decoder.test_language_model import random_model

RECORD = '{"id": %d, "refs": ["a"], "hyps": [{"text": "a b", "features": {"LM0": %d}, %s}]}'


def table(tmp_path: Path, score: float) -> PhraseTable:
    path = tmp_path / f"table{score}"
    rules = [f"a ||| x ||| {score} 0.5 0.5 0.5 ||| 0-0", "a b ||| y z ||| 0.5 0.5 0.5 0.5 ||| 0-1"]
    path.write_text("".join(f"{rule}\n" for rule in rules))
    return PhraseTable.load(path)


def nbest(value: int) -> NBest:
    metrics = f'"metrics": {{"m": {value}}}'
    return parse_nbest("\n".join(RECORD % (k, value, metrics) for k in range(3)), "lists")


def references(word: str) -> References:
    return References.from_texts([[word, "a cat"], ["b"]])


def hypergraph(value: float) -> Hypergraph:
    edges = [Edge([], [0, 1], [(0, value)], 1), Edge([], [1], [(1, 2.0)], 1)]
    return Hypergraph.from_edges([edges], ["x", "y"], ["LM0", "PT_a"])


def result(score: float) -> TuningResult:
    epochs = (Epoch(0, 1.5, 10.0, 1, 9.0), Epoch(1, 0.5, score, 2, 9.5))
    return TuningResult(Weights.from_dict({"LM0": 0.5}), 1, epochs, metric="bleu")


def binning(tmp_path: Path, score: float) -> Binning:
    return Binning.fit([table(tmp_path, score)], ["p(f|e):1"])


def dictionary(count: float) -> Dictionary:
    phrases = references("x").texts
    from isogloss.align.text.corpus import Corpus

    side = Corpus.from_sentences([text.split() for text in phrases])
    counts = np.full((len(side), 2), count)
    sizes = np.array([90.0, 40.0])
    return Dictionary(side, side, counts, counts, counts, np.full(3, 0.5), sizes, ("law",))


MAKERS: dict[str, Callable[[Path, int], Any]] = {
    "NBest": lambda folder, k: nbest(k),
    "References": lambda folder, k: references("ab"[k - 1]),
    "Weights": lambda folder, k: Weights.from_dict({"LM0": k, "PT_a": 0.5}),
    "PhraseTable": lambda folder, k: table(folder, k / 4),
    "Hypergraph": lambda folder, k: hypergraph(float(k)),
    "TuningResult": lambda folder, k: result(float(k)),
    "Examples": lambda folder, k: Examples.from_nbest(nbest(k), None, "ter"),
    "Binning": lambda folder, k: binning(folder, k / 4),
    "Dictionary": lambda folder, k: dictionary(float(k)),
    "Derivations": lambda folder, k: Decoder(table(folder, k / 4), random_model(0, 2)).nbest(
        ["a", "b"], {"LM0": 1.0, "p(f|e)": 1.0}, 5
    ),
}


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_equal_by_content(tmp_path: Path, make: Callable[[Path, int], Any]) -> None:
    value = make(tmp_path, 1)
    again = make(tmp_path, 1)
    assert value is not again
    equal = value == again
    assert equal is True
    assert (value != again) is False
    assert (value == make(tmp_path, 2)) is False
    assert value != "another type"
    for copied in (copy(value), deepcopy(value), pickle.loads(pickle.dumps(value))):
        assert type(copied) is type(value)
        assert copied == value
        assert copied != make(tmp_path, 2)
    with pytest.raises(TypeError, match="unhashable"):
        hash(value)


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_repr_fits_five_lines(tmp_path: Path, make: Callable[[Path, int], Any]) -> None:
    lines = repr(make(tmp_path, 1)).split("\n")
    assert len(lines) <= 5
    assert max(map(len, lines)) <= 500
    assert "array(" not in "".join(lines)


def test_metrics_of_lists_are_compared() -> None:
    lists = nbest(1)
    columns = {"m": lists.columns["m"] + 1.0}
    assert lists != NBest(**{**vars(lists), "columns": columns})
    assert lists != NBest(**{**vars(lists), "columns": {}})
