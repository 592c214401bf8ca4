"""Messages come out as they are, on any terminal."""

import io
import logging
import sys
import warnings
from collections.abc import Callable

import pytest
from rich.progress import Progress

from isogloss.align.errors import DataWarning
from isogloss.align.files.inputs.opening import FileShare
from isogloss.console import Console, duration, prepare_streams, time_left
from isogloss.report import format_table

CODES = "li:smile:st, column:comet: [red]x[/red] [/] 12 'a' \\[b]"


def stream(encoding: str, errors: str = "strict") -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(), encoding, errors, write_through=True)


def content(text: io.TextIOWrapper) -> bytes:
    assert isinstance(text.buffer, io.BytesIO)
    return text.buffer.getvalue()


@pytest.mark.parametrize("say", [Console.info, Console.detail, Console.error])
@pytest.mark.parametrize("terminal", [False, True])
def test_messages_are_text(
    say: Callable[[Console, str], None], terminal: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    err = stream("utf-8")
    monkeypatch.setattr(sys, "stderr", err)
    if terminal:
        monkeypatch.setenv("FORCE_COLOR", "1")
        monkeypatch.setenv("TERM", "xterm-256color")
    say(Console(1), CODES)
    assert content(err).decode() == CODES + "\n"


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("a\x1b[2Jb\x07\r\x9b", r"a\x1b[2Jb\x07\r\x9b"),
        ("\u202eabc\u2069", r"\u202eabc\u2069"),
        ("one\ntwo  th\u00efrd \u4e2d\U0001f600", "one\ntwo  th\u00efrd \u4e2d\U0001f600"),
        ("a" * 1000, "a" * 1000),
        (
            "a" * 70000 + "; expected b",
            f"{'a' * 700} ... (70012 characters) ... {'a' * 288}; expected b",
        ),
        ("a" * 999 + "\n" + "b" * 999, "a" * 999 + "\n" + "b" * 999),
    ],
)
def test_messages_are_readable_whatever_the_input(
    message: str, shown: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    err = stream("utf-8")
    monkeypatch.setattr(sys, "stderr", err)
    Console().error(message)
    assert content(err).decode() == shown + "\n"


@pytest.mark.parametrize(
    ("told", "typed"),
    [
        ("m exists; pass `overwrite=True`", "m exists; pass --overwrite"),
        ("raise the limit (`max_length=...`)", "raise the limit (--max-length)"),
        ('say so with `scale="log"`', "say so with --scale log"),
        ("name it: `scratch_folder=...`", "name it: --tmpdir"),
        ('source first: `languages=("en", "es")`', "source first: --langs en-es"),
        ("Start again with `resume=False`", "Start again with --overwrite"),
        (
            'with `fields={"id": NAME, "text": NAME, "features": [NAME, NAME]}`',
            "with --fields id=NAME text=NAME features=NAME,NAME",
        ),
        ("`isogloss doctor` finds a=b", "`isogloss doctor` finds a=b"),
    ],
)
def test_arguments_of_functions_are_shown_as_options(
    told: str, typed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = stream("utf-8")
    monkeypatch.setattr(sys, "stderr", text)
    console = Console()
    console.error(told)
    with console.warnings():
        warnings.warn(told, DataWarning, stacklevel=1)
    assert content(text).decode() == f"{typed}\nwarning: {typed}\n"


def test_labels_of_progress_are_text(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = []

    def remember(bar: Progress, *rest: object) -> None:
        column, task = bar.columns[0], bar.tasks[0]
        shown.append(str(column(task)))

    monkeypatch.setattr(Progress, "__exit__", remember)
    for show in (lambda: Console().progress(CODES, 3), lambda: Console().rows(CODES)):
        with show() as advance:
            advance(1)
    with Console().stage(CODES):
        pass
    assert shown == [CODES, f"{CODES} 1 rows", f"{CODES} ..."]


@pytest.mark.parametrize(
    ("steps", "now", "left"),
    [
        ([], 9.0, None),
        ([(70.0, 1)], 80.0, None),  # the first step may have compiled for 70 seconds
        ([(70.0, 1), (75.0, 2)], 75.0, 40.0),
        ([(70.0, 1), (75.0, 2)], 78.0, 37.0),  # and runs down within a step
        ([(70.0, 1), (75.0, 2)], 200.0, 0.0),
        ([(70.0, 0), (71.0, 0)], 71.0, None),
        ([(70.0, 2), (100.0, 8)], 100.0, 10.0),
    ],
)
def test_time_left(steps: list[tuple[float, float]], now: float, left: float | None) -> None:
    assert time_left(steps, 10, now) == left


def test_the_bar_shows_the_time_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four steps: of a minute, which compiles, and then of ten seconds each."""
    shown: list[list[str]] = []
    now = [0.0]
    monkeypatch.setattr("rich.console.monotonic", lambda: now[0])
    monkeypatch.setattr(
        Progress, "__exit__",
        lambda bar, *rest: shown.append([str(column(bar.tasks[0])) for column in bar.columns]),
    )  # fmt: skip
    with Console().progress("aligning", 4) as advance:
        advance(0)  # a message, no step
        for seconds in (60.0, 10.0, 10.0):
            now[0] += seconds
            advance(1)
    with Console().progress("aligning", 4000, "pairs") as advance:
        for _ in range(3):
            now[0] += 2.0
            advance(1000)
    assert shown[0][2:] == ["3/4", "0:01:20", "10 s left"]
    assert shown[1][2:] == ["3000/4000", "0:00:06", "500 pairs/s", "2 s left"]


def test_the_time_left_of_a_file_is_by_what_was_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of it after the second step; of a pipe nobody knows."""
    shown: list[str] = []
    now = [0.0]
    monkeypatch.setattr("rich.console.monotonic", lambda: now[0])
    monkeypatch.setattr(
        Progress, "__exit__",
        lambda bar, *rest: shown.append(str(bar.columns[2](bar.tasks[0]))),
    )  # fmt: skip
    for shares in ((0.25, 0.5), (None, None)):
        share = FileShare()
        with Console().rows("writing", share) as advance:
            for share.read in shares:
                now[0] += 30.0
                advance(1000)
    with Console().rows("writing") as advance:
        advance(1000)
    assert shown == ["1 min 0 s left", "", ""]


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.4, "0 s"), (59.4, "59 s"), (59.6, "1 min 0 s"), (200, "3 min 20 s"), (7530, "2 h 5 min")],
)
def test_duration(seconds: float, said: str) -> None:
    assert duration(seconds) == said


def test_tables_are_text() -> None:
    long = "n" * 300
    text = format_table(CODES, (CODES, long), [(CODES, 1), (long, CODES)])
    title, header, first, second = text.splitlines()
    assert title == CODES
    assert (header.split("  ")[0], header.split()[-1]) == (CODES, long)
    assert (first.split("  ")[0], first.split()[-1]) == (CODES, "1")
    assert second.startswith(long)
    assert second.endswith("  " + CODES)
    assert format_table("", ("a", "b"), [("c", 1)]) == "a  b\nc  1\n"


def test_a_title_longer_than_its_table() -> None:
    assert format_table("a title of words", ("", ""), [("c", 1)]).splitlines()[0] == (
        "a title of words"
    )


@pytest.mark.parametrize("encoding", ["latin-1", "ascii"])
def test_streams_of_another_locale(encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    out, err = stream(encoding), stream(encoding)
    monkeypatch.setattr(sys, "stdout", out)
    monkeypatch.setattr(sys, "stderr", err)
    prepare_streams()
    sys.stdout.write("Ω\n")
    Console().error("Ω \udce9 é")
    assert content(out) == "Ω\n".encode()
    letter = b"\xe9" if encoding == "latin-1" else rb"\xe9"
    assert content(err) == rb"\u03a9 \udce9 " + letter + b"\n"


def test_streams_that_are_not_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    prepare_streams()
    Console().error("Ω")
    assert sys.stderr.getvalue() == "Ω\n"


class Terminal(io.StringIO):
    """What is written to a terminal."""

    def isatty(self) -> bool:
        return True


def compiling(*seconds: float) -> None:
    """What the logger gets when a kernel is compiled for each, the first one inside the last."""
    logger = logging.getLogger("isogloss.align.kernels.reporting")
    for _ in seconds:
        logger.info("compiling %s (first use)", "kernel", extra={"seconds": None})
    for each in seconds:
        logger.info("compiled %s in %.1f s", "kernel", each, extra={"seconds": each})


@pytest.mark.parametrize(
    ("verbosity", "expected"),
    [
        (-1, []),
        (0, ["compiling (first use) ..."]),
        (1, ["compiling (first use) ...", *["compiling kernel (first use)"] * 2,
             "compiled kernel in 2.0 s", "compiled kernel in 5.4 s"]),
    ],
)  # fmt: skip
def test_compiling_is_told_on_a_terminal(
    verbosity: int, expected: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stderr", err := Terminal())
    with Console(verbosity).compilation():
        compiling(2.0, 5.4)
    told = "compiling a kernel took 5 s; compiled kernels are cached if possible"
    assert err.getvalue().splitlines() == ([*expected, told] if expected else [])
    compiling(1.0)
    assert "1.0" not in err.getvalue()


def test_a_log_tells_of_compiling_that_takes_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", err := io.StringIO())
    with Console(-1).compilation():
        compiling(2.0)
    with Console().compilation():
        compiling(0.4, 0.5)
    with Console(1).compilation():
        pass
    assert err.getvalue() == ""
    with Console().compilation():
        compiling(0.6)
        assert err.getvalue() == ""
        compiling(0.7)
        assert err.getvalue() == "compiling (first use) ...\n"
        compiling(3.0)
    assert err.getvalue() == (
        "compiling (first use) ...\n"
        "compiling 3 kernels took 4 s; compiled kernels are cached if possible\n"
    )


def test_the_last_line_comes_last(monkeypatch: pytest.MonkeyPatch) -> None:
    """How long compiling took is told before it, and only once."""
    monkeypatch.setattr(sys, "stderr", err := io.StringIO())
    console = Console()
    with console.compilation():
        compiling(2.0)
        console.conclude("that is better")
    assert err.getvalue() == (
        "compiling (first use) ...\n"
        "compiling a kernel took 2 s; compiled kernels are cached if possible\n"
        "that is better\n"
    )
    console.conclude("nothing was compiled")
    assert err.getvalue().endswith("that is better\nnothing was compiled\n")


def test_files_that_are_passed_over_are_told_with_v(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", err := io.StringIO())
    for verbosity in (0, 1):
        with Console(verbosity).compilation():
            logging.getLogger("isogloss.align.kernels.disk_cache").info("%s is damaged", "x.nbi")
    assert err.getvalue() == "x.nbi is damaged\n"


def test_kernels_are_counted_where_all_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", err := io.StringIO())
    with Console(1).compilation():
        compiling(2.0, 5.4)
        compiling(1.0)
    assert err.getvalue().endswith(
        "\ncompiling 2 kernels took 6 s; compiled kernels are cached if possible\n"
    )
