"""A wheel whose kernels are compiled: installed in a fresh environment, it compiles nothing."""

import json
import os
import platform
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

from isogloss.compilation.signatures import read_list
from tests.architecture.reading import ROOT

PROGRAM = """
import json, sys
from numba.core import event
from isogloss.program import main
with event.install_recorder("numba:compile") as recorder:
    status = main(sys.argv[1:])
starts = [e for _, e in recorder.buffer if e.is_start]
print(json.dumps([status, [e.data["dispatcher"].__qualname__ for e in starts]]))
"""

pytestmark = pytest.mark.skipif(
    platform.machine() != "x86_64", reason="kernels are compiled into wheels for x86-64 only"
)


def clean_environment(**more: str) -> dict[str, str]:
    """No settings of Numba, and no other path that packages are found on."""
    dropped = ("NUMBA_", "PYTHONPATH", "ISOGLOSS_BUILD_KERNELS", "PIP_BUILD_TRACKER")
    return {k: v for k, v in os.environ.items() if not k.startswith(dropped)} | more


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built as ``python -m build`` does; what build/kernels has is not compiled again."""
    out = tmp_path_factory.mktemp("compiled-wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(out)]
    done = subprocess.run(
        command, cwd=ROOT, env=clean_environment(), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return next(out.glob("*.whl"))


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Python of an environment with the wheel, and what it needs from here."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=False)
    packages = Path(sysconfig.get_path("purelib", vars={"base": str(folder)}))
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(packages)
    (packages / "others.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder / "bin" / "python"


def run(python: Path, folder: Path, *command: str, **environment: str) -> tuple[list[str], str]:
    """Kernels that a command compiles in the fresh environment, and what it says on stderr."""
    done = subprocess.run(
        [python, "-c", PROGRAM, *command],
        cwd=folder, env=clean_environment(**environment), capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    status, compiled = json.loads(done.stdout.splitlines()[-1])
    assert status == 0
    return compiled, done.stderr


def test_the_wheel_is_one_for_this_python_and_system(wheel: Path) -> None:
    tag = "cp{0}{1}-cp{0}{1}".format(*sys.version_info[:2])
    assert tag in wheel.name
    assert "any" not in wheel.name
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if name.startswith("isogloss/align/compiled/")]
    assert "isogloss/align/compiled/made-for.json" in names
    assert len([name for name in names if name.endswith(".nbc")]) == len(read_list())


def test_the_demo_compiles_nothing(python: Path, tmp_path: Path) -> None:
    compiled, said = run(python, tmp_path, "demo", "--out", str(tmp_path / "demo"), "-v")
    assert compiled == []
    assert "compiled kernels: those of the installation, for x86-64-v3 processors" in said
    assert list(tmp_path.glob("demo/weights.full.json"))


def test_where_the_kernels_do_not_fit_they_are_passed_over(python: Path, tmp_path: Path) -> None:
    """Without a word but with -v; results are the same."""
    command = ["classes", str(ROOT / "data" / "test.es.ref0"), "-n", "5"]
    outputs = []
    for settings in ({}, {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}, {"NUMBA_OPT": "2"}):
        out = tmp_path / f"classes{len(outputs)}"
        compiled, said = run(python, tmp_path, *command, "-o", str(out), **settings)
        assert bool(compiled) == ("NUMBA_OPT" in settings)
        assert "of the installation" not in said
        outputs.append(out.read_bytes())
    assert len(set(outputs)) == 1
