"""Workers in this process, which tests of a cluster's are compared with."""

import threading
from functools import partial

import pytest

from isogloss.align.errors import DataError
from isogloss.align.execution.workers import LocalPool, ask_all
from tests.naive.workers import Tally


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_members_remember(threads: int) -> None:
    with LocalPool([Tally(10), Tally(20), Tally(30)], threads) as pool:
        assert ask_all(pool, [partial(Tally.add, number=n) for n in (1, 2, 3)]) == [11, 22, 33]
        assert ask_all(pool, [partial(Tally.add, number=1)] * 2) == [12, 23]
        assert ask_all(pool, []) == []


def test_who_has_done_comes_first() -> None:
    late = threading.Event()
    with LocalPool([0, 1], 2) as pool:
        pool.begin(0, lambda worker: late.wait(600.0))
        pool.begin(1, lambda worker: worker)
        assert pool.first_done() == (1, 1)
        late.set()
        assert pool.first_done() == (0, True)


@pytest.mark.parametrize("threads", [1, 2])
def test_errors_of_tasks_are_raised(threads: int) -> None:
    with (
        pytest.raises(DataError, match=r"^table, line 3: a comma; expected a tab\. Mend it$"),
        LocalPool([Tally(1), Tally(2)], threads) as pool,
    ):
        ask_all(pool, [Tally.fail, partial(Tally.add, number=1)])
