"""The code of the intrinsics of ``jump_vectors``."""

from llvmlite import ir
from numba import types
from numba.core import cgutils

from ...kernels.simd import LANES
from ...kernels.vector_code import (
    INT32,
    INT64,
    VECTOR,
    ZERO,
    chunks,
    intrinsic,
    larger,
    load,
    plus,
    row_type,
    spread,
    store,
    times,
    times_larger,
    times_plus,
    unpack_rows,
    variables,
    whole,
)
from .jump_vectors import GROUP


def _shifted(builder, load_vector, to_left, window, skip_unmoved, use):
    """Call ``use(shift, vector)`` for numbers moved by 0, 1, .. window lanes."""
    # load_vector(k): the k-th vector from here, to the side that numbers come from. Vectors are
    # moved in registers: a load across two fresh stores would have to wait until both are in the
    # cache.
    # Returns a variable that holds the numbers moved by one lane more than the window.
    function = builder.function
    beyond, block = cgutils.alloca_once(builder, VECTOR), cgutils.alloca_once(builder, INT64)
    builder.store(whole(0), block)
    head, done = (function.append_basic_block(name) for name in ("shifts", "shifted"))
    builder.branch(head)
    builder.position_at_end(head)
    number = builder.load(block)
    here, beside = load_vector(number), None
    for lane in range(LANES):
        shift = builder.add(builder.mul(number, whole(LANES)), whole(lane))
        vector = here
        if lane == 1:
            beside = load_vector(builder.add(number, whole(1)))
        if lane > 0:
            pair = (here, beside) if to_left else (beside, here)
            first = lane if to_left else LANES - lane
            mask = ir.Constant(ir.VectorType(INT32, LANES), [first + k for k in range(LANES)])
            vector = builder.shuffle_vector(*pair, mask)
        near, far = (function.append_basic_block(name) for name in ("near", "far"))
        builder.cbranch(builder.icmp_signed("<=", shift, window), near, far)
        builder.position_at_end(far)
        builder.store(vector, beyond)
        builder.branch(done)
        builder.position_at_end(near)
        if lane == 0 and skip_unmoved:
            with builder.if_then(builder.icmp_signed(">", shift, whole(0))):
                use(shift, vector)
        else:
            use(shift, vector)
    builder.store(builder.add(number, whole(1)), block)
    builder.branch(head)
    builder.position_at_end(done)
    return beyond


def _running(builder, vector, so_far, join, *, backwards):
    """The running total of a vector's lanes, on top of what was ``so_far``, which is updated."""
    shift = 1
    while shift < LANES:
        lanes = [lane + shift if backwards else lane - shift for lane in range(LANES)]
        mask = [lane if 0 <= lane < LANES else LANES for lane in lanes]  # LANES: a zero
        mask = ir.Constant(ir.VectorType(INT32, LANES), mask)
        vector = join(builder, vector, builder.shuffle_vector(vector, ZERO, mask))
        shift *= 2
    vector = join(builder, vector, builder.load(so_far))
    last = ir.Constant(ir.VectorType(INT32, LANES), [0 if backwards else LANES - 1] * LANES)
    builder.store(builder.shuffle_vector(vector, ZERO, last), so_far)
    return vector


def _jump(join, times_join, *, reverse):
    """Code for all jumps of one step."""
    # Those in the band, and those in the tails as running totals.
    # reverse: from positions back to origins; the tails are weighed after they are summed, and the
    #   sums are kept.

    def generate(context, builder, signature, arguments):
        rows = [
            unpack_rows(context, builder, signature.args[k], arguments[k])
            for k in ((0, 1, 2, 4) if reverse else (0, 1, 2))
        ]
        (target, (out_from,)), (numbers, (numbers_from,)), (band, band_from) = rows[:3]
        rows_from, *tails_from = band_from
        sums, sums_from = rows[3] if reverse else (None, (None, None))
        window, far = cgutils.unpack_tuple(builder, arguments[3])
        width = arguments[-1]

        def one_side(to_left):
            (so_far,) = variables(builder, 1)
            # a jump to the right comes from the left, and goes back to it
            step = builder.neg(width) if to_left != reverse else width
            tail_from, kept_from = (side[to_left] for side in (tails_from, sums_from))
            direction = whole(LANES if to_left else -LANES)

            def chunk(at):
                totals = variables(builder, 2)
                if to_left:
                    old = load(builder, target, builder.add(out_from, at))
                    builder.store(old, totals[0])
                here = builder.add(numbers_from, at)

                def load_vector(number):
                    return load(builder, numbers, builder.add(here, builder.mul(number, direction)))

                def use(shift, vector):
                    row = builder.add(rows_from, builder.mul(shift, step))
                    chance = load(builder, band, builder.add(row, at))
                    joined = times_join(builder, vector, chance, builder.load(totals[0]))
                    builder.store(joined, totals[0])
                    totals.reverse()  # so that one addition needn't wait for the last

                beyond = _shifted(builder, load_vector, to_left, window, to_left, use)
                with builder.if_then(far):
                    chance = load(builder, band, builder.add(tail_from, at))
                    vector = builder.load(beyond)
                    if not reverse:
                        vector = times(builder, vector, chance)
                    vector = _running(builder, vector, so_far, join, backwards=to_left)
                    if reverse:
                        store(builder, vector, sums, builder.add(kept_from, at))
                        vector = times(builder, vector, chance)
                    builder.store(join(builder, builder.load(totals[0]), vector), totals[0])
                total = join(builder, *(builder.load(pointer) for pointer in totals))
                store(builder, total, target, builder.add(out_from, at))

            chunks(builder, width, chunk, backwards=to_left)

        one_side(False)
        one_side(True)
        return context.get_dummy_value()

    return generate


def _jump_types(*rows):
    out, numbers, band, *sums = map(row_type, rows)
    reach = types.Tuple([types.int64, types.boolean])
    return types.void(out, numbers, band, reach, *sums, types.int64)


@intrinsic
def jump_sums(typing, out, mass, band, reach, width):
    """out[k] = sum over i of mass[i] * P(k | i).

    band: array and where rows begin in it: that of distance 0, by position (the row of distance d
    is d rows on); those of the tails to the right and to the left, by the position they first reach
    reach: the longest jump in the band, and whether there are longer ones.
    """
    return _jump_types(out, mass, band), _jump(plus, times_plus, reverse=False)


@intrinsic
def jump_maxima(typing, out, mass, band, reach, width):
    """As :func:`jump_sums`, the largest instead of the sum; nothing is below 0."""
    return _jump_types(out, mass, band), _jump(larger, times_larger, reverse=False)


@intrinsic
def jump_sums_back(typing, out, ahead, band, reach, sums, width):
    """out[i] = sum over k of P(k | i) * ahead[k].

    The arguments are those of :func:`jump_sums`; the rows of the band go by origin, and the tail to
    the left stands before that to the right. What lies beyond the window on either side is kept in
    two rows of ``sums``: the sums of ahead[k] over k < i - window and k > i + window.
    """
    return _jump_types(out, ahead, band, sums), _jump(plus, times_plus, reverse=True)


@intrinsic
def band_products(typing, out, factor, left, right, sizes):
    """out[d * width + k] = sum over j < count of factor[j] * left[k] * right[k + d].

    For d < GROUP * groups. ``left`` and ``right`` are (array, start, step): they go on by their
    steps from one j to the next; sizes: (count, groups, width).
    """
    kinds = [row_type(kind) for kind in (out, factor, left, right)]

    def generate(context, builder, signature, arguments):
        (target, (out_from,)), (factors, (factor_from,)), left_rows, right_rows = (
            unpack_rows(context, builder, kind, value)
            for kind, value in zip(signature.args[:4], arguments, strict=False)
        )
        (lefts, (left_from, left_by)), (rights, (right_from, right_by)) = left_rows, right_rows
        count, groups, width = cgutils.unpack_tuple(builder, arguments[4])

        def group(at, first):
            results = variables(builder, GROUP)
            with cgutils.for_range(builder, count) as loop:
                index = builder.add(factor_from, loop.index)
                value = builder.load(builder.gep(factors, [index]))
                begin = builder.add(left_from, builder.mul(loop.index, left_by))
                weighted = load(builder, lefts, builder.add(begin, at))
                weighted = times(builder, spread(builder, value), weighted)
                begin = builder.add(right_from, builder.mul(loop.index, right_by))
                begin = builder.add(builder.add(begin, at), first)
                for member, result in enumerate(results):
                    shifted = load(builder, rights, builder.add(begin, whole(member)))
                    old = builder.load(result)
                    builder.store(times_plus(builder, weighted, shifted, old), result)
            for member, result in enumerate(results):
                row = builder.mul(builder.add(first, whole(member)), width)
                begin = builder.add(out_from, builder.add(row, at))
                store(builder, builder.load(result), target, begin)

        def chunk(at):
            with cgutils.for_range(builder, groups) as loop:
                group(at, builder.mul(loop.index, whole(GROUP)))

        chunks(builder, width, chunk)
        return context.get_dummy_value()

    return types.void(*kinds, types.UniTuple(types.int64, 3)), generate
