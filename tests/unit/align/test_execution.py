"""Tasks on threads: results in order, errors, how much waits; sums in a fixed order, no BLAS."""

import math
import re
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from isogloss.align.errors import WrongTypeError
from isogloss.align.execution import dot, norm, row_dots, run_tasks

ROOT = Path(__file__).resolve().parents[3]
BLAS = re.compile(r" @ \w|np\.(dot|vdot|inner|matmul|einsum|tensordot|convolve|linalg|cov)\b"
                  r"|scipy\.(linalg|optimize|sparse)")  # fmt: skip


@pytest.mark.parametrize("threads", [0, 1, 2, 3, 8])
def test_results_come_in_order(threads: int) -> None:
    """The first task of each three waits for the one behind it, where they run at once."""
    done = [threading.Event() for _ in range(12)]

    def work(number: int) -> int:
        if threads > 1 and number % 3 == 0:
            assert done[number + 1].wait(600.0)
        done[number].set()
        return number

    found = run_tasks((partial(work, number) for number in range(12)), threads)
    assert list(range(12)) == list(found)
    assert all(event.is_set() for event in done)


@pytest.mark.parametrize("threads", [1, 3])
def test_no_tasks(threads: int) -> None:
    assert list(run_tasks([], threads)) == []


def test_others_go_on_while_one_takes_long() -> None:
    later = threading.Event()

    def first() -> bool:
        return later.wait(600.0)  # in vain if no more tasks were begun than there are threads

    def last() -> bool:
        later.set()
        return True

    tasks = [first, *[lambda: True] * 5, last]
    assert list(run_tasks(tasks, 2, 5)) == [True] * 7


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_no_more_is_under_way_than_there_are_threads(threads: int) -> None:
    asked, fetched = 0, 0

    def tasks() -> Iterator[Callable[[], int]]:
        nonlocal asked
        for number in range(20):
            asked += 1
            # one more is asked for before the oldest is fetched
            assert asked - fetched <= threads + 1
            yield partial(int, number)

    for number in run_tasks(tasks(), threads):
        assert number == fetched
        fetched += 1
    assert (20, 20) == (asked, fetched)


@pytest.mark.parametrize("threads", [1, 2])
def test_an_error_is_raised_in_its_turn(threads: int) -> None:
    def work(number: int) -> int:
        if number == 2:
            raise ValueError("the third task")
        return number

    found = run_tasks([partial(work, number) for number in range(9)], threads)
    assert next(found) == 0
    assert next(found) == 1
    with pytest.raises(ValueError, match="the third task"):
        next(found)
    assert list(found) == []


@pytest.mark.parametrize("threads", [1, 2])
def test_closing_ends_the_work(threads: int) -> None:
    started: list[int] = []

    def work(number: int) -> int:
        started.append(number)
        return number

    found = run_tasks((partial(work, number) for number in range(100)), threads)
    assert next(found) == 0
    found.close()  # type: ignore[attr-defined]
    before = len(started)
    assert before <= 2 * threads
    assert list(found) == []
    assert before == len(started)


@pytest.mark.parametrize("is_closed", [True, False])
def test_a_task_without_end_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch, is_closed: bool
) -> None:
    """A signal is to end the program, whatever a thread is at."""
    monkeypatch.setattr("isogloss.align.execution.threads.PATIENCE", 0.1)
    released, ended = threading.Event(), threading.Event()

    def stuck() -> None:
        released.wait(600.0)
        ended.set()

    def interrupted() -> None:
        raise KeyboardInterrupt

    found = run_tasks([lambda: None, *([] if is_closed else [interrupted]), stuck, stuck], 3)
    next(found)
    if is_closed:
        found.close()  # type: ignore[attr-defined]
    else:
        with pytest.raises(KeyboardInterrupt):
            next(found)
    assert not ended.is_set()
    released.set()
    assert ended.wait(600.0)


@pytest.mark.parametrize("size", [0, 1, 7, 30_000])
def test_products(size: int) -> None:
    rng = np.random.default_rng(size)
    left, right = rng.normal(size=(2, size))
    products = [a * b for a, b in zip(left.tolist(), right.tolist(), strict=True)]
    scale = math.fsum(map(abs, products))
    assert math.isclose(math.fsum(products), dot(left, right), rel_tol=0.0, abs_tol=1e-12 * scale)
    assert math.isclose(math.hypot(*left.tolist()), norm(left), rel_tol=1e-12)


def test_rows() -> None:
    rng = np.random.default_rng(3)
    rows, vector = rng.normal(size=(5, 4)).astype(np.float32), rng.normal(size=4)
    expected = [math.fsum(a * b for a, b in zip(row, vector, strict=True)) for row in rows.tolist()]
    np.testing.assert_allclose(row_dots(rows, vector), expected, rtol=1e-12)
    assert row_dots(np.zeros((3, 0)), np.zeros(0)).tolist() == [0.0] * 3


def test_nothing_that_adds_as_its_threads_fall() -> None:
    """BLAS and what calls it: sums of that kind differ with the number of its threads."""
    found = [
        f"{path.relative_to(ROOT)}, line {number}: {line.strip()}"
        for package in ("align", "features", "tune", "isogloss")
        for path in sorted((ROOT / package).rglob("*.py"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if BLAS.search(line)
    ]
    assert found == []


@pytest.mark.parametrize("threads", ["all", 2.5, None, True])
def test_threads_are_a_number(threads: object) -> None:
    with pytest.raises(WrongTypeError, match="threads must be a number of threads, not"):
        list(run_tasks([], threads))  # type: ignore[arg-type]
