"""Arrays written piece by piece are those that numpy writes at once."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.align.arrays.ragged import offsets_of
from isogloss.align.errors import OutputError
from isogloss.align.files.growing_arrays import growing_arrays, map_array
from isogloss.align.files.writers import write_array


@pytest.mark.parametrize("dtype", [np.uint8, np.int32, np.int64, np.float32, np.float64])
@given(pieces=st.lists(st.lists(st.integers(0, 200), max_size=5), max_size=4))
def test_as_written_at_once(
    tmp_path_factory: pytest.TempPathFactory, dtype: type[np.generic], pieces: list[list[int]]
) -> None:
    folder = tmp_path_factory.mktemp("arrays")
    with growing_arrays(folder) as arrays:
        arrays.begin("values", dtype)
        arrays.begin_offsets("offsets")
        for piece in pieces:
            arrays.append("values", np.array(piece))
            arrays.append_offsets("offsets", offsets_of(piece))
    joined = np.array([value for piece in pieces for value in piece], dtype)
    write_array(joined, folder / "expected.npy")
    assert (folder / "values.npy").read_bytes() == (folder / "expected.npy").read_bytes()
    assert joined.tolist() == map_array(folder / "values.npy").tolist()
    write_array(offsets_of(joined), folder / "expected.npy")
    assert (folder / "offsets.npy").read_bytes() == (folder / "expected.npy").read_bytes()


def test_nothing_is_left_of_a_failure(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="half way"), growing_arrays(tmp_path) as arrays:
        arrays.begin("values", np.int64)
        arrays.append("values", np.arange(3))
        raise RuntimeError("half way")
    assert [] == list(tmp_path.iterdir())


def test_no_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: object, data: object) -> int:
        raise OutputError(tmp_path / "values.npy", OSError(28, "No space left on device"))

    monkeypatch.setattr("isogloss.align.files.writers._Output.write", full)
    with (
        pytest.raises(OutputError, match=r"values\.npy cannot be written: No space left on device"),
        growing_arrays(tmp_path) as arrays,
    ):
        arrays.begin("values", np.float64)
        arrays.append("values", np.zeros(1 << 16))
    assert [] == list(tmp_path.iterdir())


def test_what_is_written_to_a_mapped_array_stays_in_memory(tmp_path: Path) -> None:
    write_array(np.arange(3), tmp_path / "a.npy")
    mapped = map_array(tmp_path / "a.npy")
    mapped[:] = 7
    assert isinstance(mapped.base, np.memmap)
    assert [0, 1, 2] == map_array(tmp_path / "a.npy").tolist()
