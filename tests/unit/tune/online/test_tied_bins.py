"""The pull of neighboring bins in online learning."""

import numpy as np

from isogloss.features.space import FeatureSpace, bin_feature_name
from isogloss.tune.online.options import OnlineOptions
from isogloss.tune.online.tied_bins import TiedBins


def test_bins_at_rest_have_no_pull() -> None:
    """Not that of rounding either, of which AdaGrad's first step would make a whole one."""
    space = FeatureSpace(["dense", *(bin_feature_name("p", k, 32) for k in range(32))])
    tied = TiedBins.of(space, OnlineOptions(bin_regularizer="linear", bin_strength=3.0))
    assert tied is not None
    weights = np.append(1.0, np.zeros(32))
    weights[[1, 2, 20, 32]] = 0.7, 0.9, 1.4, 3.3
    loose = weights == 0.0
    tied.rest(weights, loose)
    assert not tied.gradient(weights[tied.ids])[loose[tied.ids]].any()
    weights[10] += 1e-9
    pull = dict(zip(tied.ids.tolist(), tied.gradient(weights[tied.ids]).tolist(), strict=True))
    assert pull[10] > 0.0 > pull[9]
