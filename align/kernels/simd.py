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
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic as _intrinsic

from .lazy import njit

intrinsic: Any = _intrinsic  # its own type has the caller pass the typing context

LANES = 16
BLOCK = 16  # bytes that are copied at once; arrays of text have so many to spare at their end
GROUP = 4  # rows of a band that are added up side by side, so that none waits for another

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


def _plus(builder, x, y):
    return builder.fadd(x, y)


def _larger(builder, x, y):
    return builder.select(builder.fcmp_ordered(">", x, y), x, y)


def _times_larger(builder, x, y, z):
    return _larger(builder, _times(builder, x, y), z)


def _chunks(builder, width, body, *, backwards=False):
    """Call ``body(at)`` for each vector of a row, from the last one if asked to."""
    number = builder.udiv(width, _whole(LANES))
    with cgutils.for_range(builder, number) as loop:
        place = loop.index
        if backwards:
            place = builder.sub(builder.sub(number, _whole(1)), place)
        body(builder.mul(place, _whole(LANES)))


def _variables(builder, number):
    """Vectors that a loop changes, 0 at first."""
    places = [cgutils.alloca_once(builder, _VECTOR) for _ in range(number)]
    for place in places:
        builder.store(_ZERO, place)
    return places


def _shifted(builder, load, to_left, window, skip_own, use):
    """Call ``use(shift, vector)`` for numbers moved by 0, 1, .. window lanes.

    load(k): the k-th vector from here, to the side that numbers come from. Vectors are moved in
    registers: a load across two fresh stores would have to wait until both are in the cache.
    Returns a variable that holds the numbers moved by one lane more than the window.
    """
    function = builder.function
    beyond, block = cgutils.alloca_once(builder, _VECTOR), cgutils.alloca_once(builder, _INT64)
    builder.store(_whole(0), block)
    head, done = (function.append_basic_block(name) for name in ("shifts", "shifted"))
    builder.branch(head)
    builder.position_at_end(head)
    number = builder.load(block)
    own, other = load(number), None
    for lane in range(LANES):
        shift = builder.add(builder.mul(number, _whole(LANES)), _whole(lane))
        vector = own
        if lane == 1:
            other = load(builder.add(number, _whole(1)))
        if lane > 0:
            pair = (own, other) if to_left else (other, own)
            first = lane if to_left else LANES - lane
            mask = ir.Constant(ir.VectorType(_INT32, LANES), [first + k for k in range(LANES)])
            vector = builder.shuffle_vector(*pair, mask)
        near, far = (function.append_basic_block(name) for name in ("near", "far"))
        builder.cbranch(builder.icmp_signed("<=", shift, window), near, far)
        builder.position_at_end(far)
        builder.store(vector, beyond)
        builder.branch(done)
        builder.position_at_end(near)
        if lane == 0 and skip_own:
            with builder.if_then(builder.icmp_signed(">", shift, _whole(0))):
                use(shift, vector)
        else:
            use(shift, vector)
    builder.store(builder.add(number, _whole(1)), block)
    builder.branch(head)
    builder.position_at_end(done)
    return beyond


def _running(builder, vector, so_far, join, *, backwards):
    """The running total of a vector's lanes, on top of what was ``so_far``, which is updated."""
    shift = 1
    while shift < LANES:
        lanes = [lane + shift if backwards else lane - shift for lane in range(LANES)]
        mask = [lane if 0 <= lane < LANES else LANES for lane in lanes]  # LANES: a zero
        mask = ir.Constant(ir.VectorType(_INT32, LANES), mask)
        vector = join(builder, vector, builder.shuffle_vector(vector, _ZERO, mask))
        shift *= 2
    vector = join(builder, vector, builder.load(so_far))
    last = ir.Constant(ir.VectorType(_INT32, LANES), [0 if backwards else LANES - 1] * LANES)
    builder.store(builder.shuffle_vector(vector, _ZERO, last), so_far)
    return vector


def _jump(join, times_join, *, reverse):
    """Code for all jumps of one step: those in the band, and those in the tails as running totals.

    reverse: from positions back to origins; the tails are weighed after they are summed, and the
    sums are kept.
    """

    def generate(context, builder, signature, arguments):
        target, numbers, band = (
            _data(context, builder, signature, arguments, place) for place in (0, 2, 4)
        )
        _, out_from, _, numbers_from, _, rows_from, *tails_from, window, far, width = arguments[:11]
        sums = _data(context, builder, signature, arguments, 11) if reverse else None
        sums_from = (arguments[12], arguments[13]) if reverse else (None, None)

        def one_side(to_left):
            (so_far,) = _variables(builder, 1)
            # a jump to the right comes from the left, and goes back to it
            step = builder.neg(width) if to_left != reverse else width
            tail_from, kept_from = (side[to_left] for side in (tails_from, sums_from))
            direction = _whole(LANES if to_left else -LANES)

            def chunk(at):
                totals = _variables(builder, 2)
                if to_left:
                    old = _load(builder, target, builder.add(out_from, at))
                    builder.store(old, totals[0])
                here = builder.add(numbers_from, at)

                def load(number):
                    place = builder.add(here, builder.mul(number, direction))
                    return _load(builder, numbers, place)

                def use(shift, vector):
                    row = builder.add(rows_from, builder.mul(shift, step))
                    chance = _load(builder, band, builder.add(row, at))
                    joined = times_join(builder, vector, chance, builder.load(totals[0]))
                    builder.store(joined, totals[0])
                    totals.reverse()  # so that one addition needn't wait for the last

                beyond = _shifted(builder, load, to_left, window, to_left, use)
                with builder.if_then(far):
                    chance = _load(builder, band, builder.add(tail_from, at))
                    vector = builder.load(beyond)
                    if not reverse:
                        vector = _times(builder, vector, chance)
                    vector = _running(builder, vector, so_far, join, backwards=to_left)
                    if reverse:
                        _store(builder, vector, sums, builder.add(kept_from, at))
                        vector = _times(builder, vector, chance)
                    builder.store(join(builder, builder.load(totals[0]), vector), totals[0])
                total = join(builder, *(builder.load(place) for place in totals))
                _store(builder, total, target, builder.add(out_from, at))

            _chunks(builder, width, chunk, backwards=to_left)

        one_side(False)
        one_side(True)
        return context.get_dummy_value()

    return generate


def _jump_types(out, numbers, band, *sums):
    i8 = types.int64
    kept = (sums[0], i8, i8) if sums else ()
    return types.void(out, i8, numbers, i8, band, i8, i8, i8, i8, types.boolean, i8, *kept)


@intrinsic
def jump_sums(
    typing, out, out_at, mass, mass_at, band, rows_at, right_at, left_at, window, far, width
):  # fmt: skip
    """out[k] = sum over i of mass[i] * P(k | i).

    rows_at: where the row of distance 0 begins, by position; the row of distance d is d rows on
    right_at, left_at: rows of tails, by the position they first reach
    window: the longest jump in the band; far: whether there are longer ones.
    """
    return _jump_types(out, mass, band), _jump(_plus, _times_plus, reverse=False)


@intrinsic
def jump_maxima(
    typing, out, out_at, mass, mass_at, band, rows_at, right_at, left_at, window, far, width
):  # fmt: skip
    """As :func:`jump_sums`, the largest instead of the sum; nothing is below 0."""
    return _jump_types(out, mass, band), _jump(_larger, _times_larger, reverse=False)


@intrinsic
def jump_sums_back(
    typing, out, out_at, ahead, ahead_at, band, rows_at, left_at, right_at, window, far, width,
    sums, before_at, behind_at,
):  # fmt: skip
    """out[i] = sum over k of P(k | i) * ahead[k].

    The arguments are those of :func:`jump_sums` with rows by origin. What lies beyond the window on
    either side is kept in ``sums``: the sums of ahead[k] over k < i - window and k > i + window.
    """
    return _jump_types(out, ahead, band, sums), _jump(_plus, _times_plus, reverse=True)


@intrinsic
def band_products(
    typing, out, out_at, factor, factor_at, left, left_at, left_step, right, right_at, right_step,
    count, groups, width,
):  # fmt: skip
    """out[d * width + k] = sum over j < count of factor[j] * left[k] * right[k + d].

    For d < GROUP * groups; ``left`` and ``right`` go on by their steps from one j to the next.
    """
    i8 = types.int64
    result = types.void(out, i8, factor, i8, left, i8, i8, right, i8, i8, i8, i8, i8)

    def generate(context, builder, signature, arguments):
        target, factors, lefts, rights = (
            _data(context, builder, signature, arguments, place) for place in (0, 2, 4, 7)
        )
        _, out_from, _, factor_from, _, left_from, left_by, _, right_from, right_by = arguments[:10]
        number, groups_of, length = arguments[10:]

        def group(at, first):
            results = _variables(builder, GROUP)
            with cgutils.for_range(builder, number) as loop:
                one = builder.load(builder.gep(factors, [builder.add(factor_from, loop.index)]))
                place = builder.add(left_from, builder.mul(loop.index, left_by))
                own = _load(builder, lefts, builder.add(place, at))
                own = _times(builder, _spread(builder, one), own)
                place = builder.add(right_from, builder.mul(loop.index, right_by))
                place = builder.add(builder.add(place, at), first)
                for member, result in enumerate(results):
                    other = _load(builder, rights, builder.add(place, _whole(member)))
                    old = builder.load(result)
                    builder.store(_times_plus(builder, own, other, old), result)
            for member, result in enumerate(results):
                row = builder.mul(builder.add(first, _whole(member)), length)
                place = builder.add(out_from, builder.add(row, at))
                _store(builder, builder.load(result), target, place)

        def chunk(at):
            with cgutils.for_range(builder, groups_of) as loop:
                group(at, builder.mul(loop.index, _whole(GROUP)))

        _chunks(builder, length, chunk)
        return context.get_dummy_value()

    return result, generate


def _row_by_row(num_arrays, body, *, total):
    """Code for one pass over rows: (array, at) pairs, two factors, the width.

    body(builder, load, store, factors) works on one vector; load(k) and store(k, vector) are of the
    k-th array. With ``total`` it returns what is to be summed.
    """

    def generate(context, builder, signature, arguments):
        bases = [_data(context, builder, signature, arguments, 2 * k) for k in range(num_arrays)]
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
    typing, reached, reached_at, emission, emission_at, old, old_at, word, word_at,
    mass, mass_at, move, stay, width,
):  # fmt: skip
    """word = move * reached * emission; mass = word + stay * old; returns the sum of mass."""
    i8 = types.int64
    signature = types.float32(
        reached, i8, emission, i8, old, i8, word, i8, mass, i8, types.float32, types.float32, i8
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
    stay, share = factors
    store(1, _times_plus(builder, load(1), stay, load(0)))
    own = _times(builder, load(2), share)
    store(5, _times_plus(builder, own, load(3), load(5)))
    store(6, _times_plus(builder, own, load(4), load(6)))


@intrinsic
def turn_step(
    typing, jumped, jumped_at, future, future_at, mass, mass_at, behind, behind_at,
    before, before_at, rightwards, rightwards_at, leftwards, leftwards_at, stay, share, width,
):  # fmt: skip
    """future = jumped + stay * future.

    To ``rightwards`` and ``leftwards`` share * mass * behind and share * mass * before are added.
    """
    i8 = types.int64
    signature = types.void(
        jumped, i8, future, i8, mass, i8, behind, i8, before, i8, rightwards, i8, leftwards, i8,
        types.float32, types.float32, i8,
    )  # fmt: skip
    return signature, _row_by_row(7, _turn, total=False)


def _add(builder, load, store, factors):
    store(0, _times_plus(builder, load(1), factors[0], load(0)))


@intrinsic
def add_scaled(typing, out, out_at, row, row_at, factor, width):
    """out += factor * row."""
    i8 = types.int64
    signature = types.void(out, i8, row, i8, types.float32, i8)
    return signature, _row_by_row(2, _add, total=False)


def _raise(builder, load, store, factors):
    store(0, _times_larger(builder, load(1), factors[0], load(0)))


@intrinsic
def keep_larger(typing, out, out_at, row, row_at, factor, width):
    """out = the larger of itself and of factor * row."""
    i8 = types.int64
    signature = types.void(out, i8, row, i8, types.float32, i8)
    return signature, _row_by_row(2, _raise, total=False)


def _clear(builder, load, store, factors):
    store(0, _ZERO)


@intrinsic
def clear(typing, out, out_at, width):
    """out = 0."""
    return types.void(out, types.int64, types.int64), _row_by_row(1, _clear, total=False)


def _spread_share(builder, load, store, factors):
    store(0, _times(builder, _times_plus(builder, load(1), factors[0], load(2)), load(3)))


@intrinsic
def band_row(
    typing, out, out_at, share, share_at, uniform, uniform_at, exists, exists_at, weight, width
):  # fmt: skip
    """out = (weight * share + uniform) * exists."""
    i8 = types.int64
    signature = types.void(out, i8, share, i8, uniform, i8, exists, i8, types.float32, i8)
    return signature, _row_by_row(4, _spread_share, total=False)


@intrinsic
def class_row(
    typing, out, out_at, table, column, classes, classes_at, factor, factor_at, width
):  # fmt: skip
    """out[k] = table[classes[k], column] * factor[k].

    table: float64, of two dimensions; classes: int32.
    """
    i8 = types.int64

    def generate(context, builder, signature, arguments):
        target, kinds, factors = (
            _data(context, builder, signature, arguments, place) for place in (0, 4, 6)
        )
        made = context.make_array(signature.args[2])(context, builder, arguments[2])
        _, out_from, _, number, _, kinds_from, _, factor_from, length = arguments
        columns = builder.extract_value(made.shape, 1)
        base = builder.gep(made.data, [number])

        def chunk(at):
            vector = ir.Constant(_VECTOR, ir.Undefined)
            for lane in range(LANES):
                place = builder.add(builder.add(kinds_from, at), _whole(lane))
                kind = builder.sext(builder.load(builder.gep(kinds, [place])), _INT64)
                value = builder.load(builder.gep(base, [builder.mul(kind, columns)]))
                value = builder.fptrunc(value, _FLOAT)
                vector = builder.insert_element(vector, value, ir.Constant(_INT32, lane))
            share = _load(builder, factors, builder.add(factor_from, at))
            _store(builder, _times(builder, vector, share), target, builder.add(out_from, at))

        _chunks(builder, length, chunk)
        return context.get_dummy_value()

    signature = types.void(out, i8, table, i8, classes, i8, factor, i8, i8)
    return signature, generate


def _product(builder, load, store, factors):
    return _times(builder, load(0), load(1))


@intrinsic
def product_sum(typing, left, left_at, right, right_at, width):
    """The sum of left * right."""
    i8 = types.int64
    return types.float32(left, i8, right, i8, i8), _row_by_row(2, _product, total=True)


def _explain(builder, load, store, factors):
    part = _times(builder, load(0), builder.fsub(load(1), factors[0]))
    store(0, part)
    store(2, builder.fadd(load(2), part))
    return part


@intrinsic
def explained(typing, ratio, ratio_at, chance, chance_at, total, total_at, uniform, width):
    """ratio *= chance - uniform; total += ratio; returns the sum of the new ratio."""
    i8 = types.int64
    signature = types.float32(ratio, i8, chance, i8, total, i8, types.float32, i8)
    return signature, _row_by_row(3, _explain, total=True)


def _best(builder, load, store, factors):
    move, stay = factors
    word = _times(builder, _times(builder, load(0), move), load(1))
    mass = _larger(builder, _times(builder, load(2), stay), word)
    store(3, word)
    store(4, mass)
    return mass


@intrinsic
def best_step(
    typing, reached, reached_at, emission, emission_at, old, old_at, word, word_at,
    mass, mass_at, move, stay, width,
):  # fmt: skip
    """word = move * reached * emission; mass is the larger of word and of stay * old.

    Returns the sum of mass.
    """
    i8 = types.int64
    signature = types.float32(
        reached, i8, emission, i8, old, i8, word, i8, mass, i8, types.float32, types.float32, i8
    )
    return signature, _row_by_row(5, _best, total=True)


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


@intrinsic
def copy_block(typing, out, at, text, place):
    """Copy BLOCK bytes of ``text`` from ``place`` on to ``out``; Numba would copy one at a time."""

    def generate(context, builder, signature, arguments):
        block = ir.VectorType(ir.IntType(8), BLOCK).as_pointer()
        end, begin = (
            builder.bitcast(
                builder.gep(_data(context, builder, signature, arguments, k), [arguments[k + 1]]),
                block,
            )
            for k in (0, 2)
        )
        value = builder.load(begin)
        value.align = 1
        builder.store(value, end).align = 1
        return context.get_dummy_value()

    return types.void(out, types.int64, text, types.int64), generate
