"""isogloss: word alignment, phrase features and tuning for bitexts of mixed domains.

After ``import isogloss as ig`` all public names of the packages :mod:`align`, :mod:`features` and
:mod:`tune` are here: ``ig.train``, ``ig.extract``, ``ig.Decoder``. A name is loaded when it is
first used, and from the packages beside this one, whatever else is called so.
"""

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from align import (
        AlignedPair,
        AlignerOptions,
        AlignmentModel,
        Bitext,
        DataError,
        DataWarning,
        DomainPosteriors,
        IsoglossError,
        Links,
        ModelError,
        OutputError,
        Projection,
        ProjectionOptions,
        Span,
        Spans,
        UsageError,
        Vocabulary,
        WordClasses,
        estimate_language_model,
        evaluate,
        project,
        read_bitext,
        read_gold,
        read_links,
        read_sentences,
        symmetrize,
        train,
    )
    from align.version import __version__
    from features import (
        Binning,
        Dictionary,
        DictionaryOptions,
        ExtractionOptions,
        FeatureSpace,
        PhraseTable,
        Pruning,
        add_templates,
        extract,
        extract_dictionary,
        prune,
    )
    from tune import (
        OPTIMIZERS,
        Decoder,
        DecoderSettings,
        Examples,
        Hypergraph,
        NBest,
        References,
        TuningResult,
        Weights,
        metric,
        paired_bootstrap,
        read_forests,
        read_language_model,
        read_nbest,
        read_references,
        tune,
        tune_decoder,
    )

__all__ = [
    "OPTIMIZERS",
    "AlignedPair",
    "AlignerOptions",
    "AlignmentModel",
    "Binning",
    "Bitext",
    "DataError",
    "DataWarning",
    "Decoder",
    "DecoderSettings",
    "Dictionary",
    "DictionaryOptions",
    "DomainPosteriors",
    "Examples",
    "ExtractionOptions",
    "FeatureSpace",
    "Hypergraph",
    "IsoglossError",
    "Links",
    "ModelError",
    "NBest",
    "OutputError",
    "PhraseTable",
    "Projection",
    "ProjectionOptions",
    "Pruning",
    "References",
    "Span",
    "Spans",
    "TuningResult",
    "UsageError",
    "Vocabulary",
    "Weights",
    "WordClasses",
    "__version__",
    "add_templates",
    "estimate_language_model",
    "evaluate",
    "extract",
    "extract_dictionary",
    "metric",
    "paired_bootstrap",
    "project",
    "prune",
    "read_bitext",
    "read_forests",
    "read_gold",
    "read_language_model",
    "read_links",
    "read_nbest",
    "read_references",
    "read_sentences",
    "symmetrize",
    "train",
    "tune",
    "tune_decoder",
]


_PACKAGES = ("align", "features", "tune")
_BESIDE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120


class _OwnPackages:
    """Finds our packages before a user's ``align.py`` in the folder of a script is found."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return PathFinder.find_spec(name, [_BESIDE]) if name in _PACKAGES else None


def _take_own_packages() -> None:
    """See that ``align``, ``features`` and ``tune`` are ours, when they are loaded.

    Raises ImportError where something else is loaded already under one of these names.
    """
    for name in _PACKAGES:
        if name in sys.modules and not _is_own(name, sys.modules[name]):
            where = getattr(sys.modules[name], "__file__", None) or "no file"
            raise ImportError(
                f"isogloss needs its own package {name!r}, but another module of that name is "
                f"loaded already, from {where}; import isogloss before it, or rename it"
            )
    if _OwnPackages not in sys.meta_path:
        sys.meta_path.insert(0, _OwnPackages)


def _is_own(name: str, module: ModuleType) -> bool:
    """Whether a module is the package beside isogloss."""
    own = os.path.realpath(f"{_BESIDE}/{name}")
    return own in map(os.path.realpath, getattr(module, "__path__", ()))


_take_own_packages()

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name == "__version__":
            return import_module("align.version").__version__
        for package in map(import_module, _PACKAGES) if name in __all__ else ():
            if name in package.__all__:
                return getattr(package, name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
