"""Features of phrase tables: extraction, templates, bins, pruning.

The names most programs need; see docs/explanation/data-model.md for the types. A name is loaded
when it is first used, so that a program pays only for what it does.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from isogloss.align.package import refuse_calls, refuse_name

if TYPE_CHECKING:
    from .bins.binning import Binning
    from .dictionary.dictionary import Dictionary
    from .dictionary.extract import DictionaryOptions, extract_dictionary
    from .extraction.extract import extract
    from .extraction.extraction_options import ExtractionOptions
    from .pruning.prune import Pruning, prune
    from .space import FeatureSpace
    from .table.phrase_table import PhraseTable
    from .templates.apply import add_templates

_HOMES = {
    "Binning": "bins.binning",
    "Dictionary": "dictionary.dictionary",
    "DictionaryOptions": "dictionary.extract",
    "ExtractionOptions": "extraction.extraction_options",
    "FeatureSpace": "space",
    "PhraseTable": "table.phrase_table",
    "Pruning": "pruning.prune",
    "add_templates": "templates.apply",
    "extract": "extraction.extract",
    "extract_dictionary": "dictionary.extract",
    "prune": "pruning.prune",
}

__all__ = [
    "Binning",
    "Dictionary",
    "DictionaryOptions",
    "ExtractionOptions",
    "FeatureSpace",
    "PhraseTable",
    "Pruning",
    "add_templates",
    "extract",
    "extract_dictionary",
    "prune",
]


if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name not in _HOMES:
            refuse_name(__name__, name, __all__)
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)


refuse_calls(__name__, "extract(bitext, links) or add_templates(table)")
