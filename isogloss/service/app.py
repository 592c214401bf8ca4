"""The application: routes, and what becomes of a request on its way to a task and back."""

import asyncio
import traceback
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from time import perf_counter
from typing import TypeVar

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from isogloss.align.errors import pluralize

from .. import __version__
from .faults import Fault, fault_of
from .hosts import host_of, is_loopback
from .limits import Limits
from .metrics import CONTENT_TYPE, Metrics
from .tasks import Task
from .work_queue import WorkQueue

__all__ = ["LogEntry", "Service"]

_JSON = "application/json"
_DRAINED = 1 << 26  # bytes of a body that is too long that are read, so that its sender listens
_GONE = 499  # who asked has gone away, as nginx counts it
_PATIENCE = 10.0  # seconds that a body may take besides those of its rate
_LEAST_RATE = 1 << 14  # bytes of a body that come in a second
_OTHER = "other"  # route of paths that there are not

Handler = Callable[[Request], Awaitable[Response]]
LogEntry = dict[str, object]
_T = TypeVar("_T")


@dataclass
class Service:
    """Tasks behind an application of ASGI.

    tasks: by their routes; threads: requests that are worked on at once
    log: is told of each request: no text, neither of the user nor of the path
    report: is told of errors that nobody expects
    is_local: whether this machine alone is meant to reach it
    stopping: whether the service ends when all requests have their answers
    """

    tasks: Sequence[Task]
    limits: Limits
    threads: int
    log: Callable[[LogEntry], None] | None = None
    report: Callable[[str], None] = print
    is_local: bool = False
    stopping: bool = False
    metrics: Metrics = field(default_factory=Metrics)

    def __post_init__(self) -> None:
        self.queue = WorkQueue(self.threads, self.limits.queue)
        self._room = self.limits.max_body * (self.threads + self.limits.queue)

    def app(self) -> Starlette:
        """The application."""
        routes = [
            Route("/", partial(self._measured, "/", self._about), methods=["GET"]),
            Route("/health", partial(self._measured, "/health", self._health), methods=["GET"]),
            Route("/metrics", self._metrics, methods=["GET"]),
        ]
        for task in self.tasks:
            handler = partial(self._measured, task.route, partial(self._ask, task))
            routes.append(Route(task.route, handler, methods=["POST"]))
        app = Starlette(routes=routes, exception_handlers={HTTPException: self._no_route})
        app.router.redirect_slashes = False
        return app

    async def _measured(self, route: str, handler: Handler, request: Request) -> Response:
        """The answer of a handler, which is counted; errors become answers, too."""
        begin = perf_counter()
        self.metrics.in_flight += 1
        status, sentences = _GONE, 0
        try:
            try:
                self._check(request)
                response = await handler(request)
            except asyncio.CancelledError:
                if not self.stopping:
                    raise
                fault = Fault(503, "the service is shutting down", remedy="Try again later")
                response = self._refusal(fault, route)
            except Exception as error:
                response = self._refusal(error, route)
            status = response.status_code
            sentences = getattr(request.state, "sentences", 0)
            return response
        finally:  # also where the request is cancelled
            self.metrics.in_flight -= 1
            self._count(request, route, status, perf_counter() - begin, sentences)

    def _check(self, request: Request) -> None:
        """Raise Fault for a request to another machine, and one whose end is not clear."""
        if self.is_local:
            _check_host(request)
        if "content-length" in request.headers and "transfer-encoding" in request.headers:
            raise Fault(  # a proxy before the service might take another of them for the end
                400, "the request has both Content-Length and Transfer-Encoding", "one of them",
                headers={"Connection": "close"},
            )  # fmt: skip

    def _count(
        self, request: Request, route: str, status: int, seconds: float, sentences: int
    ) -> None:
        self.metrics.count(route, status, seconds, sentences)
        if self.log is not None:
            self.log(
                {
                    "method": request.method if route != _OTHER else "-",
                    "route": route,
                    "status": status,
                    "ms": round(1000 * seconds, 1),
                    "sentences": sentences,
                }
            )

    def _refusal(self, error: Exception, route: str) -> Response:
        """The answer to a request that can't be done."""
        if isinstance(error, ClientDisconnect):
            return Response(status_code=_GONE)
        fault = fault_of(error)
        if fault is None:
            where = traceback.extract_tb(error.__traceback__)[-1]
            self.report(f"{route}: {type(error).__name__} in {where.filename}, line {where.lineno}")
            fault = Fault(
                500, "an internal error occurred", remedy="Contact the operator of the service"
            )
        return _answer(fault.record, fault.status, fault.headers)

    async def _no_route(self, request: Request, error: Exception) -> Response:
        """The answer where there is no such path, or not by this method."""
        assert isinstance(error, HTTPException)
        routes = [f"POST {task.route}" for task in self.tasks]
        expected = ", ".join([*routes, "GET /", "GET /health", "GET /metrics"])
        seen = {
            404: "the path is unknown",
            405: f"the method {request.method[:20]} is not allowed for this path",
        }
        fault = Fault(error.status_code, seen.get(error.status_code, error.detail), expected)

        async def refused(request: Request) -> Response:
            return _answer(fault.record, fault.status, error.headers or {})

        return await self._measured(_OTHER, refused, request)

    async def _about(self, request: Request) -> Response:
        """What is loaded."""
        limits = {name: getattr(self.limits, name) for name in self.limits.__dataclass_fields__}
        return _answer(
            {
                "program": f"isogloss {__version__}",
                "routes": {task.route: task.about() for task in self.tasks},
                "limits": limits,
                "threads": self.threads,
            }
        )

    async def _health(self, request: Request) -> Response:
        """Whether requests are taken: models are loaded before there is anybody to be asked."""
        if self.stopping:
            return _answer({"status": "stopping"}, 503)
        return _answer({"status": "ready"})

    async def _metrics(self, request: Request) -> Response:
        """What is counted; asking for it is not."""
        try:
            self._check(request)
        except Fault as fault:
            return self._refusal(fault, "/metrics")
        text = self.metrics.text(running=self.queue.running, waiting=self.queue.waiting)
        return Response(text, headers={"Content-Type": CONTENT_TYPE})

    async def _ask(self, task: Task, request: Request) -> Response:
        """The answer of a task, unless its time is over before."""
        _check_kind(request)
        try:
            async with asyncio.timeout(self.limits.timeout):
                self.queue.check_room()
                body = await self._body(request, self.limits.max_body)
                with self.queue.place():
                    return await self._work(task, body, request)
        except TimeoutError:
            raise Fault(
                504,
                f"the request took longer than {self.limits.timeout:g} s",
                remedy="Send fewer or shorter sentences, or try again later",
            ) from None

    async def _body(self, request: Request, most: int) -> bytes:
        """The body, of which no more than ``most`` bytes are kept."""
        # Raises Fault for a longer one, for one that comes slowly, and where those that have not
        # come whole take all the room there is.
        parts: list[bytes] = []
        size, begin = 0, asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout_at(begin + _PATIENCE) as time:
                async for part in request.stream():
                    size += len(part)
                    time.reschedule(begin + _PATIENCE + size / _LEAST_RATE)
                    if size <= most:
                        parts.append(part)
                        self._take_room(len(part))
                    elif size > _DRAINED:
                        break
        except TimeoutError:
            seconds = _PATIENCE + size / _LEAST_RATE
            seen = f"the body arrived too slowly, {pluralize(size, 'byte')} in {seconds:.1f} s"
            expected = f"at least {_LEAST_RATE} bytes per second"
            headers = {"Connection": "close"}
            raise Fault(408, seen, expected, "Send it faster", headers) from None
        finally:
            self._room += sum(map(len, parts))
        if size > most:
            seen = f"the body has more than {most} bytes"
            raise Fault(413, seen, remedy="Send it in several requests")
        return b"".join(parts)

    def _take_room(self, size: int) -> None:
        self._room -= size
        if self._room < 0:
            raise Fault(503, "too many request bodies are incomplete", remedy="Try again later")

    async def _work(self, task: Task, body: bytes, request: Request) -> Response:
        def work(go_on: Callable[[], None]) -> tuple[bytes, int]:
            found = task.answer(body, self.limits, go_on)
            content = _encoded(found.value)
            self.limits.check_answer(len(content))
            return content, found.sentences

        content, request.state.sentences = await _unless_gone(self.queue.run(work), request)
        return Response(content, media_type=_JSON)


async def _unless_gone(work: Coroutine[None, None, _T], request: Request) -> _T:
    """The result of work, which is given up when who asked has gone away."""
    tasks = asyncio.ensure_future(work), asyncio.ensure_future(request.receive())
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        if not tasks[0].done():
            raise ClientDisconnect
        return tasks[0].result()
    finally:
        for task in tasks:
            task.cancel()


def _check_kind(request: Request) -> None:
    """Raise Fault for a body that isn't said to be JSON."""
    # A page in a browser can send any other kind to the service without being allowed to.
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != _JSON:
        seen = f"the Content-Type is {kind[:60]!r}" if kind else "the request has no Content-Type"
        raise Fault(415, seen, _JSON, "Send the header Content-Type: application/json")
    coding = request.headers.get("content-encoding", "identity")
    if coding != "identity":
        raise Fault(415, f"the body is encoded as {coding[:60]!r}", "plain JSON")


def _check_host(request: Request) -> None:
    """Raise Fault for a request that is addressed to another machine."""
    # Else a page in a browser could have its own name lead here, and would be let in as one of
    # ours.
    host = request.headers.get("host", "")
    if not is_loopback(host_of(host)):
        raise Fault(
            421, f"the request is for the host {host[:60]!r}", "localhost, 127.0.0.1 or ::1",
            "Configure the proxy to send the name of this service as Host",
        )  # fmt: skip


def _encoded(value: object) -> bytes:
    """A value as JSON."""
    return msgspec.json.encode(value) + b"\n"


def _answer(
    value: Mapping[str, object], status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    return Response(_encoded(value), status, dict(headers or {}), _JSON)
