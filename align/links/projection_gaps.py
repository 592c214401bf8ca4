"""Words without links, set beside those that the links of their neighbors leave free."""

import numpy as np
from numpy.typing import NDArray

from ..arrays.ragged import offsets_of, row_numbers, run_starts, span_entries
from .formats.kernels.pharaoh import PAIR_SHIFT, SOURCE_SHIFT
from .links import Links

__all__ = ["bridge_unlinked"]


def bridge_unlinked(
    links: Links, source_lengths: NDArray[np.int64], target_lengths: NDArray[np.int64]
) -> Links:
    """The same links, and others of probability 0 for source words without any.

    A stretch of source words without links faces the target words behind the last one that the
    word before it is linked to, and before the first one of the word after it (at an end of the
    sentence: up to the end). Where these have no links either, both are laid side by side, in
    proportion: two words that face two are linked one to one. A sentence pair without any link
    gets none.

    source_lengths, target_lengths: int64[num_pairs], words of each sentence
    """
    if not len(links.source):
        return links
    sources, targets = offsets_of(source_lengths), offsets_of(target_lengths)
    pair = row_numbers(links.offsets)
    place = sources[pair] + links.source  # of all source words, rising
    begins = run_starts(place)
    ends = np.append(begins[1:], len(place)) - 1
    first = np.full(sources[-1], -1, np.int64)
    last = first.copy()
    first[place[begins]], last[place[begins]] = links.target[begins], links.target[ends]
    linked = np.zeros(targets[-1], np.int64)
    linked[targets[pair] + links.target] = 1
    before = offsets_of(linked)

    sentence = row_numbers(sources)
    bare = np.flatnonzero(first < 0)
    new = np.ones(len(bare), np.bool_)
    new[1:] = (np.diff(bare) > 1) | (np.diff(sentence[bare]) > 0)
    stretch = np.cumsum(new) - 1
    begin = bare[new]
    size = np.bincount(stretch, minlength=len(begin))
    row = sentence[begin]
    has_left, has_right = begin > sources[row], begin + size < sources[row + 1]
    low = np.where(has_left, last[np.maximum(begin - 1, 0)] + 1, 0)
    right = first[np.minimum(begin + size, max(len(first) - 1, 0))] if len(begin) else low
    high = np.where(has_right, right, target_lengths[row])
    faces = (has_left | has_right) & (low < high)
    high = np.where(faces, high, low)
    faces &= before[targets[row] + high] == before[targets[row] + low]
    width = np.where(faces, high - low, 0)

    step, count, wide = bare - begin[stretch], size[stretch], width[stretch]
    start = step * wide // count
    stop = -(-(step + 1) * wide // count)
    target, offsets = span_entries(low[stretch] + start, stop - start)
    word = bare[row_numbers(offsets)]
    number = sentence[word]
    keys = number << PAIR_SHIFT | (word - sources[number]) << SOURCE_SHIFT | target
    sure = np.ones(len(pair)) if links.probability is None else links.probability
    probability = np.concatenate([sure, np.zeros(len(target))]).astype(np.float32)
    return Links.from_scored_keys(np.concatenate([links.keys(), keys]), probability, len(links))
