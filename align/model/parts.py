"""What an alignment model is made of, and what its folder holds."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..text.corpus import Bitext
from ..text.known_words.text_form import UNKNOWN, TextForm
from ..text.vocabulary import Vocabulary
from .cooccurrence import PairIndex
from .em import Iteration
from .latent_domain import DomainLanguageModels
from .parameters import AlignerOptions, Parameters

__all__ = ["ModelParts"]


@dataclass(frozen=True)
class ModelParts:
    """The parts of an alignment model.

    index: the pairs of words that it knows; parameters: the tables of P(source | target) and of
        P(target | source)
    domains: their names, the out-domain last; ``("general",)`` for a flat model
    log_prior: float64[D], log P(D)
    language_models: of the domains on both sides, where they weigh domains
    trace: one entry per EM iteration
    source_form, target_form: how the text was written that it was trained on
    """

    source_vocabulary: Vocabulary
    target_vocabulary: Vocabulary
    index: PairIndex
    parameters: Parameters
    domains: tuple[str, ...]
    log_prior: NDArray[np.float64]
    options: AlignerOptions
    language_models: DomainLanguageModels | None = None
    trace: tuple[Iteration, ...] = ()
    source_form: TextForm = UNKNOWN
    target_form: TextForm = UNKNOWN

    def encode(self, bitext: Bitext) -> Bitext:
        """A bitext over the model's vocabularies; words that they lack become -1.

        A side is lowercased where all words of the model are in lower case.
        """
        return Bitext(
            bitext.source.over(self.source_vocabulary, lowercase=self.source_form.lowercase),
            bitext.target.over(self.target_vocabulary, lowercase=self.target_form.lowercase),
            bitext.labels,
            bitext.domains,
        )
