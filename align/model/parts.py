"""What an alignment model is made of, and what its folder holds."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ..errors import UsageError, check_listed
from ..text.corpus import Bitext
from ..text.known_words.text_form import UNKNOWN, TextForm
from ..text.vocabulary import Vocabulary
from .cooccurrence import PairIndex
from .em import Iteration, log_sum
from .latent_domain import DomainLanguageModels
from .parameters import AlignerOptions, Parameters, probabilities

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

    def domain_number(self, name: str) -> int:
        """Number of a domain. Raises UsageError for an unknown name."""
        if name not in self.domains:
            raise UsageError(f"unknown domain {name!r}; the model has {', '.join(self.domains)}")
        return self.domains.index(name)

    def restricted(self, domains: Sequence[str]) -> Self:
        """The same model with some of its domains only, for decoding with a subset (Table 3).

        Raises UsageError for an unknown name, or for none, and TextError for a name alone.
        """
        check_listed(domains, "names of domains", "a list of them: [name]")
        if not domains:
            raise UsageError("no domain is left; name at least one")
        kept = sorted({self.domain_number(name) for name in domains})
        tables, jumps = self.parameters, slice(None)
        if tables.jump.shape[1] > 1:
            jumps = kept  # type: ignore[assignment]
        parameters = Parameters(
            probabilities(np.ascontiguousarray(tables.lexical[:, kept])),
            tables.null_source[kept],
            tables.null_target[kept],
            np.ascontiguousarray(tables.jump[:, jumps]),
            np.ascontiguousarray(tables.start[:, jumps]),
            tables.source_class,
            tables.target_class,
        )
        models = self.language_models and self.language_models.select(kept)
        log_prior = self.log_prior[kept]
        if (log_prior == -np.inf).all():  # none of them has a pair of its own
            log_prior = np.zeros(len(kept))
        log_prior = log_prior - log_sum(log_prior, axis=0)
        return replace(
            self,
            parameters=parameters,
            domains=tuple(self.domains[k] for k in kept),
            log_prior=log_prior,
            language_models=models,
        )
