"""Features whose names are most similar to a name, for messages."""

from collections.abc import Iterable, Iterator
from itertools import islice

from isogloss.align.errors import did_you_mean
from isogloss.features.space import FeatureSpace, is_sparse

__all__ = ["near_names"]

_COMPARED = 50_000  # sparse features that a name is compared with
_SHOWN = 6  # names that an error shows


def near_names(name: str, spaces: Iterable[FeatureSpace]) -> str:
    """Return a phrase with the features whose names are most similar to a name.

    Parameters
    ----------
    name : str
    spaces : iterable of FeatureSpace
        Dense features are compared first, or sparse ones if the name is of a sparse feature.

    Returns
    -------
    str

    Examples
    --------
    >>> from isogloss.features import FeatureSpace
    >>> near_names("LM", [FeatureSpace(["LM0", "WordPenalty0"])])
    'did you mean LM0?'
    """
    spaces = list(spaces)
    dense = dict.fromkeys(name for space in spaces for name in islice(space, space.num_dense))
    compared = _sparse_names(spaces) if is_sparse(name) else dense
    if near := did_you_mean(name, compared):
        return near
    shown = [*islice(dense or _sparse_names(spaces), _SHOWN)]
    return f"the features are {', '.join(shown)}, ..." if shown else "there are no features"


def _sparse_names(spaces: Iterable[FeatureSpace]) -> Iterator[str]:
    for space in spaces:
        yield from islice(space, space.num_dense, space.num_dense + _COMPARED)
