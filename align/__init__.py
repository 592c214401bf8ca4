"""Word alignment of bitexts of mixed domains: latent-domain Model 1 and HMM.

The names most programs need; see docs/data-model.md for the types.
"""

from .corpus import Bitext, Corpus
from .errors import DataError, DataWarning, IsoglossError, ModelError, UsageError
from .evaluate import evaluate
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
    "IsoglossError",
    "Links",
    "ModelError",
    "UsageError",
    "Vocabulary",
    "evaluate",
    "iter_pairs",
    "load_model",
    "read_bitext",
    "read_gold",
    "read_linked_bitext",
    "read_links",
    "read_sentences",
    "save_model",
    "symmetrize",
    "train",
]
