"""Lists that are larger than memory: what `isogloss tune --max-memory` takes of its own."""

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

from isogloss import program
from isogloss.align.files import scratch

# private memory (RssAnon) of one process, in MB beyond what the same takes with a small list
PROGRAM = """
import json, sys, threading
from isogloss.program import main

folder, learners = sys.argv[1], json.loads(sys.argv[2])

def private():
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("RssAnon")) / 1024

def tune(size, *learner):
    status = main([
        "tune", f"{folder}/{size}", "--refs", f"{folder}/{size}.refs", "--folds", "3", "--quiet",
        "--max-memory", "40M", "--tmpdir", folder, "-o", f"{folder}/weights", *learner,
    ])
    assert status == 0

def growth(*learner):
    tune("small", *learner)
    before = private()
    highest, done = [before], threading.Event()
    def watch():
        while not done.wait(0.003):
            highest.append(private())
    watcher = threading.Thread(target=watch)
    watcher.start()
    tune("large", *learner)
    done.set()
    watcher.join()
    return max(highest) - before

print(json.dumps([growth(*learner) for learner in learners]))
"""
LEARNERS = [
    ["--epochs", "1"],
    ["--optimizer", "minrisk", "--temperatures", "1", "--iterations", "3"],
]


def write_lists(path: Path, sentences: int, size: int) -> None:
    rng = random.Random(1)
    with path.open("w") as stream:
        for sentence in range(sentences):
            for _ in range(size):
                x = rng.getrandbits(30)
                stream.write(
                    f"{sentence} ||| a b {x & 7} {x >> 3 & 7} {x} ||| "
                    f"A= {x & 511} {x >> 9 & 511} B= {x >> 18 & 511} {x >> 20} ||| 0\n"
                )
    path.with_suffix(".refs").write_text("a b 3 4 5\n" * sentences)


@pytest.mark.thorough
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="Linux tells private memory")
def test_private_memory_does_not_grow_with_the_hypotheses(tmp_path: Path) -> None:
    write_lists(tmp_path / "small", 40, 10)
    write_lists(tmp_path / "large", 500, 400)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, tmp_path, json.dumps(LEARNERS)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert 0 == done.returncode, done.stderr
    # arrays in memory took 51 and 38 MB of adagrad-pro and minrisk
    assert max(json.loads(done.stdout)) < 30, done.stdout


@pytest.mark.parametrize(
    "learner",
    [
        ["adagrad-pro", "--epochs", "2"],
        ["minrisk", "--temperatures", "1", "--iterations", "3"],
        ["mert", "--random-restarts", "1", "--random-walks", "1"],
    ],
    ids=lambda learner: learner[0],
)
def test_where_the_arrays_stand_changes_no_byte(
    learner: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scratch, "_LEAST", 1)
    write_lists(tmp_path / "list", 12, 5)
    on_disk = ["--max-memory", "1M", "--tmpdir", str(tmp_path)]
    for name, more in (("memory", []), ("disk", on_disk)):
        command = [
            "tune", str(tmp_path / "list"), "--refs", str(tmp_path / "list.refs"), "--folds", "3",
            "--held-out", str(tmp_path / "list"), "--held-out-refs", str(tmp_path / "list.refs"),
            "--quiet", "-o", str(tmp_path / name), "--optimizer", *learner, *more,
        ]  # fmt: skip
        assert 0 == program.main(command)
    assert (tmp_path / "memory").read_bytes() == (tmp_path / "disk").read_bytes()
    assert {"list", "list.refs", "memory", "disk"} == {path.name for path in tmp_path.iterdir()}


def test_a_folder_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_lists(tmp_path / "list", 12, 5)
    missing = tmp_path / "missing"
    command = ["tune", str(tmp_path / "list"), "--refs", str(tmp_path / "list.refs"),
               "--max-memory", "1M", "--tmpdir", str(missing)]  # fmt: skip
    assert 2 == program.main(command)
    told = capsys.readouterr().err
    assert f"--tmpdir {missing} cannot be written to: No such file or directory" in told
    assert "Create the folder, or choose another one" in told
