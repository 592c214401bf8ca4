"""What LP-MERT minimizes: losses of hypotheses that add up over the sentences (eq. 1)."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ...examples import Examples
from ...metrics.column import Column
from ...metrics.error_rates import ErrorRate

__all__ = ["by_sentence", "least_loss", "loss_name", "sentence_losses"]


def _worth(examples: Examples) -> NDArray[np.float64]:
    """What each hypothesis adds to the objective: float64[num_hypotheses]."""
    # Minus its edits for error rates: a rate by sentence would let an edit count more in a short
    # one.
    if isinstance(examples.metric, ErrorRate):
        return -examples.statistics[:, 0]
    return examples.gains


def sentence_losses(examples: Examples) -> NDArray[np.float64]:
    """Edits, or else 1 - gain, of each hypothesis: float64[num_hypotheses]."""
    most = 0.0 if isinstance(examples.metric, ErrorRate) else 1.0
    return most - _worth(examples)


def loss_name(examples: Examples) -> str:
    """What the losses are, for messages."""
    if isinstance(examples.metric, ErrorRate):
        return "edits"
    if isinstance(examples.metric, Column):
        return "1 - " + examples.metric.column if examples.metric.higher else examples.metric.column
    return f"1 - {examples.metric.name} of a sentence"


def least_loss(examples: Examples) -> float:
    """Sum of the least losses of the sentences, which no choice of hypotheses goes below."""
    losses = sentence_losses(examples)
    return float(np.minimum.reduceat(losses, examples.sentence_offsets[:-1]).sum())


def by_sentence(examples: Examples) -> Examples:
    """The same examples with the mean of minus edits, or of gains, as metric: no corpus is in it.

    Its best score is that of the least sum of losses.
    """
    worth = _worth(examples)
    statistics = np.column_stack([worth, np.ones(len(worth))])
    return replace(examples, statistics=statistics, metric=Column("gain"))
