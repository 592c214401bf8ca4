"""Language models of the domains of a bitext, one per domain and side."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import eq
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..text.bitext import Bitext
from .lazy import SampledNgrams
from .ngrams import NgramModel
from .scoring import LanguageModel, kenlm_module, query_lines
from .stored_ngrams import StoredNgrams
from .word_scoring import WordScorer

__all__ = ["DomainLanguageModels"]

_FEW = 256  # pairs; who asks for so few asks again


@dataclass(frozen=True, eq=False, repr=False)
class DomainLanguageModels:
    """One language model per domain and side, over the vocabulary of the whole bitext.

    source, target: models in the order of the domains; they are estimated, or read from a model's
    folder, when they are asked for.
    """

    source: Sequence[NgramModel]
    target: Sequence[NgramModel]

    @classmethod
    def from_samples(
        cls, bitext: Bitext, rows: list[NDArray[np.int64]], order: int
    ) -> "DomainLanguageModels":
        """Estimated from a sample of each domain. rows: int64[n] each, numbers of its pairs"""
        return cls(
            SampledNgrams(bitext.source, rows, order), SampledNgrams(bitext.target, rows, order)
        )

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        """Whether all models are equal; those that were not needed yet are made for it."""
        if not isinstance(other, DomainLanguageModels):
            return NotImplemented
        return self is other or all(
            len(own) == len(others) and all(map(eq, own, others))
            for own, others in ((self.source, other.source), (self.target, other.target))
        )

    def __repr__(self) -> str:
        return f"DomainLanguageModels({len(self.source)} domains)"

    def __getstate__(self) -> dict[str, Any]:
        """The models without what is kept to score with: KenLM's own can't be copied."""
        return {"source": self.source, "target": self.target}

    def select(self, domains: Sequence[int]) -> "DomainLanguageModels":
        """The models of some domains.

        domains: their numbers, in the order wanted
        """
        return DomainLanguageModels(*(
            models.select(domains)
            if isinstance(models, StoredNgrams)
            else tuple(models[domain] for domain in domains)
            for models in (self.source, self.target)
        ))  # fmt: skip

    def score(self, bitext: Bitext) -> NDArray[np.float64]:
        """log P(f | D) and log P(e | D) of each pair: float64[2, num_pairs, D].

        Models of a folder are scored by KenLM if it is installed, which loads them faster and
        returns the same bits as :class:`WordScorer`.
        """
        result = np.empty((2, len(bitext), len(self.source)))
        for side, (corpus, models) in enumerate(
            zip((bitext.source, bitext.target), (self.source, self.target), strict=True)
        ):
            if isinstance(models, StoredNgrams) and kenlm_module() is not None:
                lines = query_lines(corpus)
                for domain, loaded in enumerate(self._loaded[side]):
                    result[side, :, domain] = loaded.score_lines(lines)
                continue
            for domain, model in enumerate(models):
                scorer = self._scorers.get((side, domain)) or WordScorer(model)
                if len(bitext) <= _FEW:
                    self._scorers[side, domain] = scorer
                result[side, :, domain] = scorer.score(corpus)
        return result

    @cached_property
    def _loaded(self) -> tuple[list[LanguageModel], ...]:
        """Those of a folder as KenLM holds them: loading takes longer than a few sentences."""
        return tuple(
            [models.load(domain) for domain in range(len(models))]
            for models in (self.source, self.target)
            if isinstance(models, StoredNgrams)
        )

    @cached_property
    def _scorers(self) -> dict[tuple[int, int], WordScorer]:
        """By side and domain, once a few pairs were scored; they take as much memory as models."""
        return {}
