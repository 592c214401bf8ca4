"""Differences of feature vectors: which columns they have, and in what units."""

import numpy as np
import pytest

from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.tune.optimizers.feature_differences import FeatureDifferences


def test_only_what_differs_is_a_column() -> None:
    hypotheses = Ragged.from_rows([[(0, 1.0), (4, 2.0)], [(0, 1.0), (2, 0.5)]])
    differences = FeatureDifferences.of_pairs(hypotheses, np.array([[0, 1], [1, 0]]), 6)
    assert sorted(differences.ids.tolist()) == [2, 4]
    assert differences.matrix is not None
    order = np.argsort(differences.ids)
    assert differences.matrix[:, order].tolist() == [[-0.5, 2.0], [0.5, -2.0]]
    np.testing.assert_allclose(differences.units()[order], [0.5, 2.0])


def test_units_are_those_of_the_differences_that_are_not_0() -> None:
    hypotheses = Ragged.from_rows([[(0, 1.0), (1, 3.0)], [(0, 2.0)], [(0, 2.0), (1, 1.0)]])
    pairs = np.array([[0, 1], [1, 2], [2, 0], [1, 1]])
    differences = FeatureDifferences.of_pairs(hypotheses, pairs, 2)
    expected = {0: 1.0, 1: ((9 + 1 + 4) / 3) ** 0.5}
    for column, feature in enumerate(differences.ids.tolist()):
        assert differences.units()[column] == pytest.approx(expected[feature], rel=1e-6)
