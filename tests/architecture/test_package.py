"""What ships, what the README prints, and who may import whom."""

import importlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.environments import clean_environment, contents
from tests.architecture.reading import INNER, PACKAGES, ROOT, marked_block


@pytest.fixture(scope="module")
def wheel(plain_wheel):
    return set(contents(plain_wheel))


def test_wheel_holds_one_package_only(wheel):
    tops = {name.split("/")[0] for name in wheel}
    assert sorted(re.sub(r"-.*\.", "-.", top) for top in tops) == [
        "isogloss",
        "isogloss-.dist-info",
    ]


def test_wheel_holds_modules_types_and_the_sample_and_nothing_else(wheel):
    """No generator, no tests, nothing compiled, as ISOGLOSS_BUILD_KERNELS=0 asks for."""
    modules = {path.relative_to(ROOT) for p in PACKAGES for path in (ROOT / p).rglob("*.py")}
    modules = {f"isogloss/{path}" if path.parts[0] in INNER else f"{path}" for path in modules}
    typed = {f"isogloss/{package}/py.typed" for package in INNER} | {"isogloss/py.typed"}
    typed.add("isogloss/compilation/signatures.txt")
    typed |= {
        f"{path.relative_to(ROOT)}"
        for folder in ("static", "templates")
        for path in (ROOT / "isogloss" / "pages" / folder).rglob("*.*")
    }
    sample = {f"isogloss/data/{path.name}" for path in (ROOT / "data").iterdir() if path.is_file()}
    assert {"isogloss/data/train.en.gz", "isogloss/data/test.es.ref1"} <= sample
    assert {name for name in wheel if ".dist-info/" not in name} == modules | typed | sample


def test_a_wheel_holds_the_site_if_asked(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "build_system"))
    hook = importlib.import_module("isogloss_hook")
    assert "isogloss/site" not in hook.placed_in_package(ROOT).values()
    monkeypatch.setenv("ISOGLOSS_BUILD_SITE", "1")
    places = hook.placed_in_package(ROOT)
    assert places[str(ROOT / "docs" / "_build" / "html")] == "isogloss/site"


@pytest.mark.parametrize(
    ("settings", "machine", "wanted"),
    [
        ({}, "x86_64", True),
        ({}, "AMD64", True),
        ({}, "aarch64", False),
        ({"ISOGLOSS_BUILD_KERNELS": "0"}, "x86_64", False),
        ({"PIP_BUILD_TRACKER": "x"}, "x86_64", False),
        ({"UV": "/bin/uv"}, "x86_64", False),
        ({"PIP_BUILD_TRACKER": "x", "ISOGLOSS_BUILD_KERNELS": "1"}, "x86_64", True),
    ],
)
def test_when_a_wheel_holds_compiled_kernels(monkeypatch, settings, machine, wanted):
    monkeypatch.syspath_prepend(str(ROOT / "build_system"))
    hook = importlib.import_module("isogloss_hook")
    for name in (hook.SWITCH, *hook.INSTALLERS):
        monkeypatch.delenv(name, raising=False)
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(hook.platform, "machine", lambda: machine)
    assert hook.is_wanted() == wanted


def test_a_build_that_cannot_compile_kernels_ends_and_says_what_to_do(tmp_path):
    """As without isolation, with a Numba that kernels weren't tested with."""
    (tmp_path / "numba").mkdir()
    (tmp_path / "numba" / "__init__.py").write_text("__version__, types = '0.1.0', None\n")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path / "dist"]
    environment = clean_environment(ISOGLOSS_BUILD_KERNELS="1", PYTHONPATH=str(tmp_path))
    ended = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert ended.returncode == 1
    assert re.search(
        r"needs a tested version of Numba, .*, got 0\.1\.0\n"
        r"The kernels can't be compiled, so no wheel is built; set ISOGLOSS_BUILD_KERNELS=0 .*\n$",
        ended.stderr,
    )
    assert list(tmp_path.glob("dist/*")) == []


def test_a_wheel_is_compiled_with_the_numba_that_was_tested(monkeypatch):
    """And with all that the library needs: what compiles imports more of it than Numba."""
    from isogloss.align.kernel_cache import TESTED

    monkeypatch.chdir(ROOT)
    monkeypatch.syspath_prepend(str(ROOT / "build_system"))
    backend = importlib.import_module("isogloss_backend")
    monkeypatch.setattr(backend, "is_wanted", lambda: True)
    required = backend.get_requires_for_build_wheel()
    assert f"numba=={TESTED[-1]}" in required
    assert {"numpy", "zstandard", "msgspec"} < {re.split("[<>=]", line)[0] for line in required}
    monkeypatch.setattr(backend, "is_wanted", lambda: False)
    assert backend.get_requires_for_build_wheel() == []


def test_code_is_formatted():
    ruff = shutil.which("ruff", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    if ruff is None:
        pytest.skip("ruff isn't installed; pip install -e '.[dev]'")
    for command in (["format", "--check"], ["check"]):
        done = subprocess.run(
            [ruff, *command, "--no-cache", "."], cwd=ROOT, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout


def test_import_contract():
    command = [Path(sys.executable).with_name("lint-imports"), "--no-cache"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stdout


def readme_block(mark):
    return marked_block("README.md", mark)


def test_readme_commands_are_one_line():
    assert "isogloss demo" in readme_block("command: main-job")
    assert "pytest" in readme_block("command: tests")
    assert len(readme_block("command: main-job").splitlines()) == 1
    assert len(readme_block("command: tests").splitlines()) == 1
