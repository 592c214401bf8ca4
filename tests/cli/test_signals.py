"""Signals: nothing half written is left, and the end of a command is not disturbed."""

import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from isogloss import program
from isogloss.align.files.writers import _Output

FAST = ("--model1-iterations", "1", "--hmm-iterations", "1", "--threads", "1", "-q")


@pytest.fixture
def work(tmp_path, monkeypatch):
    (tmp_path / "a").write_text("x y z\nx\ny z\n" * 4)
    (tmp_path / "b").write_text("X Y Z\nX\nY Z\n" * 4)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("from_a_terminal")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_signals_leave_nothing_half_written(work, capsys, monkeypatch, number):
    """What was saved before stays, to go on from."""
    sizes = []
    write = _Output.write

    def stopped(self, data):
        sizes.append(len(data))
        if len(sizes) == 30:
            os.kill(os.getpid(), number)
        return write(self, data)

    command = ["align", "a", "b", "--model", "m", "-o", "links", *FAST]
    with monkeypatch.context() as patch:
        patch.setattr(_Output, "write", stopped)
        assert program.main(command) == 128 + number
    assert "isogloss align: interrupted" in capsys.readouterr().err
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    left = [path.name for path in work.rglob("*")]
    assert not [name for name in left if name.endswith((".part", ".lock"))]
    assert "m.checkpoint" in left
    assert program.main([*command, "--resume"]) == 0
    assert sorted(path.name for path in work.iterdir()) == ["a", "b", "links", "m"]


def test_signals_that_are_ignored_stay_so(work, monkeypatch):
    """As under nohup."""
    write = _Output.write

    def hung_up(self, data):
        os.kill(os.getpid(), signal.SIGHUP)
        return write(self, data)

    monkeypatch.setattr(_Output, "write", hung_up)
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        assert program.main(["align", "a", "b", "-o", "links", *FAST]) == 0
        assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)
    assert Path("links").read_text().count("\n") == 12


@pytest.mark.usefixtures("from_a_terminal")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_signal_that_comes_while_llvm_is_at_work(number):
    """What is raised below a callback of LLVM is lost, so the signal has to come again."""
    done = []
    code = "signal.raise_signal(number)\ndone.append(number)"
    callback = compile(code, "packages/llvmlite/binding/executionengine.py", "exec")
    with pytest.raises(KeyboardInterrupt), program._stopped_by_signals():
        exec(callback, {"signal": signal, "number": number, "done": done})
        assert done == [number]
        time.sleep(600)  # until the signal comes again
    assert signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler)


@pytest.mark.usefixtures("from_a_terminal")
@pytest.mark.parametrize("first", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
@pytest.mark.parametrize("second", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_second_signal_does_not_disturb_the_end(first, second, monkeypatch):
    """It ended the waiting for a lock that was then given back: release unlocked lock."""
    monkeypatch.setattr(program, "_MOMENT", 0.05)
    condition, ended = threading.Condition(), []
    with pytest.raises(KeyboardInterrupt) as caught, program._stopped_by_signals(), condition:
        try:
            signal.raise_signal(first)
        finally:
            signal.raise_signal(second)
            time.sleep(0.3)
            ended.append(second)
    assert (ended, caught.value.number) == ([second], first)


@pytest.mark.usefixtures("from_a_terminal")
def test_a_second_signal_before_the_first_is_handled(monkeypatch):
    """What is raised while an iterator is closed would be lost, and told with a traceback."""
    monkeypatch.setattr(program, "_MOMENT", 600.0)  # so that no machine is too slow for "before"

    def numbers():
        try:
            yield 1
        finally:
            signal.raise_signal(signal.SIGHUP)

    def work():
        for _ in numbers():
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt) as caught, program._stopped_by_signals():
        work()
    assert caught.value.number == signal.SIGINT


@pytest.mark.usefixtures("from_a_terminal")
def test_a_signal_that_python_makes_another_error_of(work, capsys, monkeypatch):
    """While a class is made, it was a RuntimeError until Python 3.12, and a traceback."""

    class Named:
        def __set_name__(self, owner, name):
            signal.raise_signal(signal.SIGTERM)

    def load(options, console):
        try:
            type("Loaded", (), {"attribute": Named()})
        except KeyboardInterrupt as error:
            raise RuntimeError from error

    command, options = program.parse("evaluate", ["a", "b"])
    monkeypatch.setattr(program, "parse", lambda *_: (replace(command, run=load), options))
    assert program.main(["evaluate", "a", "b"]) == 143
    assert capsys.readouterr().err == "isogloss evaluate: interrupted\n"


@pytest.mark.usefixtures("from_a_terminal")
def test_ctrl_c_again_after_seconds_ends_at_once(monkeypatch):
    monkeypatch.setattr(program, "_PATIENCE", 0.0)
    statuses = []
    monkeypatch.setattr(os, "_exit", statuses.append)
    with pytest.raises(KeyboardInterrupt), program._stopped_by_signals():
        try:
            signal.raise_signal(signal.SIGTERM)
        finally:
            signal.raise_signal(signal.SIGHUP)
            signal.raise_signal(signal.SIGINT)
    assert statuses == [130]


def test_a_stopped_process_does_not_wait_for_threads(work):
    """One that is in a kernel may not find the interpreter gone: that ended in a segfault."""
    code = (
        "import os, signal, sys, threading\n"
        "from isogloss import __main__, program\n"
        "def stop(options, console):\n"
        "    threading.Thread(target=threading.Event().wait).start()\n"
        "    sys.stdout.write('begun')\n"
        "    os.kill(os.getpid(), signal.SIGTERM)\n"
        "    threading.Event().wait()\n"
        "parse = program.parse\n"
        "def parsed(*arguments):\n"
        "    command, options = parse(*arguments)\n"
        "    return type(command)(command.options, stop), options\n"
        "program.parse = parsed\n"
        "sys.argv = ['isogloss', 'evaluate', 'a', 'b']\n"
        "__main__.run()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stdout) == (143, "begun")
    assert done.stderr == "isogloss evaluate: interrupted\n"


def test_a_signal_while_a_configuration_is_waited_for(work):
    """It isn't opened once more, to look for outputs: that would be waited for without end."""
    os.mkfifo("pipe")
    command = [sys.executable, "-m", "isogloss", "run", "pipe"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        said = process.stderr.readline()
        process.terminate()
        try:
            rest, status = process.communicate(timeout=30)[1], process.returncode
        finally:
            process.kill()
    assert said == "warning: waiting for a writer of the named pipe pipe\n"
    assert (status, rest) == (128 + signal.SIGTERM, "isogloss run: interrupted\n")


@pytest.mark.usefixtures("from_a_terminal")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_signal_that_comes_in_a_finalizer():
    """What is raised there is lost; while the program ends it is not disturbed."""

    class Kernel:
        def __del__(self):
            signal.raise_signal(signal.SIGTERM)

    ended = []
    with pytest.raises(KeyboardInterrupt), program._stopped_by_signals():
        try:
            Kernel()
            time.sleep(600)  # until the signal comes again
        finally:
            signal.raise_signal(signal.SIGTERM)
            time.sleep(1)
            ended.append(signal.SIGTERM)
    assert ended == [signal.SIGTERM]
