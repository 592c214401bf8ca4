"""What an alignment model is made of, and what its folder holds."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ..errors import UsageError, check_kind, check_listed
from ..execution import row_dots
from ..lexicon.tables import LexicalTable
from ..text.corpus import Bitext
from ..text.known_words.text_form import UNKNOWN, TextForm
from ..text.vocabulary import Vocabulary
from .calibration import AGREED, APART, LinkCalibration
from .cooccurrence import PairIndex
from .em import Iteration, log_sum
from .latent_domain import DomainLanguageModels
from .parameters import AlignerOptions, Parameters, learned, probabilities

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

    @property
    def _calibration(self) -> LinkCalibration:
        return AGREED if self.options.agreement else APART

    @property
    def _stage(self) -> str:
        return "hmm" if self.options.hmm_iterations else "model1"

    def _fitted(self, bitext: Bitext) -> Bitext:
        """The bitext over the model's vocabularies. Raises WrongTypeError for another thing."""
        check_kind(bitext, Bitext, "a bitext", "a Bitext; align_pair takes texts")
        known = (self.source_vocabulary, self.target_vocabulary)
        given = (bitext.source.vocabulary, bitext.target.vocabulary)
        is_over = all(one is other or one == other for one, other in zip(given, known, strict=True))
        return bitext if is_over else self.encode(bitext)

    def domain_number(self, name: str) -> int:
        """Number of a domain. Raises UsageError for an unknown name."""
        if name not in self.domains:
            raise UsageError(f"unknown domain {name!r}; the model has {', '.join(self.domains)}")
        return self.domains.index(name)

    def lexicon(self, direction: str = "s2t", domain: str | None = None) -> LexicalTable:
        """Lexical table of one domain; ``None`` averages the domains by P(D).

        direction: "s2t" for t(target | source), "t2s" for t(source | target).

        Raises UsageError for another direction or an unknown domain, ModelError for a damaged one.
        """
        if direction not in ("s2t", "t2s"):
            raise UsageError(f"direction {direction!r}; expected s2t or t2s")
        side = ("t2s", "s2t").index(direction)
        if domain is None:
            weights = np.exp(self.log_prior)
        else:
            weights = np.zeros(len(self.domains))
            weights[self.domain_number(domain)] = 1.0
        words = (self.source_vocabulary, self.target_vocabulary)
        ids = (self.index.rows, self.index.columns)
        probability = learned(row_dots(self.parameters.lexical[:-1, :, side], weights), 1.01)
        null = (self.parameters.null_source, self.parameters.null_target)[side]
        if domain is None:  # a domain that lacks a given word adds nothing to its row
            total = np.bincount(ids[1 - side], probability, minlength=len(words[1 - side]))
            probability = probability / np.maximum(total, 1e-300)[ids[1 - side]]
        return LexicalTable(
            generated=ids[side],
            given=ids[1 - side],
            probability=probability.astype(np.float32),
            null=row_dots(null[:, :-1].T, weights).astype(np.float32),
            generated_vocabulary=words[side],
            given_vocabulary=words[1 - side],
            direction=direction,
        )

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
