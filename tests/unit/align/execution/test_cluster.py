"""Workers on a cluster: as those in this process, also when some are killed; what is refused."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from isogloss.align.errors import DataError, UsageError
from isogloss.align.execution import cluster
from isogloss.align.execution.cluster import LOCAL, ClusterPool
from isogloss.align.execution.workers import ask_all
from tests.naive.workers import Tally

pytestmark = pytest.mark.thorough  # Ray is in the environment of that tier


def add(*numbers: int) -> list[partial[int]]:
    return [partial(Tally.add, number=number) for number in numbers]


def test_members_that_are_killed_do_it_again(started: Any, tmp_path: Path) -> None:
    """Whatever they were at: what they did before, since they began afresh, is not lost."""
    with ClusterPool(partial(Tally, 10), 2, LOCAL) as pool:
        assert ask_all(pool, add(1, 2)) == [11, 12]
        for round_of in range(2):
            deadly = partial(Tally.add_killed_once, number=100, mark=tmp_path / str(round_of))
            assert ask_all(pool, [deadly, *add(1)]) == [111 + 100 * round_of, 13 + round_of]
        again = [partial(Tally.restart, total=5)] * 2
        assert ask_all(pool, again, afresh=True) == [5, 5]
        deadly = partial(Tally.add_killed_once, number=100, mark=tmp_path / "last")
        assert ask_all(pool, [*add(3), deadly]) == [8, 105]
        assert ask_all(pool, add(1, 1)) == [9, 106]


def test_errors_of_tasks_are_raised(started: Any) -> None:
    with (
        pytest.raises(DataError, match=r"^table, line 3: a comma; expected a tab\. Mend it$"),
        ClusterPool(partial(Tally, 1), 1, LOCAL) as pool,
    ):
        ask_all(pool, [Tally.fail])


def test_a_member_that_is_lost_again_and_again(
    started: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "RESTARTS", 1)
    with (
        pytest.raises(
            DataError,
            match=r"worker 1 on the cluster was lost more than 1 times \(.+\)\. Check whether",
        ),
        ClusterPool(partial(Tally, 1), 1, LOCAL) as pool,
    ):
        ask_all(pool, [Tally.die])


def test_more_members_than_processors(started: Any) -> None:
    pool = ClusterPool(partial(Tally, 1), 3, LOCAL)
    with pytest.raises(UsageError, match="the cluster has 2 processors, but 3 are needed"):
        pool.__enter__()


def test_what_cannot_be_sent() -> None:
    pool = ClusterPool(lambda: Tally(1), 1, LOCAL)
    with pytest.raises(
        UsageError, match=r"a task cannot be sent to the cluster .*functions and classes"
    ):
        pool.__enter__()


def test_where_ray_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(cluster, "import_module", missing)
    with pytest.raises(UsageError, match=r"needs Ray; run pip install isogloss\[distributed\]"):
        ClusterPool(partial(Tally, 1), 1, LOCAL).__enter__()


@pytest.mark.parametrize("address", ["nowhere", "localhost:many", "localhost:70000", None])
def test_an_address_that_nothing_is_at(address: str | None) -> None:
    """In a process that has no cluster: Ray would try for long."""
    with socket.socket() as closed:
        closed.bind(("localhost", 0))
        address = address or f"localhost:{closed.getsockname()[1]}"
        with pytest.raises(
            UsageError,
            match=rf"no Ray cluster is reachable at {address} "
            r".*\(.+\); pass",
        ):
            cluster.check_answers(address)


@pytest.fixture
def answering() -> Iterator[Callable[[bytes], str]]:
    """The address of a service that answers so whatever it is sent, and then waits."""
    with ExitStack() as services:

        def start(answer: bytes) -> str:
            service = services.enter_context(socket.create_server(("localhost", 0)))

            def serve() -> None:
                with service.accept()[0] as connection:
                    connection.sendall(answer)
                    while connection.recv(100):
                        pass

            thread = threading.Thread(target=serve)
            services.callback(thread.join)
            thread.start()
            return f"localhost:{service.getsockname()[1]}"

        yield start


@pytest.mark.parametrize(
    ("answer", "reason"),
    [(b"HTTP/1.1 400 Bad Request", "another service answers at this address"), (b"", "timed out")],
)
def test_a_service_that_is_no_cluster(
    answering: Callable[[bytes], str], answer: bytes, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "_PATIENCE", 600.0 if answer else 0.1)
    address = answering(answer)
    with pytest.raises(
        UsageError,
        match=rf"no Ray cluster is reachable at {address} "
        rf".*\({reason}\)",
    ):
        cluster.check_answers(address)


def test_a_service_that_answers_as_a_cluster(
    answering: Callable[[bytes], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By settings of HTTP/2; where all is encrypted, nothing is asked."""
    cluster.check_answers(answering(bytes([0, 0, 24, 4, 0, 0, 0, 0, 0])))
    monkeypatch.setenv("RAY_USE_TLS", "1")
    cluster.check_answers(answering(b""))


def test_why_a_cluster_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ray says so in the cause of its error alone."""

    def init(*address: str, **limits: Any) -> None:
        raise ConnectionError("Failed to connect") from RuntimeError("InvalidAuthToken\nmore")

    ray = SimpleNamespace(is_initialized=lambda: False, init=init, shutdown=lambda: None)
    monkeypatch.setattr(cluster, "import_module", lambda name: ray)
    message = (
        r"no Ray cluster is reachable at auto \(Failed to connect: InvalidAuthToken\); pass "
        r"HOST:PORT of the head node, auto or local\. If the cluster .* set RAY_AUTH_MODE=token"
    )
    with pytest.raises(UsageError, match=message):
        ClusterPool(partial(Tally, 1), 1, "auto").__enter__()
