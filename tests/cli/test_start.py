"""What a command costs before it does anything: only what it needs is loaded."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = {
    "numba", "numpy", "scipy", "sacrebleu", "rich", "lxml", "kenlm", "highspy", "matplotlib",
    "starlette", "uvicorn", "pandas", "polars", "pyarrow",
}  # fmt: skip
PROGRAM = """
import json, sys
from isogloss.program import main
status = main(sys.argv[1:])
print(json.dumps([status, sorted(sys.modules)]))
"""


def loaded(folder: Path, *command: str) -> set[str]:
    """Names of the modules, and thus of packages, that a command has loaded when it ends."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *command],
        capture_output=True, text=True, check=True, cwd=folder,
    )  # fmt: skip
    status, names = json.loads(done.stdout.splitlines()[-1])
    assert status == 0
    return set(names)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in {
        "links": "0-0 1-1\n", "gold": "0-0 1p1\n", "out": "a b\n", "ref": "a b\n",
        "weights": "LM0 0.5\nPT_a_b 1.0\n",
    }.items():  # fmt: skip
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_the_program_itself_loads_nothing(folder: Path, option: str) -> None:
    names = loaded(folder, option)
    assert not names & HEAVY
    assert not names & {"features", "tune"}


@pytest.mark.parametrize(
    ("command", "needed"),
    [
        (["evaluate", "links", "gold"], {"numpy", "lxml"}),
        (["score", "out", "--refs", "ref"], {"numpy", "lxml", "sacrebleu", "rich"}),
        (["weights", "show", "weights"], {"numpy", "lxml"}),
        (["completion", "bash"], {"numpy"}),  # which loads what --help of any command does
    ],
)
def test_a_command_loads_what_it_needs(folder: Path, command: list[str], needed: set[str]) -> None:
    assert loaded(folder, *command) & HEAVY <= needed


@pytest.mark.parametrize("command", ["tune", "reproduce"])
def test_help_loads_no_decoder(folder: Path, command: str) -> None:
    names = loaded(folder, command, "--help")
    assert names & HEAVY <= {"numpy"}
    decoders = ("isogloss.tune.decoder", "isogloss.tune.online.decoder")
    assert not {name for name in names if name.startswith(decoders)}


def test_an_older_python_is_refused() -> None:
    """In a checkout too, where no pip does."""
    refused = "import sys; sys.version_info = (3, 10, 4); import isogloss"
    done = subprocess.run([sys.executable, "-c", refused], capture_output=True, text=True)
    assert done.stderr.endswith(
        "ImportError: isogloss needs Python 3.11 or newer; this is Python 3.10\n"
    )
