"""Sums of the leaves that rows end in."""

import numpy as np

from ....kernels.lazy import njit

__all__ = ["tree_sums"]

_ROWS = 32  # go down a tree together: their steps don't wait for each other


@njit(nogil=True, cache=True)
def tree_sums(roots, depths, column, threshold, child, value, features, sums):
    """Fill in the sum over all trees of the leaf that each row ends in.

    roots, depths: uint32[num_trees], node where each tree begins, and steps to its lowest leaf
    column: uint32[num_nodes], feature that a node asks for; threshold: float32[num_nodes]
    child: uint32[2 * num_nodes], where a row goes on whose feature is at most the threshold, then
        where one above it does; a leaf is its own child
    value: float64[num_nodes], of leaves
    features: float32[n, num_features]; sums: float64[n], filled in
    """
    size, num_features = features.shape
    node = np.empty(_ROWS, np.uint32)
    turned = np.empty((num_features, _ROWS), np.float32)
    for begin in range(0, size, _ROWS):
        here = min(_ROWS, size - begin)
        for row in range(_ROWS):
            place = min(begin + row, size - 1)
            for number in range(num_features):
                turned[number, row] = features[place, number]
        for row in range(here):
            sums[begin + row] = 0.0
        for tree in range(len(roots)):
            for row in range(_ROWS):
                node[row] = roots[tree]
            for _ in range(depths[tree]):
                for row in range(_ROWS):
                    at = node[row]
                    is_above = np.uint32(turned[column[at], row] > threshold[at])
                    node[row] = child[np.uint32(2) * at + is_above]
            for row in range(here):
                sums[begin + row] += value[node[row]]
