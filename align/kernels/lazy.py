"""Numba's decorator, put off: a kernel is compiled, or read from disk, when it is first called.

Loading Numba takes a quarter of a second, and making a dispatcher of each of three hundred kernels
a third of that again, most of it to look for the folder that their machine code is kept in. A
program that calls no kernel pays for neither.
"""

from collections.abc import Callable
from functools import cache, update_wrapper
from pathlib import Path
from typing import Any

__all__ = ["Kernel", "borrowing", "inlined", "njit"]


class Kernel:
    """A function that Numba compiles when it is first called, from Python or from a kernel.

    Attributes that it has not itself are those of Numba's dispatcher, such as ``py_func``.
    """

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        self._function, self._options = function, options
        self._dispatcher: Any = None
        update_wrapper(self, function)

    def __call__(self, *arguments: Any) -> Any:
        """What the function gives, compiled."""
        return (self._dispatcher or self._made())(*arguments)

    @property
    def _numba_type_(self) -> Any:
        """What Numba takes the kernel for where another one calls it or is given it."""
        return (self._dispatcher or self._made())._numba_type_

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # what copying and pickling look for; nothing is made for them
            raise AttributeError(name)
        return getattr(self._dispatcher or self._made(), name)

    def _made(self) -> Any:
        """Numba's dispatcher. Two threads may both make one: they are alike."""
        import numba

        if self._options.get("cache"):
            _drop_outdated(Path(self._function.__code__.co_filename).parent)
        self._dispatcher = numba.njit(**self._options)(self._function)
        return self._dispatcher


@cache
def _drop_outdated(folder: Path) -> None:
    """Once per folder and process, before any of its kernels is read from disk."""
    from ..kernel_cache import drop_outdated

    drop_outdated(folder)


def njit(**options: Any) -> Callable[[Callable[..., Any]], Kernel]:
    """As Numba's ``njit`` with these options, put off until the kernel is needed."""
    return lambda function: Kernel(function, options)


# Numba counts references to each array of a tuple, with atomic additions, at every call and for
# every field that is read: a seventh of an E-step, and most of the time of kernels that are called
# millions of times.

borrowing = njit(nogil=True, cache=True, _nrt=False)
"""For kernels that allocate nothing: they look at the arrays they are given, or write to them.

No references are counted. What they call is compiled so, too, unless it says ``_nrt=True``.
"""

inlined = njit(nogil=True, cache=True, _nrt=False, forceinline=True)
"""The same for small kernels that are called often with large tuples: always inlined."""
