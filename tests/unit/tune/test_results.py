"""What a tuning result says of itself."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from isogloss.align.errors import DataError
from isogloss.tune.optimizers.lp_mert.tune import LpMertResult
from isogloss.tune.results import Epoch, TuningResult
from isogloss.tune.weights.weights import Weights

WEIGHTS = Weights.from_dict({"LM0": 0.5, "WP": 0.0, "PT_a_b": -2.0})


@pytest.mark.parametrize(
    ("held_out", "score", "shown"),
    [
        (None, 41.25, "score 40 -> 41.25 (+1.2)"),
        (39.5, 39.5, "held-out score 39.5 -> 39.5 (+0)"),
    ],
)
def test_a_result_prints_the_epoch_its_score_and_the_largest_weights(
    held_out: float | None, score: float, shown: str
) -> None:
    epochs = (Epoch(0, 0.0, 40.0, 1, held_out), Epoch(1, 7.5, 41.25, 2, held_out))
    result = TuningResult(WEIGHTS, 1, epochs)
    assert score == result.score
    expected = f"({shown} at epoch 1 of 1; 3 weights, 2 other than 0: PT_a_b -2, LM0 0.5)"
    assert f"TuningResult{expected}" == repr(result)
    exact = LpMertResult(WEIGHTS, 1, epochs, 0.5, True, np.zeros(2, np.int64), 1.0, 0, 0)
    assert f"LpMertResult{expected}" == repr(exact)
    assert f"TuningResult({shown.replace('score', 'ter')} " in repr(replace(result, metric="ter"))


EPOCHS = (Epoch(0, 0.0, 40.0, 1, 39.0), Epoch(1, 7.5, 41.25, 2, 39.5))
RESULT = TuningResult(WEIGHTS, 1, EPOCHS, scale=0.5, metric="bleu")


def test_epochs_are_a_table() -> None:
    columns = {name: list(values) for name, values in RESULT.table_columns().items()}
    assert columns == {
        "epoch": [0, 1], "loss": [0.0, 7.5], "score": [40.0, 41.25], "held_out": [39.0, 39.5],
        "active": [1, 2],
    }  # fmt: skip
    pytest.importorskip("pandas", reason="tables need pandas")
    pytest.importorskip("pyarrow", reason="tables need pyarrow")
    table = replace(RESULT, epochs=(Epoch(0, 0.0, 40.0, 1),), best_epoch=0).to_pandas()
    assert list(table.columns) == list(columns)
    assert table.held_out.isna().all()


@pytest.mark.parametrize("name", ["result.json", "result.json.gz", "deep/result"])
def test_a_result_round_trip(tmp_path: Path, name: str) -> None:
    RESULT.save(tmp_path / name)
    assert TuningResult.load(tmp_path / name) == RESULT
    assert Weights.load(tmp_path / name) == WEIGHTS
    assert (RESULT.gain, RESULT.score) == (0.5, 39.5)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "LM0 0.5",
            "the file is not a tuning result .*; expected a file of TuningResult",
        ),
        ('{"weights": {"LM0": 0.5}}', "the file is not a tuning result"),
        (
            '{"weights": {}, "result": {"metric": "", "scale": 1, "best_epoch": 0, "epochs": []}}',
            "best_epoch is 0, but the number of epochs is 0",
        ),
        (
            '{"result": {"metric": "", "scale": 1, "best_epoch": 0, "epochs": '
            '[{"number": 0, "loss": 0, "score": 1, "active": 0}]}}',
            "the JSON has no valid weights",
        ),
    ],
)
def test_other_files(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "a").write_text(text)
    with pytest.raises(DataError, match=message):
        TuningResult.load(tmp_path / "a")
