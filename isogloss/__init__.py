"""Word alignment, phrase features and tuning for bitexts of mixed domains.

After ``import isogloss as ig`` all public names of :mod:`isogloss.align`,
:mod:`isogloss.features` and :mod:`isogloss.tune` are here: ``ig.train``, ``ig.extract``,
``ig.Decoder``. A name is loaded when it is first used.
"""

import sys
from importlib import import_module
from typing import TYPE_CHECKING

if sys.version_info < (3, 11):  # noqa: UP036 - a checkout has no pip that would tell it
    version = ".".join(map(str, sys.version_info[:2]))
    raise ImportError(f"isogloss needs Python 3.11 or newer; this is Python {version}")

if TYPE_CHECKING:
    from . import align, features, plot, tune
    from .align import (
        AlignedPair,
        AlignerOptions,
        AlignmentModel,
        Bitext,
        Corpus,
        DataError,
        DataWarning,
        DomainPosteriors,
        GoldLinks,
        IsoglossError,
        LexicalTable,
        Links,
        ModelError,
        NgramModel,
        OutputError,
        Projection,
        ProjectionOptions,
        Span,
        Spans,
        Translations,
        UsageError,
        Vocabulary,
        WordClasses,
        Workers,
        estimate_language_model,
        evaluate,
        project,
        read_bitext,
        read_gold,
        read_links,
        read_sentences,
        suggest_pairs,
        symmetrize,
        train,
    )
    from .align.version import __version__
    from .features import (
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
    from .pages.view import view
    from .tune import (
        OPTIMIZERS,
        Decoder,
        DecoderSettings,
        Examples,
        Hypergraph,
        NBest,
        References,
        Score,
        TuningResult,
        Weights,
        metric,
        paired_bootstrap,
        read_forests,
        read_language_model,
        read_nbest,
        read_references,
        score,
        tune_decoder,
        tune_nbest,
    )

__all__ = [
    "OPTIMIZERS",
    "AlignedPair",
    "AlignerOptions",
    "AlignmentModel",
    "Binning",
    "Bitext",
    "Corpus",
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
    "GoldLinks",
    "Hypergraph",
    "IsoglossError",
    "LexicalTable",
    "Links",
    "ModelError",
    "NBest",
    "NgramModel",
    "OutputError",
    "PhraseTable",
    "Projection",
    "ProjectionOptions",
    "Pruning",
    "References",
    "Score",
    "Span",
    "Spans",
    "Translations",
    "TuningResult",
    "UsageError",
    "Vocabulary",
    "Weights",
    "WordClasses",
    "Workers",
    "__version__",
    "add_templates",
    "align",
    "estimate_language_model",
    "evaluate",
    "extract",
    "extract_dictionary",
    "features",
    "metric",
    "paired_bootstrap",
    "plot",
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
    "score",
    "suggest_pairs",
    "symmetrize",
    "train",
    "tune",
    "tune_decoder",
    "tune_nbest",
    "view",
]

_SUBPACKAGES = ("align", "features", "tune")

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name in (*_SUBPACKAGES, "plot"):
            return import_module(f"{__name__}.{name}")
        if name == "view":
            return import_module(f"{__name__}.pages.view").view
        if name == "__version__":
            return import_module(f"{__name__}.align.version").__version__
        for package in _SUBPACKAGES if name in __all__ else ():
            module = import_module(f"{__name__}.{package}")
            if name in module.__all__:
                return getattr(module, name)
        return import_module(f"{__name__}.align.package").refuse_name(__name__, name, __all__)


def __dir__() -> list[str]:
    return sorted(__all__)
