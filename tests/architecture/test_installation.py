"""isogloss installed in fresh environments: beside packages of any name, from any form."""

import sys
from pathlib import Path

import pytest

from tests.architecture.environments import (
    build,
    contents,
    done,
    install,
    made_wheel,
    needs_index,
    new_environment,
    packages,
    unpacked,
)
from tests.architecture.reading import INNER, ROOT

NAME = "an environment, größer"  # a path may have spaces and other letters
WHOSE = """
import sys
__import__(sys.argv[1])
import align, features, tune, isogloss.align, isogloss.features, isogloss.tune
assert isogloss.align.Bitext and isogloss.features.PhraseTable and isogloss.tune.Weights
print(align.WHOSE, features.WHOSE, tune.WHOSE)
"""


def owners(python: Path, folder: Path, **environment: str) -> set[str]:
    """Whose packages align, features and tune are, before and after isogloss is imported."""
    commands = [[python, "-c", WHOSE, first] for first in ("isogloss", "features")]
    said = [done(command, folder, **environment).stdout for command in commands]
    return set(" ".join(said).split())


def extracted(folder: Path, *program: str | Path, **environment: str) -> str:
    """The phrase table that a program's `extract` makes in a folder, of two sentence pairs."""
    texts = {"en": "the house\nthe car\n", "es": "la casa\nel coche\n", "links": "0-0 1-1\n" * 2}
    for name, text in texts.items():
        (folder / name).write_text(text)
    done([*program, "extract", *texts, "-o", "table"], folder, **environment)
    return (folder / "table").read_text()


@pytest.fixture
def theirs(tmp_path: Path) -> dict[str, Path]:
    """Wheels of distributions that have the names of our subpackages."""
    return {name: made_wheel(tmp_path, name, "WHOSE = 'theirs'\n") for name in INNER}


def test_distributions_with_names_of_subpackages_are_installed_beside_it(
    plain_wheel: Path, theirs: dict[str, Path], tmp_path: Path
) -> None:
    python = new_environment(tmp_path / NAME)
    install(python, *theirs.values(), plain_wheel)
    assert owners(python, tmp_path) == {"theirs"}
    assert done([python.with_name("isogloss"), "--version"], tmp_path).stdout


@pytest.mark.parametrize("order", [1, -1], ids=["before", "after"])
def test_distributions_with_names_of_subpackages_are_installed_apart(
    plain_wheel: Path, theirs: dict[str, Path], tmp_path: Path, order: int
) -> None:
    python = new_environment(tmp_path / NAME)
    for wheels in ([*theirs.values()], [plain_wheel])[::order]:
        install(python, *wheels)
    assert owners(python, tmp_path) == {"theirs"}
    assert "the house ||| la casa ||| " in extracted(tmp_path, python.with_name("isogloss"))


def test_a_project_has_folders_with_names_of_subpackages(tmp_path: Path) -> None:
    """They stand where the program runs, and are found first."""
    for name in INNER:
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("WHOSE = 'project'\n")
    here = {"PYTHONPATH": str(ROOT)}
    assert owners(Path(sys.executable), tmp_path, **here) == {"project"}
    table = extracted(tmp_path, sys.executable, "-m", "isogloss", **here)
    assert "the house ||| la casa ||| " in table


def test_the_sdist_makes_the_same_wheel(plain_wheel: Path, sdist: Path, tmp_path: Path) -> None:
    sources = unpacked(sdist, tmp_path)
    assert all((sources / name).is_file() for name in ("Dockerfile", "CITATION.cff"))
    assert not (sources / "isogloss" / "align").exists()  # no links, and no files by way of links
    made, expected = contents(build("wheel", sources, tmp_path / "dist")), contents(plain_wheel)
    assert sorted(made) == sorted(expected)
    assert [name for name in made if made[name] != expected[name]] == []


def test_an_unpacked_sdist_is_installed_editable(sdist: Path, tmp_path: Path) -> None:
    sources = unpacked(sdist, tmp_path)
    python = new_environment(tmp_path / NAME)
    install(python, "-e", sources)
    where = done([python, "-c", "import isogloss.align as a; print(a.__file__)"], tmp_path)
    assert where.stdout.strip() == str(sources / "isogloss" / "align" / "__init__.py")
    assert (sources / "isogloss" / "align").is_symlink()
    assert not (packages(tmp_path / NAME) / "isogloss").exists()
    done([python.with_name("isogloss"), "--version"], tmp_path)


def test_no_compiler_is_needed(sdist: Path, tmp_path: Path) -> None:
    needs_index()
    none = {"CC": "/bin/false", "CXX": "/bin/false"}
    done([sys.executable, "-m", "venv", tmp_path / NAME], tmp_path)
    programs = tmp_path / NAME / "bin"
    install = [programs / "pip", "install", "--no-compile", unpacked(sdist, tmp_path)]
    done(install, tmp_path, **none)
    done([programs / "isogloss", "demo", "--out", "demo"], tmp_path, **none)
    assert "BLEU" in (tmp_path / "demo" / "report.txt").read_text()
    assert "charge" in (tmp_path / "demo" / "index.html").read_text()
