"""Gradient-boosted trees: learned by LightGBM, kept as arrays, applied by a kernel."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays.equality import ComparedByContent
from ...errors import UsageError
from ...execution.logarithms import exp
from .kernels.trees import tree_sums

__all__ = ["Trees", "learn_trees"]

_ROUNDS = 60
_SETTINGS = {
    "objective": "binary", "num_leaves": 12, "learning_rate": 0.12, "min_data_in_leaf": 20,
    "lambda_l2": 1.0, "deterministic": True, "force_row_wise": True, "num_threads": 1,
    "verbosity": -1, "seed": 1,
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Trees(ComparedByContent):
    """Trees whose leaves add up to the log odds of a class.

    roots: int32[num_trees], node where each tree begins
    column: int16[num_nodes], feature that a node asks for, -1 in a leaf
    threshold: float64[num_nodes]; child: int32[num_nodes, 2], where a row goes on whose feature is
        at most the threshold, or above it
    value: float64[num_nodes], of leaves
    """

    roots: NDArray[np.int32]
    column: NDArray[np.int16]
    threshold: NDArray[np.float64]
    child: NDArray[np.int32]
    value: NDArray[np.float64]

    def check(self, num_features: int) -> None:
        """Raise ValueError for nodes, features or values that don't fit."""
        size = len(self.column)
        shapes = {"threshold": (size,), "child": (size, 2), "value": (size,)}
        if any(getattr(self, name).shape != shape for name, shape in shapes.items()):
            raise ValueError("the columns of the trees must have the same length")
        inner = self.column >= 0
        ahead = self.child[inner] > np.flatnonzero(inner)[:, np.newaxis]
        if not (ahead.all() and (self.child[inner] < size).all()):
            raise ValueError("a node of a tree must stand before those below it")
        if len(self.roots) and not (self.roots.min() >= 0 and self.roots.max() < size):
            raise ValueError("a tree must begin at a node")
        if size and self.column.max() >= num_features:
            raise ValueError(f"a node asks for a feature that is not one of {num_features}")
        if not (np.isfinite(self.threshold).all() and np.isfinite(self.value).all()):
            raise ValueError("thresholds and values of trees must be finite")

    def chances(self, features: NDArray[np.float32]) -> NDArray[np.float32]:
        """The probability of the class: float32[n]. features: float32[n, num_features]"""
        sums = np.empty(len(features))
        tree_sums(self.roots, self.column, self.threshold, self.child, self.value, features, sums)
        return np.asarray(1.0 / (1.0 + exp(-sums)), np.float32)


def learn_trees(features: NDArray[np.float32], is_link: NDArray[np.bool_]) -> Trees:
    """Trees that tell links by their features, the same for any number of threads.

    features: float32[n, num_features]; is_link: bool[n]

    Raises UsageError without LightGBM.
    """
    try:
        lightgbm: Any = import_module("lightgbm")
    except ImportError as error:
        raise UsageError(
            "learning links needs LightGBM; run pip install isogloss[learn]"
        ) from error
    data = lightgbm.Dataset(features, label=is_link.astype(np.float64))
    model = lightgbm.train(_SETTINGS, data, _ROUNDS).dump_model()
    nodes = _Nodes()
    roots = [nodes.add(tree["tree_structure"]) for tree in model["tree_info"]]
    return nodes.trees(roots)


class _Nodes:
    """Nodes of trees in rows, each before those below it."""

    def __init__(self) -> None:
        self._rows: list[tuple[int, float, float]] = []
        self._child: list[list[int]] = []

    def add(self, node: Mapping[str, Any]) -> int:
        """Add a node and those below it; returns its number."""
        number = len(self._rows)
        if "leaf_value" in node:
            self._rows.append((-1, 0.0, node["leaf_value"]))
            self._child.append([0, 0])
            return number
        assert node["decision_type"] == "<="
        self._rows.append((node["split_feature"], node["threshold"], 0.0))
        self._child.append([0, 0])
        self._child[number] = [self.add(node["left_child"]), self.add(node["right_child"])]
        return number

    def trees(self, roots: list[int]) -> Trees:
        """All of them, with the numbers of the nodes that they begin at."""
        column, threshold, value = zip(*self._rows, strict=True)
        return Trees(
            np.array(roots, np.int32),
            np.array(column, np.int16),
            np.array(threshold, np.float64),
            np.array(self._child, np.int32).reshape(-1, 2),
            np.array(value, np.float64),
        )
