"""Values in files that are mapped."""

from pathlib import Path

import numpy as np
import pytest

from isogloss.align.errors import OutputError
from isogloss.align.execution.mapped_values import load_mapped, store_mapped
from isogloss.align.text.bitext import Bitext


def test_arrays_of_any_kind_come_back(tmp_path: Path) -> None:
    value = {
        "a": np.arange(7, dtype=np.int8), "none": np.empty((0, 3)), "b": np.arange(12.0)[::2],
        "words": ("the", "Straße"), "c": np.arange(6, dtype=np.float32).reshape(2, 3),
    }  # fmt: skip
    store_mapped(value, tmp_path / "value")
    again = load_mapped(tmp_path / "value")
    assert again.keys() == value.keys()
    assert again["words"] == value["words"]
    for name in ("a", "none", "b", "c"):
        np.testing.assert_array_equal(again[name], value[name])
        assert (again[name].dtype, again[name].shape) == (value[name].dtype, value[name].shape)
        assert type(again[name]) is np.ndarray
    for name in ("a", "c"):  # one with gaps is copied
        assert again[name].ctypes.data % 64 == 0


def test_changes_stay_in_this_process(tmp_path: Path) -> None:
    store_mapped(np.zeros(5), tmp_path / "value")
    load_mapped(tmp_path / "value")[:] = 1.0
    assert load_mapped(tmp_path / "value").tolist() == [0.0] * 5


def test_a_text_comes_back(tmp_path: Path) -> None:
    bitext = Bitext.from_pairs([("the house", "la casa"), ("the garden", "el jardín")])
    store_mapped(bitext, tmp_path / "text")
    assert load_mapped(tmp_path / "text") == bitext


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OutputError, match="value cannot be written"):
        store_mapped(np.zeros(5), tmp_path / "file" / "value")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        load_mapped(tmp_path / "value")
