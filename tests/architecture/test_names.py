"""`import isogloss as ig`: all public names, and nothing else at the top of site-packages."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import isogloss
from isogloss import align, features, tune
from tests.architecture.reading import INNER, PACKAGES, ROOT, modules

SCRIPT = """
import {first}
import {second}
assert isogloss.tune_nbest.__module__ == "isogloss.tune.experiment"
assert isogloss.PhraseTable.__module__ == "isogloss.features.table.phrase_table"
import align, features, tune
print(align.mine, features.mine, tune.mine)
"""


def run(folder: Path, *command: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, *command], capture_output=True, text=True, cwd=folder)


def test_all_names_are_there() -> None:
    public = {
        *align.__all__,
        *features.__all__,
        *tune.__all__,
        "__version__",
        "plot",
        "view",
        *INNER,
    }
    assert set(isogloss.__all__) == public == set(dir(isogloss))
    for package in (align, features, tune):
        assert getattr(isogloss, package.__name__.rpartition(".")[2]) is package
        for name in package.__all__:
            assert getattr(isogloss, name) is getattr(package, name)
    for name in isogloss.plot.__all__:
        assert callable(getattr(isogloss.plot, name))
    with pytest.raises(AttributeError, match=r"module 'isogloss\.plot' has no attribute 'nothing'"):
        isogloss.plot.nothing  # noqa: B018
    with pytest.raises(AttributeError, match="module 'isogloss' has no attribute 'nothing'"):
        isogloss.nothing  # noqa: B018


@pytest.mark.parametrize("first", ["isogloss", "features"])
@pytest.mark.parametrize("suffix", [".py", "/__init__.py"])
def test_a_project_has_modules_of_these_names(tmp_path: Path, first: str, suffix: str) -> None:
    """Whichever is imported first."""
    for name in INNER:
        file = tmp_path / f"{name}{suffix}"
        file.parent.mkdir(exist_ok=True)
        file.write_text("mine = __file__\n")
    second = "features" if first == "isogloss" else "isogloss"
    done = run(tmp_path, "-c", SCRIPT.format(first=first, second=second))
    assert done.stderr == ""
    assert done.stdout.split() == [str(tmp_path / f"{name}{suffix}") for name in INNER]
    (tmp_path / "links").write_text("0-0\n")
    done = run(tmp_path, "-m", "isogloss", "evaluate", "links", "links")
    assert (done.returncode, done.stderr) == (0, "")


def test_no_module_of_ours_is_imported_by_its_folder() -> None:
    """A checkout has align/, features/ and tune/ on the path; an installation hasn't."""
    folders = (*PACKAGES, "tests", "benchmarks", "examples", "data")
    line = re.compile(rf"^\s*(from|import) ({'|'.join(INNER)})\b", re.M)
    found = {module.path.name for module in modules(ROOT, *folders) if line.search(module.text)}
    assert found == {"test_names.py", "test_installation.py"}  # what others have so called


def test_nothing_is_loaded_before_it_is_used(tmp_path: Path) -> None:
    code = "import sys, isogloss; dir(isogloss); print('isogloss.align' in sys.modules)"
    assert run(tmp_path, "-c", code).stdout == "False\n"
