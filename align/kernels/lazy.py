"""Numba's decorator, put off: a kernel is compiled, or read from disk, when it is first called.

Loading Numba takes a quarter of a second, and making a dispatcher of each of three hundred kernels
a third of that again, most of it to look for the folder that their machine code is kept in. A
program that calls no kernel pays for neither.
"""

from collections.abc import Callable
from functools import cached_property, update_wrapper
from importlib import import_module
from pathlib import Path
from typing import Any

__all__ = ["Intrinsic", "Kernel", "borrowing", "inlined", "njit"]


class Kernel:
    """A function that Numba compiles when it is first called, from Python or from a kernel."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        self._function, self._options = function, options
        self._dispatcher: Any = None
        self._inner: Any = None  # another one, for kernels that call this one
        update_wrapper(self, function)

    def __call__(self, *arguments: Any) -> Any:
        """What the function gives, compiled."""
        return (self._dispatcher or self._made())(*arguments)

    @property
    def _numba_type_(self) -> Any:
        """What Numba takes the kernel for where another one calls it or is given it."""
        if self._inner is None:
            self._inner = self._made_inner()
        return self._inner._numba_type_

    @property
    def py_func(self) -> Callable[..., Any]:
        """The function itself, as Python runs it."""
        return self._function

    @property
    def signatures(self) -> list[Any]:
        """Types of arguments that it was compiled for, or read from disk, to be called by Python.

        Not those that it was compiled for inside other kernels.
        """
        return [] if self._dispatcher is None else list(self._dispatcher.signatures)

    def compile(self, signature: tuple[Any, ...]) -> bool:
        """Compile it ahead, for types of arguments; False where it was only read from disk."""
        dispatcher = self._dispatcher or self._made()
        dispatcher.compile(signature)
        return bool(dispatcher.stats.cache_misses[signature])

    def is_on_disk(self, signature: tuple[Any, ...]) -> bool:
        """Whether it was compiled for types of arguments, and kept, so that it is only read.

        Only for versions of Numba that kernels were tested with.
        """
        from .disk_cache import is_cached

        return is_cached(self._dispatcher or self._made(), signature)

    def _made(self) -> Any:
        """Numba's dispatcher. Two threads may both make one: they are alike."""
        from ..kernel_cache import is_tested

        self._dispatcher = self._made_outer() if is_tested() else self._made_plain()
        return self._dispatcher

    def _made_outer(self) -> Any:
        from .boxing import box_without_python
        from .inner import compile_outer

        box_without_python()
        dispatcher = compile_outer(self._function, {**self._options, "cache": False})
        if self._options.get("cache"):
            from .disk_cache import cache_on_disk

            cache_on_disk(dispatcher)
        return dispatcher

    def _made_inner(self) -> Any:
        from ..kernel_cache import is_tested

        if not is_tested():
            return self._dispatcher or self._made()
        from .inner import compile_inner

        return compile_inner(self._function, self._options)

    def _made_plain(self) -> Any:
        """As Numba does by itself; outdated code of it is removed first."""
        import numba

        from ..kernel_cache import can_be_kept
        from .reporting import ReportingCompiler

        folder = Path(self._function.__code__.co_filename).parent
        options = {**self._options, "pipeline_class": ReportingCompiler}
        options["cache"] = bool(self._options.get("cache")) and can_be_kept(folder)
        return numba.njit(**options)(self._function)


def njit(**options: Any) -> Callable[[Callable[..., Any]], Kernel]:
    """As Numba's ``njit`` with these options, put off until the kernel is needed."""
    return lambda function: Kernel(function, options)


class Intrinsic:
    """LLVM code of another module, loaded when a kernel that calls it is compiled.

    So a module of kernels can name it without loading Numba.
    """

    def __init__(self, module: str, name: str) -> None:
        self._module, self._name = module, name

    def __call__(self, *arguments: Any) -> Any:
        """It is no function of Python's."""
        raise NotImplementedError(f"{self._name} is LLVM code and can only be called from kernels")

    @cached_property
    def _numba_type_(self) -> Any:
        """What Numba takes a call of it for."""
        from numba.core.registry import cpu_target

        made, context = getattr(import_module(self._module), self._name), cpu_target.typing_context
        context.refresh()  # it may be new
        return context.resolve_value_type(made)


# Numba counts references to each array of a tuple, with atomic additions, at every call and for
# every field that is read: a seventh of an E-step, and most of the time of kernels that are called
# millions of times.

borrowing = njit(nogil=True, cache=True, _nrt=False)
"""For kernels that allocate nothing: they look at the arrays they are given, or write to them.

No references are counted. What they call is compiled so, too, unless it says ``_nrt=True``.
"""

inlined = njit(nogil=True, cache=True, _nrt=False, forceinline=True)
"""The same for small kernels that are called often with large tuples: always inlined."""
