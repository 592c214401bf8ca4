"""How often ids occur, without a copy of them.

NumPy's ``bincount`` makes one of eight bytes an id, which are gigabytes for all words of a corpus.
"""

import numpy as np
from numpy.typing import NDArray

__all__ = ["id_counts"]

_BLOCK = 1 << 16  # ids counted at a time, at least


def id_counts(ids: NDArray[np.int32], size: int) -> NDArray[np.int64]:
    """How often each id occurs: int64[size]. ids: int32[n], below ``size``; -1 is not counted"""
    counts = np.zeros(size, np.int64)
    block = max(_BLOCK, size)
    for begin in range(0, len(ids), block):
        some = ids[begin : begin + block]
        counts += np.bincount(some[some >= 0], minlength=size)
    return counts
