"""Features that keep their initial weights, by prefixes of their names."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from isogloss.align.errors import OptionError, UsageError
from isogloss.features.feature_names import with_prefix

__all__ = ["fixed_features", "take_one_prefix"]


def take_one_prefix(options: object, name: str = "fixed") -> None:
    """Make a tuple of the prefixes of frozen options, in field ``name``, if they are one text."""
    prefixes = getattr(options, name)
    if isinstance(prefixes, str):
        object.__setattr__(options, name, (prefixes,))


def fixed_features(
    names: Sequence[str], fixed: Sequence[str], option: str = "fixed"
) -> NDArray[np.bool_]:
    """Which features are fixed: bool[len(names)].

    fixed: prefixes of names; option: who gave them, for the message

    Raises UsageError for a prefix that no name has; of ``am=1`` it says where values come from.
    """
    try:
        return with_prefix(names, fixed, option)
    except UsageError:
        valued = next((prefix for prefix in fixed if "=" in prefix), None)
        if valued is None:
            raise
    expected = "prefixes of feature names without values, which are set by `initial_weights=...`"
    raise OptionError(option, expected, valued)
