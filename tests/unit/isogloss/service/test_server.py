"""The server: how it ends when work is under way."""

import asyncio
import http.client
import json
import os
import signal
import socket
import threading
import time
from contextlib import closing

import pytest

from isogloss.service import server
from isogloss.service.app import Service
from isogloss.service.limits import Limits
from tests.unit.isogloss.service.test_app import KIND, Upper


class Ended:
    """A service that was told to end while a request was at work.

    left: the signal that it tells of what was left; status: of the request, 0 = no answer
    """

    def __init__(self, work: float, grace: float, signals: list[int]) -> None:
        begun = threading.Event()
        self.status = 0

        def wait(text: str, go_on: object) -> None:
            begun.set()
            time.sleep(work)

        def ask(port: int) -> None:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
            connection.request("POST", "/upper", json.dumps({"texts": ["a"]}), KIND)
            try:
                self.status = connection.getresponse().status
            except (http.client.HTTPException, OSError):
                pass
            finally:
                connection.close()

        def stop() -> None:
            begun.wait(30)
            for number in signals:
                os.kill(os.getpid(), number)
                time.sleep(0.3)

        opened = server.listen("127.0.0.1", 0)
        opened.listen()
        threads = [
            threading.Thread(target=ask, args=opened.getsockname()[1:]),
            threading.Thread(target=stop),
        ]
        for thread in threads:
            thread.start()
        before = time.monotonic()
        self.left = server.run(Service([Upper(wait)], Limits(), 1), opened, grace)
        self.seconds = time.monotonic() - before
        for thread in threads:
            thread.join()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_what_is_under_way_is_answered(number: int) -> None:
    handlers = [signal.getsignal(one) for one in (signal.SIGTERM, signal.SIGINT)]
    ended = Ended(0.7, 20.0, [number])
    assert (ended.left, ended.status) == (0, 200)
    assert [signal.getsignal(one) for one in (signal.SIGTERM, signal.SIGINT)] == handlers


def test_what_takes_longer_than_the_grace_is_cut_off() -> None:
    ended = Ended(4.0, 1.0, [signal.SIGTERM])
    assert (ended.left, ended.status) == (signal.SIGTERM, 503)
    assert ended.seconds < 3.5


def test_a_second_signal_ends_it_at_once() -> None:
    ended = Ended(4.0, 60.0, [signal.SIGTERM, signal.SIGINT])
    assert ended.left == signal.SIGINT
    assert ended.status in (0, 503)
    assert ended.seconds < 3.5


def test_who_sends_no_whole_head_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """And a connection with requests stays."""
    monkeypatch.setattr(server, "_IDLE", 0.5)
    opened = server.listen("127.0.0.1", 0)
    opened.listen()
    seconds: dict[bytes, float] = {}
    statuses = []

    def ask() -> None:
        address = opened.getsockname()
        kept = http.client.HTTPConnection(*address, timeout=30)
        for begun in (b"", b"POST / HTTP/1.1\r\nHost: loc"):
            with socket.create_connection(address, timeout=30) as connection:
                before = time.monotonic()
                connection.sendall(begun)
                assert connection.recv(1) == b""
                seconds[begun] = time.monotonic() - before
            for _ in range(3):  # over more time than that in all
                kept.request("GET", "/health")
                statuses.append(kept.getresponse().read())
                time.sleep(0.25)
        kept.close()
        os.kill(os.getpid(), signal.SIGTERM)

    client = threading.Thread(target=ask)
    client.start()
    server.run(Service([Upper()], Limits(), 1), opened, 1.0)
    client.join()
    assert len(seconds) == 2
    assert min(seconds.values()) >= 0.4
    assert statuses == [b'{"status":"ready"}\n'] * 6


def test_trouble_of_the_loop_is_told_once() -> None:
    told: list[str] = []
    tell = server._Told(told.append)
    with closing(asyncio.new_event_loop()) as loop:
        for _ in range(3):
            tell(loop, {"message": "m", "exception": OSError(24, "Too many open files")})
        tell(loop, {"message": "m"})
    assert told == [
        "warning: OSError: [Errno 24] Too many open files (told once)", "warning: m (told once)",
    ]  # fmt: skip
