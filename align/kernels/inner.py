"""Kernels that other kernels call: linked into their callers, and optimized there alone.

Numba optimizes each kernel that another one calls, wraps it and turns it into machine code as if
Python called it, and then links it into its callers, where it is optimized again: most of the time
that compiling takes. Here it is linked as it was lowered, and what becomes of it in its callers is
what would have become of it anyway.

This rests on parts of Numba that are not its public interface, so it is used with the versions
that it was tested with (:data:`isogloss.align.kernel_cache.TESTED`); with others, this module isn't
loaded, and kernels are compiled as Numba does by itself.
"""

import ctypes
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import numba
from numba.core import codegen, compiler, environment, types

from .reporting import ReportingCompiler

__all__ = ["compile_inner", "compile_outer"]

_ENVIRONMENT = "_ZN08NumbaEnv"  # how Numba calls the variable of a function's environment
_JITCodeLibrary: Any = codegen.JITCodeLibrary
_Compiler: Any = compiler.Compiler
_njit: Any = numba.njit  # its type lacks some of the options


class _NoEnvironments:
    """In place of the code generator of code that is never run: no environment is set."""

    @staticmethod
    def set_env(env_name: str, env: object) -> None:
        """Nothing: :class:`_OuterCompiler` sets it in the callers."""


class _InnerLibrary(_JITCodeLibrary):  # type: ignore[misc]
    """Code that is linked into its callers without having been optimized or run."""

    # What it calls is linked into them, too, and not into this code.

    @property
    def codegen(self) -> type[_NoEnvironments]:
        return _NoEnvironments

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout

    def finalize(self) -> None:
        """Nothing is linked, optimized or turned into machine code."""
        self._raise_if_finalized()
        self._finalize_dynamic_globals()
        self._finalized = True

    @cached_property
    def own_module(self) -> Any:
        """This code alone, as it can be linked many times."""
        return super()._get_module_for_linking()

    @cached_property
    def _whole_module(self) -> Any:
        module = self.own_module.clone()
        for part in _linked_into(self):
            module.link_in(part, preserve=True)
        return module

    def _get_module_for_linking(self) -> Any:
        """With all that it calls: for libraries that aren't ours."""
        return self._whole_module

    def get_pointer_to_function(self, name: str) -> int:
        """A function that raises MemoryError: what is never called had better not crash."""
        self._ensure_finalized()
        return ctypes.cast(ctypes.pythonapi.PyErr_NoMemory, ctypes.c_void_p).value or 0


class _OuterLibrary(_JITCodeLibrary):  # type: ignore[misc]
    """Code that is run: what it calls is linked into it once, however often it is called."""

    def finalize(self) -> None:
        """Link, optimize, and make machine code."""
        for part in _linked_into(self):
            self._final_module.link_in(part, preserve=True)
        self._linking_libraries: list[Any] = []
        super().finalize()


def _linked_into(library: Any) -> Iterator[Any]:
    """The modules of all that a library calls, and of what that calls, each once."""
    # Callers come before what they call: LLVM drops a function that nothing needs so far.
    for called in reversed(list(_callees_first(library, set()))):
        library._reload_init.update(called._reload_init)
        is_inner = isinstance(called, _InnerLibrary)
        yield called.own_module if is_inner else called._get_module_for_linking()


def _callees_first(library: Any, seen: set[Any]) -> Iterator[Any]:
    """All that a library calls, and what that calls; what is not ours has its own linked in."""
    for called in library._linking_libraries:
        if called not in seen:
            seen.add(called)
            if isinstance(called, _InnerLibrary):
                yield from _callees_first(called, seen)
            yield called


@contextmanager
def _linked_only(generator: Any) -> Iterator[None]:
    """Numba's own functions that are compiled meanwhile are for linking only, too."""
    # Numba's lock is held while it compiles: no other thread meets this.
    before = generator._library_class
    generator._library_class = _InnerLibrary
    try:
        yield
    finally:
        generator._library_class = before


class _InnerCompiler(_Compiler):  # type: ignore[misc]
    """Compiles into a library that is for linking only."""

    def compile_extra(self, func: Callable[..., Any]) -> Any:
        generator = self.state.targetctx.codegen()
        self.state.library = _InnerLibrary(generator, func.__qualname__)
        with _linked_only(generator):
            return super().compile_extra(func)


class _OuterCompiler(ReportingCompiler):
    """Sets the environments of the kernels that were linked in, too."""

    def compile_extra(self, func: Callable[..., Any]) -> Any:
        generator = self.state.targetctx.codegen()
        self.state.library = _OuterLibrary(generator, func.__qualname__)
        self.state.library.enable_object_caching()
        with _linked_only(generator):
            result = super().compile_extra(func)
        for variable in result.library._final_module.global_variables:
            if variable.name.startswith(_ENVIRONMENT):
                found = environment.lookup_environment(variable.name)
                if found is not None:
                    result.library.codegen.set_env(variable.name, found)
        return result


def compile_outer(function: Callable[..., Any], options: Mapping[str, Any]) -> Any:
    """The dispatcher of a kernel that Python calls."""
    return _njit(**options, pipeline_class=_OuterCompiler)(function)


def compile_inner(function: Callable[..., Any], options: Mapping[str, Any]) -> Any:
    """The dispatcher of a kernel that other kernels call.

    Python can't call it. Nothing of it is kept on disk: it is in what is kept of its callers.
    """
    extra = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "cache": False}
    dispatcher = _njit(**{**options, **extra}, pipeline_class=_InnerCompiler)(function)
    template = dispatcher.get_call_template

    def not_literal(args: Iterable[Any], kws: Mapping[str, Any]) -> Any:
        return template(
            [types.unliteral(kind) for kind in args],
            {name: types.unliteral(kind) for name, kind in kws.items()},
        )

    dispatcher.get_call_template = not_literal  # else a constant argument has it compiled anew
    return dispatcher
