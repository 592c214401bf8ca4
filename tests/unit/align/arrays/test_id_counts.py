"""How often ids occur, against NumPy's own count of all at once."""

import numpy as np
import pytest

from isogloss.align.arrays import id_counts as tested


@pytest.mark.parametrize("length", [0, 1, 7, 8, 9, 100])
@pytest.mark.parametrize("size", [1, 3, 20])
def test_counts_are_those_of_all_ids_at_once(
    length: int, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tested, "_BLOCK", 4)
    ids = np.random.default_rng(length).integers(-1, size, length).astype(np.int32)
    counts = tested.id_counts(ids, size)
    assert counts.dtype == np.int64
    assert counts.tolist() == np.bincount(ids[ids >= 0], minlength=size).tolist()
