"""Which word types meet in a sentence pair, and where."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .lazy import njit
from .sorting import sort_values

SCANNED = 32  # types that are looked at in the time in which one is sorted


class Occurrences(NamedTuple):
    """Which sentences each word type stands in.

    sentences: int32[num_tokens], type after type, rising; as often as the type stands in each
    offsets: int64[num_types + 1], those of type w are ``sentences[offsets[w]:offsets[w + 1]]``
    """

    sentences: NDArray[np.int32]
    offsets: NDArray[np.int64]


class Sentences(NamedTuple):
    """A side of a bitext.

    tokens: int32[num_tokens], word types; offsets: int64[num_sentences + 1], where each sentence
    begins; num_types: of the vocabulary
    """

    tokens: NDArray[np.int32]
    offsets: NDArray[np.int64]
    num_types: int


@njit(nogil=True, cache=True)
def fill_occurrences(tokens, offsets, places, sentences):
    """Write the sentences of each type, as in ``Occurrences``.

    tokens, offsets: of ``Sentences``; sentences: int32[num_tokens], written
    places: int64[num_types], where those of each type begin; in the end, where they end
    """
    for sentence in range(len(offsets) - 1):
        for position in range(offsets[sentence], offsets[sentence + 1]):
            word = tokens[position]
            sentences[places[word]] = sentence
            places[word] += 1


@njit(nogil=True, cache=True)
def count_columns(occurrences, target, first, last, counts):
    """Number of distinct target types met by each source type of [first, last).

    occurrences: Occurrences; target: Sentences; counts: int64[num_source_types], written
    """
    sentences, occurrence_offsets = occurrences
    tokens, offsets, num_types = target
    stamp = np.full(num_types, -1, np.int32)
    for word in range(first, last):
        counts[word] = 0
        before = -1
        for k in range(occurrence_offsets[word], occurrence_offsets[word + 1]):
            sentence = sentences[k]
            if sentence == before:
                continue
            before = sentence
            for i in range(offsets[sentence], offsets[sentence + 1]):
                if stamp[tokens[i]] != word:
                    stamp[tokens[i]] = word
                    counts[word] += 1


@njit(nogil=True, cache=True)
def fill_index(occurrences, source, target, rows, first, last, cells):
    """Write the sorted columns of the rows [first, last) and, where there is room, their cells.

    Per source type: collect the target types met, sort them (many: look for them among all types),
    then number the cells by rank.
    occurrences: Occurrences; source, target: Sentences
    rows: (offsets int64[num_source_types + 1], columns int32[num_pairs]), as in ``PairIndex``
    cells: (offsets int64[num_sentences + 1], pair_ids uint32[num_cells] or [0]), as in ``Cells``
    """
    sentences, occurrence_offsets = occurrences
    source_tokens, source_offsets, _ = source
    target_tokens, target_offsets, num_target_types = target
    row_offsets, columns = rows
    cell_offsets, pair_ids = cells
    stamp = np.full(num_target_types, -1, np.int32)
    number = np.zeros(num_target_types, np.uint32)
    for word in range(first, last):
        begin = row_offsets[word]
        end = begin
        before = -1
        for k in range(occurrence_offsets[word], occurrence_offsets[word + 1]):
            sentence = sentences[k]
            if sentence == before:
                continue
            before = sentence
            for i in range(target_offsets[sentence], target_offsets[sentence + 1]):
                other = target_tokens[i]
                if stamp[other] != word:
                    stamp[other] = word
                    columns[end] = other
                    end += 1
        if (end - begin) * SCANNED < num_target_types:
            sort_values(columns[begin:end])
        else:
            end = begin
            for other in range(num_target_types):
                if stamp[other] == word:
                    columns[end] = other
                    end += 1
        if len(pair_ids) == 0:
            continue
        for k in range(begin, end):
            number[columns[k]] = k
        before = -1
        for k in range(occurrence_offsets[word], occurrence_offsets[word + 1]):
            sentence = sentences[k]
            if sentence == before:
                continue
            before = sentence
            cell = cell_offsets[sentence]
            first_target, last_target = target_offsets[sentence], target_offsets[sentence + 1]
            for j in range(source_offsets[sentence], source_offsets[sentence + 1]):
                if source_tokens[j] == word:
                    for i in range(first_target, last_target):
                        pair_ids[cell + i - first_target] = number[target_tokens[i]]
                cell += last_target - first_target


@njit(nogil=True, cache=True)
def find_pair(row_offsets, columns, word, target):
    """Id of a pair of types by binary search in its row; len(columns) where it was never seen."""
    if word <= 0 or target <= 0:
        return len(columns)
    first, last = row_offsets[word], row_offsets[word + 1]
    number = first + np.searchsorted(columns[first:last], target)
    return number if number < last and columns[number] == target else len(columns)


@njit(nogil=True, cache=True)
def search_cells(
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


@njit(nogil=True, cache=True)
def count_merged(columns, starts, first, last, num_types, counts):
    """Number of distinct columns of rows that several lists have.

    columns: int32[n], the lists one after the other; starts: int64[num_lists, num_rows + 1], where
    the rows [first, last) of each begin; counts: int64[num_rows], written
    """
    stamp = np.full(num_types, -1, np.int64)
    for row in range(first, last):
        counts[row] = 0
        for number in range(len(starts)):
            for k in range(starts[number, row], starts[number, row + 1]):
                if stamp[columns[k]] != row:
                    stamp[columns[k]] = row
                    counts[row] += 1


@njit(nogil=True, cache=True)
def merge_columns(columns, starts, first, last, num_types, merged, ids):
    """The distinct columns of rows that several lists have, rising, and where each entry stands.

    columns, starts: as of :func:`count_merged`; merged: (row_offsets int64[num_rows + 1],
    int32[num_merged], written); ids: uint32[n], written: where the column of an entry is merged
    """
    row_offsets, result = merged
    place = np.full(num_types, -1, np.int32)
    for row in range(first, last):
        begin = end = row_offsets[row]
        for number in range(len(starts)):
            for k in range(starts[number, row], starts[number, row + 1]):
                if place[columns[k]] < begin:
                    place[columns[k]] = begin
                    result[end] = columns[k]
                    end += 1
        sort_values(result[begin:end])
        for k in range(begin, end):
            place[result[k]] = k
        for number in range(len(starts)):
            for k in range(starts[number, row], starts[number, row + 1]):
                ids[k] = place[columns[k]]


@njit(nogil=True, cache=True)
def order_positions(tokens, offsets, num_types):
    """Positions of a side by word type, and the sentence of each; unknown words count as type 0.

    Returns int64[num_types + 1], where those of each type begin; int64 and int32[num_tokens]
    """
    ends = np.zeros(num_types + 1, np.int64)
    for token in tokens:
        ends[max(token, 0) + 1] += 1
    ends = np.cumsum(ends)
    places = ends[:-1].copy()
    positions, sentences = np.empty(len(tokens), np.int64), np.empty(len(tokens), np.int32)
    for sentence in range(len(offsets) - 1):
        for position in range(offsets[sentence], offsets[sentence + 1]):
            word = max(tokens[position], 0)
            positions[places[word]], sentences[places[word]] = position, sentence
            places[word] += 1
    return ends, positions, sentences


@njit(nogil=True, cache=True)
def look_up_cells(
    source_tokens, source_offsets, target_tokens, target_offsets, row_offsets, columns, pair_ids
):
    """The same ids. In a large text, the row of a word is spread out for all places of the word.

    A binary search takes several times as long for such a text: its steps miss the caches.
    """
    num_types, unseen = len(row_offsets) - 1, len(columns)
    if len(pair_ids) < max(num_types, 1):
        search_cells(
            source_tokens, source_offsets, target_tokens, target_offsets, row_offsets, columns,
            pair_ids,
        )  # fmt: skip
        return
    begins, positions, sentences = order_positions(source_tokens, source_offsets, num_types)
    cells = np.zeros(len(source_offsets), np.int64)  # of the sentence pairs before each
    for pair in range(len(source_offsets) - 1):
        width = target_offsets[pair + 1] - target_offsets[pair]
        cells[pair + 1] = cells[pair] + width * (source_offsets[pair + 1] - source_offsets[pair])
    number = np.full(target_tokens.max() + 1, unseen, np.uint32)
    for word in range(num_types):
        first, last = (row_offsets[word], row_offsets[word + 1]) if word > 0 else (0, 0)
        if begins[word] == begins[word + 1]:
            continue
        for k in range(first, last):
            if columns[k] < len(number):
                number[columns[k]] = k
        for place in range(begins[word], begins[word + 1]):
            pair = sentences[place]
            begin, end = target_offsets[pair], target_offsets[pair + 1]
            cell = cells[pair] + (positions[place] - source_offsets[pair]) * (end - begin)
            for i in range(begin, end):
                target = target_tokens[i]
                pair_ids[cell + i - begin] = number[target] if target > 0 else unseen
        for k in range(first, last):
            if columns[k] < len(number):
                number[columns[k]] = unseen
