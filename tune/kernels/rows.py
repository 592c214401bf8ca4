"""Sparse rows, as kernels take them."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Rows"]


class Rows(NamedTuple):
    """Rows of (id, value) entries; an id may come twice in a row, its values add up.

    ids: int32[total]; values: float32 or float64[total]; offsets: int64[num_rows + 1]
    """

    ids: NDArray[np.int32]
    values: NDArray[Any]
    offsets: NDArray[np.int64]
