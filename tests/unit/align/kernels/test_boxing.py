"""Signals that come while a kernel is at work end in no crash."""

import subprocess
import sys

PROGRAM = """
import os, signal, threading

import numpy as np

from isogloss.align.kernels.lazy import njit
from isogloss.tune.decoder.kernels.expansion import Moves


@njit(nogil=True)
def slow(count):
    total = 0.0
    for number in range(count):
        total += np.sqrt(number) % 3.0
    return Moves(np.full((1, 3), total), np.zeros((1, 3), np.int32))


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


RETURNS = """
import ctypes
import signal

import numpy as np

from isogloss.align.kernels.lazy import njit
from isogloss.tune.decoder.kernels.expansion import Moves
from isogloss.tune.decoder.kernels.lattice import Nodes
from isogloss.tune.decoder.kernels.ngram import States

NUMBER = int(signal.SIGINT)
comes = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(
    ctypes.cast(ctypes.pythonapi.PyErr_SetInterruptEx, ctypes.c_void_p).value
)


@njit(nogil=True)
def array():
    found = np.zeros(3)
    comes(NUMBER)
    return found


@njit(nogil=True)
def named():
    found = Moves(np.zeros((1, 3)), np.zeros((1, 3), np.int32))
    comes(NUMBER)
    return found


@njit(nogil=True)
def alike():
    found = States(np.zeros((2, 3), np.float32), np.ones((2, 3), np.float32))
    comes(NUMBER)
    return found


@njit(nogil=True)
def tuple_of_named():
    states = States(np.zeros((2, 3), np.int32), np.ones((2, 3), np.float32))
    moves = Moves(np.zeros((1, 3)), np.zeros((1, 3), np.int32))
    comes(NUMBER)
    return states, 4, (moves, 0.5)


@njit(nogil=True)
def named_of_named():
    states = States(np.zeros((2, 3), np.int32), np.ones((2, 3), np.float32))
    comes(NUMBER)
    return Nodes(np.zeros(2), 1, states, (states, states))


def call(kernel):
    "The result, unless it is lost by the signal; which comes in any case."
    found = None
    try:
        found = kernel()
        for _ in range(3):
            pass
    except KeyboardInterrupt:
        return found
    raise AssertionError("no signal")


signal.signal(signal.SIGINT, signal.default_int_handler)
for kernel in (array, named, alike, tuple_of_named, named_of_named):
    for _ in range(3):
        call(kernel)
signal.signal(signal.SIGINT, signal.SIG_IGN)
states = tuple_of_named()[0]
assert type(states) is States and states[0].dtype == np.int32
assert type(tuple_of_named()[2][0]) is Moves
nodes = named_of_named()
assert type(nodes) is Nodes and type(nodes.states) is States and len(nodes) == 4
assert nodes.states[1].tolist() == [[1.0] * 3] * 2
print("whole")
"""


def test_a_signal_as_a_kernel_returns() -> None:
    """Named tuples within tuples were made by Python's code, and one that failed left a hole."""
    done = subprocess.run([sys.executable, "-c", RETURNS], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "whole\n", "")
