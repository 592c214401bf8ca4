"""What ships, what the README prints, and who may import whom."""

import os
import re
import subprocess
import sys
import warnings
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = {"align", "features", "tune", "isogloss"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    out = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(out)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    with zipfile.ZipFile(next(out.glob("*.whl"))) as archive:
        return set(archive.namelist())


def test_wheel_holds_the_four_packages_only(wheel):
    tops = {name.split("/")[0] for name in wheel}
    assert {top for top in tops if not top.endswith(".dist-info")} == PACKAGES


def test_wheel_is_typed_and_has_the_data(wheel):
    assert {f"{package}/py.typed" for package in PACKAGES} <= wheel
    assert {"isogloss/data/train.en.gz", "isogloss/data/test.es.ref1"} <= wheel
    modules = {str(path.relative_to(ROOT)) for p in PACKAGES for path in (ROOT / p).rglob("*.py")}
    assert modules <= wheel


def test_import_contract():
    command = [Path(sys.executable).with_name("lint-imports"), "--no-cache"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stdout


def readme_block(mark):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return re.search(rf"<!-- {mark} -->\n```\w+\n(.*?)```", text, re.DOTALL)[1]


def test_readme_python_example(monkeypatch, capsys):
    monkeypatch.chdir(ROOT)
    code = readme_block("example: python")
    assert len(code.splitlines()) <= 25
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # files left to the collector
        exec(compile(code, "README.md", "exec"), {})
    domains, translation = capsys.readouterr().out.rsplit(") ", 1)
    assert domains == "('everyday', 'legal', 'medical', 'software', 'out'"
    assert translation.strip().endswith(".")


def test_readme_names_every_command():
    from isogloss.commands import COMMANDS

    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [name for name in COMMANDS if f"isogloss {name}" not in text] == []


def test_readme_commands_are_one_line():
    assert "isogloss demo" in readme_block("command: main-job")
    assert "pytest" in readme_block("command: tests")
    assert len(readme_block("command: main-job").splitlines()) == 1
    assert len(readme_block("command: tests").splitlines()) == 1
