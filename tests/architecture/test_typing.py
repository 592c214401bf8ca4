"""Code of users in tests/typing: mypy --strict finds the types that its assert_type names."""

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
