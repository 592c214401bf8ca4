"""Input that has been tampered with: refused with an error of ours, or accepted and sound.

Some inputs of each reader and each command; benchmarks/fuzz.py tries as many as one likes, and
those that end the process.
"""

import resource
from collections.abc import Iterator
from pathlib import Path
from shutil import copytree

import pytest

from tests.fuzz.readers import READERS
from tests.fuzz.trials import trials
from tests.fuzz.whole_commands import OPTIONS, WHOLE_COMMANDS
from tests.tiers import tiers

SLOW = {f"isogloss {name}" for name in ("run", "plot", "plot surface", "plot l1-path")}
MEMORY = 6 << 30  # bytes of address space: nothing small asks for more


@pytest.fixture(scope="module")
def folder(seeds: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copytree(seeds, tmp_path_factory.mktemp("work") / "seeds")


@pytest.fixture(autouse=True)
def little_memory() -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, hard))
    yield
    resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


@pytest.mark.parametrize("number", tiers(10, 200))
@pytest.mark.parametrize("name", READERS)
def test_tampered_input(folder: Path, name: str, number: int) -> None:
    found = list(trials(name, READERS[name], folder, range(number)))
    assert [trial for trial in found if trial.is_fault] == []
    assert {"accepted", "refused"} >= {trial.outcome for trial in found}


@pytest.mark.parametrize("number", tiers(1, 6))
@pytest.mark.parametrize("name", sorted(WHOLE_COMMANDS.keys() - SLOW))
def test_whole_commands(folder: Path, name: str, number: int) -> None:
    """Their inputs, and the numbers that they are given."""
    options = OPTIONS.get(f"{name}, options")  # a command may take no numbers
    for reader in filter(None, (WHOLE_COMMANDS[name], options)):
        found = list(trials(name, reader, folder, range(number)))
        assert [trial for trial in found if trial.is_fault] == []
