"""N-best lists made by hand: of bare texts, or of texts with features."""

from collections.abc import Sequence

import numpy as np

from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.text.string_array import Texts
from isogloss.features.space import FeatureSpace, is_sparse
from isogloss.tune.nbest.types import NBest


def lists_of(sentences: Sequence[Sequence[str]]) -> NBest:
    """Lists of the texts of each sentence, without features."""
    texts = Texts.from_strings(text for hypotheses in sentences for text in hypotheses)
    offsets = np.cumsum([0, *map(len, sentences)], dtype=np.int64)
    return NBest(offsets, texts, Ragged.empty(len(texts)), FeatureSpace([]))


def build_nbest(sentences: Sequence[Sequence[tuple[str, Sequence[tuple[str, float]]]]]) -> NBest:
    """Lists of (text, features) hypotheses; the space holds the names seen, dense ones first."""
    rows = [pairs for hypotheses in sentences for _, pairs in hypotheses]
    names = dict.fromkeys(name for pairs in rows for name, _ in pairs)
    space = FeatureSpace(sorted(names, key=is_sparse))
    return NBest(
        np.cumsum([0, *map(len, sentences)], dtype=np.int64),
        Texts.from_strings(text for hypotheses in sentences for text, _ in hypotheses),
        Ragged.from_rows([(space.id(name), value) for name, value in pairs] for pairs in rows),
        space,
    )
