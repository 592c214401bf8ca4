"""Word alignment of bitexts of mixed domains: latent-domain Model 1 and HMM.

The names most programs need; see docs/explanation/data-model.md for the types. A name is loaded
when it is first used, so that a program pays only for what it does.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from .package import refuse_calls, refuse_name

if TYPE_CHECKING:
    from .domains.posteriors import DomainPosteriors
    from .errors import DataError, DataWarning, IsoglossError, ModelError, OutputError, UsageError
    from .execution.groups import Workers
    from .language_model.estimation import estimate_language_model
    from .language_model.ngrams import NgramModel
    from .lexicon.tables import LexicalTable
    from .lexicon.translations import Translations
    from .lexicon.word_classes import WordClasses
    from .links.aligned_pair import AlignedPair
    from .links.evaluate import evaluate
    from .links.gold_links import GoldLinks
    from .links.links import Links
    from .links.projection import Projection, ProjectionOptions, project
    from .links.spans import Span, Spans
    from .links.symmetrize import symmetrize
    from .model.model import AlignmentModel
    from .model.parameters import AlignerOptions
    from .model.suggestions import suggest_pairs
    from .text.bitext import Bitext
    from .text.corpus import Corpus
    from .text.readers import read_bitext, read_gold, read_links, read_sentences
    from .text.vocabulary import Vocabulary
    from .training.train import train

_HOMES = {
    "AlignedPair": "links.aligned_pair",
    "AlignerOptions": "model.parameters",
    "AlignmentModel": "model.model",
    "Bitext": "text.bitext",
    "Corpus": "text.corpus",
    "DataError": "errors",
    "DataWarning": "errors",
    "DomainPosteriors": "domains.posteriors",
    "GoldLinks": "links.gold_links",
    "IsoglossError": "errors",
    "LexicalTable": "lexicon.tables",
    "Links": "links.links",
    "ModelError": "errors",
    "NgramModel": "language_model.ngrams",
    "OutputError": "errors",
    "Projection": "links.projection",
    "ProjectionOptions": "links.projection",
    "Span": "links.spans",
    "Spans": "links.spans",
    "Translations": "lexicon.translations",
    "UsageError": "errors",
    "Vocabulary": "text.vocabulary",
    "WordClasses": "lexicon.word_classes",
    "Workers": "execution.groups",
    "estimate_language_model": "language_model.estimation",
    "evaluate": "links.evaluate",
    "project": "links.projection",
    "read_bitext": "text.readers",
    "read_gold": "text.readers",
    "read_links": "text.readers",
    "read_sentences": "text.readers",
    "suggest_pairs": "model.suggestions",
    "symmetrize": "links.symmetrize",
    "train": "training.train",
}

__all__ = [
    "AlignedPair",
    "AlignerOptions",
    "AlignmentModel",
    "Bitext",
    "Corpus",
    "DataError",
    "DataWarning",
    "DomainPosteriors",
    "GoldLinks",
    "IsoglossError",
    "LexicalTable",
    "Links",
    "ModelError",
    "NgramModel",
    "OutputError",
    "Projection",
    "ProjectionOptions",
    "Span",
    "Spans",
    "Translations",
    "UsageError",
    "Vocabulary",
    "WordClasses",
    "Workers",
    "estimate_language_model",
    "evaluate",
    "project",
    "read_bitext",
    "read_gold",
    "read_links",
    "read_sentences",
    "suggest_pairs",
    "symmetrize",
    "train",
]


if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name not in _HOMES:
            refuse_name(__name__, name, __all__)
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)


refuse_calls(__name__, "train(source, target).align(source, target)")
