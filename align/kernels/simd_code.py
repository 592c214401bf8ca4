"""The code of the intrinsics of ``simd``."""

from llvmlite import ir
from numba import types
from numba.core import cgutils

from .simd import BLOCK
from .vector_code import (
    INT32,
    ZERO,
    intrinsic,
    row_by_row,
    times,
    times_larger,
    times_plus,
)


def _add(builder, load, store, factors):
    store(0, times_plus(builder, load(1), factors[0], load(0)))


@intrinsic
def add_scaled(typing, out, row, factor, width):
    """out += factor * row."""
    return row_by_row(_add, [out, row], 1)


def _raise(builder, load, store, factors):
    store(0, times_larger(builder, load(1), factors[0], load(0)))


@intrinsic
def keep_larger(typing, out, row, factor, width):
    """out = the larger of itself and of factor * row."""
    return row_by_row(_raise, [out, row], 1)


def _clear(builder, load, store, factors):
    store(0, ZERO)


@intrinsic
def clear(typing, out, width):
    """out = 0."""
    return row_by_row(_clear, [out], 0)


def _product(builder, load, store, factors):
    return times(builder, load(0), load(1))


@intrinsic
def product_sum(typing, left, right, width):
    """The sum of left * right."""
    return row_by_row(_product, [left, right], 0, total=True)


@intrinsic
def prefetch(typing, array, index):
    """Ask for the cache line of array[index], of any type; the arithmetic meanwhile goes on."""

    def generate(context, builder, signature, arguments):
        byte = ir.IntType(8).as_pointer()
        base = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        address = builder.bitcast(builder.gep(base, [arguments[1]]), byte)
        fetch = cgutils.get_or_insert_function(
            builder.module,
            ir.FunctionType(ir.VoidType(), [byte, INT32, INT32, INT32]),
            "llvm.prefetch.p0i8",
        )
        builder.call(fetch, [address, *(ir.Constant(INT32, value) for value in (0, 2, 1))])
        return context.get_dummy_value()

    return types.void(array, types.int64), generate


@intrinsic
def copy_block(typing, out, at, text, begin):
    """Copy BLOCK bytes of ``text`` from ``begin`` on to ``out``; Numba would copy one at a time."""

    def generate(context, builder, signature, arguments):
        block = ir.VectorType(ir.IntType(8), BLOCK).as_pointer()
        bases = [
            context.make_array(signature.args[k])(context, builder, arguments[k]).data
            for k in (0, 2)
        ]
        written, read = (
            builder.bitcast(builder.gep(base, [arguments[k]]), block)
            for base, k in zip(bases, (1, 3), strict=True)
        )
        value = builder.load(read)
        value.align = 1
        builder.store(value, written).align = 1
        return context.get_dummy_value()

    return types.void(out, types.int64, text, types.int64), generate
