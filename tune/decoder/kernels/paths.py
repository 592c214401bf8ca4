"""Ways through a search graph, from the start on."""

import numpy as np

from isogloss.align.kernels.lazy import njit

__all__ = ["paths_of_edges"]


@njit(nogil=True, cache=True)
def paths_of_edges(parents, node_options, tails, options):
    """A way from the start, node 0, through each edge.

    parents: int64[V], the node before each on one way to it; node_options: int32[V], the option
    that leads from there to it; both of no meaning for the start
    tails: int64[E], the node before each edge; options: int32[E], its option
    Returns int32[total], the options on each way, that of the edge last, and int64[E + 1], where
    each begins.
    """
    lengths = np.zeros(len(parents), np.int64)
    for node in range(1, len(parents)):
        lengths[node] = lengths[parents[node]] + 1
    offsets = np.zeros(len(tails) + 1, np.int64)
    for edge in range(len(tails)):
        offsets[edge + 1] = offsets[edge] + lengths[tails[edge]] + 1
    path = np.empty(offsets[len(tails)], np.int32)
    for edge in range(len(tails)):
        place, node = offsets[edge + 1] - 1, tails[edge]
        path[place] = options[edge]
        while node > 0:
            place -= 1
            path[place] = node_options[node]
            node = parents[node]
    return path, offsets
