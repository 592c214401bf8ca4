"""Symmetrization by growing, in the order of Moses's symal (Koehn et al. 2003; Och & Ney 2003)."""

import numpy as np

from ...kernels.lazy import njit

BIN_REGULARIZERS = np.array(
    [(-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1)], np.int64
)


@njit(nogil=True, cache=True)
def _grow(union, chosen, source_covered, target_covered, diagonal):
    """Add union links next to chosen ones while one of their words is uncovered."""
    # Sweeps by target position, then source position; a link added ahead of the sweep is met by it.
    num_source, num_target = union.shape
    num_neighbors = 8 if diagonal else 4
    added = True
    while added:
        added = False
        for i in range(num_target):
            for j in range(num_source):
                if not chosen[j, i]:
                    continue
                for k in range(num_neighbors):
                    other_i = i + BIN_REGULARIZERS[k, 0]
                    other_j = j + BIN_REGULARIZERS[k, 1]
                    if not (0 <= other_j < num_source and 0 <= other_i < num_target):
                        continue
                    if not union[other_j, other_i] or chosen[other_j, other_i]:
                        continue
                    if not (source_covered[other_j] and target_covered[other_i]):
                        chosen[other_j, other_i] = True
                        source_covered[other_j] = True
                        target_covered[other_i] = True
                        added = True


@njit(nogil=True, cache=True)
def _finish(links, begin, end, chosen, source_covered, target_covered, both):
    """Add the links of one direction whose words are uncovered: one of them, or both of them."""
    for k in range(begin, end):
        j, i = links[0][k], links[1][k]
        free_source, free_target = not source_covered[j], not target_covered[i]
        if (free_source and free_target) if both else (free_source or free_target):
            chosen[j, i] = True
            source_covered[j] = True
            target_covered[i] = True


@njit(nogil=True, cache=True)
def grow_links(forward, reverse, lengths, steps, out_source, out_target, out_offsets):
    """Symmetrize all sentence pairs; returns the number of links written.

    forward, reverse: (source int32, target int32, offsets int64[n + 1]) each; lengths: (source
    int64[n], target int64[n]); steps: (grow, diagonal, final, final_and) as booleans;
    out_source, out_target: int32, room for the union; out_offsets: int64[n + 1], written.
    """
    grow, diagonal, final, final_and = steps
    size = 0
    for pair in range(len(out_offsets) - 1):
        num_source, num_target = lengths[0][pair], lengths[1][pair]
        votes = np.zeros((num_source, num_target), np.int8)
        for links in (forward, reverse):
            for k in range(links[2][pair], links[2][pair + 1]):
                votes[links[0][k], links[1][k]] += 1
        chosen = votes > 1
        source_covered = np.zeros(num_source, np.bool_)
        target_covered = np.zeros(num_target, np.bool_)
        for j in range(num_source):
            for i in range(num_target):
                if chosen[j, i]:
                    source_covered[j] = True
                    target_covered[i] = True
        if grow:
            _grow(votes > 0, chosen, source_covered, target_covered, diagonal)
        if final or final_and:
            # symal goes through the forward links first, then through the reverse ones
            for links in (forward, reverse):
                begin, end = links[2][pair], links[2][pair + 1]
                _finish(links, begin, end, chosen, source_covered, target_covered, final_and)
        for j in range(num_source):
            for i in range(num_target):
                if chosen[j, i]:
                    out_source[size] = j
                    out_target[size] = i
                    size += 1
        out_offsets[pair + 1] = size
    return size
