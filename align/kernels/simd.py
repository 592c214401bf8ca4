"""Vector code for the inner loops of the HMM: rows of float32 whose length is a multiple of LANES.

Numba leaves loops over short rows of several arrays scalar, or guards each with checks that cost
more than the loop. These intrinsics emit LLVM vectors instead; LLVM splits them into what the
machine has. Arrays are one-dimensional, float32 and contiguous; an argument ``..._at`` is where a
row begins. Rows start at multiples of LANES in arrays of :func:`zeros`, so that none straddles a
cache line.
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic as _intrinsic

intrinsic: Any = _intrinsic  # its own type has the caller pass the typing context

LANES = 16
_ROWS = 4  # rows summed side by side, so that one addition needn't wait for the last

_FLOAT, _INT32, _INT64 = ir.FloatType(), ir.IntType(32), ir.IntType(64)
_VECTOR = ir.VectorType(_FLOAT, LANES)
_ZERO = ir.Constant(_VECTOR, [0.0] * LANES)
_CONTRACT = ("contract",)


@njit(nogil=True, cache=True)
def padded(length):
    """The next multiple of LANES."""
    return (length + LANES - 1) // LANES * LANES


@njit(nogil=True, cache=True)
def zeros(size):
    """float32[size] of zeros that begins at a cache line."""
    room = np.zeros(size + LANES, np.float32)
    first = ((64 - room.ctypes.data % 64) // 4) % LANES
    return room[first : first + size]


def _data(context, builder, signature, arguments, place):
    make = context.make_array(signature.args[place])
    return make(context, builder, arguments[place]).data


def _load(builder, base, at):
    vector = builder.load(builder.bitcast(builder.gep(base, [at]), _VECTOR.as_pointer()))
    vector.align = 4
    return vector


def _store(builder, vector, base, at):
    store = builder.store(vector, builder.bitcast(builder.gep(base, [at]), _VECTOR.as_pointer()))
    store.align = 4


def _spread(builder, value):
    """A vector of equal entries."""
    undefined = ir.Constant(_VECTOR, ir.Undefined)
    one = builder.insert_element(undefined, value, ir.Constant(_INT32, 0))
    zero = ir.Constant(ir.VectorType(_INT32, LANES), [0] * LANES)
    return builder.shuffle_vector(one, undefined, zero)


def _times(builder, x, y):
    return builder.fmul(x, y, flags=_CONTRACT)


def _times_plus(builder, x, y, z):
    return builder.fadd(_times(builder, x, y), z, flags=_CONTRACT)


def _whole(number):
    return ir.Constant(_INT64, number)


def _sum(builder, vector):
    reduce = cgutils.get_or_insert_function(
        builder.module,
        ir.FunctionType(_FLOAT, [_FLOAT, _VECTOR]),
        f"llvm.vector.reduce.fadd.v{LANES}f32",
    )
    return builder.call(reduce, [ir.Constant(_FLOAT, 0.0), vector], fastmath=("reassoc",))


def _by_columns(builder, width, columns):
    """Call ``columns(at, vectors)`` for two vectors of columns at a time, then for the rest."""
    two = _whole(2 * LANES)
    pairs = builder.udiv(width, two)
    with cgutils.for_range(builder, pairs) as loop:
        columns(builder.mul(loop.index, two), 2)
    done = builder.mul(pairs, two)
    with builder.if_then(builder.icmp_unsigned("<", done, width)):
        columns(done, 1)


def _row_types(out, weight, rows):
    return types.void(
        out, types.int64, weight, types.int64, rows, types.int64, types.int64, types.int64
    )


@intrinsic
def weighted_rows(typing, out, out_at, weight, weight_at, rows, rows_at, count, width):
    """out[k] = sum over i < count of weight[i] * rows[i * width + k], for k < width.

    ``weight`` is read up to the next multiple of four and holds zeros there.
    """

    def generate(context, builder, signature, arguments):
        target, factor, table = (
            _data(context, builder, signature, arguments, place) for place in (0, 2, 4)
        )
        _, out_from, _, weight_from, _, rows_from, number, length = arguments
        groups = builder.udiv(builder.add(number, _whole(_ROWS - 1)), _whole(_ROWS))

        def columns(at, vectors):
            sums = [
                [cgutils.alloca_once(builder, _VECTOR) for _ in range(vectors)]
                for _ in range(_ROWS)
            ]
            for place in (place for row in sums for place in row):
                builder.store(_ZERO, place)
            with cgutils.for_range(builder, groups) as loop:
                for offset, row in enumerate(sums):
                    i = builder.add(builder.mul(loop.index, _whole(_ROWS)), _whole(offset))
                    one = builder.load(builder.gep(factor, [builder.add(weight_from, i)]))
                    share = _spread(builder, one)
                    base = builder.add(rows_from, builder.add(builder.mul(i, length), at))
                    for number_of, place in enumerate(row):
                        part = _load(
                            builder, table, builder.add(base, _whole(number_of * LANES))
                        )
                        builder.store(
                            _times_plus(builder, share, part, builder.load(place)), place
                        )
            for number_of in range(vectors):
                parts = [builder.load(row[number_of]) for row in sums]
                while len(parts) > 1:
                    parts = [
                        builder.fadd(x, y) for x, y in zip(parts[::2], parts[1::2], strict=True)
                    ]
                _store(
                    builder,
                    parts[0],
                    target,
                    builder.add(out_from, builder.add(at, _whole(number_of * LANES))),
                )

        _by_columns(builder, length, columns)
        return context.get_dummy_value()

    return _row_types(out, weight, rows), generate


@intrinsic
def add_outer(typing, out, out_at, left, left_at, right, right_at, count, width):
    """out[i * width + k] += left[i] * right[k], for i < count and k < width."""

    def generate(context, builder, signature, arguments):
        target, column, row = (
            _data(context, builder, signature, arguments, place) for place in (0, 2, 4)
        )
        _, out_from, _, left_from, _, right_from, number, length = arguments

        def columns(at, vectors):
            shifts = [_whole(k * LANES) for k in range(vectors)]
            parts = [
                _load(builder, row, builder.add(right_from, builder.add(at, shift)))
                for shift in shifts
            ]
            with cgutils.for_range(builder, number) as loop:
                one = builder.load(builder.gep(column, [builder.add(left_from, loop.index)]))
                share = _spread(builder, one)
                base = builder.add(out_from, builder.add(builder.mul(loop.index, length), at))
                for part, shift in zip(parts, shifts, strict=True):
                    place = builder.add(base, shift)
                    old = _load(builder, target, place)
                    _store(builder, _times_plus(builder, share, part, old), target, place)

        _by_columns(builder, length, columns)
        return context.get_dummy_value()

    return _row_types(out, left, right), generate


def _row_by_row(num_arrays, body, *, total):
    """Code for one pass over rows: (array, at) pairs, two factors, the width.

    body(builder, load, store, factors) works on one vector; load(k) and store(k, vector) are of the
    k-th array. With ``total`` it returns what is to be summed.
    """

    def generate(context, builder, signature, arguments):
        bases = [
            _data(context, builder, signature, arguments, 2 * k) for k in range(num_arrays)
        ]
        starts = [arguments[2 * k + 1] for k in range(num_arrays)]
        factors = [_spread(builder, value) for value in arguments[2 * num_arrays : -1]]
        running = cgutils.alloca_once(builder, _VECTOR)
        builder.store(_ZERO, running)
        with cgutils.for_range(builder, builder.udiv(arguments[-1], _whole(LANES))) as loop:
            at = builder.mul(loop.index, _whole(LANES))
            result = body(
                builder,
                lambda k: _load(builder, bases[k], builder.add(starts[k], at)),
                lambda k, vector: _store(builder, vector, bases[k], builder.add(starts[k], at)),
                factors,
            )
            if total:
                builder.store(builder.fadd(builder.load(running), result), running)
        return _sum(builder, builder.load(running)) if total else context.get_dummy_value()

    return generate


def _forward(builder, load, store, factors):
    move, stay = factors
    # in this order, so that two small numbers are not multiplied before the scale
    word = _times(builder, _times(builder, load(0), move), load(1))
    mass = _times_plus(builder, load(2), stay, word)
    store(3, word)
    store(4, mass)
    return mass


@intrinsic
def forward_step(
    typing, reached, reached_at, emission, emission_at, before, before_at, word, word_at,
    mass, mass_at, move, stay, width,
):  # fmt: skip
    """word = move * reached * emission; mass = word + stay * before; returns the sum of mass."""
    i8 = types.int64
    signature = types.float32(
        reached, i8, emission, i8, before, i8, word, i8, mass, i8, types.float32, types.float32, i8
    )
    return signature, _row_by_row(5, _forward, total=True)


def _backward(builder, load, store, factors):
    scale, ahead = factors
    future, word, mass, emission = (load(k) for k in range(4))
    store(4, _times(builder, _times(builder, word, future), scale))
    store(5, _times(builder, _times(builder, emission, future), ahead))
    return _times(builder, builder.fsub(mass, word), future)


@intrinsic
def backward_step(
    typing, future, future_at, word, word_at, mass, mass_at, emission, emission_at,
    link, link_at, ahead, ahead_at, scale, factor, width,
):  # fmt: skip
    """link = scale * word * future; ahead = factor * emission * future.

    Returns the sum of (mass - word) * future: what the null copies hold.
    """
    i8 = types.int64
    signature = types.float32(
        future, i8, word, i8, mass, i8, emission, i8, link, i8, ahead, i8,
        types.float32, types.float32, i8,
    )  # fmt: skip
    return signature, _row_by_row(6, _backward, total=True)


def _turn(builder, load, store, factors):
    stay, weight = factors
    store(1, _times_plus(builder, load(1), stay, load(0)))
    store(0, _times(builder, load(2), weight))


@intrinsic
def turn_step(
    typing, jumped, jumped_at, future, future_at, mass, mass_at, stay, weight, width
):
    """future = jumped + stay * future; then jumped = weight * mass."""
    i8 = types.int64
    signature = types.void(
        jumped, i8, future, i8, mass, i8, types.float32, types.float32, i8
    )
    return signature, _row_by_row(3, _turn, total=False)


@intrinsic
def prefetch(typing, array, index):
    """Ask for the cache line of array[index], of any type; the arithmetic meanwhile goes on."""

    def generate(context, builder, signature, arguments):
        byte = ir.IntType(8).as_pointer()
        base = _data(context, builder, signature, arguments, 0)
        place = builder.bitcast(builder.gep(base, [arguments[1]]), byte)
        fetch = cgutils.get_or_insert_function(
            builder.module,
            ir.FunctionType(ir.VoidType(), [byte, _INT32, _INT32, _INT32]),
            "llvm.prefetch.p0i8",
        )
        builder.call(fetch, [place, *(ir.Constant(_INT32, value) for value in (0, 2, 1))])
        return context.get_dummy_value()

    return types.void(array, types.int64), generate
