"""Code of users in tests/typing: type checkers find the types that its assert_type names."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.reading import ROOT

CODE = sorted((ROOT / "tests" / "typing").glob("*.py"))


def test_types_that_users_see(tmp_path: Path) -> None:
    pytest.importorskip("mypy", reason="mypy isn't installed; pip install -e '.[dev]'")
    command = [sys.executable, "-m", "mypy", "--config-file", ROOT / "pyproject.toml"]
    done = subprocess.run(
        [*command, "--cache-dir", tmp_path, *CODE], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout
    assert CODE


def test_pyright_sees_the_same(tmp_path: Path) -> None:
    """basedpyright brings its own Node, so that nothing is loaded when it runs."""
    pytest.importorskip("basedpyright", reason="basedpyright isn't installed: pip install '.[dev]'")
    wrong = tmp_path / "wrong.py"
    wrong.write_text("from typing import assert_type\nimport isogloss\n"
                     "assert_type(isogloss.Links.load('x'), int)\n")  # fmt: skip
    settings = tmp_path / "pyrightconfig.json"
    settings.write_text(json.dumps({
        "include": [str(path) for path in (*CODE, wrong)], "extraPaths": [str(ROOT)],
        "typeCheckingMode": "standard",
    }))  # fmt: skip
    command = [sys.executable, "-m", "basedpyright", "-p", settings, "--outputjson"]
    command += ["--pythonpath", sys.executable]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    faults = json.loads(done.stdout)["generalDiagnostics"]
    assert [(fault["file"], fault["rule"]) for fault in faults] == [
        (str(wrong), "reportAssertTypeFailure")
    ]
