"""Options that go by prefixes of features' names: rates, and strengths of L1."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from isogloss.align.errors import OptionError
from isogloss.align.files.numerals import parse_number
from isogloss.features.feature_names import with_prefix
from isogloss.features.space import FeatureSpace

from ..weights.fixed import fixed_features

__all__ = ["by_prefix", "check_groups", "feature_rates"]


def check_groups(option: str, groups: Sequence[str]) -> list[tuple[str, float]]:
    """Prefix and value of groups PREFIX=VALUE, longer prefixes last.

    option: their name, for the message
    Raises UsageError for a group without a prefix, or whose value is not a number of at least 0.
    """
    result = []
    for group in groups:
        prefix, _, text = group.rpartition("=")
        try:
            value = parse_number(text)
        except ValueError:
            value = -1.0
        if not prefix or not 0 <= value < float("inf"):
            raise OptionError(option, "PREFIX=VALUE with a value of at least 0", group)
        result.append((prefix, value))
    return sorted(result, key=lambda group: len(group[0]))


def by_prefix(
    space: FeatureSpace, default: float, option: str, groups: Sequence[str]
) -> NDArray[np.float64]:
    """The value of each feature, that of the longest prefix of its name: float64[len(space)].

    Raises UsageError for a prefix that fits no feature, and as :func:`check_groups` does.
    """
    result = np.full(len(space), default)
    for prefix, value in check_groups(option, groups):
        result[with_prefix(space.names, [prefix], option)] = value
    return result


def feature_rates(
    space: FeatureSpace, rate: float, groups: Sequence[str], fixed: Sequence[str]
) -> NDArray[np.float64]:
    """Learning rate of each feature, 0 for fixed ones: float64[len(space)].

    groups: PREFIX=RATE of features with their own; fixed: prefixes of features that keep theirs
    Raises UsageError for a prefix that fits no feature.
    """
    result = by_prefix(space, rate, "group_rate", groups)
    result[fixed_features(space.names, fixed)] = 0.0
    return result
