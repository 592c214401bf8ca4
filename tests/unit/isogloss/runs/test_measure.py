"""Time and memory of a block, also of one that fails."""

import pytest

from isogloss.runs.measure import measure


def test_a_block_is_measured() -> None:
    with measure() as usage:
        total = sum(range(100_000))
    assert total
    assert 0 < usage.cpu_seconds <= usage.seconds + 1
    assert usage.megabytes > 1


def test_a_block_that_fails() -> None:
    with pytest.raises(ValueError, match="stop"), measure() as usage:
        raise ValueError("stop")
    assert usage.seconds > 0
