"""What a search may need beforehand."""

import numpy as np
import pytest

from isogloss.align.errors import UsageError
from isogloss.tune.decoder.search import SearchSettings, search
from tests.unit.tune.decoder.test_search import one_model, random_options, same


def test_a_search_that_needs_more_memory_than_is_free_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    options = random_options(np.random.default_rng(3), 7)
    system = one_model((0, 3), 0.7, 0.2)
    arguments = options, system.models, system.weights, SearchSettings(1000, -1)
    expected = search(*arguments)
    monkeypatch.setattr("isogloss.tune.decoder.search.UNASKED", 1)
    monkeypatch.setattr("isogloss.tune.decoder.search.free_memory", lambda: 30)
    message = r"of 7 words may need 0\.\d GB for .*, and 0\.0 GB of memory are available\. Lower"
    with pytest.raises(UsageError, match=message):
        search(*arguments)
    for free in (1 << 40, None):
        monkeypatch.setattr("isogloss.tune.decoder.search.free_memory", lambda free=free: free)
        assert same(search(*arguments), expected)
