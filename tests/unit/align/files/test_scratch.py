"""Arrays in files that have no name: they are used like others, and are gone with themselves."""

from pathlib import Path

import numpy as np
import pytest

from isogloss.align.errors import DataError
from isogloss.align.files import scratch
from isogloss.align.files.scratch import ScratchArrays


def test_large_arrays_outlive_their_file_and_its_folder(tmp_path: Path) -> None:
    folder = tmp_path / "scratch"
    folder.mkdir()
    array = ScratchArrays(folder)((50_000, 2), np.float64)
    assert [] == list(folder.iterdir())
    folder.rmdir()
    array[:] = np.arange(100_000.0).reshape(-1, 2)
    assert isinstance(array.base, np.memmap)
    assert (50_000, 2) == array.shape
    assert [99_998.0, 99_999.0] == array[-1].tolist()


def test_small_arrays_stand_in_memory(tmp_path: Path) -> None:
    array = ScratchArrays(tmp_path / "missing")(np.int64(10), np.int32)
    assert array.base is None
    assert (10,) == array.shape
    assert np.int32 == array.dtype


def test_a_missing_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"800,000 bytes .*missing: No such file.*scratch_folder="):
        ScratchArrays(tmp_path / "missing")(100_000, np.float64)


def test_no_room_on_the_disk_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(descriptor: int, offset: int, size: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(scratch.os, "posix_fallocate", full)
    with pytest.raises(DataError, match=r" bytes .*: No space left on device.*max_memory="):
        ScratchArrays(tmp_path)(100_000, np.float64)
