"""How often ids occur, without a copy of them.

NumPy's ``bincount`` makes one of eight bytes an id, which are gigabytes for all words of a corpus.
"""

import numpy as np
from numpy.typing import NDArray

__all__ = ["id_counts"]

_BLOCK = 1 << 16  # ids counted at a time, at least


def id_counts(ids: NDArray[np.int32], size: int) -> NDArray[np.int64]:
    """How often each id occurs: int64[size], or longer if an id isn't below ``size``.

    ids: int32[n], not negative
    """
    block = max(_BLOCK, size)
    counts = np.bincount(ids[:block], minlength=size)
    for begin in range(block, len(ids), block):
        more = np.bincount(ids[begin : begin + block], minlength=len(counts))
        more[: len(counts)] += counts
        counts = more
    return counts
