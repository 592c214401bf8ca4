"""isogloss serve: align, decode and rerank over HTTP, with models kept in memory."""

import signal
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from isogloss.align.errors import MAX_HYPOTHESES, UsageError
from isogloss.align.model.model import AlignmentModel
from isogloss.tune.weights.weights import Weights

from ...console import Console
from ...options import Bounds, Command, option, positive, shown_size, size
from ...service.alignment import AlignTask
from ...service.hosts import is_loopback
from ...service.limits import Limits
from ...service.log import Log
from ...service.reranking import RerankTask
from ...service.tasks import Task
from ...service.translation import DecodeTask
from ..shared import CommonOptions, common_options
from .system import SystemOptions

if TYPE_CHECKING:
    from ...service.app import LogEntry

__all__ = ["COMMAND", "ServeOptions", "run"]

_PORT = Bounds(0, 65535)
_SECONDS = Bounds(0.1, 86400.0)
_LONGEST = 65535  # words of a sentence, for which links have positions
_LARGEST_BODY = 1 << 28
_LAST = 2.0  # seconds that the last lines of the log are waited for


@dataclass(frozen=True)
class ServeOptions(SystemOptions):
    """Options of `isogloss serve`.

    model: model folder written by `train` or `align --model`, for POST /align
    weights: feature weights for the decoder and for POST /rerank (default: from --config, else the
        initial weights of Moses)
    rerank_weights: feature weights for POST /rerank (default: --weights)
    host: address to bind; any address other than localhost exposes the server, which has no
        authentication
    port: port to bind; 0 = any free port, which is printed
    max_body: maximum size of a request
    max_sentences: maximum number of sentences or sentence pairs per request
    max_words: maximum number of words per sentence
    max_nbest: maximum number of translations per sentence
    max_queue: maximum number of waiting requests while all threads are busy
    timeout: time limit of a request, in seconds
    max_work: maximum product of the words of a request and the translations per sentence
    max_answer: maximum size of a response
    shutdown_timeout: time limit for open requests on shutdown, in seconds
    log: log a line per request: route, status, time and number of sentences, never text
    """

    model: str | None = option(default=None, metavar="MODEL")
    weights: str | None = option("-w", default=None, metavar="FILE")
    rerank_weights: str | None = option(default=None, metavar="FILE")
    host: str = option(default="127.0.0.1", metavar="ADDRESS")
    port: int = option(default=8080, parse=_PORT, metavar="PORT")
    max_body: int = option(default=Limits.max_body, parse=size, metavar="SIZE")
    max_sentences: int = option(default=Limits.max_sentences, parse=positive, metavar="N")
    max_words: int = option(default=Limits.max_words, parse=Bounds(1, _LONGEST), metavar="N")
    max_nbest: int = option(default=Limits.max_nbest, parse=Bounds(1, MAX_HYPOTHESES), metavar="N")
    max_work: int = option(default=Limits.max_work, parse=positive, metavar="N")
    max_answer: int = option(default=Limits.max_answer, parse=size, metavar="SIZE")
    max_queue: int = option(default=Limits.queue, parse=Bounds(0, 100_000), metavar="N")
    timeout: float = option(default=Limits.timeout, parse=_SECONDS, metavar="SECONDS")
    shutdown_timeout: float = option(default=10.0, parse=_SECONDS, metavar="SECONDS")
    log: bool = False
    common: CommonOptions = common_options()

    @property
    def named_inputs(self) -> tuple[str, ...]:
        """The files that are read, as options or the moses.ini name them."""
        return tuple(map(str, self.system().config.files)) if self.decodes else ()

    @property
    def decodes(self) -> bool:
        """Whether there is a decoder."""
        return bool(self.config or self.phrase_table or self.lm)

    @property
    def limits(self) -> Limits:
        """The limits of requests."""
        return Limits(
            self.max_body, self.max_sentences, self.max_words, self.max_nbest, self.max_work,
            self.max_answer, self.max_queue, self.timeout,
        )  # fmt: skip

    def tasks(self) -> Iterator[Task]:
        """What the service can be asked to do, the models loaded."""
        if self.model is not None:
            yield AlignTask(AlignmentModel.load(self.model), Path(self.model).name)
        if self.decodes:
            config = self.system().config
            decoder = config.open()
            groups = config.groups(decoder) if self.config is not None else None
            yield DecodeTask(
                decoder, config.read_weights(decoder),
                Path(self.config or config.phrase_table).name, groups, lowercase=self.lowercase,
            )  # fmt: skip
        file = self.rerank_weights or self.weights
        if file is not None:
            yield RerankTask(Weights.load(file), Path(file).name)


def run(options: ServeOptions, console: Console) -> None:
    """Serve until SIGTERM, SIGHUP or Ctrl-C."""
    if not (options.model or options.decodes or options.rerank_weights or options.weights):
        raise UsageError(
            "no model was passed; pass --model MODEL, a decoder (--phrase-table and --lm, or "
            "--config), or --rerank-weights"
        )
    if options.max_body > _LARGEST_BODY:
        raise UsageError(
            f"--max-body must be at most {shown_size(_LARGEST_BODY)}, got {options.max_body}"
        )
    try:
        server = import_module("isogloss.service.server")
        service_kind = import_module("isogloss.service.app").Service
    except ImportError as error:
        raise UsageError(
            "`isogloss serve` needs Starlette and Uvicorn; run pip install isogloss[serve]"
        ) from error
    if not is_loopback(options.host.strip("[]")):
        console.error(
            f"warning: {options.host} accepts connections from other machines without "
            "authentication; put an authenticating proxy in front of it"
        )
    with server.listen(options.host, options.port) as opened:
        tasks = list(options.tasks())
        for task in tasks:
            task.warm_up()
        log = Log()
        service = service_kind(
            tasks, options.limits, options.common.threads,
            partial(_tell, log) if options.log else None, log.write, is_loopback(options.host),
        )  # fmt: skip
        routes = ", ".join(task.route for task in tasks)
        opened.listen(server.BACKLOG)  # who connects from now on is answered
        console.info(
            f"ready at {server.address_of(opened)} ({routes}); press Ctrl-C or send SIGTERM to stop"
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they are of the text of users
            unanswered = server.run(service, opened, options.shutdown_timeout)
        log.close(_LAST)
    if unanswered:
        signal.raise_signal(unanswered)  # which ends it as any command in the middle of its work
    console.info("stopped after answering all requests")


def _tell(log: Log, entry: "LogEntry") -> None:
    """A line of the log."""
    log.write(" ".join(f"{name}={value}" for name, value in entry.items()))


COMMAND = Command(
    ServeOptions,
    run,
    (
        "isogloss serve --model m --port 8080",
        "isogloss serve --phrase-table models --weights weights.json --log",
    ),
    first={
        "models": ("model", "phrase_table", "lm", "weights", "config", "rerank_weights"),
        "server": ("host", "port", "timeout", "max_body", "max_queue", "log"),
        "running": ("threads", "quiet"),
    },
)
