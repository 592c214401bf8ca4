"""Weights that Moses and its optimizers have written."""

from pathlib import Path

import pytest

from isogloss.features.space import is_sparse
from isogloss.tune.weights.formats import WEIGHT_FORMATS, write_weights_as
from isogloss.tune.weights.weights import Weights

FILES = {
    "smt-es-en/default.weights": (15, 0),
    "smt-es-en/tuned.weights": (15, 0),
    "smt-de-en/default.weights": (17, 0),
    "nbest-es-en/run1.weights": (14, 0),
    "nbest-es-en/run5.weights": (14, 0),
    "phrase-tables/en-de.sparse-weights.gz": (0, 106),
    "nbest/hypergraph-sparse.dense-weights.gz": (30, 0),
    "nbest/hypergraph-sparse.sparse-weights.gz": (0, 306),
}


@pytest.mark.parametrize("name", FILES)
def test_every_form_gives_the_weights_back(shared_data: Path, tmp_path: Path, name: str) -> None:
    weights = Weights.load(shared_data / name)
    sparse = sum(map(is_sparse, weights))
    assert FILES[name] == (len(weights) - sparse, sparse)
    for form in WEIGHT_FORMATS:
        write_weights_as(weights, tmp_path / form, form)
        expected = {
            name: value
            for name, value in weights.items()
            if form not in ("moses", "moses-sparse") or is_sparse(name) == (form != "moses")
        }
        assert expected == Weights.load(tmp_path / form).as_dict(keep_zeros=True)


def test_a_value_per_line_is_as_good_as_all_in_one(shared_data: Path) -> None:
    """Moses' optimizers repeat the name."""
    expected = Weights.load(shared_data / "smt-es-en/default.weights").as_dict()
    del expected["UnknownWordPenalty0"]
    assert expected == Weights.load(shared_data / "nbest-es-en/run1.weights").as_dict()
