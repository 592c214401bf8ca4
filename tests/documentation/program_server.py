"""The program, ready to run: a command is a fork of a process that has loaded all of it.

    python -m tests.documentation.program_server FOLDER

serves until its standard input is closed. FOLDER then holds a program ``isogloss`` that has its
arguments carried out there, in its working folder and environment, on its standard streams. Of the
hundreds of commands on the pages, none loads Python's modules and compiled kernels again.
"""

import json
import os
import select
import socket
import subprocess
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from tempfile import TemporaryDirectory

from isogloss import program
from isogloss.__main__ import run
from tests.architecture.reading import ROOT

__all__ = ["served_program"]

SOCKET = "socket"
LARGEST = 1 << 20  # bytes of a request
CLIENT = """
import json, os, socket, sys

with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as server:
    server.connect({place!r})
    request = json.dumps([sys.argv[1:], os.getcwd(), dict(os.environ)]).encode()
    socket.send_fds(server, [request], [0, 1, 2])
    os._exit((server.recv(1) or b"\\xff")[0])
"""


@contextmanager
def served_program(folder: Path) -> Iterator[Path]:
    """Serve the program while the block runs; the folder to look for it in."""
    client = folder / "client.py"
    client.write_text(CLIENT.format(place=str(folder / SOCKET)))
    start = folder / "isogloss"
    start.write_text(f'#!/bin/sh\nexec "{sys.executable}" -IS "{client}" "$@"\n')
    start.chmod(0o755)
    command = [sys.executable, "-m", __name__, str(folder)]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as server:
        assert server.stdout is not None
        assert server.stdout.readline() == b"ready\n"
        yield folder


def serve(folder: Path) -> None:
    """Load everything, then fork for each command until standard input is closed."""
    load()
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listening:
        listening.bind(str(folder / SOCKET))
        listening.listen()
        print("ready", flush=True)
        while select.select([listening, sys.stdin], [], [])[0] == [listening]:
            with listening.accept()[0] as connection:
                if os.fork() == 0:
                    answer(connection)
            with suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass


def load() -> None:
    """Load all modules, and the kernels of an alignment."""
    import_module("numba")
    package = import_module("isogloss")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for module in walk_packages(package.__path__, "isogloss."):
            if not module.name.endswith("__main__"):
                import_module(module.name)
    with TemporaryDirectory() as folder:
        text = Path(folder, "text")
        text.write_text("a b\na\nb\n" * 3)
        links = ["-o", f"{folder}/links"]
        assert program.main(["align", str(text), str(text), *links, "-q"]) == 0


def answer(connection: socket.socket) -> None:
    """Carry out a request in a process of its own, and send its exit status."""
    request, streams, *_ = socket.recv_fds(connection, LARGEST, 3)
    child = os.fork()
    if child == 0:
        connection.close()
        arguments, folder, environment = json.loads(request)
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
            os.close(stream)
        sys.stdin, sys.stdout, sys.stderr = (
            os.fdopen(number, mode, encoding="utf-8", closefd=False)
            for number, mode in enumerate("rww")
        )
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        sys.argv[:] = ["isogloss", *arguments]
        run()
    for stream in streams:
        os.close(stream)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    connection.send(bytes([status % 256]))
    os._exit(0)


if __name__ == "__main__":
    serve(Path(sys.argv[1]))
