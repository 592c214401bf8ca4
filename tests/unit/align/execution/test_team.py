"""Teams in this process, which tests of a cluster's are compared with."""

import threading
from functools import partial

import pytest

from isogloss.align.errors import DataError
from isogloss.align.execution.team import LocalTeam, ask_all
from tests.naive.members import Tally


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_members_remember(threads: int) -> None:
    with LocalTeam([Tally(10), Tally(20), Tally(30)], threads) as team:
        assert ask_all(team, [partial(Tally.add, number=n) for n in (1, 2, 3)]) == [11, 22, 33]
        assert ask_all(team, [partial(Tally.add, number=1)] * 2) == [12, 23]
        assert ask_all(team, []) == []


def test_who_has_done_comes_first() -> None:
    late = threading.Event()
    with LocalTeam([0, 1], 2) as team:
        team.begin(0, lambda member: late.wait(600.0))
        team.begin(1, lambda member: member)
        assert team.first_done() == (1, 1)
        late.set()
        assert team.first_done() == (0, True)


@pytest.mark.parametrize("threads", [1, 2])
def test_errors_of_tasks_are_raised(threads: int) -> None:
    with (
        pytest.raises(DataError, match=r"^table, line 3: a comma; expected a tab\. Mend it$"),
        LocalTeam([Tally(1), Tally(2)], threads) as team,
    ):
        ask_all(team, [Tally.fail, partial(Tally.add, number=1)])
