"""Word alignment of bitexts of mixed domains: latent-domain Model 1 and HMM.

The names most programs need; see docs/data-model.md for the types.
"""

from . import kernel_cache  # noqa: F401 - first, so that no outdated kernel is run
from .corpus import Bitext, Corpus
from .errors import DataError, DataWarning, IsoglossError, ModelError, OutputError, UsageError
from .evaluate import evaluate
from .hand_links import HandLinks
from .links import GoldLinks, Links
from .model import AlignmentModel
from .parameters import PRESETS, AlignerOptions
from .readers import (
    iter_pairs,
    read_bitext,
    read_gold,
    read_linked_bitext,
    read_links,
    read_sentences,
)
from .store import load_model, save_model
from .symmetrize import HEURISTICS, symmetrize
from .training import train
from .vocabulary import Vocabulary
from .word_classes import (
    WordClasses,
    learn_word_classes,
    read_word_classes,
    write_word_classes,
)

__all__ = [
    "HEURISTICS",
    "PRESETS",
    "AlignerOptions",
    "AlignmentModel",
    "Bitext",
    "Corpus",
    "DataError",
    "DataWarning",
    "GoldLinks",
    "HandLinks",
    "IsoglossError",
    "Links",
    "ModelError",
    "OutputError",
    "UsageError",
    "Vocabulary",
    "WordClasses",
    "evaluate",
    "iter_pairs",
    "learn_word_classes",
    "load_model",
    "read_bitext",
    "read_gold",
    "read_linked_bitext",
    "read_links",
    "read_sentences",
    "read_word_classes",
    "save_model",
    "symmetrize",
    "train",
    "write_word_classes",
]
