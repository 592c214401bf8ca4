"""Sums of the leaves that rows end in."""

from ....kernels.lazy import njit

__all__ = ["tree_sums"]


@njit(nogil=True, cache=True)
def tree_sums(roots, column, threshold, child, value, features, sums):
    """Fill in the sum over all trees of the leaf that each row ends in.

    roots: int32[num_trees], node where each tree begins
    column: int16[num_nodes], -1 in a leaf; threshold: float64[num_nodes]; child: int32[num_nodes,
        2], where a row goes on whose feature is at most the threshold, or above it
    value: float64[num_nodes], of leaves
    features: float32[n, num_features]; sums: float64[n], filled in
    """
    for row in range(len(features)):
        total = 0.0
        for root in roots:
            node = root
            while column[node] >= 0:
                goes_right = features[row, column[node]] > threshold[node]
                node = child[node, 1 if goes_right else 0]
            total += value[node]
        sums[row] = total
