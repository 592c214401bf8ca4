"""Sorting and selecting inside kernels.

Numba's own sorts take a second and more to compile, in every kernel that calls them.
"""

import numpy as np

from .lazy import njit

__all__ = ["nth_smallest", "rising_order", "sort_values"]

RUN = 16  # numbers that are put in order by insertion


@njit(nogil=True, cache=True)
def rising_order(values):
    """Positions of the values, least first, equal ones as they stand: int64[n], by merging.

    values: [n], of any type that can be compared; no NaN.
    """
    num = len(values)
    order, merged = np.empty(num, np.int64), np.empty(num, np.int64)
    for position in range(num):
        place, begin = position, position - position % RUN
        while place > begin and values[order[place - 1]] > values[position]:
            order[place] = order[place - 1]
            place -= 1
        order[place] = position
    width = RUN
    while width < num:
        for begin in range(0, num, 2 * width):
            middle, end = min(begin + width, num), min(begin + 2 * width, num)
            left, right = begin, middle
            for place in range(begin, end):
                if right == end or (left < middle and values[order[left]] <= values[order[right]]):
                    merged[place] = order[left]
                    left += 1
                else:
                    merged[place] = order[right]
                    right += 1
        order, merged = merged, order
        width *= 2
    return order


@njit(nogil=True, cache=True)
def sort_values(values):
    """Put the values, [n] without NaN, in order, least first."""
    if len(values) > RUN:
        order, before = rising_order(values), values.copy()
        for place in range(len(values)):
            values[place] = before[order[place]]
        return
    for position in range(1, len(values)):
        place, value = position, values[position]
        while place > 0 and values[place - 1] > value:
            values[place] = values[place - 1]
            place -= 1
        values[place] = value


@njit(nogil=True, cache=True)
def nth_smallest(values, place):
    """The value that would stand at ``place`` if the values were sorted (Hoare 1961).

    values: [n], no NaN; put in another order.
    """
    first, last = 0, len(values) - 1
    while first < last:
        pivot = values[(first + last) // 2]
        left, right = first, last
        while left <= right:
            while values[left] < pivot:
                left += 1
            while pivot < values[right]:
                right -= 1
            if left <= right:
                values[left], values[right] = values[right], values[left]
                left += 1
                right -= 1
        if place <= right:
            last = right
        elif place >= left:
            first = left
        else:
            break
    return values[place]
