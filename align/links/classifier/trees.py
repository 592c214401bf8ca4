"""Gradient-boosted trees: learned by LightGBM, kept as arrays, applied by a kernel."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ...arrays.equality import ComparedByContent
from ...errors import UsageError
from ...execution.logarithms import exp
from .kernels.trees import tree_sums

__all__ = ["Trees", "chances_of", "learn_trees", "load_lightgbm"]

_ROUNDS = 60
_MANY = 5000  # candidates, of some 150 sentences, from which larger trees are better
_LARGE = {"num_leaves": 12, "min_data_in_leaf": 20, "learning_rate": 0.12}
_SMALL = {  # thresholds at random err less with few sentences
    "num_leaves": 8, "min_data_in_leaf": 40, "learning_rate": 0.2, "extra_trees": True,
}  # fmt: skip
_SETTINGS = {
    "objective": "binary", "lambda_l2": 1.0, "verbosity": -1, "seed": 1,
    "deterministic": True, "force_row_wise": True, "num_threads": 1,
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Trees(ComparedByContent):
    """Trees whose leaves add up to the log odds of a class.

    roots, depths: uint32[num_trees], node where each tree begins, and steps to its lowest leaf
    column: uint32[num_nodes], feature that a node asks for; threshold: float32[num_nodes]
    child: uint32[2 * num_nodes], where a row goes on whose feature is at most the threshold, then
        where one above it does; a leaf is its own child
    value: float64[num_nodes], of leaves
    """

    roots: NDArray[np.uint32]
    depths: NDArray[np.uint32]
    column: NDArray[np.uint32]
    threshold: NDArray[np.float32]
    child: NDArray[np.uint32]
    value: NDArray[np.float64]

    def check(self, num_features: int) -> None:
        """Raise ValueError for nodes, features or values that don't fit."""
        size = len(self.column)
        sizes = {"threshold": size, "child": 2 * size, "value": size, "depths": len(self.roots)}
        if any(getattr(self, name).shape != (number,) for name, number in sizes.items()):
            raise ValueError("the columns of the trees must have the same length")
        for name in ("roots", "child"):
            if (getattr(self, name) >= size).any():
                raise ValueError("the trees name a node that isn't there")
        if (self.depths > size).any():
            raise ValueError("a tree cannot be deeper than it has nodes")
        if (self.column >= num_features).any():
            raise ValueError(f"a node asks for a feature that is not one of {num_features}")
        if np.isnan(self.threshold).any() or not np.isfinite(self.value).all():
            raise ValueError("thresholds and values of trees must be numbers")

    def mapped(self, slope: float, offset: float) -> Self:
        """Trees whose log odds are those of these times a slope, and an offset."""
        value = slope * self.value
        first = np.arange(self.roots[0], self.roots[1] if len(self.roots) > 1 else len(value))
        value[first] += offset
        return replace(self, value=value)

    def chances(self, features: NDArray[np.float32]) -> NDArray[np.float32]:
        """The probability of the class: float32[n]. features: float32[n, num_features]"""
        return chances_of(self.odds(features))

    def odds(self, features: NDArray[np.float32]) -> NDArray[np.float64]:
        """The log odds of the class: float64[n]. features: float32[n, num_features]"""
        sums = np.empty(len(features))
        tree_sums(
            self.roots, self.depths, self.column, self.threshold, self.child, self.value, features,
            sums,
        )  # fmt: skip
        return sums


def chances_of(odds: NDArray[np.float64]) -> NDArray[np.float32]:
    """The probabilities that some log odds stand for.

    odds: float64[n]. Returns float32[n].
    """
    return np.asarray(1.0 / (1.0 + exp(-odds)), np.float32)


def load_lightgbm() -> Any:
    """The module. Raises UsageError without it."""
    try:
        return import_module("lightgbm")
    except (ImportError, OSError) as error:  # a library of the system may be missing
        raise UsageError(
            "learning links needs LightGBM; run pip install isogloss[learn]"
        ) from error


def learn_trees(features: NDArray[np.float32], is_link: NDArray[np.bool_]) -> Trees:
    """Trees that tell links by their features, the same for any number of threads.

    features: float32[n, num_features]; is_link: bool[n]

    Raises UsageError without LightGBM.
    """
    lightgbm = load_lightgbm()
    shape = _LARGE if len(features) >= _MANY else _SMALL
    data = lightgbm.Dataset(features, label=is_link.astype(np.float64))
    model = lightgbm.train({**_SETTINGS, **shape}, data, _ROUNDS).dump_model()
    nodes = _Nodes()
    roots = [nodes.add(tree["tree_structure"]) for tree in model["tree_info"]]
    return nodes.trees(roots)


class _Nodes:
    """Nodes of trees in rows."""

    def __init__(self) -> None:
        self._rows: list[tuple[int, float, float]] = []
        self._child: list[tuple[int, int]] = []

    def add(self, node: Mapping[str, Any]) -> tuple[int, int]:
        """Add a node and those below it; returns its number, and the steps to its lowest leaf."""
        number = len(self._rows)
        self._child.append((number, number))
        if "leaf_value" in node:
            self._rows.append((0, np.inf, node["leaf_value"]))
            return number, 0
        assert node["decision_type"] == "<="
        self._rows.append((node["split_feature"], node["threshold"], 0.0))
        (left, depth), (right, other) = map(self.add, (node["left_child"], node["right_child"]))
        self._child[number] = left, right
        return number, 1 + max(depth, other)

    def trees(self, roots: list[tuple[int, int]]) -> Trees:
        """All of them. roots: number of the node that each begins at, and its depth"""
        column, threshold, value = zip(*self._rows, strict=True)
        begins, depths = np.array(roots, np.uint32).T.copy()
        exact = np.array(threshold, np.float64)
        lower = exact.astype(np.float32)  # at most the exact one, which no feature lies between
        lower = np.where(lower > exact, np.nextafter(lower, np.float32(-np.inf)), lower)
        return Trees(
            begins, depths, np.array(column, np.uint32), lower,
            np.array(self._child, np.uint32).ravel(), np.array(value, np.float64),
        )  # fmt: skip
