"""Logarithms and exponentials that are the same on every processor.

NumPy's of float64 have versions for some instruction sets, which differ in the last bit. A search
for weights can turn that into other weights, so what such a search sees is made with these: in
extended precision, then rounded to the nearest float64. Where the C library has no extended
precision, they are its own.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["exp", "log"]


def exp(values: ArrayLike) -> NDArray[np.float64]:
    """e to the power of each value. values: float64[...]"""
    return np.exp(np.asarray(values, np.longdouble)).astype(np.float64)


def log(values: ArrayLike) -> NDArray[np.float64]:
    """The natural logarithm of each value, -inf of 0. values: float64[...]"""
    return np.log(np.asarray(values, np.longdouble)).astype(np.float64)
