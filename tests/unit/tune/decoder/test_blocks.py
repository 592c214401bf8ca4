"""Stacks of translated blocks, against lists."""

from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.tune.decoder.kernels.blocks import TOP, stack_with, start_blocks, with_room_for_blocks

Span = tuple[int, int]


def shift_and_reduce(stack: list[Span], span: Span) -> list[Span]:
    """By the book: a phrase on the stack, then whatever touches on top is merged."""
    stack = [*stack, span]
    while len(stack) > 1 and (stack[-1][0] == stack[-2][1] or stack[-1][1] == stack[-2][0]):
        one, other = stack[-1], stack[-2]
        stack = [*stack[:-2], (min(one[0], other[0]), max(one[1], other[1]))]
    return stack


@settings(deadline=None)
@given(st.lists(st.permutations(range(7)), min_size=1, max_size=12), st.integers(1, 3))
def test_equal_stacks_have_equal_numbers(orders: list[list[int]], width: int) -> None:
    blocks = start_blocks(2)
    numbers: dict[tuple[Span, ...], int] = {(): 0}
    for order in orders:
        stack: list[Span] = []
        number = 0
        for place in order:
            span = place * width, (place + 1) * width
            stack = shift_and_reduce(stack, span)
            blocks = with_room_for_blocks(blocks, 1)
            number = stack_with(blocks, number, *span)
            assert numbers.setdefault(tuple(stack), number) == number
            assert tuple(blocks.rows[number, TOP:]) == stack[-1]
    assert len(set(numbers.values())) == len(numbers)
