"""Clients of `isogloss serve`, good and bad ones, from several threads."""

import http.client
import select
import socket
import struct
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from itertools import chain, repeat
from random import Random
from typing import NamedTuple

__all__ = ["KIND", "LONG", "MALFORMED", "Amounts", "Asked", "Clients", "Keeper"]

LONG = 600.0  # seconds after which something hangs, however slow the machine is
KIND = {"Content-Type": "application/json"}
PAUSE = 0.2  # seconds between the bytes of a slow connection
WORKERS = 8  # threads of clients that do one thing after another
MAX_OF_A_VISIT = 9  # requests on one connection
AT_ONCE = struct.pack("ii", 1, 0)  # for SO_LINGER: the connection is reset when it is closed
SMALL_SEGMENT, SMALL_BUFFER = 536, 4096  # of who takes nothing: the system holds 100 KB for it


class Asked(NamedTuple):
    """A request and what it is answered."""

    route: str
    body: bytes | None  # None = it is a GET
    status: int
    answer: bytes

    def head_and_body(self) -> bytes:
        """All that is sent, where it is a POST."""
        assert self.body is not None
        return _post(self.body, f"Content-Length: {len(self.body)}", route=self.route)


class Odd(NamedTuple):
    """A malformed request, the status of its answer, and that which the service counts."""

    content: bytes
    status: int
    counted: int | None = None  # None = it isn't a request


class Amounts(NamedTuple):
    """How much of each kind there is: the good requests, the bad clients."""

    good: int
    at_bounds: int
    beyond: int
    malformed: int
    gone: int
    untaken: int
    slow: int  # so many whose head doesn't end, and as many whose body doesn't


def _post(body: bytes, *fields: str, host: str = "Host: localhost", route: str = "/align") -> bytes:
    """A request, whose fields beside the kind of its body are given."""
    lines = [f"POST {route} HTTP/1.1", host, "Content-Type: application/json", *fields]
    return "".join(f"{line}\r\n" for line in lines if line).encode("latin-1") + b"\r\n" + body


PAIR = b'{"source": "a", "target": "b"}'
_LENGTH, _CHUNKED = f"Content-Length: {len(PAIR)}", "Transfer-Encoding: chunked"
_WHOLE = b"%x\r\n%s\r\n" % (len(PAIR), PAIR)
MALFORMED = [
    *(
        Odd(_post(PAIR, _LENGTH, host=f"Host: {host}"), 421, 421)
        for host in ("example.org", "[::1", "a b", "", "\xff\xfe", "localhost@x.y", "x" * 5000)
    ),
    *(
        Odd(_post(PAIR, _LENGTH, host=host), 400)
        for host in ("", "Host: localhost\r\nHost: localhost", "Host: a\0b", "Host : localhost")
    ),
    *(
        Odd(_post(PAIR, f"Content-Length: {length}"), 400)
        for length in ("-1", "ten", "+30", "30, 31", "9" * 23, "0x1e", "3 0", "\xb2", "")
    ),
    Odd(_post(PAIR, _LENGTH, "Content-Length: 3"), 400),
    Odd(_post(PAIR, "Content-Length: 7"), 400, 400),  # the rest is the next request, and none
    Odd(_post(b"", _CHUNKED, _LENGTH) + _WHOLE + b"0\r\n\r\n", 400, 400),
    Odd(_post(PAIR, "Transfer-Encoding: gzip"), 400),
    Odd(_post(PAIR, f"{_CHUNKED}, chunked"), 400),
    *(
        Odd(_post(b"", _CHUNKED) + chunks, 400, 499)
        for chunks in (
            b"zz\r\n" + PAIR, b"-5\r\n" + PAIR, b"f" * 30 + b"\r\n", b"\r\n" + PAIR,
            _WHOLE[:-2] + b"xx0\r\n\r\n", _WHOLE + b"0\r\nno trailer\r\n\r\n", b"1e \x00\r\n",
        )
    ),
    *(Odd(text, 400) for text in (b"hello\r\n\r\n", b"\x16\x03\x01\x02\0\x01\0" + bytes(99))),
]  # fmt: skip


class Keeper(threading.Thread):
    """Holds connections that send a byte now and then, or take nothing, until they are cut off."""

    def __init__(self) -> None:
        super().__init__(name="keeper", daemon=True)
        self._held: dict[socket.socket, Iterator[bytes] | None] = {}
        self._lock = threading.Lock()
        self._gone = threading.Event()
        self._is_over = False

    def hold(self, connection: socket.socket, text: Iterator[bytes] | None) -> None:
        """Hold one more. text: its bytes, one by one; None = it sends nothing, and takes nothing"""
        with self._lock:
            self._held[connection] = text

    def wait(self) -> None:
        """Wait until the service has ended all of them."""
        self._is_over = True
        assert self._gone.wait(LONG), f"{len(self._held)} connections were not cut off"

    def leave(self) -> None:
        """End all of them."""
        with self._lock:
            for connection in self._held:
                connection.close()
            self._held.clear()
        self.wait()

    def run(self) -> None:
        pause = threading.Event()
        while self._held or not self._is_over:
            with self._lock:
                ended = [one for one, text in self._held.items() if self._is_ended(one, text)]
                for connection in ended:
                    del self._held[connection]
                    connection.close()
            pause.wait(PAUSE)
        self._gone.set()

    @staticmethod
    def _is_ended(connection: socket.socket, text: Iterator[bytes] | None) -> bool:
        """Whether the service has ended a connection; if it hasn't, a byte is sent."""
        poll = select.poll()
        poll.register(connection, select.POLLIN if text is not None else 0)
        if not poll.poll(0):
            if text is not None:
                with suppress(OSError):  # ended since: it is seen the next time
                    connection.send(next(text))
            return False
        if text is None:
            return True
        try:
            return connection.recv(1 << 16) == b""
        except OSError:
            return True


class Clients:
    """Clients of a service, and what they found to be wrong.

    good: requests to choose from; at_bounds: as large as can be; beyond: larger ones
    untaken: a request with a long answer
    """

    def __init__(
        self,
        address: tuple[str, int],
        good: Sequence[Asked],
        at_bounds: Sequence[Asked],
        beyond: Sequence[Asked],
        untaken: Asked,
    ) -> None:
        self._address = address
        self._good, self._at_bounds, self._beyond = good, at_bounds, beyond
        self._untaken = untaken
        self._lock = threading.Lock()
        self._answered = 0  # good requests
        self.wrong: list[str] = []
        self.overtaken: list[int] = []  # for each good one, those answered while it waited
        self.counted = Counter[int]()  # by status, what the service has to count, but for _go()

    def work(self, amounts: Amounts, dice: Random, keeper: Keeper) -> None:
        """Do all of it, in an order that chance gives. keeper: of those that wait"""
        self.overtaken, self.counted = [], Counter({408: amounts.slow})
        for _ in range(amounts.slow):
            self._hold_slow(keeper)
        jobs: list[Callable[[], None]] = []
        left = amounts.good
        while left:
            size = min(left, dice.randint(1, MAX_OF_A_VISIT))
            jobs.append(_job(self._visit, dice.choices(self._good, k=size)))
            left -= size
        jobs += [_job(self._visit, [one]) for one in _turns(self._at_bounds, amounts.at_bounds)]
        jobs += [_job(self._visit, [one]) for one in _turns(self._beyond, amounts.beyond)]
        jobs += [_job(self._send_odd, one) for one in _turns(MALFORMED, amounts.malformed)]
        jobs += [_job(self._go, one) for one in dice.choices(self._good[1:], k=amounts.gone)]
        dice.shuffle(jobs)
        for _ in range(amounts.untaken):  # early, since they are waited for
            jobs.insert(dice.randrange(len(jobs) // 3 + 1), _job(self._take_nothing, keeper))
        with ThreadPoolExecutor(WORKERS) as pool:
            for done in [pool.submit(job) for job in jobs]:
                done.result()

    def connected(self) -> http.client.HTTPConnection:
        """A new connection."""
        return http.client.HTTPConnection(*self._address, timeout=LONG)

    def _visit(self, requests: Sequence[Asked]) -> None:
        """Requests on one connection, one after another."""
        with closing(self.connected()) as connection:
            for asked in requests:
                before = self._answered
                self.ask(connection, asked)
                self.take(connection, asked)
                with self._lock:
                    self._answered += 1
                    self.overtaken.append(self._answered - before - 1)

    def ask(self, connection: http.client.HTTPConnection, asked: Asked) -> None:
        """Send a request."""
        connection.request("GET" if asked.body is None else "POST", asked.route, asked.body, KIND)
        with self._lock:
            self.counted[asked.status] += 1

    def take(self, connection: http.client.HTTPConnection, asked: Asked) -> None:
        """Take the answer of a request, and compare it."""
        response = connection.getresponse()
        answer = response.read()
        if response.status != asked.status or (answer != asked.answer and asked.status == 200):
            self.wrong.append(f"{asked.route} {asked.body!r:.80}: {response.status} {answer!r:.80}")

    def _send_odd(self, odd: Odd) -> None:
        with socket.create_connection(self._address, timeout=LONG) as connection:
            connection.sendall(odd.content)
            with connection.makefile("rb") as answer:
                line = answer.readline()
        if not line.startswith(b"HTTP/1.1 %d " % odd.status):
            self.wrong.append(f"{odd.content!r:.200}: {line!r}")
        if odd.counted is not None:
            with self._lock:
                self.counted[odd.counted] += 1

    def _go(self, asked: Asked) -> None:
        """Go away, without waiting for an answer."""
        with socket.create_connection(self._address, timeout=LONG) as connection:
            connection.sendall(asked.head_and_body())
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, AT_ONCE)

    def _take_nothing(self, keeper: Keeper) -> None:
        """Ask for a long answer, and take no more than its first bytes."""
        connection = socket.socket()
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, SMALL_SEGMENT)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SMALL_BUFFER)
        connection.settimeout(LONG)
        connection.connect(self._address)
        connection.sendall(self._untaken.head_and_body())
        begin = connection.recv(12)
        with self._lock:
            self.counted[200] += 1
        if begin != b"HTTP/1.1 200":
            connection.close()
            self.wrong.append(f"a long answer: {begin!r}")
            return
        keeper.hold(connection, None)

    def _hold_slow(self, keeper: Keeper) -> None:
        """Two connections of a byte now and then: a head that never ends, and a body."""
        head = _post(b"", "Content-Length: 1000")
        for text, sent in ((head[:-2] + b"X-Long: ", 0), (head, len(head))):
            connection = socket.create_connection(self._address, timeout=LONG)
            connection.sendall(text[:sent])
            rest = (text[at : at + 1] for at in range(sent, len(text)))
            keeper.hold(connection, chain(rest, repeat(b"a")))


def _job(do: Callable[..., None], *arguments: object) -> Callable[[], None]:
    return lambda: do(*arguments)


def _turns(choices: Sequence[Asked] | Sequence[Odd], number: int) -> Iterator[Asked | Odd]:
    """So many of them, each as often as the others."""
    return (choices[place % len(choices)] for place in range(number))
