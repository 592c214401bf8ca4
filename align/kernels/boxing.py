"""What kernels return: their classes are looked up without running Python.

To make Python's objects of a kernel's arrays and tuples, Numba asks for their classes by a function
of Python's, at each call. Signals are handled as it begins, and what a handler raises there, such
as KeyboardInterrupt, Numba does not look at: it goes on without a class, to a segmentation fault.
All signals that come while a kernel is at work are handled there.

This rests on a part of Numba that is not its public interface, so it is used with the versions that
it was tested with (:data:`isogloss.align.kernel_cache.TESTED`).
"""

from functools import lru_cache
from typing import Any

from numba.core import serialize

__all__ = ["look_classes_up_in_c"]

_serialize: Any = serialize


def look_classes_up_in_c() -> None:
    """Have C code answer from the second time on that a class is asked for; may be called again."""
    if not hasattr(_serialize._numba_unpickle, "cache_info"):
        _serialize._numba_unpickle = lru_cache(maxsize=None)(_serialize._numba_unpickle)
