"""Lines of the log: written in order, never waited for."""

import os
from collections.abc import Iterator

import pytest

from isogloss.service.log import Log

WAITED = 600.0  # seconds, however slow the machine is


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    reader, writer = os.pipe()
    yield reader, writer
    os.close(reader)
    os.close(writer)


def read(reader: int, until: str) -> str:
    text = ""
    while until not in text:
        text += os.read(reader, 1 << 16).decode()
    return text


def test_lines_are_written_in_order(pipe: tuple[int, int]) -> None:
    log = Log(pipe[1])
    for number in range(100):
        log.write(f"line {number}")
    log.close(WAITED)
    assert read(pipe[0], "line 99\n") == "".join(f"line {number}\n" for number in range(100))


def test_what_nobody_reads_is_dropped_and_counted(pipe: tuple[int, int]) -> None:
    log = Log(pipe[1], most=10)
    long = "x" * 100_000  # more than a pipe holds
    log.write(long)
    while log._lines:  # the thread has taken it, and waits for a reader
        os.sched_yield()
    for number in range(25):
        log.write(f"line {number}")
    kept = "".join(f"line {number}\n" for number in range(10))
    dropped = "warning: 15 lines were dropped, because standard error was not read in time\n"
    assert read(pipe[0], dropped) == f"{long}\n{kept}{dropped}"


def test_what_nobody_reads_does_not_keep_the_program(pipe: tuple[int, int]) -> None:
    log = Log(pipe[1])
    log.write("x" * 100_000)
    log.close(0.0)
    os.write(pipe[1], b"y" * 200_000)  # it goes nowhere, and is not waited for
    text = b""
    while part := os.read(pipe[0], 1 << 16):
        text += part
    assert text in (b"x" * 100_000 + b"\n", b"")  # it had begun to write, or not


def test_a_reader_that_has_gone() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    log = Log(writer)
    log.write("a")
    log.close(WAITED)
    os.close(writer)
