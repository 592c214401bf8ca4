"""Files to extract from."""

import pytest

from tests.cli.tables.small_text import (
    LABELS,
    LINKS,
    SOURCE,
    TARGET,
    write,
)


@pytest.fixture
def folder(tmp_path):
    write(tmp_path / "f", SOURCE)
    write(tmp_path / "e", TARGET)
    write(tmp_path / "links", LINKS)
    write(tmp_path / "labels", LABELS)
    write(tmp_path / "posteriors", ["law\tit", "1\t0", "0.75\t0.25", "0\t1", "0.5\t0.5"])
    write(tmp_path / "weights", ["1", "0.5", "0.25", "2"])
    return tmp_path
