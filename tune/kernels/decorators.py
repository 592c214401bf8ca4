"""How kernels are compiled that do not count references.

Numba counts references to each array of a tuple, with atomic additions, at every call and for every
field that is read: most of the time of kernels that are called millions of times.
"""

from align.kernels.lazy import njit

__all__ = ["borrowing", "inlined"]

borrowing = njit(nogil=True, cache=True, _nrt=False)
"""For kernels that allocate nothing: they look at the arrays they are given, or write to them.

What they call is compiled without counts, too, unless it says ``_nrt=True``.
"""

inlined = njit(nogil=True, cache=True, _nrt=False, forceinline=True)
"""The same for small kernels that are called often with large tuples: always inlined."""
