"""What kernels return becomes Python's objects without running Python.

Signals are handled where Python begins to run a function, and what a handler raises there, such as
KeyboardInterrupt, Numba does not look at while it makes a kernel's result: it goes on without the
object, to a segmentation fault. All signals that come while a kernel is at work are handled there.
Numba runs Python to look a class up the first time, and to make each named tuple. Here classes are
constants of the kernel's environment, and named tuples are made as tuples are, by C code.

This rests on parts of Numba that are not its public interface, so it is used with the versions that
it was tested with (:data:`isogloss.align.kernel_cache.TESTED`).
"""

from typing import Any

from llvmlite import ir
from numba.core import boxing, cgutils, pythonapi, types
from numba.np import numpy_support

__all__ = ["box_without_python"]

_boxers: Any = pythonapi._boxers
_box_tuple: Any = boxing.box_tuple
_box_array: Any = boxing.box_array
_box_named: Any = boxing.box_namedtuple
_INT32 = ir.IntType(32)
_ADAPT = "NRT_adapt_ndarray_to_python_acqref"
_OURS = __name__.partition(".")[0]


def box_without_python() -> None:
    """Have kernels that are compiled from now on make their results so; may be called again."""
    _boxers.functions[types.Array] = _array
    _boxers.functions[types.NamedTuple] = _boxers.functions[types.NamedUniTuple] = _named_tuple


def _constant(value: object, c: Any) -> Any:
    """A borrowed reference to an object that is kept with the kernel."""
    return c.env_manager.read_const(c.env_manager.add_const(value))


def _array(kind: Any, value: Any, c: Any) -> Any:
    """As Numba's, which asks Python for the class."""
    if not c.context.enable_nrt:
        return _box_array(kind, value, c)
    pointer = c.builder.bitcast(cgutils.alloca_once_value(c.builder, value), c.pyapi.voidptr)
    arguments = [
        pointer,
        _constant(kind.box_type, c),
        _INT32(kind.ndim),
        _INT32(int(kind.mutable)),
        _constant(numpy_support.as_dtype(kind.dtype), c),
    ]
    function = ir.FunctionType(c.pyapi.pyobj, [argument.type for argument in arguments])
    made = c.builder.call(c.pyapi._get_function(function, name=_ADAPT), arguments)
    c.context.nrt.decref(c.builder, kind, value)
    return made


def _named_tuple(kind: Any, value: Any, c: Any) -> Any:
    """``tuple.__new__(class, fields)``; others' classes may have a constructor of their own."""
    if kind.instance_class.__module__.partition(".")[0] != _OURS:
        return _box_named(kind, value, c)
    fields = _box_tuple(kind, value, c)
    arguments = [_constant(kind.instance_class, c), fields]
    made = c.pyapi.call_function_objargs(_constant(tuple.__new__, c), arguments)
    c.pyapi.decref(fields)
    return made
