"""Which word types meet in a sentence pair, and where."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .lazy import njit
from .sorting import sort_values

SCANNED = 32  # types that are looked at in the time in which one is sorted


class Occurrences(NamedTuple):
    """Where each source type stands in its text.

    tokens: int64[num_tokens], numbers of the tokens, type after type
    offsets: int64[num_types + 1], those of type w are ``tokens[offsets[w]:offsets[w + 1]]``
    sentence_of: int32[num_tokens], sentence of each token of the text
    """

    tokens: NDArray[np.int64]
    offsets: NDArray[np.int64]
    sentence_of: NDArray[np.int32]


class Sentences(NamedTuple):
    """The target side of a bitext.

    tokens: int32[num_tokens], word types; offsets: int64[num_sentences + 1], where each sentence
    begins; num_types: of the vocabulary
    """

    tokens: NDArray[np.int32]
    offsets: NDArray[np.int64]
    num_types: int


@njit(nogil=True, cache=True)
def count_columns(source, target):
    """Number of distinct target types met by each source type: int64[num_source_types].

    source: Occurrences; target: Sentences
    """
    occurrences, occurrence_offsets, sentence_of = source
    target_tokens, target_offsets, num_target_types = target
    num_types = len(occurrence_offsets) - 1
    stamp = np.full(num_target_types, -1, np.int64)
    counts = np.zeros(num_types, np.int64)
    for word in range(num_types):
        for k in range(occurrence_offsets[word], occurrence_offsets[word + 1]):
            pair = sentence_of[occurrences[k]]
            for i in range(target_offsets[pair], target_offsets[pair + 1]):
                target = target_tokens[i]
                if stamp[target] != word:
                    stamp[target] = word
                    counts[word] += 1
    return counts


@njit(nogil=True, cache=True)
def fill_index(source, target, source_offsets, row_offsets, columns, cell_offsets, pair_ids):
    """Write the sorted columns of each row and, unless ``pair_ids`` is empty, the id of every cell.

    Per source type: collect the target types met, sort them (many: look for them among all types),
    then number the cells by rank.
    source: Occurrences; target: Sentences; source_offsets: int64[num_sentences + 1]
    row_offsets: int64[num_source_types + 1], columns: int32[num_pairs], as in ``PairIndex``
    cell_offsets: int64[num_sentences + 1], pair_ids: uint32[num_cells] or [0], as in ``Cells``
    """
    occurrences, occurrence_offsets, sentence_of = source
    target_tokens, target_offsets, num_target_types = target
    stamp = np.full(num_target_types, -1, np.int32)
    number = np.zeros(num_target_types, np.uint32)
    for word in range(len(occurrence_offsets) - 1):
        first = row_offsets[word]
        size = first
        for k in range(occurrence_offsets[word], occurrence_offsets[word + 1]):
            pair = sentence_of[occurrences[k]]
            for i in range(target_offsets[pair], target_offsets[pair + 1]):
                target = target_tokens[i]
                if stamp[target] != word:
                    stamp[target] = word
                    columns[size] = target
                    size += 1
        if (size - first) * SCANNED < num_target_types:
            sort_values(columns[first:size])
        else:
            size = first
            for target in range(num_target_types):
                if stamp[target] == word:
                    columns[size] = target
                    size += 1
        if len(pair_ids) == 0:
            continue
        for k in range(first, size):
            number[columns[k]] = k
        for k in range(occurrence_offsets[word], occurrence_offsets[word + 1]):
            position = occurrences[k]
            pair = sentence_of[position]
            begin, end = target_offsets[pair], target_offsets[pair + 1]
            cell = cell_offsets[pair] + (position - source_offsets[pair]) * (end - begin)
            for i in range(begin, end):
                pair_ids[cell + i - begin] = number[target_tokens[i]]


@njit(nogil=True, cache=True)
def find_pair(row_offsets, columns, word, target):
    """Id of a pair of types by binary search in its row; len(columns) where it was never seen."""
    if word <= 0 or target <= 0:
        return len(columns)
    first, last = row_offsets[word], row_offsets[word + 1]
    number = first + np.searchsorted(columns[first:last], target)
    return number if number < last and columns[number] == target else len(columns)


@njit(nogil=True, cache=True)
def look_up_cells(
    source_tokens, source_offsets, target_tokens, target_offsets, row_offsets, columns, pair_ids
):
    """Ids of the cells of other sentence pairs by binary search; unseen pairs get the last id."""
    cell = 0
    for pair in range(len(source_offsets) - 1):
        for j in range(source_offsets[pair], source_offsets[pair + 1]):
            word = source_tokens[j]
            for i in range(target_offsets[pair], target_offsets[pair + 1]):
                pair_ids[cell] = find_pair(row_offsets, columns, word, target_tokens[i])
                cell += 1
