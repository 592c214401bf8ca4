"""The server: how it ends when work is under way."""

import asyncio
import http.client
import json
import os
import select
import signal
import socket
import threading
import time
from collections.abc import Callable
from contextlib import closing, suppress

import pytest

from isogloss.service import app, server
from isogloss.service.app import Service
from isogloss.service.limits import Limits
from isogloss.service.tasks import Answer
from isogloss.service.work_queue import GoOn
from tests.unit.isogloss.service.test_app import KIND, Upper

pytestmark = pytest.mark.usefixtures("from_a_terminal")
LONG = 600.0  # seconds after which something hangs, however slow the machine is


class Ended:
    """A service that was told to end while a request was at work.

    signals: each is sent when the one before has been seen
    is_done: whether the work ends when the last has been sent, or only after the service
    are_seen: whether each is waited for
    left: the signal that it tells of what was left; status: of the request, 0 = no answer
    """

    def __init__(
        self,
        grace: float,
        signals: list[int],
        *,
        is_done: bool = False,
        are_seen: bool = True,
    ) -> None:
        begun, let_go = threading.Event(), threading.Event()
        self.status = 0

        def wait(text: str, go_on: object) -> None:
            begun.set()
            let_go.wait(LONG)

        def ask(port: int) -> None:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=LONG)
            connection.request("POST", "/upper", json.dumps({"texts": ["a"]}), KIND)
            try:
                self.status = connection.getresponse().status
            except (http.client.HTTPException, OSError):
                pass
            finally:
                connection.close()

        def stop() -> None:
            begun.wait(LONG)
            for number in signals:
                os.kill(os.getpid(), number)
                while are_seen and not service.stopping:
                    time.sleep(0.01)
            if is_done:
                let_go.set()

        service = Service([Upper(wait)], Limits(timeout=LONG), 1)
        opened = server.listen("127.0.0.1", 0)
        opened.listen()
        threads = [
            threading.Thread(target=ask, args=opened.getsockname()[1:]),
            threading.Thread(target=stop),
        ]
        for thread in threads:
            thread.start()
        self.left = server.run(service, opened, grace)
        self.is_held = not let_go.is_set()
        let_go.set()
        for thread in threads:
            thread.join()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_what_is_under_way_is_answered(number: int) -> None:
    handlers = [signal.getsignal(one) for one in (signal.SIGTERM, signal.SIGINT)]
    ended = Ended(LONG, [number], is_done=True)
    assert (ended.left, ended.status) == (0, 200)
    assert [signal.getsignal(one) for one in (signal.SIGTERM, signal.SIGINT)] == handlers


def test_what_takes_longer_than_the_grace_is_cut_off() -> None:
    ended = Ended(1.0, [signal.SIGTERM])
    assert (ended.left, ended.status) == (signal.SIGTERM, 503)
    assert ended.is_held


def test_a_second_signal_ends_it_at_once() -> None:
    ended = Ended(LONG, [signal.SIGTERM, signal.SIGINT])
    assert ended.left == signal.SIGINT
    assert ended.status in (0, 503)
    assert ended.is_held


def with_an_answer(host: str, port: int) -> http.client.HTTPConnection:
    """A connection that has had an answer: its head came in time, on a slow machine as well."""
    for _ in range(100):
        connection = http.client.HTTPConnection(host, port, timeout=LONG)
        with suppress(http.client.HTTPException, OSError):
            connection.request("GET", "/health")
            connection.getresponse().read()
            break
        connection.close()
    connection.auto_open = False  # type: ignore[assignment]
    return connection


def test_who_sends_no_whole_head_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """And a connection with requests stays, which was there before."""
    monkeypatch.setattr(server, "_IDLE", 0.5)
    monkeypatch.setattr(server, "ceil", lambda seconds: LONG)  # between requests, as Uvicorn counts
    opened = server.listen("127.0.0.1", 0)
    opened.listen()
    seconds: dict[bytes, float] = {}
    statuses = []

    def ask() -> None:
        address = opened.getsockname()
        kept = with_an_answer(*address)
        for begun in (b"", b"POST / HTTP/1.1\r\nHost: loc"):
            before = time.monotonic()
            with socket.create_connection(address, timeout=LONG) as connection:
                connection.sendall(begun)
                assert connection.recv(1) == b""
                seconds[begun] = time.monotonic() - before
            kept.request("GET", "/health")
            statuses.append(kept.getresponse().read())
        kept.close()
        os.kill(os.getpid(), signal.SIGTERM)

    client = threading.Thread(target=ask)
    client.start()
    server.run(Service([Upper()], Limits(), 1), opened, 1.0)
    client.join()
    assert len(seconds) == 2
    assert min(seconds.values()) >= 0.4
    assert statuses == [b'{"status":"ready"}\n'] * 2


def test_trouble_of_the_loop_is_told_once() -> None:
    told: list[str] = []
    tell = server._Told(told.append)
    with closing(asyncio.new_event_loop()) as loop:
        for _ in range(3):
            tell(loop, {"message": "m", "exception": OSError(24, "Too many open files")})
        tell(loop, {"message": "m"})
    assert told == [
        "warning: OSError: [Errno 24] Too many open files (shown once)", "warning: m (shown once)",
    ]  # fmt: skip


# --- who doesn't send, and who doesn't take


BIG = 1 << 25


class Big(Upper):
    """Answers with more than the system holds for a connection."""

    def answer(self, body: bytes, limits: Limits, go_on: GoOn) -> Answer:
        return Answer("x" * BIG, 1)


def asked(address: tuple[str, int], body: bytes, length: int) -> socket.socket:
    """A connection that has sent a part of a request."""
    connection = socket.create_connection(address, timeout=LONG)
    head = f"POST /upper HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\n"
    connection.sendall(head.encode() + b"Content-Type: application/json\r\n\r\n" + body)
    return connection


def status_of(connection: socket.socket) -> int:
    with connection, connection.makefile("rb") as answer:
        return int(answer.readline().split()[1])


BODY = json.dumps({"texts": ["a"]}).encode()


def served(
    service: Service,
    ask: Callable[[tuple[str, int]], None],
    grace: float = LONG,
    ended: threading.Event | None = None,
) -> int:
    """What a server tells at its end, which a client brings about.

    ended: is set before the client is waited for
    """
    opened = server.listen("127.0.0.1", 0)
    opened.listen()
    client = threading.Thread(target=ask, args=[opened.getsockname()])
    client.start()
    left = server.run(service, opened, grace)
    if ended is not None:
        ended.set()
    client.join()
    return left


def test_who_sends_slowly_takes_no_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "_PATIENCE", 2.0)
    statuses: list[list[int]] = []

    def ask(address: tuple[str, int]) -> None:
        slow = [asked(address, b"{", 100) for _ in range(20)]
        statuses.append([status_of(asked(address, BODY, len(BODY))) for _ in range(3)])
        statuses.append([status_of(connection) for connection in slow])
        os.kill(os.getpid(), signal.SIGTERM)

    left = served(Service([Upper()], Limits(queue=2), 1), ask)
    assert (left, statuses) == (0, [[200] * 3, [408] * 20])


def test_who_takes_no_answer_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """And it is not waited for at the end."""
    monkeypatch.setattr(server, "_UNREAD", 0.2)
    found: list[object] = []

    def ask(address: tuple[str, int]) -> None:
        unread = asked(address, BODY, len(BODY))
        assert unread.recv(12) == b"HTTP/1.1 200"
        cut_off = select.poll()
        cut_off.register(unread, select.POLLRDHUP)
        cut_off.poll()
        size = 0
        with unread, suppress(ConnectionResetError):
            while part := unread.recv(1 << 16):
                size += len(part)
        found.append(size < BIG)
        os.kill(os.getpid(), signal.SIGTERM)

    left = served(Service([Big()], Limits(max_answer=2 * BIG), 1), ask)
    assert (left, found) == (0, [True])


def test_who_takes_an_answer_bit_by_bit_has_all_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "_UNREAD", 1.5)
    sizes: list[int] = []

    def ask(address: tuple[str, int]) -> None:
        taken = asked(address, BODY, len(BODY))
        with taken, taken.makefile("rb") as answer:
            while answer.readline() != b"\r\n":
                pass
            size = 0
            for _ in range(16):  # far less in each look than the system holds for it
                size += len(answer.read(1 << 15))
                time.sleep(0.25)
            while size < BIG + 3 and (part := answer.read(min(1 << 20, BIG + 3 - size))):
                size += len(part)
        sizes.append(size)
        os.kill(os.getpid(), signal.SIGTERM)

    left = served(Service([Big()], Limits(max_answer=2 * BIG), 1), ask)
    assert (left, sizes) == (0, [BIG + 3])


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_answers_that_nobody_took_are_no_whole_end(number: int) -> None:
    ended = threading.Event()

    def ask(address: tuple[str, int]) -> None:
        with asked(address, BODY, len(BODY)) as unread:
            assert unread.recv(12) == b"HTTP/1.1 200"
            os.kill(os.getpid(), number)
            ended.wait(LONG)

    left = served(Service([Big()], Limits(max_answer=2 * BIG), 1), ask, 1.0, ended)
    assert left == number


def test_signals_that_were_ignored_stay_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """As nohup has it."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        ended = Ended(LONG, [signal.SIGHUP, signal.SIGTERM], is_done=True, are_seen=False)
        assert (ended.left, ended.status) == (0, 200)
        assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)
