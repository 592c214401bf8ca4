"""`isogloss serve` when it has much to do: what a busy hour brings, one after the other.

Good requests, and clients that send a byte now and then, take no answer, go away, ask for more than
they may, or send what isn't a request; and nobody reads the log.
"""

import fcntl
import gzip
import http.client
import json
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from itertools import filterfalse, islice
from pathlib import Path
from random import Random
from typing import Any

import msgspec
import pytest

from isogloss import program
from isogloss.service.limits import Limits
from tests.architecture.reading import ROOT
from tests.cli.translations.test_decode import ARPA, RULES
from tests.fuzz.load import LONG, Amounts, Asked, Clients, Keeper

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.usefixtures("from_a_terminal"),
    pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="there is no /proc"),
]
PAIRS = 200  # that the model is trained on
MAX_PAIRS, MAX_WORK, MAX_BYTES = 60, 8000, 1 << 18  # of a request
LIMITS = Limits(max_body=MAX_BYTES, max_sentences=MAX_PAIRS, max_work=MAX_WORK, timeout=LONG)
MODELS = (
    "--model", "m", "--phrase-table", "table", "--lm", "lm", "--rerank-weights", "w",
)  # fmt: skip
LEAST_OF_AN_ANSWER = 1 << 17  # bytes: more than the system holds for who takes nothing
GROWN = 32 << 10  # kilobytes that may be resident at the end besides those after the first minutes
UNFAIR = 0.1  # of all good requests: more than that are never answered while one waits

FIRST_MINUTES = Amounts(300, at_bounds=20, beyond=10, malformed=60, gone=20, untaken=200, slow=120)
HOUR = Amounts(3600, at_bounds=100, beyond=200, malformed=300, gone=200, untaken=200, slow=120)
LAST_MINUTES = Amounts(200, at_bounds=4, beyond=10, malformed=30, gone=10, untaken=10, slow=20)
AT_THE_END = Amounts(0, at_bounds=0, beyond=0, malformed=0, gone=0, untaken=20, slow=110)


class Requests:
    """What is asked, with its answers as the library gives them here."""

    def __init__(self, folder: Path) -> None:
        options: Any = program.parse("serve", MODELS)[1]
        self._tasks = {task.route: task for task in options.tasks()}
        sides = ((folder / name).read_text().split("\n")[:-1] for name in ("en", "es"))
        pairs = list(zip(*sides, strict=True))
        dice = Random(3)
        self.good = [Asked("/health", None, 200, b'{"status":"ready"}\n')]
        self.good += [self._any(dice, pairs) for _ in range(300)]
        joined = [
            [" ".join(side) for side in zip(*dice.sample(pairs, 4), strict=True)]
            for _ in range(MAX_PAIRS + 1)
        ]
        many = {"pairs": joined[:-1]}
        self.longest = self._answered("/align", many)
        texts = [f"{id} ||| {'abc ' * 800} ||| LM0= 1 WordPenalty0= 1 ||| 1" for id in range(50)]
        self.untaken = self._answered("/rerank", {"nbest": texts})
        assert LEAST_OF_AN_ANSWER <= len(self.untaken.answer) <= len(self.longest.answer)
        longer = self._answered(
            "/align", {"pairs": [*joined[:-2], [f"{a} {a}" for a in joined[-1]]]}
        )
        assert len(longer.answer) > len(self.longest.answer)
        texts = ["a b " * (MAX_WORK // 800)] * 4
        self.at_bounds = [
            self.longest,
            self._answered("/decode", {"texts": texts, "nbest_size": 100}),
            self._answered("/align", many, MAX_BYTES),
            self._answered("/rerank", _lists(dice, 40), MAX_BYTES),
        ]
        self.beyond = [
            longer._replace(status=413),
            _refused("/align", {"pairs": joined}),
            _refused("/decode", {"texts": [*texts[1:], texts[0] + "a"], "nbest_size": 100}),
            _refused("/align", many, MAX_BYTES + 1),
        ]

    def clients(self, address: tuple[str, int]) -> Clients:
        """Clients that ask this."""
        return Clients(address, self.good, self.at_bounds, self.beyond, self.untaken)

    def _any(self, dice: Random, pairs: Sequence[tuple[str, str]]) -> Asked:
        """A good request."""
        kind = dice.random()
        if kind < 0.5:
            source, target = dice.choice(pairs)
            return self._answered("/align", {"source": source, "target": target.split()})
        if kind < 0.65:
            some = dice.sample(pairs, dice.randint(1, 4))
            return self._answered("/align", {"pairs": some, "heuristic": "grow-diag-final-and"})
        if kind < 0.85:
            words = dice.choices(["a", "b", "c"], k=dice.randint(0, 12))
            return self._answered("/decode", {"text": words, "nbest_size": dice.randint(0, 5)})
        return self._answered("/rerank", _lists(dice, dice.randint(1, 5)))

    def _answered(self, route: str, value: dict[str, Any], size: int = 0) -> Asked:
        body = _body(value, size)
        found = self._tasks[route].answer(body, LIMITS, lambda: None)
        return Asked(route, body, 200, msgspec.json.encode(found.value) + b"\n")


def _lists(dice: Random, number: int) -> dict[str, Any]:
    lines = [
        f"{number} ||| {word} ||| LM0= {dice.gauss(-5, 2):.3f} WordPenalty0= -1 ||| 0"
        for number in range(number)
        for word in dice.sample(["one", "two", "three", "four"], 3)
    ]
    return {"nbest": lines}


def _body(value: dict[str, Any], size: int) -> bytes:
    """A value as JSON, filled up with blanks."""
    return json.dumps(value).encode().ljust(size)


def _refused(route: str, value: dict[str, Any], size: int = 0) -> Asked:
    return Asked(route, _body(value, size), 413, b"")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of some of the bundled text, a small decoder, weights."""
    folder = tmp_path_factory.mktemp("load")
    for name in ("en", "es", "labels"):
        with gzip.open(ROOT / "data" / f"train.{name}.gz", "rt", encoding="utf-8") as file:
            (folder / name).write_text("".join(islice(file, PAIRS)), encoding="utf-8")
    for name, text in {"table": RULES, "lm": ARPA, "w": "LM0 1\nWordPenalty0 0.25\n"}.items():
        (folder / name).write_text(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        command = ["align", "en", "es", "--labels", "labels", "--model", "m", "-o", "links", "-q"]
        assert program.main([*command, "--model1-iterations", "1", "--hmm-iterations", "2"]) == 0
    return folder


@pytest.fixture(scope="module")
def requests(folder: Path) -> Requests:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        return Requests(folder)


# --- the process


class Served:
    """A process that serves. Nobody reads its stderr before read() is called."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        assert process.stderr is not None
        self.process = process
        fcntl.fcntl(process.stderr, fcntl.F_SETPIPE_SZ, 1 << 12)  # soon full
        while not (match := re.search(rb"ready at http://\S+:(\d+) ", process.stderr.readline())):
            assert process.poll() is None
        self.address = "127.0.0.1", int(match[1])
        self.told: list[str] = []  # lines of stderr
        with closing(self._asked_for_metrics()) as connection:
            connection.getresponse().read()
            self._files = self.files() - 1  # open when nobody is connected

    def read(self) -> threading.Thread:
        """Read stderr, from now on to its end."""

        def read() -> None:
            assert self.process.stderr is not None
            self.told += (line.decode().rstrip("\n") for line in self.process.stderr)

        thread = threading.Thread(target=read)
        thread.start()
        return thread

    def files(self) -> int:
        """Open files."""
        return len(list(Path(f"/proc/{self.process.pid}/fd").iterdir()))

    def figure(self, name: str) -> int:
        """A number of /proc/PID/status."""
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        match = re.search(rf"^{name}:\s+(\d+)", text, re.M)
        assert match is not None
        return int(match[1])

    def _asked_for_metrics(self) -> http.client.HTTPConnection:
        connection = http.client.HTTPConnection(*self.address, timeout=LONG)
        connection.request("GET", "/metrics")
        return connection

    def counts(self) -> tuple[Counter[int], int]:
        """Requests that were answered, by status; how many are under way."""
        with closing(self._asked_for_metrics()) as connection:
            text = connection.getresponse().read().decode()
        answered = Counter[int]()
        for status, number in re.findall(r'^\w+_total\{.*status="(\d+)"\} (\d+)$', text, re.M):
            answered[int(status)] += int(number)
        under_way = re.findall(r"^isogloss_requests_in_flight (\d+)$", text, re.M)
        return answered, int(under_way[0])

    def counted(self) -> Counter[int]:
        """Requests that were answered, by status."""
        return self.counts()[0]

    def settle(self) -> None:
        """Wait until nothing is under way, and all files are closed that connections were."""
        _wait(lambda: self.counts()[1] == 0)
        _wait(lambda: self.files() <= self._files)
        self.counts()  # what was still on its way to the counts is there


def _wait(is_so: Any) -> None:
    """Wait until something is so."""
    end = time.monotonic() + LONG
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.05)


@contextmanager
def served(folder: Path, requests: Requests, *options: str) -> Iterator[Served]:
    """A service whose log nobody reads."""
    command = [sys.executable, "-m", "isogloss", "serve", "--port", "0", "--log", *MODELS, *options]
    command += ["--max-sentences", str(LIMITS.max_sentences)]
    command += ["--max-body", str(LIMITS.max_body), "--max-work", str(LIMITS.max_work)]
    command += ["--max-answer", str(len(requests.longest.answer))]
    command += ["--timeout", str(LONG), "--threads", "2"]
    with subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, bufsize=0) as process:
        try:
            yield Served(process)
        finally:
            process.kill()


@contextmanager
def keeping() -> Iterator[Keeper]:
    keeper = Keeper()
    keeper.start()
    try:
        yield keeper
    finally:
        keeper.leave()


# --- what was counted, and told


LINE = re.compile(r"method=\S+ route=/\S* status=\d+ ms=[\d.]+ sentences=\d+")
DROPPED = re.compile(
    r"warning: (\d+) lines? (?:was|were) dropped, because standard error was not read in time"
)


def check_counted(found: Counter[int], expected: Counter[int], gone: int) -> None:
    """Each request is counted once, by its status.

    gone: clients that didn't wait, and were answered or not, or gone before anybody knew of them
    """
    either = (200, 499)
    assert {status: number for status, number in found.items() if status not in either} == {
        status: number for status, number in expected.items() if status not in either
    }
    for status in either:
        assert expected[status] <= found[status] <= expected[status] + gone
    assert found.total() <= expected.total() + gone


def check_log(service: Served, requests: int) -> None:
    """Each request has had a line, or was counted among those that were dropped."""

    def dropped() -> int:
        return sum(int(match[1]) for match in map(DROPPED.fullmatch, [*service.told]) if match)

    def lines() -> int:
        return sum(LINE.fullmatch(line) is not None for line in [*service.told])

    _wait(lambda: lines() + dropped() >= requests)
    assert lines() + dropped() == requests
    assert min(lines(), dropped()) > 0
    assert [*filterfalse(LINE.fullmatch, filterfalse(DROPPED.fullmatch, service.told))] == []


# --- the tests


def test_a_busy_hour(folder: Path, requests: Requests) -> None:
    """Good clients have their answers, and all that the others took is given back."""
    with served(folder, requests, "--shutdown-timeout", str(LONG)) as service:
        clients = requests.clients(service.address)
        with keeping() as keeper:
            clients.work(FIRST_MINUTES, Random(1), keeper)
        service.settle()
        resident, threads = service.figure("VmRSS"), service.figure("Threads")
        before = service.counted()
        with keeping() as keeper:
            clients.work(HOUR, Random(2), keeper)
            keeper.wait()
        service.settle()
        assert clients.wrong == []
        assert len(clients.overtaken) == HOUR.good + HOUR.at_bounds + HOUR.beyond
        assert max(clients.overtaken) <= UNFAIR * len(clients.overtaken)
        assert service.figure("Threads") == threads
        assert service.figure("VmRSS") <= resident + GROWN
        counted = service.counted()
        check_counted(counted - before, clients.counted, HOUR.gone)
        reader = service.read()
        check_log(service, counted.total())
        end_with(service, clients, requests.at_bounds)
        reader.join()
    assert service.process.returncode == 0
    assert service.told[-1] == "stopped after answering all requests"


def begun(service: Served) -> int:
    """Requests that are under way, or answered."""
    answered, under_way = service.counts()
    return answered.total() + under_way


def end_with(service: Served, clients: Clients, asked: Sequence[Asked]) -> None:
    """SIGTERM while requests are under way: they are answered; who has asked nothing is not."""
    before = service.counted().total()
    with ExitStack() as left:
        waiting = [left.enter_context(closing(clients.connected())) for _ in asked]
        for connection, one in zip(waiting, asked, strict=True):
            clients.ask(connection, one)
        for text in (b"", b"POST / HTTP/1.1\r\nHost: loc"):
            opened = left.enter_context(socket.create_connection(service.address, timeout=LONG))
            opened.sendall(text)
        _wait(lambda: begun(service) >= before + len(asked))
        service.process.send_signal(signal.SIGTERM)
        for connection, one in zip(waiting, asked, strict=True):
            clients.take(connection, one)
        assert clients.wrong == []
        service.process.wait(LONG)


def test_an_end_in_the_midst_of_it(folder: Path, requests: Requests) -> None:
    """SIGHUP: those who don't send, or take nothing, are waited for --shutdown-timeout at most."""
    with served(folder, requests, "--shutdown-timeout", "1") as service:
        clients = requests.clients(service.address)
        with keeping() as keeper:
            clients.work(LAST_MINUTES, Random(5), keeper)
            clients.work(AT_THE_END, Random(6), keeper)
            service.process.send_signal(signal.SIGHUP)
            service.process.wait(LONG)
    assert clients.wrong == []
    assert service.process.returncode == 128 + signal.SIGHUP
