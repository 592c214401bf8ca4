"""What is known of a cell, a pair of positions, without knowing the languages."""

import numpy as np

from ....kernels.lazy import njit

__all__ = ["POSITIONS", "SECOND", "cell_features", "choice_features", "mark_cells"]

POSITIONS = 34  # columns of cell_features
SECOND = 17  # columns of choice_features
_OUTSIDE = np.float32(-1.0)  # in place of a neighbor outside of the sentence pair
_SURE = np.float32(0.7)  # P(link) of links that the distance from others is measured from


@njit(nogil=True, cache=True)
def mark_cells(offsets, sizes, values, least, least_best, is_likely):
    """Mark cells that may be links; returns how many.

    offsets: int64[num_pairs + 1], first cell of each pair of sentences; sizes: int64[2, num_pairs],
        source and target words of each
    values: float32[2, num_cells], P(link) in both directions
    least, least_best: mean posterior from which a cell may be a link, and from which one may that
        is the best of its row or column
    is_likely: bool[num_cells], filled in
    """
    count = 0
    for pair in range(len(offsets) - 1):
        height = sizes[0, pair]
        width = sizes[1, pair]
        begin = offsets[pair]
        if offsets[pair + 1] == begin:
            continue
        rows = np.zeros(height, np.float32)
        columns = np.zeros(width, np.float32)
        for source in range(height):
            for target in range(width):
                cell = begin + source * width + target
                mean = np.float32(0.5) * (values[0, cell] + values[1, cell])
                rows[source] = max(rows[source], mean)
                columns[target] = max(columns[target], mean)
        for source in range(height):
            for target in range(width):
                cell = begin + source * width + target
                mean = np.float32(0.5) * (values[0, cell] + values[1, cell])
                is_best = mean == rows[source] or mean == columns[target]
                is_likely[cell] = mean >= least or (is_best and mean >= least_best)
                count += is_likely[cell]
    return count


@njit(nogil=True, cache=True)
def cell_features(offsets, sizes, values, is_likely, source_words, target_words, places, features):
    """Fill in the places and features of all cells that may be links.

    offsets: int64[num_pairs + 1], first cell of each pair of sentences; sizes: int64[2, num_pairs],
        source and target words of each
    values: float32[2, num_cells], P(link) in both directions; is_likely: bool[num_cells]
    source_words, target_words: float32[num_words, 3], count, kind and length of each word, one
        sentence after the other
    places: int64[n, 4], cell, pair of sentences, source and target position, filled in
    features: float32[n, POSITIONS], filled in
    """
    done = 0
    first_source = 0
    first_target = 0
    longest = 0
    for pair in range(len(offsets) - 1):
        longest = max(longest, sizes[0, pair], sizes[1, pair])
    means = np.float32(0.5) * (values[0] + values[1])
    rows = np.empty((longest, 5), np.float32)
    columns = np.empty((longest, 5), np.float32)
    for pair in range(len(offsets) - 1):
        height = sizes[0, pair]
        width = sizes[1, pair]
        begin = offsets[pair]
        if offsets[pair + 1] == begin:
            first_source += height
            first_target += width
            continue
        _sum_up(begin, width, height, values, rows, columns)
        grid = means[begin : begin + height * width].reshape(height, width)
        for source in range(height):
            row = rows[source]
            for target in range(width):
                cell = begin + source * width + target
                if not is_likely[cell]:
                    continue
                mean = grid[source, target]
                place = places[done]
                place[0] = cell
                place[1] = pair
                place[2] = source
                place[3] = target
                column = features[done]
                done += 1
                _own_features(values[0, cell], values[1, cell], mean, column)
                other = columns[target]
                row_best = row[4] if mean == row[3] else row[3]
                column_best = other[4] if mean == other[3] else other[3]
                column[6] = mean - row_best
                column[7] = mean - column_best
                column[8] = row_best
                column[9] = column_best
                for number in range(3):
                    column[10 + 2 * number] = row[number]
                    column[11 + 2 * number] = other[number]
                _neighbors(grid, source, target, column[16:24])
                slope = np.float32((source + 0.5) / height - (target + 0.5) / width)
                column[24] = slope
                column[25] = abs(slope)
                column[26] = height
                column[27] = width
                for number in range(3):
                    column[28 + number] = source_words[first_source + source, number]
                    column[31 + number] = target_words[first_target + target, number]
        first_source += height
        first_target += width


@njit(nogil=True, cache=True)
def _sum_up(begin, width, height, values, rows, columns):
    """Sums of the mean and both directions, best and second mean, of rows and columns."""
    # rows: float32[height, 5], columns: float32[width, 5], filled in
    zero = np.float32(0.0)
    for target in range(width):
        for number in range(5):
            columns[target, number] = zero
    for source in range(height):
        total = zero
        total_one = zero
        total_other = zero
        best = zero
        second = zero
        for target in range(width):
            cell = begin + source * width + target
            one = values[0, cell]
            other = values[1, cell]
            mean = np.float32(0.5) * (one + other)
            total += mean
            total_one += one
            total_other += other
            second = max(second, min(best, mean))
            best = max(best, mean)
            columns[target, 0] += mean
            columns[target, 1] += one
            columns[target, 2] += other
            columns[target, 4] = max(columns[target, 4], min(columns[target, 3], mean))
            columns[target, 3] = max(columns[target, 3], mean)
        rows[source, 0] = total
        rows[source, 1] = total_one
        rows[source, 2] = total_other
        rows[source, 3] = best
        rows[source, 4] = second


@njit(nogil=True, cache=True)
def _own_features(one, other, mean, column):
    """The posteriors of the cell itself."""
    column[0] = one
    column[1] = other
    column[2] = mean
    column[3] = np.sqrt(one * other)
    column[4] = min(one, other)
    column[5] = max(one, other)


@njit(nogil=True, cache=True)
def _neighbors(grid, source, target, column):
    """Values of the eight cells around one."""
    # grid: float32[height, width]; column: float32[8], filled in
    height, width = grid.shape
    number = 0
    for down in range(-1, 2):
        for right in range(-1, 2):
            if down == 0 and right == 0:
                continue
            row = source + down
            position = target + right
            is_inside = 0 <= row < height and 0 <= position < width
            column[number] = grid[row, position] if is_inside else _OUTSIDE
            number += 1


@njit(nogil=True, cache=True)
def choice_features(sizes, places, chances, features):
    """Fill in what a first choice says of cells: P(link) of themselves and of cells around them.

    sizes, places: as of cell_features; chances: float32[n], P(link) of each place
    features: float32[n, SECOND], filled in
    """
    begin = 0
    while begin < len(places):
        pair = places[begin, 1]
        end = begin
        while end < len(places) and places[end, 1] == pair:
            end += 1
        height = sizes[0, pair]
        width = sizes[1, pair]
        grid = np.zeros((height, width), np.float32)
        rows = np.zeros((3, height), np.float32)
        columns = np.zeros((3, width), np.float32)
        best = np.full(height, -1, np.int64)
        for number in range(begin, end):
            source = places[number, 2]
            target = places[number, 3]
            chance = chances[number]
            grid[source, target] = chance
            if chance > rows[1, source]:
                best[source] = target
            for line, place in ((rows, source), (columns, target)):
                line[0, place] += chance
                if chance > line[1, place]:
                    line[2, place] = line[1, place]
                    line[1, place] = chance
                elif chance > line[2, place]:
                    line[2, place] = chance
        for number in range(begin, end):
            place = places[number]
            _choice_of_cell(place, chances[number], grid, rows, columns, best, features[number])
        begin = end


@njit(nogil=True, cache=True)
def _choice_of_cell(place, chance, grid, rows, columns, best, column):
    """What the first choice says of one cell."""
    height, width = grid.shape
    source = place[2]
    target = place[3]
    column[0] = chance
    column[1] = rows[0, source] - chance
    column[2] = columns[0, target] - chance
    _neighbors(grid, source, target, column[3:11])
    column[11] = rows[2, source] if chance == rows[1, source] else rows[1, source]
    column[12] = columns[2, target] if chance == columns[1, target] else columns[1, target]
    above = source - 1
    while above >= 0 and rows[1, above] < _SURE:
        above -= 1
    below = source + 1
    while below < height and rows[1, below] < _SURE:
        below += 1
    left = best[above] if above >= 0 else -1
    right = best[below] if below < height else width
    line = left + (right - left) * (source - above) / (below - above)
    column[13] = np.float32(target - line)
    column[14] = np.float32(abs(target - line))
    column[15] = np.float32(target - left)
    column[16] = np.float32(right - target)
