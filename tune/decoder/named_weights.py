"""Weights of a file for a decoder: under its own names or Moses's, checked against its features."""

import re
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path

from align.errors import DataError, DataWarning, some_names
from features.space import is_sparse, starting_with

from ..weights.weights import Weights
from .model import DEFAULT_WEIGHTS, FIXED_FEATURES, Decoder

__all__ = ["MosesGroups", "moses_groups", "named_weights", "renamed", "weights_by_group"]

MosesGroups = Mapping[str, tuple[str, ...]]
"""Moses's name of a feature function, and the decoder's features that are its values, in order."""

_REORDERING = re.compile(r"LexR(\d*)\.")


def moses_groups(decoder: Decoder) -> dict[str, tuple[str, ...]]:
    """The decoder's dense features as Moses groups them, under the names that Moses's training
    gives: TranslationModel0, LexicalReordering0, ...; others have the name that they have here.
    """
    groups: dict[str, tuple[str, ...]] = {}
    for feature in decoder.space.names[: decoder.space.num_dense]:
        reordering = _REORDERING.match(feature)
        name = f"LexicalReordering{reordering[1] or 0}" if reordering else feature
        if feature in decoder.table.score_names:
            name = "TranslationModel0"
        groups[name] = (*groups.get(name, ()), feature)
    return groups


def named_weights(
    decoder: Decoder, given: Weights, file: str | Path, groups: MosesGroups | None = None
) -> Weights:
    """The weights of a file over the decoder's features.

    groups: names of Moses that stand for the decoder's beside these; default: :func:`moses_groups`

    An unknown word's penalty keeps its default weight where the file has none, as in Moses. Warns
    (DataWarning) of other dense features without a weight, which count as 0.

    Raises DataError for a dense weight other than 0 of a feature that the decoder doesn't have, and
    one that comes under both names.
    """
    ours = _renaming(moses_groups(decoder) if groups is None else groups)
    weights: dict[str, float] = {}
    for name, weight in given.items():
        feature = ours.get(name, name)
        if feature in weights:
            raise DataError(f"a weight of {name}, which is {feature}, too", "one", file=file)
        weights[feature] = weight
    _check_known(decoder, weights, file)
    for name in FIXED_FEATURES:
        weights.setdefault(name, DEFAULT_WEIGHTS[name])
    names = decoder.space.names
    dense = names[: decoder.space.num_dense]
    missing = [name for name in dense if name not in weights]
    if missing:
        _warn(f"{file} has no weight for {some_names(missing)}; it counts as 0")
    templates = dict.fromkeys(_template(name) for name in weights if is_sparse(name))
    strange = {name for name in templates if not starting_with(names, f"{name}_").any()}
    lost = [name for name in weights if is_sparse(name) and _template(name) in strange]
    if lost and len(decoder.table):
        _warn(
            f"{file} has {len(lost)} weights of sparse features such as {lost[0]}, but neither the "
            "table nor a state template has such ones"
        )
    return Weights.from_dict(weights).over(decoder.space)


def weights_by_group(weights: Weights, groups: MosesGroups) -> Weights:
    """Weights of the decoder's features under the names of groups, as :func:`named_weights` reads
    them: ``TranslationModel0.0`` for the first value of one that has several.
    """
    given = weights.as_dict()
    return Weights.from_dict(dict(zip(renamed(given, groups), given.values(), strict=True)))


def renamed(features: Iterable[str], groups: MosesGroups) -> list[str]:
    """The decoder's features under the names of groups, as they stand in Moses's weights."""
    names = {feature: name for name, feature in _renaming(groups).items()}
    return [names.get(feature, feature) for feature in features]


def _renaming(groups: MosesGroups) -> dict[str, str]:
    """The decoder's name of each name that a file of Moses's weights may have."""
    return {
        name if len(features) == 1 else f"{name}.{k}": feature
        for name, features in groups.items()
        for k, feature in enumerate(features)
    }


def _check_known(decoder: Decoder, weights: Mapping[str, float], file: str | Path) -> None:
    unknown = [
        name
        for name, weight in weights.items()
        if weight and not is_sparse(name) and name not in decoder.space
    ]
    if unknown:
        raise DataError(
            f"a weight of {some_names(unknown)}, which the decoder has no feature for",
            f"weights of {', '.join(decoder.space.names[: decoder.space.num_dense])}",
            file=file,
            remedy="Give the tables and models that they are for, or take them out of the file",
        )


def _warn(message: str) -> None:
    warnings.warn(message, DataWarning, stacklevel=3)


def _template(name: str) -> str:
    """What a sparse feature's name begins with."""
    return name.partition("_")[0]
