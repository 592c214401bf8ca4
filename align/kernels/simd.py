"""Vector intrinsics: rows of float32 are cleared, added or multiplied; blocks of text are copied.

Rows are given as tuples ``(array, start)``, see ``vector_code``. They start at multiples of LANES
in arrays of :func:`zeros`, so that none straddles a cache line.
"""

import numpy as np

from .lazy import Intrinsic, njit

LANES = 16  # numbers of a vector
BLOCK = 16  # bytes that are copied at once; arrays of text have so many to spare at their end

_CODE = "isogloss.align.kernels.simd_code"
add_scaled = Intrinsic(_CODE, "add_scaled")
keep_larger = Intrinsic(_CODE, "keep_larger")
clear = Intrinsic(_CODE, "clear")
product_sum = Intrinsic(_CODE, "product_sum")
prefetch = Intrinsic(_CODE, "prefetch")
copy_block = Intrinsic(_CODE, "copy_block")


@njit(nogil=True, cache=True)
def padded(length):
    """The next multiple of LANES."""
    return (length + LANES - 1) // LANES * LANES


@njit(nogil=True, cache=True)
def zeros(size):
    """float32[size] of zeros that begins at a cache line."""
    spacious = np.zeros(size + LANES, np.float32)
    first = ((64 - spacious.ctypes.data % 64) // 4) % LANES
    return spacious[first : first + size]
