"""Counts on which both directions agree (Liang, Taskar & Klein 2006)."""

from numba import njit


@njit(nogil=True, cache=True)
def add_products(pair_ids, cell_offsets, weights, one, other, counts):
    """Add weight * one * other of each cell to the count of its pair of types.

    pair_ids: uint32[num_cells]; cell_offsets: int64[num_pairs + 1]; weights: float64[num_pairs]
    one, other: float32[num_cells], link posteriors of the two directions
    counts: float64[num_type_pairs + 1]
    """
    for pair in range(len(weights)):
        weight = weights[pair]
        if weight != 0.0:
            for cell in range(cell_offsets[pair], cell_offsets[pair + 1]):
                counts[pair_ids[cell]] += weight * one[cell] * other[cell]
