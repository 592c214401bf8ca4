"""Weights held against the features of n-best lists."""

from collections.abc import Sequence

from isogloss.align.errors import DataError, some_names
from isogloss.features.space import FeatureSpace, is_sparse
from isogloss.tune.nbest.types import NBest
from isogloss.tune.weights.near_names import near_question
from isogloss.tune.weights.weights import Weights

__all__ = ["like_features", "weight_faults"]

_FEW = 50  # features
_ASKED = 20  # weights


def like_features(names: Sequence[str], space: FeatureSpace) -> str:
    """A question with the features that names of weights may mean; empty for none."""
    questions = (near_question(name, [space]) for name in names[:_ASKED])
    question = next(filter(None, questions), "")
    return question[:1].upper() + question[1:]


def weight_faults(lists: NBest, weights: Weights, path: str) -> list[str]:
    """What to warn of: dense features without weight, weights without feature or of 0 alone.

    Sparse weights lack theirs in most lists: of these only where the lists have few features at
    all. path: the file of the weights, for messages

    Raises DataError where no weight fits.
    """
    if not any(name in lists.space for name in weights):
        raise DataError(
            f"the file has weights for {some_names(list(weights))}"
            if len(weights)
            else "the file has no weights",
            f"weights for {some_names(list(lists.space))}",
            file=path,
            remedy=like_features(list(weights), lists.space),
        )
    faults = []
    if not any(weights[name] for name in weights if name in lists.space):
        faults.append(
            f"{path}: all weights of the lists' features are 0; the first hypothesis of each list "
            "is chosen"
        )
    lacking = [name for name in lists.space if name not in weights and not is_sparse(name)]
    if lacking:
        counts = "it counts" if len(lacking) == 1 else "they count"
        faults.append(f"{path} has no weight for {some_names(lacking)}; {counts} as 0")
    few = len(lists.space) <= _FEW
    unknown = [name for name in weights if name not in lists.space and weights[name]]
    useless = [name for name in unknown if few or not is_sparse(name)]
    if useless:
        faults.append(f"{path}: the lists have no feature {some_names(useless)}")
    return faults
