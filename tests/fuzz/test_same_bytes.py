"""Every command writes the same bytes, whatever threads, hash seed, locale, folder and BLAS are."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fuzz.commands import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
EVERY = [name for name in COMMANDS if name != "run"]  # which writes what the others write, too
ONE = {"PYTHONHASHSEED": "0", "LC_ALL": "C", "OPENBLAS_NUM_THREADS": "1", "TZ": "UTC"}
OTHER = {"PYTHONHASHSEED": "4711", "LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8", "COLUMNS": "40",
         "OPENBLAS_NUM_THREADS": "3", "TZ": "Asia/Kathmandu", "PYTHONUTF8": "0"}  # fmt: skip


def digests(
    names: list[str], seeds: Path, environment: dict[str, str], threads: int
) -> dict[str, str]:
    command = [sys.executable, "-m", "tests.fuzz.digests", str(seeds), "--threads", str(threads)]
    done = subprocess.run(
        [*command, "--only", *names], cwd=ROOT, env={**os.environ, **environment},
        stdout=subprocess.PIPE, check=True, encoding="utf-8",
    )  # fmt: skip
    result: dict[str, str] = json.loads(done.stdout)
    return result


@pytest.mark.thorough
def test_same_bytes(seeds: Path, tmp_path: Path) -> None:
    expected = digests(EVERY, seeds, ONE, 1)
    assert {f"{name}: status" for name in EVERY} <= expected.keys()
    other = digests(EVERY, seeds, OTHER | {"TMPDIR": str(tmp_path)}, 3)
    assert {name for name in expected | other if expected.get(name) != other.get(name)} == set()
