"""What does not fit into memory stands in a file, and changes nothing."""

from pathlib import Path

import numpy as np
import pytest

from isogloss.align import AlignerOptions, Bitext, DataError, train
from isogloss.align.files import scratch
from isogloss.align.model import cooccurrence
from isogloss.align.model.cooccurrence import build_pair_index
from isogloss.align.text.corpus import Corpus
from isogloss.align.training.storage import TrainingStorage

OPTIONS = AlignerOptions(model1_iterations=2, hmm_iterations=2)


def text() -> Bitext:
    rng = np.random.default_rng(5)
    words = [[f"w{k}" for k in rng.integers(0, 30, rng.integers(0, 9))] for _ in range(200)]
    return Bitext.unlabeled(Corpus.from_sentences(words), Corpus.from_sentences(words[::-1]))


def test_an_index_with_its_cells_in_a_file_is_the_same(tmp_path, monkeypatch):
    monkeypatch.setattr(cooccurrence, "_BLOCK", 7)
    index, cells = build_pair_index(text())
    same, on_disk = build_pair_index(text(), tmp_path / "cells")
    assert isinstance(on_disk.pair_ids, np.memmap)
    np.testing.assert_array_equal(on_disk.pair_ids, cells.pair_ids)
    np.testing.assert_array_equal(same.columns, index.columns)
    np.testing.assert_array_equal(same.row_offsets, index.row_offsets)


def test_little_memory_changes_no_byte(tmp_path, monkeypatch):
    used: list[Path] = []
    reserve = cooccurrence.reserve
    monkeypatch.setattr(scratch, "_LEAST", 1)
    monkeypatch.setattr(
        cooccurrence, "reserve", lambda path, size: (used.append(path), reserve(path, size))
    )
    expected = train(text(), options=OPTIONS)
    assert used == []
    actual = train(
        text(), options=OPTIONS, storage=TrainingStorage(max_memory=1000, scratch_folder=tmp_path)
    )
    assert [path.parent.parent for path in used] == [tmp_path]
    for name in vars(expected.parameters):
        mine, its = getattr(actual.parameters, name), getattr(expected.parameters, name)
        assert mine.tobytes() == its.tobytes()
    assert list(tmp_path.iterdir()) == []


def test_no_room_on_the_disk_is_an_error(tmp_path, monkeypatch):
    def full(descriptor: int, offset: int, size: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(scratch.os, "posix_fallocate", full)
    with pytest.raises(DataError, match=r" bytes .*: No space left on device.*scratch_folder="):
        train(
            text(), options=OPTIONS, storage=TrainingStorage(max_memory=1, scratch_folder=tmp_path)
        )


def test_a_missing_folder_is_an_error(tmp_path):
    with pytest.raises(DataError, match=r"No such file.*scratch_folder="):
        train(
            text(),
            options=OPTIONS,
            storage=TrainingStorage(max_memory=1, scratch_folder=tmp_path / "missing"),
        )
