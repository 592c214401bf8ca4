"""Fresh virtual environments for tests of what is installed, and what is installed there."""

import os
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import venv
import zipfile
from pathlib import Path

import pytest

from tests.architecture.reading import ROOT


def clean_environment(**more: str) -> dict[str, str]:
    """No settings of Numba or of the build, and no other path that packages are found on."""
    dropped = ("NUMBA_", "PYTHONPATH", "ISOGLOSS_BUILD_KERNELS", "PIP_BUILD_TRACKER", "UV")
    return {k: v for k, v in os.environ.items() if not k.startswith(dropped)} | more


def done(
    command: list[str | Path], folder: Path, **environment: str
) -> subprocess.CompletedProcess[str]:
    """What came of a command that has to succeed, run in a clean environment."""
    result = subprocess.run(
        command, cwd=folder, env=clean_environment(**environment), capture_output=True, text=True
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result


def needs_index() -> None:
    """Skip a test where pip reaches no index."""
    probe = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-cache-dir", "shtab"]
    with tempfile.TemporaryDirectory() as folder:
        found = subprocess.run(
            [*probe, "-d", folder], env=clean_environment(), capture_output=True, check=False
        )
    if found.returncode:
        pytest.skip("pip reaches no package index")


def build(kind: str, sources: Path, out: Path) -> Path:
    """An "sdist", or a "wheel" without compiled kernels, of a source tree."""
    command = [sys.executable, "-m", "hatchling", "build", "-t", kind, "-d", out]
    done(command, sources, ISOGLOSS_BUILD_KERNELS="0")
    return next(out.glob("isogloss-*"))


def unpacked(sdist: Path, out: Path) -> Path:
    """The folder that a source distribution unpacks to."""
    with tarfile.open(sdist) as packed:
        packed.extractall(out, filter="data")
    return next(path for path in out.glob("isogloss-*") if path.is_dir())


def new_environment(folder: Path) -> Path:
    """Python of a new environment, where the packages of the running one are found, too."""
    venv.create(folder, with_pip=False)
    others = "\n".join({sysconfig.get_path("purelib"), sysconfig.get_path("platlib")})
    (packages(folder) / "others.pth").write_text(others + "\n")
    return folder / "bin" / "python"


def packages(environment: Path) -> Path:
    """The folder site-packages of an environment."""
    return Path(sysconfig.get_path("purelib", vars={"base": str(environment)}))


def install(python: Path, *what: str | Path) -> None:
    """Install files or projects by pip, without their dependencies and any network."""
    pytest.importorskip("pip", reason="pip isn't installed in the environment of the tests")
    offline = ["--no-deps", "--no-index", "--no-build-isolation", "--ignore-installed"]
    command = [sys.executable, "-m", "pip", "--python", python, "install", *offline, *what]
    done(command, ROOT.parent)


def made_wheel(folder: Path, name: str, code: str) -> Path:
    """A wheel of a distribution with one package of its name."""
    info = f"{name}-1.0.dist-info"
    files = {
        f"{name}/__init__.py": code,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    files[f"{info}/RECORD"] = "".join(f"{file},,\n" for file in [*files, f"{info}/RECORD"])
    path = folder / f"{name}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for file, text in files.items():
            archive.writestr(file, text)
    return path


def contents(wheel: Path) -> dict[str, bytes]:
    """The files of a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}
