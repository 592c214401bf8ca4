"""A command that a signal reaches while a kernel is at work: it ends as at any other moment.

A timer of the system sends the signal some microseconds after the kernel is called, so that Python
meets it as soon as it runs again: when the result is made, or after that.
"""

import ctypes
import itertools
import os
import random
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isogloss.align.kernels.lazy import Kernel
from tests.fuzz.commands import written
from tests.fuzz.fault_cases import Case
from tests.fuzz.faults import SIGNALS, Ending, Preparation, complaint, prepare, run_once

__all__ = ["Moment", "chosen_moments", "try_signal"]

_CALLS = "calls"  # the file that tells the calls of kernels
_CLOCK_MONOTONIC = 1


class _Event(ctypes.Structure):
    """sigevent: a signal to this process."""

    _fields_ = (
        ("value", ctypes.c_void_p), ("signal", ctypes.c_int), ("notify", ctypes.c_int),
        ("padding", ctypes.c_char * 48),
    )  # fmt: skip


class _Times(ctypes.Structure):
    """itimerspec: how often, and when first."""

    _fields_ = tuple(
        (name, ctypes.c_long) for name in ("every", "every_nano", "seconds", "nanoseconds")
    )


@dataclass(frozen=True)
class Moment:
    """When a signal comes.

    call: of any kernel, counted from 1; kernel: its name; delay: seconds after it is called
    """

    kind: str
    threads: int
    call: int
    kernel: str
    delay: float


def _send_later(number: int, delay: float) -> None:
    """Have the system send a signal to this process."""
    system = ctypes.CDLL(None, use_errno=True)
    timer = ctypes.c_void_p()
    event = _Event(None, number, 0, b"")
    times = _Times(0, 0, int(delay), int(delay % 1.0 * 1e9) + 1)
    made = system.timer_create(_CLOCK_MONOTONIC, ctypes.byref(event), ctypes.byref(timer))
    if made or system.timer_settime(timer, 0, ctypes.byref(times), None):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def _watched(watch: Callable[[int, Kernel, Callable[[], Any]], Any]) -> None:
    """Have all calls of kernels go through a function, with their number."""
    numbers, call = itertools.count(1), Kernel.__call__

    def watched(kernel: Kernel, *arguments: Any) -> Any:
        return watch(next(numbers), kernel, lambda: call(kernel, *arguments))

    Kernel.__call__ = watched  # type: ignore[method-assign]


def _telling(folder: Path) -> None:
    """Write the name of each kernel that is called, and how long it took."""
    told = os.open(folder / _CALLS, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def watch(_: int, kernel: Kernel, call: Callable[[], Any]) -> Any:
        begin = time.perf_counter()
        result = call()
        seconds = time.perf_counter() - begin
        os.write(told, f"{kernel.py_func.__qualname__}\t{seconds:.9f}\n".encode())
        return result

    _watched(watch)


def _signaling(moment: Moment) -> Preparation:
    def watch(number: int, _: Kernel, call: Callable[[], Any]) -> Any:
        if number == moment.call:
            _send_later(SIGNALS[moment.kind], moment.delay)
        return call()

    return lambda _: _watched(watch)


def chosen_moments(
    case: Case, folder: Path, threads: int, number: int, seed: int = 1
) -> Iterator[Moment]:
    """Moments of a command, its kernels and all signals in turn; none if it calls no kernel.

    folder: a new one
    """
    prepare(case, folder)
    ending = run_once(folder, case.words, "", _telling, threads)
    assert ending.status == 0, ending.said
    calls: dict[str, list[tuple[int, float]]] = {}
    told = folder / _CALLS
    for call, line in enumerate(told.read_text().splitlines(), 1):
        kernel, seconds = line.split("\t")
        calls.setdefault(kernel, []).append((call, float(seconds)))
    draw = random.Random(f"{case.name} {threads} {seed}")
    kernels = draw.sample([*calls], len(calls))
    turns = zip(itertools.cycle(SIGNALS), itertools.cycle(kernels), strict=False)
    for kind, kernel in itertools.islice(turns, number):
        call, seconds = draw.choice(calls[kernel])
        yield Moment(kind, threads, call, kernel, draw.uniform(0.0, seconds))


def try_signal(case: Case, folder: Path, moment: Moment, expected: Ending) -> str:
    """What is wrong after a signal, and after the command was given again; or "".

    folder: a new one; expected: how it ends if nothing happens
    """
    prepare(case, folder)
    old = written(folder)
    hurt = run_once(folder, case.words, moment.kind, _signaling(moment), moment.threads)
    if hurt.status not in (0, 128 + signal.Signals[moment.kind]):
        return f"status {hurt.status}: {hurt.said[-300:]}"
    allowed = expected.left | old
    if left := [name for name in hurt.left if not case.may_leave(name, allowed)]:
        return f"left: {left}"
    return complaint(case, folder, moment.kind, hurt, old, expected)
