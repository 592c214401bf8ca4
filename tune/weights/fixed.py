"""Features that keep their initial weights, by prefixes of their names."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from isogloss.align.errors import OptionError, UsageError
from isogloss.features.feature_names import with_prefix

__all__ = ["fixed_features", "take_one_prefix"]


def take_one_prefix(options: object) -> None:
    """Make a tuple of the ``fixed`` of frozen options if it is one text."""
    fixed = getattr(options, "fixed")  # noqa: B009 - options of any optimizer
    if isinstance(fixed, str):
        object.__setattr__(options, "fixed", (fixed,))


def fixed_features(names: Sequence[str], fixed: Sequence[str]) -> NDArray[np.bool_]:
    """Which features are fixed: bool[len(names)].

    fixed: prefixes of names

    Raises UsageError for a prefix that no name has; of ``am=1`` it says where values come from.
    """
    try:
        return with_prefix(names, fixed, "fixed")
    except UsageError:
        valued = next((prefix for prefix in fixed if "=" in prefix), None)
        if valued is None:
            raise
    expected = "prefixes of feature names without values, which are set by `start=...`"
    raise OptionError("fixed", expected, valued)
