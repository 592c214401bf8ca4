"""Which weights a tuning run keeps, and what its last line says of them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from isogloss.features.space import FeatureSpace
from isogloss.tune.experiment import Outcome, choose_best
from isogloss.tune.results import Epoch
from isogloss.tune.weights.weights import Weights

from .inputs import TuningInput
from .report import show

__all__ = ["last_epoch_hint", "last_line", "no_weights", "selected_outcome"]

_VERDICTS = {
    "better": "the gain on held-out data is significant: {kept} are kept",
    "worse": "the loss on held-out data is significant: {kept} are kept, but the initial "
    "weights are better",
    "unclear": "the tests disagree on whether the gain on held-out data is significant: "
    "{kept} are kept",
    "not significant": "the gain on held-out data is not significant: {kept} are kept, but "
    "may not improve other data. Use more data to detect smaller gains",
}


# if the metric is worse on held-out data than with the initial weights
_OF_LOSSES = {
    "unclear": "the metric is worse on held-out data, and the tests disagree on whether the loss "
    "is significant: {kept} are kept, but the initial weights may be better",
    "not significant": "the metric is worse on held-out data, but the loss is not significant: "
    "{kept} are kept, but may not improve other data. Use more data, or fewer features",
}


def selected_outcome(given: TuningInput, outcomes: Sequence[Outcome]) -> tuple[Outcome, str]:
    """The outcome whose weights are kept, and what is to be said of the choice.

    The weights to start from are kept where no held-out lists choose, and those of each run are
    worse on the lists that were learned from. A fold, a part of these, may find other weights best.
    """
    examples, sign = given.examples, given.examples.metric.sign
    best = choose_best(list(outcomes), sign)
    if given.held_out is not None:
        return best, ""
    before = examples.best_score(given.start)

    def is_worse(outcome: Outcome) -> bool:
        return sign * (examples.best_score(outcome.weights) - before) < 0

    finals = [outcome for outcome in outcomes if outcome.task.fold is None]
    good = [outcome for outcome in finals if not is_worse(outcome)]
    if good:
        return choose_best(good, sign), ""
    first = best.epochs[0]
    reached = first.score if first.held_out is None else first.held_out
    start = replace(
        best, weights=given.start, best_epoch=0, held_out=reached, scale=1.0,
        hypotheses=examples.best(given.start)[best.tested],
    )  # fmt: skip
    metric = examples.metric
    return start, (
        f"the learned weights reach {metric.name} "
        f"{show(metric, examples.best_score(best.weights))} on all lists, the initial weights "
        f"{show(metric, before)}: the initial weights are kept"
    )


def last_epoch_hint(best: Outcome, epochs: int, limit: str = "--epochs") -> str:
    """What follows the chosen epoch if it is the last; empty if it is not.

    epochs: at most, 0 where that can't be known; limit: the option that limits them
    """
    if not epochs or best.best_epoch < epochs:
        return ""
    return f", the last one; a higher {limit} may improve the metric further"


def last_line(
    best: Outcome,
    numbers: Mapping[str, Any],
    start: Weights,
    *,
    runs: int,
    remedy: str,
    sign: int = 1,
) -> str:
    """Whether anything was gained, and which weights are kept.

    best: the outcome whose weights are kept; start: the weights to start from
    numbers: of the report; its verdict is that of tests on sentences that were held out
    remedy: the option for such tests; sign: -1 of a metric that is an error rate
    """
    if best.best_epoch == 0 or _are_equal(best.weights, start):
        zeros = (
            ""
            if np.any(start.values)
            else ", which are all 0, so that all hypotheses have the same score. Pass initial "
            "weights, such as the decoder's, with -w"
        )
        nothing = "tuning did not improve the metric"
        if _were_held_back(best.epochs, sign):
            nothing = (
                "training improved the metric on the data that it learned from, but in no epoch on "
                "the held-out data that selects the epoch"
            )
        return f"{nothing}: the initial weights are kept{zeros}"
    name = f"run {best.task.run}, epoch" if runs > 1 else "epoch"
    kept = f"the weights of {name} {best.best_epoch}"
    if "verdict" in numbers:
        verdicts = _VERDICTS | (_OF_LOSSES if numbers.get("gain", 0.0) < 0 else {})
        return verdicts[numbers["verdict"]].format(kept=kept)
    return (
        f"{kept} are kept; their gain on held-out data was not measured (pass {remedy} to "
        "measure it)"
    )


def _were_held_back(epochs: Sequence[Epoch], sign: int) -> bool:
    """Whether training improved what was learned from, and no epoch what was held out."""
    if not epochs or epochs[0].held_out is None:
        return False
    best = max(epochs, key=lambda epoch: epoch.rank(sign))
    improved = any(sign * (epoch.score - epochs[0].score) > 0 for epoch in epochs)
    return best is epochs[0] and improved


def _are_equal(weights: Weights, others: Weights) -> bool:
    return np.array_equal(weights.values, others.to_space(weights.space).values)


def no_weights(space: FeatureSpace) -> str:
    """The warning that a result has no weights, as those of sparse features are all 0."""
    return (
        f"warning: all weights are 0, and zeros are not written for the {len(space):,} features, "
        "which are sparse (names with an underscore). Pass initial weights, such as the decoder's, "
        "with -w, more sentences, or another --optimizer such as pro"
    )
