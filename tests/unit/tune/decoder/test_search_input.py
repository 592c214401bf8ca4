"""What the search refuses."""

from dataclasses import replace

import numpy as np
import pytest

from isogloss.align.errors import UsageError
from isogloss.tune.decoder.kernels.coverage import WINDOW
from isogloss.tune.decoder.language_model import LanguageModels
from isogloss.tune.decoder.model import DecoderSettings
from isogloss.tune.decoder.search import SearchSettings, kbest, search
from tests.unit.tune.decoder.test_search import one_model, random_options


def test_bad_options_and_settings_are_refused() -> None:
    good = random_options(np.random.default_rng(0), 3, fewest_words=1)
    first = int(np.flatnonzero(good.begin == 0)[-1])
    for change, message in [
        ({"score": good.score[1:]}, "must have the same length"),
        ({"surface": good.surface[1:]}, "word offsets"),
        ({"num_source_words": 2}, "outside"),
        ({"num_source_words": 4}, "length 1"),
        ({"begin": good.begin[::-1].copy(), "end": good.end[::-1].copy()}, "sorted"),
        ({"score": np.full(len(good.score), np.nan)}, "must be finite"),
        ({"begin": np.where(np.arange(len(good.begin)) <= first, 1, good.begin)}, "option"),
    ]:
        with pytest.raises(UsageError, match=message):
            replace(good, **change)
    for bad in ({"stack_size": 0}, {"pop_limit": -1},
                {"distortion_limit": -2}, {"distortion_limit": WINDOW + 1},
                {"beam_threshold": 0.1}, {"beam_threshold": float("nan")}):  # fmt: skip
        with pytest.raises(UsageError):
            SearchSettings(**bad)
    models, weights = one_model((0, 3), 1.0, 1.0).models, ((1.0,), 1.0)
    with pytest.raises(UsageError, match="finite"):
        search(good, models, ((float("nan"),), 1.0), SearchSettings())
    for weights_too_large in (((1e308,), 1.0), ((1.0,), -1e308), ((1.0,), 1.7e308)):
        with pytest.raises(
            UsageError, match="the scores are too large to add up; scale the weights"
        ):
            search(good, models, weights_too_large, SearchSettings(distortion_limit=6))
    with pytest.raises(
        UsageError, match="has 1 language model, but there are weights for 2 and word ids for 1"
    ):
        search(good, models, ((1.0, 1.0), 1.0), SearchSettings())
    with pytest.raises(UsageError, match="encode"):
        search(replace(good, words=good.words + 100), models, weights, SearchSettings())
    with pytest.raises(UsageError, match="without a distortion limit"):
        long = random_options(np.random.default_rng(0), WINDOW + 1)
        search(long, models, weights, SearchSettings(10, -1))
    with pytest.raises(UsageError, match="k must be at least 1, got 0"):
        kbest(search(good, models, weights, SearchSettings()), good, 0)
    with pytest.raises(UsageError, match="a decoder needs at least one language model, got none"):
        LanguageModels.join([])


@pytest.mark.parametrize(
    "change",
    [
        {"table_limit": 1}, {"table_limit": 1 << 30}, {"stack_size": 1}, {"distortion_limit": -1},
        {"distortion_limit": 64}, {"beam_threshold": -1e-9}, {"pop_limit": 1},
    ],
)  # fmt: skip
def test_settings_at_the_ends_of_their_ranges(change: dict[str, float]) -> None:
    assert vars(replace(DecoderSettings(), **change)) == vars(DecoderSettings()) | change
