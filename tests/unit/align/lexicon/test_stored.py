"""LexicalTable.save and LexicalTable.load."""

from pathlib import Path

import numpy as np
import pytest

from isogloss.align import LexicalTable, ModelError, Vocabulary

TABLE = LexicalTable(
    generated=np.array([1, 2], np.int32),
    given=np.array([1, 1], np.int32),
    probability=np.array([0.1, 0.9], np.float32),
    null=np.array([0.0, 0.25, 0.75], np.float32),
    generated_vocabulary=Vocabulary(["la", "casa"]),
    given_vocabulary=Vocabulary(["house"]),
    direction="s2t",
)


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        ("given", np.array([1, 2], np.int32), "given holds an id outside of the vocabulary"),
        ("generated", np.array([-1, 2], np.int32), "generated holds an id outside of the voc"),
        ("generated", np.array([1], np.int32), "there must be one generated word per given word"),
        ("null", np.array([0, np.nan, 1], np.float32), "null contains a number that is not fin"),
        ("probability", np.array([1], np.float32), r"probability is float32\[1\]; expected"),
    ],
)
def test_arrays_that_do_not_fit(
    tmp_path: Path, name: str, values: np.ndarray, message: str
) -> None:
    LexicalTable(**vars(TABLE) | {name: values}).save(tmp_path / "x")
    with pytest.raises(ModelError, match=message):
        LexicalTable.load(tmp_path / "x")
