"""What several tests of installations install."""

from pathlib import Path

import pytest

from tests.architecture.environments import build
from tests.architecture.reading import ROOT


@pytest.fixture(scope="session")
def plain_wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel without compiled kernels."""
    return build("wheel", ROOT, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="session")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source distribution."""
    return build("sdist", ROOT, tmp_path_factory.mktemp("sdist"))
