"""LLVM code for rows of float32, from which vector intrinsics are made.

Numba leaves loops over short rows of several arrays scalar, or guards each with checks that cost
more than the loop. The intrinsics emit LLVM vectors instead; LLVM splits them into what the
machine has.

Intrinsics take an array together with the places where rows begin in it, as a tuple
``(array, start, ...)``. Arrays are one-dimensional, float32 and contiguous; the length of a row is
a multiple of LANES. Tuples are taken apart when code is generated, so that they cost nothing.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic as _intrinsic

from .simd import LANES

intrinsic: Any = _intrinsic  # its own type has the caller pass the typing context

FLOAT, INT32, INT64 = ir.FloatType(), ir.IntType(32), ir.IntType(64)
VECTOR = ir.VectorType(FLOAT, LANES)
ZERO = ir.Constant(VECTOR, [0.0] * LANES)


def row_type(kind):
    """The type of a tuple (array, start, ...); starts are int64."""
    return types.Tuple([kind[0], *[types.int64] * (len(kind) - 1)])


def unpack_rows(context, builder, kind, value):
    """Address of the numbers of an array, and where its rows begin."""
    array, *starts = cgutils.unpack_tuple(builder, value)
    return context.make_array(kind[0])(context, builder, array).data, starts


def load(builder, base, at):
    """The vector that begins at a place of an array."""
    vector = builder.load(builder.bitcast(builder.gep(base, [at]), VECTOR.as_pointer()))
    vector.align = 4
    return vector


def store(builder, vector, base, at):
    """Write a vector to a place of an array."""
    written = builder.store(vector, builder.bitcast(builder.gep(base, [at]), VECTOR.as_pointer()))
    written.align = 4


def spread(builder, value):
    """A vector of equal entries."""
    undefined = ir.Constant(VECTOR, ir.Undefined)
    first = builder.insert_element(undefined, value, ir.Constant(INT32, 0))
    zero = ir.Constant(ir.VectorType(INT32, LANES), [0] * LANES)
    return builder.shuffle_vector(first, undefined, zero)


def times(builder, x, y):
    """x * y."""
    return builder.fmul(x, y)


def times_plus(builder, x, y, z):
    """x * y + z, rounded twice, as not all processors can round once."""
    return builder.fadd(times(builder, x, y), z)


def plus(builder, x, y):
    """x + y."""
    return builder.fadd(x, y)


def larger(builder, x, y):
    """The larger of x and y."""
    return builder.select(builder.fcmp_ordered(">", x, y), x, y)


def times_larger(builder, x, y, z):
    """The larger of x * y and z."""
    return larger(builder, times(builder, x, y), z)


def whole(number):
    """A constant of type int64."""
    return ir.Constant(INT64, number)


def lane_sum(builder, vector):
    """The sum of a vector's lanes: halves are added until one is left, on any processor."""
    count = LANES
    while count > 1:
        count //= 2
        halves = [
            builder.shuffle_vector(
                vector, vector,
                ir.Constant(ir.VectorType(INT32, count), [*range(first, first + count)]),
            )
            for first in (0, count)
        ]  # fmt: skip
        vector = builder.fadd(*halves)
    return builder.extract_element(vector, ir.Constant(INT32, 0))


def chunks(builder, width, body, *, backwards=False):
    """Call ``body(at)`` for each vector of a row, from the last one if asked to."""
    number = builder.udiv(width, whole(LANES))
    with cgutils.for_range(builder, number) as loop:
        index = loop.index
        if backwards:
            index = builder.sub(builder.sub(number, whole(1)), index)
        body(builder.mul(index, whole(LANES)))


def variables(builder, number):
    """Vectors that a loop changes, 0 at first."""
    pointers = [cgutils.alloca_once(builder, VECTOR) for _ in range(number)]
    for pointer in pointers:
        builder.store(ZERO, pointer)
    return pointers


def row_by_row(body, kinds, num_factors, *, total=False):
    """Signature and code for one pass over rows: tuples of them, factors, the width.

    body(builder, load, store, factors) works on one vector; load(k) and store(k, vector) are of the
    k-th row. With ``total`` it returns what is to be summed.
    kinds: types of the tuples; num_factors: 0, or 1 for a number, more for a tuple of them.
    """
    parameters = [row_type(kind) for kind in kinds]
    if num_factors:
        factor = types.float32
        parameters.append(factor if num_factors == 1 else types.UniTuple(factor, num_factors))
    result = types.float32 if total else types.void

    def generate(context, builder, signature, arguments):
        rows = []
        for kind, value in zip(signature.args[: len(kinds)], arguments, strict=False):
            base, starts = unpack_rows(context, builder, kind, value)
            rows += [(base, start) for start in starts]
        values = arguments[len(kinds) : -1]
        if num_factors > 1:
            values = cgutils.unpack_tuple(builder, values[0])
        factors = [spread(builder, value) for value in values]
        running = cgutils.alloca_once(builder, VECTOR)
        builder.store(ZERO, running)
        with cgutils.for_range(builder, builder.udiv(arguments[-1], whole(LANES))) as loop:
            at = builder.mul(loop.index, whole(LANES))
            part = body(
                builder,
                lambda k: load(builder, rows[k][0], builder.add(rows[k][1], at)),
                lambda k, vector: store(builder, vector, rows[k][0], builder.add(rows[k][1], at)),
                factors,
            )
            if total:
                builder.store(builder.fadd(builder.load(running), part), running)
        return lane_sum(builder, builder.load(running)) if total else context.get_dummy_value()

    return result(*parameters, types.int64), generate
