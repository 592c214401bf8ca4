"""What would crash a kernel is refused before."""

import pytest

from isogloss.align import Bitext, DataError, train
from isogloss.align.text.corpus import Corpus
from isogloss.align.text.vocabulary import Vocabulary


def test_training_text_with_unknown_words():
    known = Vocabulary(["a"])
    side = Corpus.from_sentences([["a", "new"]], known)
    with pytest.raises(DataError, match="the bitext contains unknown words"):
        train(Bitext.unlabeled(side, side))
