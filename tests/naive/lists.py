"""N-best lists of bare texts."""

from collections.abc import Sequence

import numpy as np

from align.sparse_rows import Ragged
from align.text.string_array import Texts
from features.space import FeatureSpace
from tune.nbest.types import NBest


def lists_of(sentences: Sequence[Sequence[str]]) -> NBest:
    """Lists of the texts of each sentence, without features."""
    texts = Texts.from_strings(text for own in sentences for text in own)
    offsets = np.cumsum([0, *map(len, sentences)], dtype=np.int64)
    return NBest(offsets, texts, Ragged.empty(len(texts)), FeatureSpace([]))
