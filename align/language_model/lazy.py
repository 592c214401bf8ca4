"""N-gram models that are made when they are first asked for, and estimated from samples so."""

import warnings
from abc import abstractmethod
from collections.abc import Sequence
from typing import overload

import numpy as np
from numpy.typing import NDArray

from ..errors import DataWarning
from ..text.corpus import Corpus
from .estimation import estimate_language_model
from .ngrams import NgramModel

__all__ = ["NgramsWhenAsked", "SampledNgrams"]


class NgramsWhenAsked(Sequence[NgramModel]):
    """Models that :meth:`make` gives, each once."""

    def __init__(self) -> None:
        self._made: dict[int, NgramModel] = {}

    @abstractmethod
    def make(self, number: int) -> NgramModel:
        """The model of a number from 0 on."""

    @overload
    def __getitem__(self, number: int) -> NgramModel: ...
    @overload
    def __getitem__(self, number: slice) -> tuple[NgramModel, ...]: ...
    def __getitem__(self, number: int | slice) -> NgramModel | tuple[NgramModel, ...]:
        if isinstance(number, slice):
            return tuple(self[each] for each in range(len(self))[number])
        number = range(len(self))[number]
        if number not in self._made:
            self._made[number] = self.make(number)
        return self._made[number]


class SampledNgrams(NgramsWhenAsked):
    """Models of samples of a corpus, over the vocabulary of all of it.

    samples: int64[n] each, numbers of sentences; order: length of the longest n-grams
    """

    def __init__(self, corpus: Corpus, samples: Sequence[NDArray[np.int64]], order: int) -> None:
        super().__init__()
        self._corpus, self._samples, self._order = corpus, samples, order

    def __len__(self) -> int:
        return len(self._samples)

    def make(self, number: int) -> NgramModel:
        """The model of a sample; of one too small for closed-form discounts it warns nobody."""
        size = len(self._corpus.vocabulary) + 2
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)
            return estimate_language_model(
                self._corpus.select(self._samples[number]), self._order, vocabulary_size=size
            )
