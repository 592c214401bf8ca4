"""Signals that come while a kernel is at work end in no crash."""

import subprocess
import sys

PROGRAM = """
import os, signal, threading
from typing import NamedTuple

import numpy as np

from isogloss.align.kernels.lazy import njit


class Two(NamedTuple):
    first: float
    second: float


@njit(nogil=True)
def slow(count):
    total = 0.0
    for number in range(count):
        total += np.sqrt(number) % 3.0
    return Two(total, 1.0)


slow(3)
signal.signal(signal.SIGINT, signal.default_int_handler)  # which a shell's background ignores
try:
    threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
    while True:
        slow(10_000_000)
except KeyboardInterrupt:
    print("stopped")
"""


def test_ctrl_c_while_a_kernel_is_at_work() -> None:
    """It came where Numba asks for the class of the result, and goes on without one."""
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "stopped\n", "")
