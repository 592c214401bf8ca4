"""What training does, seen from outside."""

import numpy as np
import pytest

from isogloss.align.training.em import Trainer


@pytest.fixture
def posteriors(monkeypatch: pytest.MonkeyPatch) -> list[np.ndarray]:
    """P(D | f, e) of each iteration from here on, as training finds them."""
    found: list[np.ndarray] = []
    whole = Trainer.iterate

    def iterate(*arguments: object) -> np.ndarray:
        found.append(whole(*arguments))
        return found[-1]

    monkeypatch.setattr(Trainer, "iterate", iterate)
    return found
