"""Weights as Python programs give them: Weights, a dict by name, or an array over a space."""

from collections.abc import Mapping
from numbers import Real
from os import PathLike

import numpy as np
from numpy.typing import NDArray

from isogloss.align.errors import UsageError, WrongTypeError, check_argument
from isogloss.align.text.sentences import words_of_one
from isogloss.features.space import FeatureSpace

from .near_names import near_names
from .weights import Weights

__all__ = [
    "GivenWeights",
    "check_no_size",
    "given_weights",
    "places_beside",
    "values_over",
    "words_beside",
]

GivenWeights = Weights | Mapping[str, float]
"""Weights, or a dict of weights by name."""

_EXPECTED = 'Weights or a dict of numbers by name, such as {"LM0": 0.5}'


def given_weights(given: object, *spaces: FeatureSpace) -> Weights:
    """Return weights as :class:`Weights`; a dict may only name features that there are.

    Parameters
    ----------
    given : Weights or dict of float
        Weights stay as they are, and need one feature that a space has.
    *spaces : FeatureSpace
        The features that a dict may name.

    Returns
    -------
    Weights
        Those given, or over a space of the dict's names.

    Raises
    ------
    WrongTypeError
        If the weights are neither, or a value of the dict is not a number.
    UsageError
        If the dict names a feature that no space has, no feature of Weights is in a space, or a
        value is not finite.

    Examples
    --------
    >>> from isogloss.features import FeatureSpace
    >>> given_weights({"LM0": 1}, FeatureSpace(["LM0", "WordPenalty0"])).as_dict()
    {'LM0': 1.0}
    """
    if isinstance(given, Weights):
        if len(given) and not any(name in space for name in given for space in spaces):
            first = given.space.names[0]
            raise UsageError(f"there is no feature {first!r}; {near_names(first, spaces)}")
        return given
    remedy = f"Weights.load({str(given)!r})" if isinstance(given, str | PathLike) else ""
    if isinstance(getattr(given, "weights", None), Weights):
        remedy = "its weights: result.weights"
    check_argument(given, Mapping, "weights", _EXPECTED, remedy)
    assert isinstance(given, Mapping)
    for name, value in given.items():
        if not isinstance(name, str) or not _is_number(value):
            raise WrongTypeError(f"weights must be {_EXPECTED}, got {{{name!r}: {value!r}}}")
        if not np.isfinite(float(value)):
            raise UsageError(f"weights must be finite, got {{{name!r}: {value!r}}}")
        if not any(name in space for space in spaces):
            near = near_names(name, spaces)
            raise UsageError(f"there is no feature {name!r}; {near}")
    return Weights.from_dict(given)


def check_no_size(given: object, name: str) -> None:
    """Raise WrongTypeError for an integer in place of weights. name: the option that it is for"""
    if isinstance(given, int):
        raise WrongTypeError(f"weights must be {_EXPECTED}, not {given}; use {name}={given}")


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def words_beside(sentence: object, call: str) -> list[str]:
    """The words of a sentence, an argument before weights. call: as it should be

    Raises WrongTypeError for something else, such as the weights.
    """
    if isinstance(sentence, Weights | Mapping):
        raise WrongTypeError(
            f"sentence must be a string or a list of words, not weights; use {call}"
        )
    return words_of_one(sentence)


def places_beside(
    space: FeatureSpace, others: FeatureSpace, keeping: Weights | None
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Return where features of another space are over ``space``, and weights to keep.

    Parameters
    ----------
    space : FeatureSpace
    others : FeatureSpace
    keeping : Weights or None
        Fixed weights of sparse features that ``space`` lacks; nonzero ones are kept.

    Returns
    -------
    ndarray of int32, shape (n_others,)
        New id of each feature; -1 for none, from ``len(space)`` on for those kept.
    ndarray of float64, shape (n_kept,)
        Weights that are kept, in the order of their ids.
    """
    numbers = space.ids(others)
    if keeping is None:
        return numbers, np.zeros(0)
    lacking = np.flatnonzero(numbers < 0)
    lacking = lacking[lacking >= others.num_dense]
    weights = keeping.to_space(FeatureSpace([others.names[k] for k in lacking.tolist()])).values
    is_cached = weights != 0.0
    numbers[lacking[is_cached]] = len(space) + np.arange(np.count_nonzero(is_cached))
    return numbers, weights[is_cached]


def values_over(
    weights: GivenWeights | NDArray[np.float64],
    space: FeatureSpace,
    kept: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Return the weights of a space's features as an array.

    Parameters
    ----------
    weights : Weights, dict of float or ndarray of float64, shape (n_features,)
        By name, or an array in the order of the space.
    space : FeatureSpace
    kept : ndarray of float64, shape (n_kept,), optional
        Weights to append, see :func:`places_beside`.

    Returns
    -------
    ndarray of float64, shape (n_features + n_kept,)

    Raises
    ------
    UsageError
        If an array has another shape, or as for :func:`given_weights`.
    """
    if not isinstance(weights, np.ndarray):
        weights = given_weights(weights, space).to_space(space).values
    shape = np.shape(weights)
    if shape != (len(space),):
        seen = f"{shape[0]} values" if len(shape) == 1 else f"an array of shape {shape}"
        raise UsageError(
            f"weights must be a vector of {len(space)} values, one per feature, or Weights, got "
            f"{seen}"
        )
    return weights if kept is None or not len(kept) else np.concatenate([weights, kept])
