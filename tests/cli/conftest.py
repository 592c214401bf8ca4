"""Text that several commands are tried on; which kernels they call."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from isogloss import console
from tests import signatures
from tests.cli.tokenized_text import FILES


@pytest.fixture(scope="module", autouse=True)
def listed_kernels() -> Iterator[None]:
    """Commands call no kernel with types that the list of what is compiled ahead lacks."""
    before = signatures.asked_for()
    yield
    signatures.check_or_record(signatures.asked_for() - before)


@pytest.fixture(autouse=True)
def not_told_of_compiling(monkeypatch: pytest.MonkeyPatch) -> None:
    """Messages are the same whether kernels are compiled already or not."""
    monkeypatch.setattr(console, "PATIENCE", float("inf"))


@pytest.fixture
def text(tmp_path: Path) -> Path:
    """A folder with a few tokenized pairs, their links and their pieces."""
    for name, content in FILES.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    return tmp_path
