"""Spans of flat columns, brought together in another order."""

from .lazy import njit


@njit(nogil=True, cache=True)
def copy_spans(data, offsets, rows, result):
    """Write the entries of some rows one after the other.

    data: any type[total]; offsets: int64[n + 1], where each row begins; rows: int64[m]
    result: as ``data``, with room for them, written
    """
    at = 0
    for row in rows:
        for place in range(offsets[row], offsets[row + 1]):
            result[at] = data[place]
            at += 1
