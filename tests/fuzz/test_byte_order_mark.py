"""A byte order mark in front of any text that is read: what is read is the same."""

import pickle
import warnings
from codecs import BOM_UTF8
from pathlib import Path
from shutil import copytree

import pytest

from isogloss.align.errors import DataWarning
from tests.fuzz.readers import READERS


@pytest.fixture(scope="module")
def folder(seeds: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copytree(seeds, tmp_path_factory.mktemp("marked") / "seeds")


def is_text(path: Path) -> bool:
    try:
        path.read_bytes().decode()
    except (UnicodeDecodeError, IsADirectoryError):
        return False
    return True


@pytest.mark.parametrize("name", READERS)
def test_a_byte_order_mark(folder: Path, name: str) -> None:
    reader = READERS[name]
    path = folder / reader.file
    if not is_text(path):
        pytest.skip("no text")
    content = path.read_bytes()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        expected = pickle.dumps(reader.call(folder))
        path.write_bytes(BOM_UTF8 + content)
        try:
            found = pickle.dumps(reader.call(folder))
        finally:
            path.write_bytes(content)
    assert found == expected
