"""Tuning with a decoder that is any command: weights in, n-best list out, and what may go wrong."""

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from isogloss import program
from isogloss.tune.weights.weights import Weights
from tests.cli.tuning.word_lists import SENTENCES
from tests.naive import kills

STUB = Path(kills.__file__).with_name("stub_decoder.py")
INI = """[feature]
Good name=good
Bad name=bad

[weight]
good= 0
bad= 1
"""


@pytest.fixture
def work(lists, monkeypatch):
    monkeypatch.chdir(lists)
    rows = Path("list").read_text().splitlines()
    Path("plain").write_text("".join(f"{row.split(' F_')[0]} ||| 0\n" for row in rows))
    Path("dev").write_text("".join(f"source {k}\n" for k in range(SENTENCES)))
    Path("start").write_text("good 0\nbad 1\n")
    Path("moses.ini").write_text(INI)
    return lists


def command(*more, weights="{weights}", size="{size}"):
    return shlex.join([sys.executable, str(STUB), "plain", weights, size, *more])


def tune(given, *more, status=0, start="start"):
    arguments = ["tune", "--decoder-command", given, "--dev", "dev", "--refs", "ref", "-w", start,
                 "--nbest-size", "3", "--optimizer", "arow", "--threads", "1",
                 *more]  # fmt: skip
    assert program.main(arguments) == status


def test_weights_in_and_lists_out(work, capsys):
    """All ways to hand over a source and a list give the same."""
    ways = {
        "streams": command(),
        "files": command("--source", "{source}", "--to", "{nbest}"),
        "shell": shlex.join(["sh", "-c", f"cat {{source}} | {command()}"]),
    }
    for name, given in ways.items():
        tune(given, "--out", name)
    said = capsys.readouterr().err
    assert "iteration 0: loss 0.00, bleu 11.04, 1 active feature" in said
    assert "run1.final: no weight moved by more than 1e-05 of the largest" in said
    weights = Weights.load("streams/weights.json")
    assert weights["good"] > 0 > weights["bad"]
    report = json.loads(Path("streams/report.json").read_text())
    assert report["start_training"] < 12 < 99 < report["training"][0]
    assert f"training bleu: {report['start_training']:.2f} -> {report['training'][0]:.2f}" in said
    for name in ("files", "shell"):
        for file in (work / "streams/tasks").iterdir():
            assert file.read_bytes() == (work / name / "tasks" / file.name).read_bytes()


def test_why_the_loop_ends(work, capsys):
    tune(command(size="9"))  # all that there are, from the first iteration on
    assert "run1.final: no new hypothesis" in capsys.readouterr().err
    tune(command(), "--decoder-iterations", "1")
    assert "run1.final: all 1 iterations are done" in capsys.readouterr().err


def test_a_moses_ini_gets_new_weights(work):
    tune(command("--to", "{nbest}"), "-o", "w.json", start="moses.ini")
    tune(command(), "-o", "x.json")
    assert Weights.load("w.json") == Weights.load("x.json")


def test_held_out_text_chooses_and_judges(work, capsys):
    tune(command(), "--held-out-dev", "dev", "--held-out-refs", "ref", "--trials", "20")
    said = capsys.readouterr().err
    assert ", held-out 11.04, 1 active" in said
    assert "held-out bleu: 11.04 -> 100.00; gain +88.96" in said
    assert "p = 0.0476 (paired bootstrap)" in said


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("fail", "ended with status 3 and printed:\nreading the table\n [31mno memory left\n; exp"),
        ("signal", "was ended by SIGKILL; expected status 0"),
        ("short",
            "1 sentence has no hypothesis (first: 1, counted from 0); expected at least one for "
            f"each sentence (there are {SENTENCES})"
        ),
        ("garbled", "the list of {python}, line 1: "),
        ("empty", "the list of {python}: the list has no hypothesis; expected an n-best list"),
    ],
)  # fmt: skip
def test_a_command_that_fails(work, capsys, kind, message):
    tune(command("--trouble", kind), "--out", "run", status=1)
    assert message.replace("{python}", sys.executable) in capsys.readouterr().err
    assert not Path("run").exists()


@pytest.mark.parametrize("kind", ["fail", "short", "garbled"])
def test_a_command_is_run_again(work, capsys, kind):
    tune(command(), "--out", "whole")
    given = command("--trouble", kind, "--calls", "calls")
    tune(given, "--decoder-retries", "2", "--out", "run")
    said = capsys.readouterr().err
    assert "warning: " in said
    assert ". The command is run again, at most 2 times" in said
    weights = [Path(name, "weights.json").read_bytes() for name in ("whole", "run")]
    assert weights[0] == weights[1]


def test_a_command_that_takes_too_long(work, capsys, monkeypatch):
    """What it has started is ended with it. Its time begins when it has said something."""
    wait = subprocess.Popen.wait

    def wait_when_begun(process, timeout=None):
        while timeout == 1.0 and not Path("begun").exists():
            time.sleep(0.01)
        return wait(process, timeout)

    monkeypatch.setattr(subprocess.Popen, "wait", wait_when_begun)
    given = shlex.join(["sh", "-c", f"{command('--trouble', 'sleep')}; true"])
    tune(given, "--decoder-timeout", "1", status=1)
    said = capsys.readouterr().err
    assert "took longer than 1 s and printed:\nloading\n; expected an n-best list within" in said
    assert not Path("ended").exists()


def test_no_list_where_it_should_be(work, capsys):
    tune(command("--to", "{nbest}", "--trouble", "nothing"), status=1)
    said = capsys.readouterr().err
    assert "wrote no n-best list" in said
    assert "expected a file named by {nbest}" in said


@pytest.mark.parametrize(
    ("given", "status", "message"),
    [
        (
            "./none {weights}",
            1,
            "decoder command './none' cannot be started: No such file or directory",
        ),
        ("moses -f moses.ini", 2, "--decoder-command lacks the placeholder {weights}"),
        (
            "moses {weights} {input}",
            2,
            "--decoder-command has the unknown placeholder {input}; the placeholders are",
        ),
        ("moses '{weights}", 2, "No closing quotation"),
    ],
)
def test_commands_that_are_none(work, capsys, given, status, message):
    tune(given, status=status)
    assert message in capsys.readouterr().err


def test_nothing_of_a_command_is_given_to_a_shell(work):
    Path("a b;c").write_text(Path("plain").read_text())
    given = shlex.join([sys.executable, str(STUB), "a b;c", "{weights}", "{size}"])
    tune(given, "-o", "w.json")
    tune(command(), "-o", "x.json")
    assert Weights.load("w.json") == Weights.load("x.json")


def test_a_run_that_was_ended_goes_on(work, capsys, monkeypatch):
    tune(command(), "--out", "whole")
    kept = {file.name: file.read_bytes() for file in Path("whole/tasks").iterdir()}
    assert "run1.final.iteration1.nbest.gz" in kept
    for name in kept:
        Path("part/tasks").mkdir(parents=True)
        Path("part/manifest.json").write_bytes(Path("whole/manifest.json").read_bytes())
        Path("part/tasks/files.json").write_bytes(kept["files.json"])  # which comes first of all
        for other in sorted(kept)[: sorted(kept).index(name)]:
            Path("part/tasks", other).write_bytes(kept[other])
        tune(command(), "--out", "part", "--resume", "-q")
        for file in ("weights.json", "report.json", "epochs.jsonl"):
            assert Path("part", file).read_bytes() == Path("whole", file).read_bytes()
        kills_left = {file.name: file.read_bytes() for file in Path("part/tasks").iterdir()}
        assert kills_left == kept
        Path("part").rename(f"done.{name}")


def test_a_step_that_is_damaged(work, capsys):
    tune(command(), "--out", "run")
    Path("run/tasks/run1.final.iteration1.json").write_text("{}")
    tune(command(), "--out", "run", "--resume", status=1)
    said = capsys.readouterr().err
    assert "Delete it and pass --resume, which trains these weights again" in said


def test_a_stranger_s_command_is_not_run(work, capsys):
    tune(command("--calls", "calls"), "--out", "run")
    calls = Path("calls").read_text()
    assert program.main(["reproduce", "run", "--out", "again"]) == 2
    assert "the run executes a decoder command; to allow it, pass --decoder-command " in (
        capsys.readouterr().err
    )
    given = ["--decoder-command", command("--calls", "others")]
    assert program.main(["reproduce", "run", "--out", "again", *given]) == 2
    assert ", as in the run, got " in capsys.readouterr().err
    assert Path("calls").read_text() == calls
    given = ["--decoder-command", command("--calls", "calls")]
    assert program.main(["reproduce", "run", "--out", "again", *given]) == 0
    assert "every file is the same, byte for byte" in capsys.readouterr().err


def test_the_end_of_the_program_ends_the_command(work, tmp_path):
    """As Ctrl-C does: nothing that the command has started goes on."""
    given = shlex.join(["sh", "-c", "echo $$ > pid; sleep 600; : {weights}"])
    arguments = ["tune", "--decoder-command", given, "--dev", "dev", "--refs", "ref", "-w", "start"]
    process = subprocess.Popen(
        [sys.executable, "-m", "isogloss", *arguments], start_new_session=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    while not (Path("pid").exists() and Path("pid").read_text()):
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGTERM)
    assert process.wait(600) == 128 + signal.SIGTERM
    with pytest.raises(ProcessLookupError):
        os.kill(int(Path("pid").read_text()), 0)
