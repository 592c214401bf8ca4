"""Features whose names are most similar to a name, for messages."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice

from isogloss.align.errors import did_you_mean
from isogloss.features.space import FeatureSpace, is_sparse

__all__ = ["near_names", "near_question"]

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
    if near := near_question(name, spaces):
        return near
    dense = _dense_names(spaces)
    shown = [*islice(dense or _sparse_names(spaces), _SHOWN)]
    more = islice(chain(dense, _sparse_names(spaces)), len(shown), len(shown) + 1)
    names = ", ".join([*shown, *("..." for _ in more)])
    return f"the features are {names}" if shown else "there are no features"


def near_question(name: str, spaces: Sequence[FeatureSpace]) -> str:
    """Return a question with the features whose names are like a name; empty if none is.

    Parameters
    ----------
    name : str
        Also the end of a name behind a dot, as ``prm`` of ``scores.prm``.
    spaces : sequence of FeatureSpace

    Returns
    -------
    str
    """
    compared = list(_sparse_names(spaces) if is_sparse(name) else _dense_names(spaces))
    below = [known for known in compared if known.rpartition(".")[2] == name]
    return did_you_mean(name, below, cutoff=0.0) or did_you_mean(name, compared)


def _dense_names(spaces: Iterable[FeatureSpace]) -> dict[str, None]:
    return dict.fromkeys(name for space in spaces for name in islice(space, space.num_dense))


def _sparse_names(spaces: Iterable[FeatureSpace]) -> Iterator[str]:
    for space in spaces:
        yield from islice(space, space.num_dense, space.num_dense + _COMPARED)
