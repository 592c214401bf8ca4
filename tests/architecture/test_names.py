"""`import isogloss as ig`: all public names, and our packages, whatever else is called so."""

import subprocess
import sys
from pathlib import Path

import pytest

import align
import features
import isogloss
import tune

SCRIPT = """
import isogloss as ig
print(ig.read_sentences("text"), ig.PhraseTable.__module__, ig.tune.__module__, ig.__version__)
import align, features
print(align.__name__, hasattr(align, "train"), hasattr(features, "extract"))
"""


def run(folder: Path, *command: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, *command], capture_output=True, text=True, cwd=folder)


def test_all_names_are_there() -> None:
    public = {*align.__all__, *features.__all__, *tune.__all__, "__version__"}
    assert set(isogloss.__all__) == public == set(dir(isogloss))
    for package in (align, features, tune):
        for name in package.__all__:
            assert getattr(isogloss, name) is getattr(package, name)
    with pytest.raises(AttributeError, match="module 'isogloss' has no attribute 'nothing'"):
        isogloss.nothing  # noqa: B018


@pytest.mark.parametrize("name", ["align", "features", "tune"])
def test_a_script_of_the_name_of_a_package(tmp_path: Path, name: str) -> None:
    """It isn't taken for the package, neither by itself nor by the program."""
    (tmp_path / "text").write_text("a b\n")
    (tmp_path / f"{name}.py").write_text(SCRIPT)
    done = run(tmp_path, f"{name}.py")
    assert done.stderr == ""
    shown = f"[['a', 'b']] features.table.phrase_table tune.experiment {isogloss.__version__}\n"
    assert done.stdout == f"{shown}align True True\n"
    (tmp_path / f"{name}.py").write_text("raise RuntimeError('not ours')\n")
    (tmp_path / "links").write_text("0-0\n")
    done = run(tmp_path, "-m", "isogloss", "evaluate", "links", "links")
    assert (done.returncode, done.stderr) == (0, "")


def test_another_module_that_is_loaded_already(tmp_path: Path) -> None:
    (tmp_path / "features.py").write_text("mine = 1\n")
    done = run(tmp_path, "-c", "import features, isogloss")
    told = done.stderr.strip().splitlines()[-1]
    file = tmp_path / "features.py"
    assert told == (
        "ImportError: isogloss needs its own package 'features', but another module of that name "
        f"is loaded already, from {file}; import isogloss before it, or rename it"
    )


def test_our_own_packages_may_be_loaded_already(tmp_path: Path) -> None:
    done = run(tmp_path, "-c", "import tune, align, isogloss; print(isogloss.train.__module__)")
    assert (done.stdout, done.stderr) == ("align.model.training\n", "")


def test_nothing_is_loaded_before_it_is_used(tmp_path: Path) -> None:
    code = "import sys, isogloss; dir(isogloss); print({'align', 'tune', 'numpy'} & {*sys.modules})"
    assert run(tmp_path, "-c", code).stdout == "set()\n"
