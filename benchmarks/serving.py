"""How many requests `isogloss serve` answers, how fast, and in how much memory.

    python benchmarks/serving.py [--pairs SRC TGT] [--text FILE] [--lists FILE] [--clients 1 4 16]
        [--requests N] [--fuzz N] -- OPTIONS OF serve

Starts the service on a free port. Clients, each on a thread with a connection of its own, send one
pair, sentence or list after the other, and take them from the beginning when all are sent. Printed
is a line for each route and number of clients. With --fuzz the bodies are tampered with before:
whatever comes, no answer may be 500, and none may fail to come. In the end the service is stopped
while clients are at it, and must end with status 0.
"""

import argparse
import json
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from itertools import cycle, groupby, islice
from pathlib import Path
from random import Random
from typing import Any

from processes import isogloss

from isogloss.align.files.text_io import iter_lines

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.fuzz.mutations import mutated, mutated_json

KIND = {"Content-Type": "application/json"}
PATIENCE = 120  # seconds for an answer
MOST = 2000  # different bodies of a route
Body = tuple[str, bytes]


@dataclass
class Service:
    """A running service."""

    process: "subprocess.Popen[str]"
    port: int

    def connection(self) -> HTTPConnection:
        """A new connection to it."""
        return HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)

    def megabytes(self) -> float:
        """Its resident memory."""
        connection = self.connection()
        connection.request("GET", "/metrics")
        text = connection.getresponse().read().decode()
        connection.close()
        match = re.search(r"^process_resident_memory_bytes (\d+)$", text, re.M)
        assert match is not None
        return int(match[1]) / 1e6


@contextmanager
def served(options: Sequence[str]) -> Iterator[Service]:
    """A service that is ready."""
    command = isogloss("serve", "--port", "0", *options)
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    try:
        for line in process.stderr:
            print(line, end="", file=sys.stderr)
            if match := re.search(r"ready at http://127\.0\.0\.1:(\d+) ", line):
                yield Service(process, int(match[1]))
                break
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


def bodies(arguments: argparse.Namespace) -> dict[str, list[Body]]:
    """Requests by route."""
    found: dict[str, list[Body]] = {}

    def add(route: str, values: Iterator[dict[str, Any]]) -> None:
        content = [(route, json.dumps(value).encode()) for value in islice(values, MOST)]
        found[route] = content

    if arguments.pairs:
        pairs = zip(*map(iter_lines, arguments.pairs), strict=True)
        add("/align", ({"source": source, "target": target} for source, target in pairs))
    if arguments.text:
        add("/decode", ({"text": line} for line in iter_lines(arguments.text)))
    if arguments.lists:
        lines = groupby(iter_lines(arguments.lists), key=lambda line: line.partition(" ")[0])
        add("/rerank", ({"nbest": list(group)} for _, group in lines))
    return found


def client(service: Service, requests: Sequence[Body]) -> list[tuple[int, float]]:
    """Status and seconds of each request, one after the other; 0 = no answer."""
    connection, found = service.connection(), []
    for route, body in requests:
        begin = time.perf_counter()
        try:
            connection.request("POST", route, body, KIND)
            response = connection.getresponse()
            response.read()
            status = response.status
        except (HTTPException, OSError):
            connection.close()
            status = 0
        found.append((status, time.perf_counter() - begin))
    connection.close()
    return found


def measure(service: Service, requests: Sequence[Body], clients: int) -> str:
    """A line of what so many clients saw who shared the requests."""
    before, begin = service.megabytes(), time.perf_counter()
    with ThreadPoolExecutor(clients) as pool:
        shares = [requests[number::clients] for number in range(clients)]
        found = [pair for share in pool.map(client, [service] * clients, shares) for pair in share]
    wall = time.perf_counter() - begin
    times = sorted(seconds for _, seconds in found)
    shown = " ".join(
        f"p{share} {1000 * times[min(len(times) * share // 100, len(times) - 1)]:.1f} ms"
        for share in (50, 95, 99)
    )
    statuses = dict(sorted(Counter(status for status, _ in found).items()))
    memory = f"{before:.0f} -> {service.megabytes():.0f} MB"
    return f"{len(found) / wall:.1f}/s {shown} status {statuses} {memory}"


def stop(service: Service, requests: Sequence[Body]) -> str:
    """What becomes of clients whose service is stopped."""
    with ThreadPoolExecutor(4) as pool:
        running = [pool.submit(client, service, requests) for _ in range(4)]
        time.sleep(1)
        begin = time.perf_counter()
        service.process.send_signal(signal.SIGTERM)
        status = service.process.wait(PATIENCE)
        seconds = time.perf_counter() - begin
        answered = Counter(status for each in running for status, _ in each.result())
    return f"SIGTERM: status {status} after {seconds:.1f} s; answers {dict(answered)}, 0 = refused"


def main() -> None:
    """Measure as the command line says."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--pairs", nargs=2, metavar=("SRC", "TGT"))
    parser.add_argument("--text", metavar="FILE")
    parser.add_argument("--lists", metavar="FILE")
    parser.add_argument("--clients", nargs="+", type=int, default=[1, 4, 16])
    parser.add_argument("--requests", type=int, default=1000)
    parser.add_argument("--fuzz", type=int, default=0)
    parser.add_argument("options", nargs="*", help="of serve, behind --")
    arguments = parser.parse_args()
    by_route = bodies(arguments)
    with served(arguments.options) as service:
        for route, content in by_route.items():
            for clients in arguments.clients:
                requests = list(islice(cycle(content), arguments.requests))
                print(
                    f"{route} {clients} clients: {measure(service, requests, clients)}", flush=True
                )
        if arguments.fuzz:
            dice = Random(1)
            good = [body for content in by_route.values() for body in content[:50]]
            odd = [
                (route, (mutated if number % 2 else mutated_json)(body, dice))
                for number, (route, body) in enumerate(islice(cycle(good), arguments.fuzz))
            ]
            print(f"odd bodies, 4 clients: {measure(service, odd, 4)}", flush=True)
        print(stop(service, [body for content in by_route.values() for body in content]))


if __name__ == "__main__":
    main()
