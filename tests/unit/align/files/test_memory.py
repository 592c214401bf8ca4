"""Memory that is free, as the system, a container and the process tell it."""

import os
import resource
from pathlib import Path

import pytest

from isogloss.align.files import memory
from isogloss.align.files.memory import free_memory


@pytest.fixture
def told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where nothing is told yet."""
    monkeypatch.setattr(memory, "_SYSTEM", tmp_path / "meminfo")
    monkeypatch.setattr(memory, "_CONTAINER", tmp_path)
    return tmp_path


def test_the_least_counts(told: Path) -> None:
    assert free_memory() is None
    (told / "meminfo").write_text("MemTotal: 900 kB\nMemAvailable:  123 kB\n")
    assert free_memory() == 123 * 1024
    (told / "memory.max").write_text("max\n")
    (told / "memory.current").write_text("1000\n")
    assert free_memory() == 123 * 1024
    (told / "memory.max").write_text("3000\n")
    assert free_memory() == 2000
    (told / "memory.max").write_text("900\n")
    assert free_memory() == 0


@pytest.mark.usefixtures("told")
def test_a_limit_of_the_process() -> None:
    child = os.fork()
    if child == 0:
        size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (size + (1 << 26), size + (1 << 26)))
        os._exit(int(not 0 < (free_memory() or 0) <= 1 << 26))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
