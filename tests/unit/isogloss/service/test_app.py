"""The application: limits, queue, time, metrics, errors; with tasks that are made up."""

import asyncio
import contextlib
import json
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from typing import Any

import httpx
import msgspec
import pytest

from isogloss.align.errors import DataError, ModelError, UsageError
from isogloss.align.files.records import Text
from isogloss.service.app import LogEntry, Service
from isogloss.service.faults import Fault
from isogloss.service.limits import Limits
from isogloss.service.requests import (
    AlignRequest,
    DecodeRequest,
    RerankRequest,
    parse_request,
    words_of,
)
from isogloss.service.tasks import Answer
from isogloss.service.work_queue import GoOn

KIND = {"Content-Type": "application/json"}
LIMITS = Limits(max_body=200, max_sentences=3, max_words=4, queue=1, timeout=600)


class Upper:
    """Answers with the texts in capitals, when it may."""

    route = "/upper"

    def __init__(self, work: Callable[[str, GoOn], None] = lambda text, go_on: None) -> None:
        self._work = work

    def about(self) -> dict[str, object]:
        return {"model": "none"}

    def warm_up(self) -> None:
        """Nothing to do."""

    def answer(self, body: bytes, limits: Limits, go_on: GoOn) -> Answer:
        request = parse_request(body, DecodeRequest)
        assert request.texts is not None
        limits.check_sentences(len(request.texts), "texts")
        for number, text in enumerate(request.texts):
            words_of(text, f"texts[{number}]", limits)
            self._work(str(text), go_on)
        return Answer({"texts": [str(text).upper() for text in request.texts]}, len(request.texts))


def service(task: Any = None, limits: Limits = LIMITS, **more: Any) -> Service:
    return Service([task or Upper()], limits, 2, **more)


def talk(served: Service, story: Callable[[httpx.AsyncClient], Any]) -> Any:
    """What a story of requests gives."""

    async def run() -> Any:
        transport = httpx.ASGITransport(app=served.app())
        async with httpx.AsyncClient(transport=transport, base_url="http://x") as client:
            return await story(client)

    return asyncio.run(run())


def ask(served: Service, content: Any, **headers: str) -> httpx.Response:
    """The answer to one request."""
    body = content if isinstance(content, bytes) else json.dumps(content).encode()

    async def story(client: httpx.AsyncClient) -> httpx.Response:
        return await client.post("/upper", content=body, headers=KIND | headers)

    answer: httpx.Response = talk(served, story)
    return answer


def test_an_answer_and_what_is_counted() -> None:
    entries: list[LogEntry] = []
    served = service(log=entries.append)

    async def story(client: httpx.AsyncClient) -> list[httpx.Response]:
        asked = [client.post("/upper", json={"texts": ["a", ["b", "c"]]})]
        asked += [client.get(path) for path in ("/", "/health", "/secret?text=b")]
        return [await one for one in asked] + [await client.get("/metrics")]

    answer, about, health, nowhere, metrics = talk(served, story)
    assert answer.json() == {"texts": ["A", "['B', 'C']"]}
    assert answer.headers["content-type"] == "application/json"
    assert about.json()["routes"] == {"/upper": {"model": "none"}}
    assert about.json()["limits"]["max_words"] == 4
    assert (health.status_code, health.json()) == (200, {"status": "ready"})
    assert nowhere.status_code == 404
    lines = metrics.text.splitlines()
    for line in (
        'isogloss_requests_total{route="/upper",status="200"} 1',
        'isogloss_requests_total{route="other",status="404"} 1',
        'isogloss_sentences_total{route="/upper"} 2',
        'isogloss_request_seconds_bucket{route="/upper",le="+Inf"} 1',
        'isogloss_request_seconds_count{route="/upper"} 1',
        "isogloss_requests_in_flight 0",
        "isogloss_requests_waiting 0",
        "isogloss_threads_running 0",
    ):
        assert line in lines
    assert {line.split()[0] for line in lines if not line.startswith("#")} >= {
        "process_resident_memory_bytes"
    }
    assert [entry["status"] for entry in entries] == [200, 200, 200, 404]
    assert "secret" not in str(entries)
    served.stopping = True
    stopping = talk(served, lambda client: client.get("/health"))
    assert (stopping.status_code, stopping.json()) == (503, {"status": "stopping"})


@pytest.mark.parametrize(
    ("content", "status", "said"),
    [
        (b"\xff{}", 400, "byte 1 of the body is not valid UTF-8"),
        (b"{", 400, "invalid JSON"),
        (b"[" * 190, 400, "invalid JSON"),
        (b"[]", 400, "the request is not a JSON object"),
        (b'{"texts": ["a"], "texts": []}', 400, "the key 'texts' occurs twice in an object"),
        ({"texts": ["a"], "size": 1}, 400, "the key 'size' is unknown"),
        ({"texts": [["a", 3]]}, 400, "texts[0][1] is 3"),
        ({"texts": ["a\x00"]}, 400, "texts[0] is 'a\\x00'"),
        (b'{"texts": ["\\ud800"]}', 400, "texts[0] is '\\ud800'"),
        ({"texts": ["a", ["b", "c d"]]}, 400, "texts[1][1] is 'c d'"),
        ({"texts": ["a", ["b", ""]]}, 400, "texts[1][1] is ''"),
        ({"texts": ["a"] * 4}, 413, "texts has 4 entries"),
        ({"texts": ["a", "a b\tc\nd e"]}, 413, "texts[1] has 5 words"),
        ({"texts": ["a" * 300]}, 413, "the body has more than 200 bytes"),
    ],
)
def test_bad_requests(content: Any, status: int, said: str) -> None:
    answer = ask(service(), content)
    assert (answer.status_code, said in answer.json()["error"]) == (status, True), answer.text
    assert answer.json().get("expected") or answer.json()["remedy"]


def test_a_body_of_another_kind() -> None:
    """A page in a browser may send none of ours unasked, and so reaches nothing."""
    for headers in ({"Content-Type": "text/plain"}, {"Content-Encoding": "gzip"}):
        answer = ask(service(), {"texts": ["a"]}, **headers)
        assert answer.status_code == 415
        assert answer.json()["expected"] in ("application/json", "plain JSON")
    assert ask(service(), {"texts": []}, **{"Content-Type": "Application/JSON; charset=utf-8"})


@pytest.mark.parametrize(
    ("host", "status"),
    [("localhost:8080", 200), ("127.0.0.1", 200), ("[::1]:8080", 200), ("LOCALHOST", 200),
     ("example.org", 421), ("10.0.0.1:8080", 421), ("127.0.0.1.example.org", 421), ("[::1", 421),
     ("", 421), ("[::1]", 200), ("]127.0.0.1[", 421), ("[127.0.0.1]x", 421), ("[::1%evil]", 421),
     ("::1", 421), ("[localhost]", 421), ("localhost:80:80", 421)],
)  # fmt: skip
def test_names_of_other_machines_do_not_lead_here(host: str, status: int) -> None:
    """A page in a browser can have its own name lead to this machine."""
    answer = ask(service(is_local=True), {"texts": ["a"]}, Host=host)
    assert answer.status_code == status, answer.text
    assert ask(service(), {"texts": ["a"]}, Host=host).status_code == 200
    for path in ("/", "/health", "/metrics", "/nowhere"):
        found = talk(
            service(is_local=True),
            lambda client, path=path: client.get(path, headers={"Host": host}),
        )
        assert found.status_code == (status if status == 421 or path != "/nowhere" else 404)


def test_a_body_of_two_lengths_is_refused() -> None:
    headers = {"Content-Length": "16", "Transfer-Encoding": "chunked"}
    answer = ask(service(), {"texts": ["a"]}, **headers)
    assert answer.status_code == 400
    assert answer.json()["error"] == "the request has both Content-Length and Transfer-Encoding"
    assert answer.headers["connection"] == "close"

    async def story(client: httpx.AsyncClient) -> list[httpx.Response]:
        return [await client.get(path, headers=headers) for path in ("/", "/metrics", "/nowhere")]

    assert [answer.status_code for answer in talk(service(), story)] == [400] * 3


def test_answers_that_are_too_long() -> None:
    limits = replace(LIMITS, max_answer=20)
    assert ask(service(limits=limits), {"texts": ["a"]}).status_code == 200
    answer = ask(service(limits=limits), {"texts": ["a", "b", "c"]})
    assert answer.status_code == 413
    assert answer.json()["expected"] == "at most 20"


def test_words_times_translations() -> None:
    LIMITS.check_work(400, 500)
    with pytest.raises(Fault) as caught:
        LIMITS.check_work(400, 501)
    assert caught.value.status == 413
    assert caught.value.seen == (
        "the request has 400 words and asks for 501 translations per sentence"
    )


def test_a_path_with_a_slash_too_many_is_another_one() -> None:
    answer = talk(service(), lambda client: client.post("/upper/", follow_redirects=False))
    assert answer.status_code == 404
    assert answer.json()["error"] == "the path is unknown"


def test_another_method() -> None:
    answer = talk(service(), lambda client: client.get("/upper"))
    assert (answer.status_code, answer.headers["allow"]) == (405, "POST")
    assert answer.json() == {
        "error": "the method GET is not allowed for this path",
        "expected": "POST /upper, GET /, GET /health, GET /metrics",
    }


@pytest.mark.parametrize(
    ("error", "status", "told"),
    [
        (DataError("this", "that", file="nbest", line=3, remedy="Do"), 400,
         {"error": "line 3: this", "expected": "that", "remedy": "Do"}),
        (UsageError("k is 0; expected 1"), 400, {"error": "k is 0", "expected": "1"}),
        (MemoryError(), 413, {"error": "the text needs more memory than available",
                              "remedy": "Send shorter sentences"}),
        (ModelError("m is damaged"), 500, {"error": "m is damaged", "remedy":
         "Contact the operator of the service"}),
        (ZeroDivisionError("secret"), 500, {"error": "an internal error occurred",
                                            "remedy": "Contact the operator of the service"}),
    ],
)  # fmt: skip
def test_errors_of_the_work(error: Exception, status: int, told: dict[str, str]) -> None:
    def fail(text: str, go_on: GoOn) -> None:
        raise error

    reports: list[str] = []
    answer = ask(service(Upper(fail), report=reports.append), {"texts": ["a"]})
    assert (answer.status_code, answer.json()) == (status, told)
    assert len(reports) == isinstance(error, ZeroDivisionError)
    assert "secret" not in "".join(reports)


# --- threads, queue and time


@pytest.fixture
def held() -> Iterator[tuple[Upper, threading.Event, list[str]]]:
    """A task whose work waits until it may go on, and what was begun."""
    let_go, begun = threading.Event(), []

    def wait(text: str, go_on: GoOn) -> None:
        go_on()
        begun.append(text)
        let_go.wait()

    yield Upper(wait), let_go, begun
    let_go.set()


Held = tuple[Upper, threading.Event, list[str]]


async def until(condition: Callable[[], bool]) -> None:
    while not condition():
        await asyncio.sleep(0.01)


def test_more_than_the_queue_holds_are_refused(held: Held) -> None:
    """Two are worked on, one waits, the fourth is told to come again; none is lost."""
    task, let_go, begun = held
    served = service(task)

    async def story(client: httpx.AsyncClient) -> list[httpx.Response]:
        first = [
            asyncio.create_task(client.post("/upper", json={"texts": [name]})) for name in "abc"
        ]
        await until(lambda: len(begun) == 2 and served.queue.waiting == 1)
        fourth = await client.post("/upper", json={"texts": ["d"]})
        assert (await client.get("/health")).status_code == 200
        let_go.set()
        return [*await asyncio.gather(*first), fourth]

    *answers, refused = talk(served, story)
    assert [answer.json() for answer in answers] == [{"texts": [name]} for name in "ABC"]
    assert (refused.status_code, refused.headers["retry-after"]) == (503, "1")
    assert refused.json() == {
        "error": "3 requests are running or waiting",
        "remedy": "Try again later",
    }
    assert (served.queue.running, served.queue.waiting) == (0, 0)


@pytest.fixture
def time_is_over(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Ends the time of all requests that are not answered yet."""
    times: list[asyncio.Timeout] = []
    timeout = asyncio.timeout

    def noted(delay: float) -> asyncio.Timeout:
        times.append(timeout(delay))
        return times[-1]

    def end() -> None:
        for one in times:
            with contextlib.suppress(RuntimeError):  # it has its answer
                one.reschedule(asyncio.get_running_loop().time())

    monkeypatch.setattr(asyncio, "timeout", noted)
    return end


def test_who_waits_too_long_is_dropped(held: Held, time_is_over: Callable[[], None]) -> None:
    """What waits is never begun, what is at work ends at its next sentence; others go on."""
    task, let_go, begun = held
    served = service(task)

    async def story(client: httpx.AsyncClient) -> list[int]:
        def ask(*texts: str) -> asyncio.Task[httpx.Response]:
            return asyncio.create_task(client.post("/upper", json={"texts": texts}))

        asked = [ask(name, f"{name}2") for name in "abc"]
        await until(lambda: len(begun) == 2 and served.queue.waiting == 1)
        time_is_over()
        answers = await asyncio.gather(*asked)
        assert (served.queue.running, served.queue.waiting) == (2, 0)  # their threads aren't free
        busy = [ask("d"), ask("d")]
        await until(lambda: any(one.done() for one in busy) and served.queue.waiting == 1)
        time_is_over()
        answers += await asyncio.gather(*busy)
        let_go.set()
        await until(lambda: served.queue.running == 0)
        answers.append(await client.post("/upper", json={"texts": ["e"]}))
        return [answer.status_code for answer in answers]

    assert sorted(talk(served, story)) == [200, 503, 504, 504, 504, 504]
    assert sorted(begun[:2]) in (["a", "b"], ["a", "c"], ["b", "c"])
    assert begun[2:] == ["e"]


def request_of(text: str) -> tuple[dict[str, Any], bytes]:
    """What a server of ASGI calls the application with."""
    scope = {
        "type": "http", "method": "POST", "path": "/upper", "query_string": b"",
        "headers": [(b"content-type", b"application/json")], "http_version": "1.1",
    }  # fmt: skip
    return scope, json.dumps({"texts": [text]}).encode()


def test_who_has_gone_away_is_not_worked_for(held: Held) -> None:
    """Neither at work, where the next sentence isn't begun, nor waiting."""
    task, let_go, begun = held
    served = service(task)

    async def run() -> list[dict[str, Any]]:
        app, gone, sent = served.app(), asyncio.Event(), []

        async def call(text: str) -> None:
            scope, content = request_of(text)
            messages: list[dict[str, Any]] = [{"type": "http.request", "body": content}]

            async def receive() -> dict[str, Any]:
                if messages:
                    return messages.pop()
                await gone.wait()
                return {"type": "http.disconnect"}

            async def send(message: dict[str, Any]) -> None:
                sent.append(message)

            await app(scope, receive, send)  # type: ignore[arg-type]

        calls = [asyncio.create_task(call(text)) for text in "abc"]
        await until(lambda: len(begun) == 2 and served.queue.waiting == 1)
        gone.set()
        await asyncio.gather(*calls)
        assert (served.queue.running, served.queue.waiting) == (2, 0)
        let_go.set()
        await until(lambda: served.queue.running == 0)
        return sent

    sent = asyncio.run(run())
    assert [message.get("status") for message in sent if "status" in message] == [499] * 3
    assert len(begun) == 2
    assert 'status="499"} 3' in served.metrics.text(running=0, waiting=0)


def test_a_body_that_never_ends_is_not_waited_for() -> None:
    async def slowly() -> AsyncIterator[bytes]:
        yield b'{"texts"'
        await asyncio.Event().wait()

    served = service(limits=Limits(timeout=0.2))
    answer = talk(served, lambda client: client.post("/upper", content=slowly(), headers=KIND))
    assert answer.status_code == 504
    assert answer.json()["error"] == "the request took longer than 0.2 s"
    assert served.queue.waiting == 0


@pytest.mark.parametrize("kind", [AlignRequest, DecodeRequest, RerankRequest])
def test_types_of_requests_have_no_patterns(kind: type[msgspec.Struct]) -> None:
    """With patterns of texts within lists msgspec 0.22 crashes when the program ends, at times."""
    assert "pattern='" not in repr(msgspec.inspect.type_info(kind))
    assert "pattern='" in repr(msgspec.inspect.type_info(list[Text]))


@pytest.mark.parametrize("odd", ["\ud800", "a\udfffb", "\x00"])
def test_texts_are_whole(odd: str) -> None:
    for sentence in (odd, ["a", odd]):
        with pytest.raises(Fault, match="text is ") as caught:
            words_of(sentence, "text", LIMITS)
        assert caught.value.record["expected"] == "text without NUL and lone surrogates"
