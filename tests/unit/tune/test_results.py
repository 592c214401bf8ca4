"""What a tuning result says of itself."""

import numpy as np
import pytest

from isogloss.tune.optimizers.lp_mert.tune import LpMertResult
from isogloss.tune.results import Epoch, TuningResult
from isogloss.tune.weights.weights import Weights

WEIGHTS = Weights.from_dict({"LM0": 0.5, "WP": 0.0, "PT_a_b": -2.0})
SHOWN = "Weights(3 features, 2 of them dense; 2 weights other than 0: PT_a_b -2, LM0 0.5)"


@pytest.mark.parametrize(("held_out", "score"), [(None, 41.25), (39.5, 39.5)])
def test_a_result_prints_the_epoch_its_score_and_the_largest_weights(
    held_out: float | None, score: float
) -> None:
    epochs = (Epoch(0, 0.0, 40.0, 1, held_out), Epoch(1, 7.5, 41.25, 2, held_out))
    result = TuningResult(WEIGHTS, 1, epochs)
    assert score == result.score
    expected = f"epoch 1 of 1 is the best, score {score:.4g}; {SHOWN})"
    assert f"TuningResult({expected}" == repr(result)
    exact = LpMertResult(WEIGHTS, 1, epochs, 0.5, True, np.zeros(2, np.int64), 1.0, 0, 0)
    assert f"LpMertResult({expected}" == repr(exact)
