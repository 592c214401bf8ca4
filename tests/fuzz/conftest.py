"""The files that are tampered with."""

from pathlib import Path

import pytest

from tests.fuzz.seeds import make_seeds


@pytest.fixture(scope="package")
def seeds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that tests copy, and don't write to."""
    folder = tmp_path_factory.mktemp("seeds")
    make_seeds(folder)
    return folder
