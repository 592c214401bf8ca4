"""A wheel with compiled kernels, built as printed: in a fresh environment it compiles nothing."""

import json
import os
import platform
import shutil
import sys
import zipfile
from pathlib import Path

import pytest

from isogloss.compilation.signatures import read_list
from tests.architecture.environments import done, install, needs_index, new_environment, unpacked
from tests.architecture.reading import ROOT, marked_block

PROGRAM = """
import json, sys
from numba.core import event
from isogloss.program import main
with event.install_recorder("numba:compile") as recorder:
    status = main(sys.argv[1:])
starts = [e for _, e in recorder.buffer if e.is_start]
print(json.dumps([status, [e.data["dispatcher"].__qualname__ for e in starts]]))
"""

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(
        platform.machine() != "x86_64", reason="kernels are compiled into wheels for x86-64 only"
    ),
]


def moved(sources: Path, place: Path) -> Path:
    """Sources moved to where the last run had its own, with the kernels that it compiled there."""
    last = place / sources.name
    if (last / "build").is_dir():
        shutil.move(last / "build", sources / "build")
    shutil.rmtree(last, ignore_errors=True)
    shutil.move(sources, last)
    return last


@pytest.fixture(scope="module")
def wheel(
    sdist: Path, tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config
) -> Path:
    """Built as docs/howto/install.md prints it; what has not changed isn't compiled again."""
    needs_index()
    sources = unpacked(sdist, tmp_path_factory.mktemp("sources"))
    if pytestconfig.cache is not None:
        sources = moved(sources, pytestconfig.cache.mkdir("wheel"))
    command = marked_block("docs/howto/install.md", "command: wheel")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done(["sh", "-ec", command], sources, PATH=path)
    return next(sources.glob("dist/*.whl"))


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Python of an environment with the wheel, and what it needs from here."""
    python = new_environment(tmp_path_factory.mktemp("environment"))
    install(python, wheel)
    return python


def run(python: Path, folder: Path, *command: str, **environment: str) -> tuple[list[str], str]:
    """Kernels that a command compiles in the fresh environment, and what it says on stderr."""
    result = done([python, "-c", PROGRAM, *command], folder, **environment)
    status, compiled = json.loads(result.stdout.splitlines()[-1])
    assert status == 0
    return compiled, result.stderr


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
    assert "compiled kernels: loaded from the installation (for x86-64-v3" in said
    assert list(tmp_path.glob("demo/weights.full.json"))


def test_where_the_kernels_do_not_fit_they_are_passed_over(python: Path, tmp_path: Path) -> None:
    """Without a word but with -v; results are the same."""
    command = ["classes", str(ROOT / "data" / "test.es.ref0"), "--num-classes", "5"]
    outputs = []
    for settings in ({}, {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}, {"NUMBA_OPT": "2"}):
        out = tmp_path / f"classes{len(outputs)}"
        settings |= {"XDG_CACHE_HOME": str(tmp_path / "user")}  # nothing is kept there yet
        compiled, said = run(python, tmp_path, *command, "-o", str(out), **settings)
        assert bool(compiled) == ("NUMBA_OPT" in settings)
        assert "of the installation" not in said
        outputs.append(out.read_bytes())
    assert len(set(outputs)) == 1
