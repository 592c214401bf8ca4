"""Weights of a file for a decoder: under its own names or Moses's, checked against its features."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from isogloss.align.errors import DataError, UsageError, pluralize, some_names, warn
from isogloss.align.files.numerals import is_whole
from isogloss.features.extraction.reordering import ReorderingModel
from isogloss.features.feature_names import whole_name
from isogloss.features.space import is_sparse, starting_with
from isogloss.features.table.sidecar import (
    MOSES_SCORES,
    columns_file,
    read_score_names,
    usual_score_names,
)

from ..weights.lines import grouped
from ..weights.moses_ini import MosesFeature, MosesIni
from ..weights.weights import Weights
from .model import DEFAULT_WEIGHTS, FIXED_FEATURES, Decoder
from .reordering import orientation_names

__all__ = [
    "LANGUAGE_MODELS",
    "PENALTIES",
    "REORDERING",
    "TABLE",
    "MosesGroups",
    "decoder_prefixes",
    "moses_groups",
    "named_weights",
    "renamed",
    "usual_names",
    "weights_by_group",
    "weights_for_moses",
]

TABLE, REORDERING = "PhraseDictionaryMemory", "LexicalReordering"
LANGUAGE_MODELS = ("KENLM", "SRILM", "IRSTLM")
PENALTIES = ("Distortion", "WordPenalty", "PhrasePenalty", "UnknownWordPenalty")
"""The kinds of features of a moses.ini that the decoder has."""

_TABLE_NAME = "TranslationModel0"

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
            name = _TABLE_NAME
        groups[name] = (*groups.get(name, ()), feature)
    return groups


def decoder_prefixes(
    names: Sequence[str],
    given: Sequence[str],
    groups: MosesGroups,
    *,
    valued: bool = True,
    moses_first: bool = False,
    scores: Sequence[str] = MOSES_SCORES,
    sparse: Sequence[str] = (),
) -> tuple[str, ...]:
    """Prefixes of the decoder's names, for prefixes that may be of Moses's names.

    What a name of Moses stands for comes as a whole name (see :func:`whole_name`).
    ``TranslationModel0_``, which Moses has before the names of a table's sparse features, stands
    for ``PT_`` and whatever else these begin with. Prefixes come in the order of their length as
    they were given, so that of several values for one name the last counts. Where a prefix also
    fits what a shorter one stood for, that comes again behind it, with its value.

    names: of the decoder's features
    given: prefixes; one that fits neither stays as it is
    valued: whether they are PREFIX=VALUE
    groups: names of Moses that stand for the decoder's
    moses_first: where a prefix fits both it is one of Moses's names, else of the decoder's
    scores, sparse: features of the table, whose name Moses has before those of sparse ones
    """
    table = f"{_table_name(groups, scores)}_"
    split = [text.rpartition("=") if valued and "=" in text else (text, "", "") for text in given]
    ours, result, meant = _renaming(groups), list[str](), list[str]()
    for prefix, mark, value in sorted(split, key=lambda part: len(part[0])):
        passed = not moses_first and starting_with(names, prefix).any()
        found = [] if passed else [own for name, own in ours.items() if name.startswith(prefix)]
        stands_for = [*map(whole_name, found)]
        if prefix == table and not passed:
            stands_for = [f"{name}_" for name in dict.fromkeys(map(_template, sparse))]
        own = prefix.removeprefix(table)
        if not own or not starting_with(names, own).any():
            own = prefix
        covered = [other for other in meant if other.startswith(own)]
        meant += stands_for
        owns = stands_for or dict.fromkeys([own, *covered])
        result += [f"{name}{mark}{value}" for name in owns]
    return tuple(result)


def named_weights(
    decoder: Decoder,
    given: Weights,
    file: str | Path,
    groups: MosesGroups | None = None,
    *,
    others: bool = False,
) -> Weights:
    """The weights of a file over the decoder's features.

    groups: names of Moses that stand for the decoder's beside these; default: :func:`moses_groups`
    others: with those of other sparse features, see :meth:`Weights.covering`

    Sparse features of the table go by their own names, or by those that Moses has for them, which
    begin with the table's: ``TranslationModel0_PT_a_b``.

    An unknown word's penalty keeps its default weight where the file has none, as in Moses. Warns
    (DataWarning) of other dense features without a weight, which count as 0.

    Raises DataError where no weight is one of a feature of the decoder, for a dense weight other
    than 0 of a feature that it doesn't have, and one that comes under both names.
    """
    groups = moses_groups(decoder) if groups is None else groups
    ours, prefix = _renaming(groups), f"{_table_name(groups, decoder.table.score_names)}_"
    weights: dict[str, float] = {}
    for name, weight in given.items():
        feature = ours.get(name, name)
        if name not in decoder.space:
            feature = feature.removeprefix(prefix)
        if feature in weights:
            raise DataError(
                f"{name} is a second weight of the feature {feature}",
                "one weight for each feature",
                file=file,
            )
        weights[feature] = weight
    _check_known(decoder, weights, file)
    for name in FIXED_FEATURES:
        weights.setdefault(name, DEFAULT_WEIGHTS[name])
    _warn_of_missing(decoder, weights, file)
    names = decoder.space.names
    templates = dict.fromkeys(_template(name) for name in weights if is_sparse(name))
    strange = {name for name in templates if not starting_with(names, f"{name}_").any()}
    lost = [name for name in weights if is_sparse(name) and _template(name) in strange]
    if lost and len(decoder.table):
        effect = "it has" if len(lost) == 1 else "they have"
        _warn(
            f"{file} has {pluralize(len(lost), 'weight')} of sparse features, such as {lost[0]}, "
            f"that neither the phrase table nor a state template contains; {effect} no effect"
        )
    named = Weights.from_dict(weights)
    return named.covering(decoder.space) if others else named.to_space(decoder.space)


def usual_names(features: Iterable[MosesFeature]) -> dict[str, str]:
    """The name that Moses's training gives to each feature of the decoder's kinds, by the name that
    it has in a moses.ini; phrase tables of any kind are TranslationModel0, and so on.
    """
    numbers = Counter[str]()
    usual: dict[str, str] = {}
    for feature in features:
        kind = feature.kind
        if kind in LANGUAGE_MODELS:
            kind = "LM"
        elif kind.startswith("PhraseDictionary"):
            kind = "TranslationModel"
        elif kind not in (REORDERING, *PENALTIES):
            continue
        usual[feature.name] = f"{kind}{numbers[kind]}"
        numbers[kind] += 1
    return usual


def weights_for_moses(weights: Weights, ini: MosesIni) -> Weights:
    """Weights under the names that the features have in a moses.ini.

    Weights that are the decoder's, with one of each score of the table, go by the kind and the
    order of the features there; the scores have the names of the file beside the table, where it
    is found, else Moses's. A sparse feature that has the name of none of them is one of the
    table, which Moses calls ``TranslationModel0_PT_a_b``. An unknown word's penalty is left out
    where the moses.ini has none.

    Raises DataError for weights of some of the scores only, for the type of a reordering model that
    can't be read, and for a file of score names that doesn't fit.
    """
    features = list(ini.features())
    usual, declared = usual_names(features), tuple(feature.name for feature in features)
    tables = [feature for feature in features if usual.get(feature.name) == _TABLE_NAME]
    dense = {name: weight for name, weight in weights.items() if not is_sparse(name)}
    of_moses = set(grouped(dense)) <= set(declared)
    scores = _scores_of(tables[0], ini) if tables and not of_moses else ()
    names = list(weights)
    if _are_of_decoder(weights, scores, ini):
        names = renamed(weights, _groups_of(features, usual, scores, ini))
    marks = tuple(f"{name}_" for name in declared)
    named: dict[str, float] = {}
    for name, (_, weight) in zip(names, weights.items(), strict=True):
        if tables and is_sparse(name) and not name.startswith(marks):
            name = f"{tables[0].name}_{name}"
        if name not in FIXED_FEATURES or name in declared:
            named[name] = weight
    return Weights.from_dict(named)


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


def _scores_of(table: MosesFeature, ini: MosesIni) -> tuple[str, ...]:
    """Names of the scores of a phrase table, as many as it has weights."""
    weights = ini.dense().get(table.name)
    size = table.options.get("num-features", "")
    number = len(weights.values) if weights else int(size) if is_whole(size) else len(MOSES_SCORES)
    named: list[Path] = []
    for folder in (Path(), ini.path.parent):
        path = folder / table.options.get("path", "")
        with suppress(OSError, ValueError):  # too long for a name, a NUL in it
            named += [path] if columns_file(path).exists() else []
    return read_score_names(named[0], number) if named else usual_score_names(number)


def _are_of_decoder(weights: Weights, scores: Sequence[str], ini: MosesIni) -> bool:
    """Whether the weights go by the decoder's names."""
    lacking = [score for score in scores if score not in weights]
    if lacking and len(lacking) < len(scores):
        raise DataError(
            f"there is no weight for {some_names(lacking)}, a score of the phrase table of "
            f"{ini.path}",
            f"weights for {', '.join(scores)}",
            remedy="Check that the weights belong to this table",
        )
    return bool(scores) and not lacking


def _groups_of(
    features: Iterable[MosesFeature], usual: Mapping[str, str], scores: Sequence[str], ini: MosesIni
) -> MosesGroups:
    """The decoder's features that are the values of those of a moses.ini."""
    groups: dict[str, tuple[str, ...]] = {}
    number = 0
    for feature in features:
        name = usual.get(feature.name)
        if name == _TABLE_NAME:
            groups[feature.name] = tuple(scores)
        elif feature.kind == REORDERING:
            try:
                model = ReorderingModel.parse(feature.options.get("type", ""))
            except UsageError as error:
                raise DataError(str(error), file=ini.path, line=feature.line) from error
            groups[feature.name] = orientation_names(model, number)
            number += 1
        elif name is not None:
            groups[feature.name] = (name,)
    return groups


def _table_name(groups: MosesGroups, scores: Sequence[str]) -> str:
    """What the phrase table is called."""
    return next((name for name, features in groups.items() if features[0] in scores), _TABLE_NAME)


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
            f"the file has a weight for {some_names(unknown)}, which the decoder does not have",
            f"weights for {', '.join(decoder.space.names[: decoder.space.num_dense])}",
            file=file,
            remedy="Pass the tables and models of these features, or remove the weights",
        )
    if not any(name in decoder.space for name in weights):
        raise DataError(
            f"the file has weights for {some_names(list(weights))}"
            if weights
            else "the file has no weights",
            f"weights for {some_names(decoder.space.names)}",
            file=file,
        )


def _warn_of_missing(decoder: Decoder, weights: Mapping[str, float], file: str | Path) -> None:
    """Warn of dense features without a weight, of most of them without, and of weights of 0."""
    chosen_by = [name for name in weights if name in decoder.space and name not in FIXED_FEATURES]
    if not any(weights[name] for name in chosen_by):
        _warn(
            f"all weights in {file} are 0, so all translations have the same score. Tune with "
            "initial weights (-w), or omit the file"
        )
    names = decoder.space.names[: decoder.space.num_dense]
    dense = [name for name in names if name not in FIXED_FEATURES]
    missing = [name for name in dense if name not in weights]
    counts = "counts" if len(missing) == 1 else "count"
    if 2 * len(missing) > len(dense):
        _warn(
            f"{file} has weights for {len(dense) - len(missing)} of the decoder's {len(dense)} "
            f"dense features; {some_names(missing)} {counts} as 0. Check that the weights belong "
            "to this system"
        )
    elif missing:
        pronoun = "it" if len(missing) == 1 else "they"
        _warn(f"{file} has no weight for {some_names(missing)}; {pronoun} {counts} as 0")


def _warn(message: str) -> None:
    warn(message)


def _template(name: str) -> str:
    """What a sparse feature's name begins with."""
    return name.partition("_")[0]
