"""What the service has done, in the text format of Prometheus."""

import resource
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from itertools import accumulate
from pathlib import Path

__all__ = ["CONTENT_TYPE", "Metrics"]

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
_MEMORY = Path("/proc/self/statm")  # pages, the resident ones second


class Metrics:
    """Counts of requests; all of it is touched by the event loop alone."""

    def __init__(self) -> None:
        self.in_flight = 0
        self._requests = Counter[tuple[str, int]]()  # by route and status
        self._sentences = Counter[str]()
        self._buckets: dict[str, list[int]] = {}
        self._seconds = Counter[str]()

    def count(self, route: str, status: int, seconds: float, sentences: int) -> None:
        """Count a request that was answered. seconds: that it took, waiting included"""
        self._requests[route, status] += 1
        self._sentences[route] += sentences
        buckets = self._buckets.setdefault(route, [0] * (len(_BOUNDS) + 1))
        buckets[bisect_left(_BOUNDS, seconds)] += 1
        self._seconds[route] += seconds  # type: ignore[assignment]

    def text(self, *, running: int, waiting: int) -> str:
        """All of it. running: threads at work; waiting: requests"""
        return "".join(f"{line}\n" for line in self._lines(running, waiting))

    def _lines(self, running: int, waiting: int) -> Iterator[str]:
        yield from _head("requests_total", "counter", "Answered requests.")
        for (route, status), number in sorted(self._requests.items()):
            yield f'isogloss_requests_total{{route="{route}",status="{status}"}} {number}'
        yield from _head("sentences_total", "counter", "Processed sentences or pairs.")
        for route, number in sorted(self._sentences.items()):
            if number:
                yield f'isogloss_sentences_total{{route="{route}"}} {number}'
        yield from _head("request_seconds", "histogram", "Request duration including waiting time.")
        for route, buckets in sorted(self._buckets.items()):
            for bound, number in zip((*_BOUNDS, "+Inf"), accumulate(buckets), strict=True):
                yield f'isogloss_request_seconds_bucket{{route="{route}",le="{bound}"}} {number}'
            yield f'isogloss_request_seconds_sum{{route="{route}"}} {self._seconds[route]:.6f}'
            yield f'isogloss_request_seconds_count{{route="{route}"}} {sum(buckets)}'
        for name, number, text in (
            ("requests_in_flight", self.in_flight, "Requests in progress."),
            ("requests_waiting", waiting, "Requests waiting for a thread."),
            ("threads_running", running, "Busy threads."),
        ):
            yield from _head(name, "gauge", text)
            yield f"isogloss_{name} {number}"
        with suppress(OSError, ValueError, IndexError):
            pages = int(_MEMORY.read_text().split()[1])
            yield "# HELP process_resident_memory_bytes Resident memory."
            yield "# TYPE process_resident_memory_bytes gauge"
            yield f"process_resident_memory_bytes {pages * resource.getpagesize()}"


def _head(name: str, kind: str, text: str) -> Iterator[str]:
    yield f"# HELP isogloss_{name} {text}"
    yield f"# TYPE isogloss_{name} {kind}"
