"""Words that stand once on each side of a sentence pair."""

from ...kernels.lazy import borrowing
from ...links.formats.kernels.pharaoh import PAIR_SHIFT, SOURCE_SHIFT

_NOWHERE, _SEVERAL = -1, -2  # in place of a position
_SOURCE, _TARGET = 1, 2  # bits of a side on which a word has a link


@borrowing
def match_same_words(source, target, links, state, keys):
    """Link the words that stand once on both sides, except where both have a link already.

    source, target: tokens and offsets of each side, and int32[num_types + 1], the number of each
        word that both sides have, -1 for other words; the last one is that of token -1
    links: offsets, source and target of those that the pairs have
    state: int64[num_shared, 3], position on each side and bits of linked sides; -1, -1, 0 before
        and after
    keys: int64[n], pair, source and target of each link in a number, written; room for as many as
        there are shared words on the source side

    Returns the number of links.
    """
    count = 0
    for pair in range(len(source[1]) - 1):
        if _place(source, pair, state, 0) and _place(target, pair, state, 1):
            _mark_linked(source, target, links, pair, state)
            count = _write(source, pair, state, keys, count)
        _forget(source, pair, state)
        _forget(target, pair, state)
    return count


@borrowing
def _place(side, pair, state, column):
    """Write the positions of shared words; whether there are any."""
    tokens, offsets, numbers = side
    begin, found = offsets[pair], False
    for place in range(begin, offsets[pair + 1]):
        word = numbers[tokens[place]]
        if word >= 0:
            found = True
            is_first = state[word, column] == _NOWHERE
            state[word, column] = place - begin if is_first else _SEVERAL
    return found


@borrowing
def _mark_linked(source, target, links, pair, state):
    """Set the bits of the words at both ends of each link; positions out of a pair are skipped."""
    offsets, source_positions, target_positions = links
    for link in range(offsets[pair], offsets[pair + 1]):
        _mark(source, pair, source_positions[link], state, _SOURCE)
        _mark(target, pair, target_positions[link], state, _TARGET)


@borrowing
def _mark(side, pair, position, state, bit):
    tokens, offsets, numbers = side
    place = offsets[pair] + position
    if place < offsets[pair + 1]:
        word = numbers[tokens[place]]
        if word >= 0:
            state[word, 2] |= bit


@borrowing
def _write(source, pair, state, keys, count):
    """Add the keys of a pair, in order of source positions; returns the new number of them."""
    tokens, offsets, numbers = source
    for place in range(offsets[pair], offsets[pair + 1]):
        word = numbers[tokens[place]]
        if word < 0:
            continue
        i, j, linked = state[word, 0], state[word, 1], state[word, 2]
        if i >= 0 and j >= 0 and linked != _SOURCE | _TARGET:
            keys[count] = pair << PAIR_SHIFT | i << SOURCE_SHIFT | j
            count += 1
    return count


@borrowing
def _forget(side, pair, state):
    """Set the state of the words of a pair as it was before."""
    tokens, offsets, numbers = side
    for place in range(offsets[pair], offsets[pair + 1]):
        word = numbers[tokens[place]]
        if word >= 0:
            state[word, 0] = state[word, 1] = _NOWHERE
            state[word, 2] = 0
