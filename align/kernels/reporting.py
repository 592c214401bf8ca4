"""Compiling is logged: a record when a kernel is begun, one when it is done.

``seconds`` of a record: how long it took, None when it is begun.
"""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from numba.core import compiler

__all__ = ["ReportingCompiler", "reported"]

_Compiler: Any = compiler.Compiler
_LOG = logging.getLogger(__name__)


@contextmanager
def reported(name: str) -> Iterator[None]:
    """Log that a kernel is compiled, here or elsewhere, and how long that took."""
    begin = time.perf_counter()
    _LOG.info("compiling %s (first use)", name, extra={"seconds": None})
    yield
    seconds = time.perf_counter() - begin
    _LOG.info("compiled %s in %.1f s", name, seconds, extra={"seconds": seconds})


class ReportingCompiler(_Compiler):  # type: ignore[misc]
    """Compiles as ever, and logs what and how long."""

    def compile_extra(self, func: Callable[..., Any]) -> Any:
        """What Numba calls to compile a function."""
        with reported(func.__qualname__):
            return super().compile_extra(func)
