"""Hypergraphs whose nodes know the words at both ends of their texts, and so the n-grams of edges.

A node is split so that all its derivations begin and end with the same words, as far as an n-gram
of the references can hold them. Then the n-grams that an edge introduces (Chiang 2012, section
5.1) are the same in every derivation.
"""

import numpy as np

from isogloss.align.kernels.lazy import borrowing, njit

from ...kernels.reference_ngrams import child_of

__all__ = ["split_by_contexts"]

_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(32)
_ONE = np.uint64(1)


@borrowing
def _add_word(symbol, text, ngrams, counts, least):
    """Add a word behind the text so far, and the n-grams of ``least`` words and more."""
    # symbol: of the references, 0 = of none
    # text: int32[order + 1], the newest words, those last, and in front how many; changed
    # counts: int64[order, 2], matches and totals; added to
    order = len(counts)
    known = min(text[0], order - 1)
    for place in range(order - known, order):
        text[place] = text[place + 1]
    text[order] = symbol
    text[0] = min(known + 1, order)
    for size in range(least, text[0] + 1):
        counts[size - 1, 1] += 1
        node = text[order - size + 1]
        for place in range(order - size + 2, order + 1):
            if node == 0 or text[place] == 0:
                node = 0
                break
            node = child_of(ngrams, node, text[place])
        counts[size - 1, 0] += node > 0


@borrowing
def _write_context(left, size, text, state):
    """Write a state: how many words there are at most ``order - 1``, the first, the last ones."""
    # Behind a word that no reference has the first ones don't matter, nor do the last ones before
    # it.
    # left: int32[order - 1], the first words; size: how many of these; text: as in `_add_word`
    # state: int32[2 * order - 1]; written
    width = len(left)
    state[:] = 0
    state[0] = size
    for k in range(size):
        if left[k] == 0:
            break
        state[1 + k] = left[k]
    for k in range(size):
        symbol = text[width + 1 - k]
        if symbol == 0:
            break
        state[2 * width - k] = symbol


@borrowing
def _combine(edges, edge, chosen, states, texts, ngrams, work):
    """The n-grams that an edge introduces, and the state of its text."""
    # chosen: int64[arity], state of each tail; states: int32[room, 2 * order - 1]
    # texts: items int32[I] as symbols, below 0 = tails, and item_offsets int64[E + 1]
    # work: left int32[order - 1], text int32[order + 1], counts int64[order, 2], state int32[2 *
    #   order - 1]; written
    items, item_offsets = texts
    left, text, counts, state = work
    width, size = len(left), 0
    text[:] = 0
    counts[:] = 0
    for place in range(item_offsets[edge], item_offsets[edge + 1]):
        if items[place] >= 0:
            if size < width:
                left[size] = items[place]
                size += 1
            _add_word(items[place], text, ngrams, counts, 1)
            continue
        tail = states[chosen[-1 - items[place]]]
        for k in range(tail[0]):  # the n-grams that lie within it are counted there
            if size < width:
                left[size] = tail[1 + k]
                size += 1
            _add_word(tail[1 + k], text, ngrams, counts, k + 2)
        for k in range(tail[0]):  # the last words, in the place of what the first ones left
            text[len(text) - 1 - k] = tail[2 * width - k]
    _write_context(left, size, text, state)


@njit(nogil=True, cache=True)
def split_by_contexts(edges, texts, ngrams, order, most):
    """Split the nodes of a hypergraph by the words at both ends of their texts; the goal stays one.

    edges: Edges
    texts: items int32[I], symbols of the references for words (0 = of none), below 0 the tails, and
    item_offsets int64[E + 1]
    ngrams: ReferenceNgrams; order: of the longest n-gram, at least 2; most: edges to make
    Returns int64[V' + 1] and int32[T'], edges into each new node and tails of each; int64[E'], the
    edge that each one is; float64[E', 2 * order], matches and totals of each order by turns that it
    introduces. Of more than ``most`` edges none.
    """
    width, goal = order - 1, len(edges.edge_offsets) - 2
    states = np.zeros((256, 2 * width + 1), np.int32)
    first_state = np.zeros(goal + 2, np.int64)
    work = (
        np.zeros(width, np.int32), np.zeros(order + 1, np.int32),
        np.zeros((order, 2), np.int64), np.zeros(2 * width + 1, np.int32),
    )  # fmt: skip
    heads, edge_of, tails = [0 for _ in range(0)], [0 for _ in range(0)], [0 for _ in range(0)]
    counts = np.empty((256, 2 * order))
    num_states = 0
    for node in range(goal + 1):
        first_state[node] = num_states
        known = {np.uint64(0): 0}  # Numba needs an element for the type
        known.clear()
        for edge in range(edges.edge_offsets[node], edges.edge_offsets[node + 1]):
            of_tails = edges.tails[edges.tail_offsets[edge] : edges.tail_offsets[edge + 1]]
            chosen = first_state[of_tails].copy()
            more = True
            while more:
                _combine(edges, edge, chosen, states, texts, ngrams, work)
                key = _ONE
                if node < goal:
                    for value in work[3]:
                        key = (key ^ (key >> _SHIFT) ^ np.uint64(value)) * _FACTOR
                head = num_states
                if key in known:
                    head = known[key]
                else:
                    if num_states == len(states):
                        states = np.concatenate((states, np.zeros_like(states)))
                    states[num_states] = work[3]
                    known[key] = num_states
                    num_states += 1
                if len(heads) == len(counts):
                    counts = np.concatenate((counts, np.empty_like(counts)))
                for size in range(order):
                    counts[len(heads), 2 * size] = work[2][size, 0]
                    counts[len(heads), 2 * size + 1] = work[2][size, 1]
                heads.append(head)
                edge_of.append(edge)
                for tail in chosen:
                    tails.append(tail)
                if len(heads) > most:
                    return (
                        np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0, np.int64),
                        np.zeros((0, 2 * order)),
                    )  # fmt: skip
                more = False
                for k in range(len(chosen)):
                    chosen[k] += 1
                    if chosen[k] < first_state[of_tails[k] + 1]:
                        more = True
                        break
                    chosen[k] = first_state[of_tails[k]]
        first_state[node + 1] = num_states
    return _by_head(edges, np.array(heads), np.array(edge_of), tails, counts)


@njit(nogil=True, cache=True)
def _by_head(edges, heads, edge_of, tails, counts):
    """The columns of `split_by_contexts` in the order of the heads. counts: with room for more"""
    place_of = np.zeros(len(heads) + 1, np.int64)
    for edge in range(len(heads)):
        old = edge_of[edge]
        arity = edges.tail_offsets[old + 1] - edges.tail_offsets[old]
        place_of[edge + 1] = place_of[edge] + arity
    edge_offsets = np.zeros(heads.max() + 2, np.int64)
    for head in heads:
        edge_offsets[head + 1] += 1
    edge_offsets = np.cumsum(edge_offsets)
    rank, next_of = np.empty(len(heads), np.int64), edge_offsets.copy()
    for edge in range(len(heads)):
        rank[next_of[heads[edge]]] = edge
        next_of[heads[edge]] += 1
    sorted_tails, written = np.empty(len(tails), np.int32), 0
    statistics = np.empty((len(heads), counts.shape[1]))
    for new in range(len(rank)):
        for place in range(place_of[rank[new]], place_of[rank[new] + 1]):
            sorted_tails[written] = tails[place]
            written += 1
        statistics[new] = counts[rank[new]]
    return edge_offsets, sorted_tails, edge_of[rank], statistics
