"""What several tests of installations install."""

from pathlib import Path

import pytest

from tests.architecture.environments import build, unpacked_sdist
from tests.architecture.reading import ROOT


@pytest.fixture(scope="session")
def plain_wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel without compiled kernels."""
    return build("wheel", ROOT, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="session")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An unpacked source distribution."""
    return unpacked_sdist(tmp_path_factory.mktemp("sources"))
