"""`isogloss serve`: the answers of the commands, to any number of requests; its start and end."""

import asyncio
import http.client
import json
import re
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import httpx
import pytest

from isogloss import program
from isogloss.commands.translations.serve import ServeOptions
from isogloss.service import server
from isogloss.service.app import Service
from isogloss.service.limits import Limits
from isogloss.service.tasks import Task
from tests.cli.translations.test_decode import ARPA, INI, ORDER, RULES
from tests.fuzz.mutations import mutated, mutated_json

FAST = ("--model1-iterations", "1", "--hmm-iterations", "1", "--threads", "1", "-q")
SOURCE = ["a b a", "b", "a a b c", "c b", "", "a \u00a0 b", "zebra a"] * 3
TARGET = ["x w x", "w", "x x w", "y w", "x", "x w", "x"] * 3
LIST = [
    "0 ||| x w ||| LM0= -3.5 WordPenalty0= -2 ||| 1",
    "0 ||| x ||| LM0= -2.5 WordPenalty0= -1 ||| 1",
    "1 ||| w ||| LM0= -1 WordPenalty0= -1 ||| 1",
    "1 ||| w w ||| LM0= -1 WordPenalty0= -1 ||| 1",
]
KIND = {"Content-Type": "application/json"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Text, a model of it, a decoder and weights."""
    folder = tmp_path_factory.mktemp("served")
    files = {
        "table": RULES, "lm": ARPA, "order": ORDER, "moses.ini": INI,
        "w": "LM0 1\nWordPenalty0 0.25\n",
        "list": "\n".join(LIST) + "\n",
        "source": "\n".join(SOURCE) + "\n", "target": "\n".join(TARGET) + "\n",
    }  # fmt: skip
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        labels = "".join(f"{'-' if number % 3 else 'tame'}\n" for number in range(len(SOURCE)))
        Path("labels").write_text(labels)
        command = ["align", "source", "target", "--labels", "labels", "--model", "m", "-o", "links"]
        assert program.main([*command, *FAST]) == 0
    return folder


@pytest.fixture(scope="module")
def tasks(folder: Path) -> list[Task]:
    """What `isogloss serve` loads."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        arguments = ["--model", "m", "--phrase-table", "table", "--lm", "lm", "--weights", "w"]
        options: Any = program.parse("serve", arguments)[1]
        assert isinstance(options, ServeOptions)
        found = list(options.tasks())
    for task in found:
        task.warm_up()
    return found


def answers(
    tasks: Sequence[Task], requests: Sequence[tuple[str, bytes]], limits: Limits | None = None
) -> list[httpx.Response]:
    """The answers to requests that are all made at once."""
    served = Service(tasks, limits or Limits(queue=len(requests), timeout=600.0), 2)

    async def run() -> list[httpx.Response]:
        transport = httpx.ASGITransport(app=served.app())
        async with httpx.AsyncClient(transport=transport, base_url="http://x") as client:
            asked = (client.post(path, content=body, headers=KIND) for path, body in requests)
            return await asyncio.gather(*asked)

    return asyncio.run(run())


def body(**values: Any) -> bytes:
    return json.dumps(values).encode()


def said_by(capsys: pytest.CaptureFixture[str], *command: str) -> list[str]:
    """The lines of a command's output."""
    assert program.main([*command, "-q"]) == 0
    return capsys.readouterr().out.split("\n")[:-1]


@pytest.fixture
def there(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.filterwarnings("ignore::isogloss.align.errors.DataWarning")
def test_answers_are_those_of_the_commands(
    there: Path, tasks: list[Task], capsys: pytest.CaptureFixture[str]
) -> None:
    """One by one, many at a time, and all of it at once."""
    models = ("--phrase-table", "table", "--lm", "lm", "--weights", "w")
    links = {
        name: said_by(capsys, "apply", "m", "source", "target", *given)
        for name, given in {"": (), "union": ("--heuristic", "union")}.items()
    }
    scored = said_by(capsys, "apply", "m", "source", "target", "--scores")
    translated = said_by(capsys, "decode", "source", *models, "--n-best", "best:3")
    listed = Path("best").read_text().split("\n")[:-1]
    pairs = list(zip(SOURCE, TARGET, strict=True))
    requests = [
        ("/align", body(pairs=pairs)),
        ("/align", body(pairs=pairs, heuristic="union")),
        ("/decode", body(texts=SOURCE, nbest_size=3)),
    ]
    requests += [("/align", body(source=s, target=t.split())) for s, t in pairs]
    requests += [("/decode", body(text=source)) for source in SOURCE]
    found = [answer.json() for answer in answers(tasks, requests)]
    many, united, decoded, *single = found
    assert [pair["links"] for pair in many["alignments"]] == links[""]
    assert [pair["links"] for pair in united["alignments"]] == links["union"]
    assert single[: len(pairs)] == many["alignments"]
    shown = [
        " ".join(
            f"{'-'.join(map(str, link['positions']))}:{link['probability']:.4f}"
            for link in pair["words"]
        )
        for pair in many["alignments"]
    ]
    assert shown == scored
    assert [best["translation"] for best in decoded["translations"]] == translated
    assert [best["translation"] for best in single[len(pairs) :]] == translated
    texts = [
        f"{number} ||| {best['translation']}"
        for number, found_here in enumerate(decoded["translations"])
        for best in found_here["nbest"]
    ]
    assert texts == [" ||| ".join(line.split(" ||| ")[:2]) for line in listed]


def test_features_and_alignment_of_a_translation(tasks: list[Task]) -> None:
    (answer,) = answers(tasks, [("/decode", body(text="a b", nbest_size=2, features=True))])
    best, second = answer.json()["nbest"]
    assert (best["translation"], best["alignment"]) == ("x w", "0-0 1-1")
    assert best["features"]["WordPenalty0"] == -2.0
    weights = {"LM0": 1, "WordPenalty0": 0.25}
    for found in (best, second):
        total = sum(weights.get(name, 0) * value for name, value in found["features"].items())
        assert found["score"] == pytest.approx(total)
    assert answer.json()["features"] == best["features"]


@pytest.mark.parametrize("form", [LIST, "\n".join(LIST) + "\n", "\r\n".join(LIST)])
def test_reranked_as_by_the_command(
    there: Path, tasks: list[Task], capsys: pytest.CaptureFixture[str], form: Any
) -> None:
    best = said_by(capsys, "rerank", "list", "-w", "w")
    (answer,) = answers(tasks, [("/rerank", body(nbest=form))])
    assert answer.json() == {
        "sentences": [
            {"id": 0, "hypotheses": [{"text": "x", "score": -2.75}, {"text": "x w", "score": -4}]},
            {"id": 1, "hypotheses": [{"text": w, "score": -1.25} for w in ("w", "w w")]},
        ]
    }
    assert [found["hypotheses"][0]["text"] for found in answer.json()["sentences"]] == best


@pytest.mark.filterwarnings("ignore::isogloss.align.errors.DataWarning")  # as while it serves
def test_records_are_reranked(tasks: list[Task]) -> None:
    hyps = [{"text": text, "features": {"LM0": k, "TM": 1}} for k, text in enumerate("ab")]
    records: list[dict[str, Any]] = [{"id": name, "hyps": hyps} for name in ("one", "two")]
    good, odd, numbered, far = answers(
        tasks,
        [
            ("/rerank", body(nbest=records, nbest_size=1)),
            ("/rerank", body(nbest=["0 ||| a ||| Other= 1 ||| 1"])),
            ("/rerank", body(nbest=[{"id": 7, "hyps": hyps}])),
            ("/rerank", body(nbest=["150 ||| a ||| LM0= 1 WordPenalty0= 0 ||| 1"])),
        ],
    )
    assert good.json() == {
        "sentences": [
            {"id": name, "hypotheses": [{"text": "b", "score": 1.0}]} for name in ("one", "two")
        ],
        "warnings": [
            "w has no weight for TM; it counts as 0",
            "w: the lists have no feature WordPenalty0",
        ],
    }
    assert [found["id"] for found in numbered.json()["sentences"]] == [7]
    assert far.json() == {"sentences": [{"id": 150, "hypotheses": [{"text": "a", "score": 1.0}]}]}
    assert odd.status_code == 400
    assert odd.json()["error"].endswith("the file has weights for LM0, WordPenalty0")


def test_a_decoder_of_a_moses_ini(there: Path) -> None:
    """Its features have the names that it gives them."""
    options: Any = program.parse("serve", ["--config", "moses.ini"])[1]
    (answer,) = answers(list(options.tasks()), [("/decode", body(text="a", features=True))])
    assert set(answer.json()["features"]) >= {"TM", "Order", "LM", "Distortion0"}
    assert len(answer.json()["features"]["TM"]) == 4


@pytest.mark.parametrize(
    ("path", "request_body", "status", "said"),
    [
        ("/align", body(source="a"), 400, "must have either source and target, or pairs"),
        (
            "/align",
            body(source="a", target="b", pairs=[]),
            400,
            "must have either source and target, or pairs",
        ),
        ("/align", body(pairs=[["a"]]), 400, "pairs[0] is a list of 1"),
        ("/align", body(pairs=[["a", "a " * 300]]), 413, "pairs[0][1] has 300 words"),
        ("/align", body(source="a", target="b", heuristic="best"), 400, "heuristic is 'best'"),
        ("/decode", body(), 400, "must have exactly one of text and texts"),
        ("/decode", body(text="a", nbest_size=101), 413, "nbest_size is 101"),
        ("/decode", body(text="a", nbest_size=-1), 400, "nbest_size is -1"),
        ("/decode", body(texts=["a"] * 101), 413, "texts has 101 entries"),
        ("/rerank", body(nbest=""), 400, "no hypothesis"),
        ("/rerank", body(nbest=["0 ||| a ||| LM0= 1 ||| 1", "x"]), 400, "line 2: "),
        ("/rerank", body(nbest=[{"id": 0}]), 400, "line 1: "),
    ],
)
def test_bad_requests(
    tasks: list[Task], path: str, request_body: bytes, status: int, said: str
) -> None:
    (answer,) = answers(tasks, [(path, request_body)])
    assert (answer.status_code, said in answer.json()["error"]) == (status, True), answer.text


@pytest.mark.filterwarnings("ignore::isogloss.align.errors.DataWarning")
def test_odd_bodies_are_answered(tasks: list[Task]) -> None:
    """None is internal error; benchmarks/serving.py --fuzz tries thousands."""
    dice = Random(7)
    good = [
        ("/align", body(pairs=[["a b", ["x", "w"]], ["b", "w"]], heuristic="union")),
        ("/decode", body(texts=["a b", ["b", "c"]], nbest_size=2, features=True)),
        ("/rerank", body(nbest=LIST, nbest_size=2)),
        ("/rerank", body(nbest=[{"id": 1, "hyps": [{"text": "a", "features": {"LM0": 1}}]}])),
    ]
    odd = [
        (path, (mutated if number % 2 else mutated_json)(content, dice))
        for path, content in good
        for number in range(60)
    ]
    found = answers(tasks, odd)
    assert [
        (case, answer.text)
        for case, answer in zip(odd, found, strict=True)
        if answer.status_code not in (200, 400, 413)
    ] == []
    assert {answer.status_code for answer in found} >= {200, 400}
    assert all(isinstance(answer.json(), dict) for answer in found)


# --- start and end


def serve(folder: Path, *options: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "isogloss", "serve", "--port", "0", *options]
    return subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True)


def ready(process: "subprocess.Popen[str]") -> int:
    """The port of a process that is ready."""
    assert process.stderr is not None
    for line in process.stderr:
        if match := re.search(r"ready at http://127\.0\.0\.1:(\d+) \(", line):
            return int(match[1])
    raise AssertionError("it ended before")


@pytest.mark.usefixtures("from_a_terminal")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_process_starts_answers_and_stops(folder: Path, number: int) -> None:
    """It ends with 0, when who is connected has its answer; then its port is free again."""
    port = "0"
    for _ in range(2 if number == signal.SIGTERM else 1):
        process = serve(folder, "--rerank-weights", "w", "--log", "--port", port)
        assert process.stderr is not None
        try:
            port = str(ready(process))
            connection = http.client.HTTPConnection("127.0.0.1", int(port), timeout=600)
            connection.request("POST", "/rerank", body(nbest=LIST), KIND)
            assert len(json.load(connection.getresponse())["sentences"]) == 2
            process.send_signal(number)  # the connection is still there, and idle
            assert process.wait(600) == 0
            told = process.stderr.read()
            connection.close()
        finally:
            process.kill()
            process.wait()
            process.stderr.close()
        assert re.fullmatch(
            r"method=POST route=/rerank status=200 ms=[\d.]+ sentences=2\n"
            r"stopped after answering all requests\n",
            told,
        )


@pytest.mark.parametrize(
    ("options", "status", "said"),
    [
        ([], 2, "isogloss serve: no model was passed; pass --model MODEL, a decoder (--ph"),
        (
            ["--lm", "lm"],
            2,
            "isogloss serve: the decoder has no models; pass --phrase-table and --lm",
        ),
        (["--model", "gone"], 1, "gone"),
        (["--model", "m", "--host", "nowhere.invalid"], 1, "nowhere.invalid:8080 cannot be bound"),
        (["--model", "m", "--port", "65536"], 2, "--port must be between 0 and 65535, got 65536"),
        (
            ["--model", "m", "--max-body", "1T"],
            2,
            "--max-body must be at most 256M, got 1099511627776",
        ),
    ],
)
def test_what_can_not_be_served(
    there: Path, capsys: pytest.CaptureFixture[str], options: list[str], status: int, said: str
) -> None:
    assert program.main(["serve", *options]) == status
    assert said in capsys.readouterr().err


def test_a_port_that_is_in_use(there: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with server.listen("127.0.0.1", 0) as taken:
        taken.listen()
        port = str(taken.getsockname()[1])
        assert program.main(["serve", "--rerank-weights", "w", "--port", port]) == 1
    assert f"127.0.0.1:{port} cannot be bound: Address already" in capsys.readouterr().err


def test_a_library_that_is_not_installed(
    there: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "isogloss.service.server", None)
    assert program.main(["serve", "--rerank-weights", "w"]) == 2
    assert "needs Starlette and Uvicorn; run pip install isogloss[serve]" in (
        capsys.readouterr().err
    )


@pytest.mark.parametrize(
    ("host", "is_own"),
    [("127.0.0.1", True), ("127.8.8.8", True), ("::1", True), ("localhost", True),
     ("0.0.0.0", False), ("::", False), ("192.168.1.7", False), ("example.org", False)],
)  # fmt: skip
def test_others_are_let_in_with_a_warning(
    there: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    host: str,
    is_own: bool,
) -> None:
    listen = server.listen
    monkeypatch.setattr(server, "listen", lambda host, port: listen("127.0.0.1", 0))
    monkeypatch.setattr(server, "run", lambda *_: 0)
    assert program.main(["serve", "--rerank-weights", "w", "--host", host]) == 0
    told = f"warning: {host} accepts connections from other machines without"
    assert (told in capsys.readouterr().err) != is_own
