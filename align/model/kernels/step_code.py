"""The code of the intrinsics of ``step_vectors``."""

from llvmlite import ir
from numba import types

from ...kernels.simd import LANES
from ...kernels.vector_code import (
    FLOAT,
    INT32,
    INT64,
    VECTOR,
    chunks,
    intrinsic,
    larger,
    load,
    row_by_row,
    row_type,
    store,
    times,
    times_plus,
    unpack_rows,
    whole,
)


def _forward(builder, load, store, factors):
    move, stay = factors
    # in this order, so that two small numbers are not multiplied before the scale
    word = times(builder, times(builder, load(0), move), load(1))
    mass = times_plus(builder, load(2), stay, word)
    store(3, word)
    store(4, mass)
    return mass


@intrinsic
def forward_step(typing, reached, emission, old, word, mass, factors, width):
    """word = move * reached * emission; mass = word + stay * old; returns the sum of mass.

    factors: (move, stay).
    """
    return row_by_row(_forward, [reached, emission, old, word, mass], 2, total=True)


def _best(builder, load, store, factors):
    move, stay = factors
    word = times(builder, times(builder, load(0), move), load(1))
    mass = larger(builder, times(builder, load(2), stay), word)
    store(3, word)
    store(4, mass)
    return mass


@intrinsic
def best_step(typing, reached, emission, old, word, mass, factors, width):
    """word = move * reached * emission; mass is the larger of word and of stay * old.

    factors: (move, stay). Returns the sum of mass.
    """
    return row_by_row(_best, [reached, emission, old, word, mass], 2, total=True)


def _backward(builder, load, store, factors):
    scale, factor = factors
    future, word, mass, emission = (load(k) for k in range(4))
    store(4, times(builder, times(builder, word, future), scale))
    store(5, times(builder, times(builder, emission, future), factor))
    return times(builder, builder.fsub(mass, word), future)


@intrinsic
def backward_step(typing, future, word, mass, emission, link, ahead, factors, width):
    """link = scale * word * future; ahead = factor * emission * future.

    factors: (scale, factor). Returns the sum of (mass - word) * future: what the null copies hold.
    """
    rows = [future, word, mass, emission, link, ahead]
    return row_by_row(_backward, rows, 2, total=True)


def _turn(builder, load, store, factors):
    stay, share = factors
    store(1, times_plus(builder, load(1), stay, load(0)))
    shared = times(builder, load(2), share)
    store(5, times_plus(builder, shared, load(3), load(5)))
    store(6, times_plus(builder, shared, load(4), load(6)))


@intrinsic
def turn_step(typing, jumped, future, mass, beyond, tails, factors, width):
    """future = jumped + stay * future.

    To the two rows of ``tails`` share * mass times the first and the second row of ``beyond`` are
    added. factors: (stay, share).
    """
    return row_by_row(_turn, [jumped, future, mass, beyond, tails], 2)


def _spread_share(builder, load, store, factors):
    store(0, times(builder, times_plus(builder, load(1), factors[0], load(2)), load(3)))


@intrinsic
def band_row(typing, out, share, uniform, exists, weight, width):
    """out = (weight * share + uniform) * exists."""
    return row_by_row(_spread_share, [out, share, uniform, exists], 1)


@intrinsic
def class_row(typing, out, column, classes, factor, width):
    """out[k] = table[classes[k], number] * factor[k].

    column: (table, number), float64 of two dimensions; classes: (int32, start).
    """

    def generate(context, builder, signature, arguments):
        (target, (out_from,)), (kinds, (kinds_from,)), (factors, (factor_from,)) = (
            unpack_rows(context, builder, signature.args[k], arguments[k]) for k in (0, 2, 3)
        )
        table = context.make_array(signature.args[1][0])(
            context, builder, builder.extract_value(arguments[1], 0)
        )
        columns = builder.extract_value(table.shape, 1)
        base = builder.gep(table.data, [builder.extract_value(arguments[1], 1)])

        def chunk(at):
            vector = ir.Constant(VECTOR, ir.Undefined)
            for lane in range(LANES):
                index = builder.add(builder.add(kinds_from, at), whole(lane))
                kind = builder.sext(builder.load(builder.gep(kinds, [index])), INT64)
                value = builder.load(builder.gep(base, [builder.mul(kind, columns)]))
                value = builder.fptrunc(value, FLOAT)
                vector = builder.insert_element(vector, value, ir.Constant(INT32, lane))
            share = load(builder, factors, builder.add(factor_from, at))
            product = times(builder, vector, share)
            store(builder, product, target, builder.add(out_from, at))

        chunks(builder, arguments[-1], chunk)
        return context.get_dummy_value()

    kinds = map(row_type, (out, column, classes, factor))
    return types.void(*kinds, types.int64), generate


def _explain(builder, load, store, factors):
    part = times(builder, load(0), builder.fsub(load(1), factors[0]))
    store(0, part)
    store(2, builder.fadd(load(2), part))
    return part


@intrinsic
def explained(typing, ratio, chance, total, uniform, width):
    """ratio *= chance - uniform; total += ratio; returns the sum of the new ratio."""
    return row_by_row(_explain, [ratio, chance, total], 1, total=True)
