"""Text that several commands are tried on."""

from pathlib import Path

import pytest

from tests.cli.tokenized_text import FILES


@pytest.fixture
def text(tmp_path: Path) -> Path:
    """A folder with a few tokenised pairs, their links and their pieces."""
    for name, content in FILES.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    return tmp_path
