"""Latent domains under partial supervision (Cuong & Sima'an 2015, sections 3 to 5).

N seed domains and one out-domain. P(D | f, e) of a labeled pair is fixed at its label; that of
the others follows from both translation directions and from domain language models.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError, pluralize, warn
from ..execution import exact_sums
from ..language_model.domain_models import DomainLanguageModels
from ..model.domain_posterior import domain_posterior, log_domain_weights
from ..model.likelihoods import PAIRS
from ..model.trained_text import LanguageScores
from ..text.bitext import UNLABELED, Bitext
from .em import Trainer

__all__ = ["FEW_SEEDS", "LatentDomains"]

HOPELESS = 1e-6  # P(D) P(f | D) P(e | D) as a share of the likeliest domain's
FEW_SEEDS = 50  # below this a warning is due
_TOLD = 5  # domains that it names
SURE = 0.9  # P(D | f, e) from which a pair counts as found when language models are refitted


def _scored_by_halves(
    bitext: Bitext, samples: list[NDArray[np.int64]], assigned: list[NDArray[np.int64]], order: int
) -> NDArray[np.float64]:
    """log P(f | D) and log P(e | D) by models of the other half, and of the samples."""
    # samples, assigned: int64[n] each, numbers of the pairs of each domain. Returns float64[2,
    #   num_pairs, D].
    result = np.empty((2, len(bitext), len(samples)))
    for half in (0, 1):
        rows = [
            np.union1d(sample, own[own % 2 != half])
            for sample, own in zip(samples, assigned, strict=True)
        ]
        scored = np.arange(half, len(bitext), 2)
        models = DomainLanguageModels.from_samples(bitext, rows, order)
        result[:, scored] = models.score(bitext.select(scored))
    return result


def _check_seeds(domains: Sequence[str], sizes: NDArray[np.int64]) -> None:
    """Warn of domains with few seed pairs. sizes: int64[len(domains)]; DataError for one of 0."""
    for name in (domains[number] for number in np.flatnonzero(sizes == 0).tolist()):
        raise DataError(
            f"the domain {name!r} has no seed pair with words on both sides",
            remedy="Add a seed sample, or remove the domain",
        )
    few = [(name, size) for name, size in zip(domains, sizes.tolist(), strict=True)
           if size < FEW_SEEDS]  # fmt: skip
    told = [f"the domain {name!r} has only {pluralize(size, 'seed pair')}, too few for reliable "
    "results"
            for name, size in few[:_TOLD]]  # fmt: skip
    if more := len(few[_TOLD:]):
        told.append(
            f"there are fewer than {FEW_SEEDS} seed pairs in {pluralize(more, 'more domain')}"
        )
    for text in told:
        warn(text)


@dataclass
class LatentDomains:
    """The domain side of training: seeds, priors, language models.

    labels: int16[num_pairs]; log_prior: float64[D], re-estimated after each iteration
    posterior: float64[num_pairs, D], P(D | f, e) of the last iteration; None before there is one
    language: scores of the pairs by models that were not refitted to them
    models: domain language models, once :meth:`initialize` has estimated them
    refits: how often they were replaced; started: whether the domains have their tables
    """

    trainer: Trainer
    num_domains: int = field(init=False)
    labels: NDArray[np.int16] = field(init=False)
    log_prior: NDArray[np.float64] = field(init=False)
    posterior: NDArray[np.float64] | None = field(init=False, default=None)
    models: DomainLanguageModels | None = field(init=False, default=None)
    language: LanguageScores | None = field(init=False, default=None)
    _samples: list[NDArray[np.int64]] = field(init=False, default_factory=list)
    refits: int = field(init=False, default=0)
    started: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        bitext = self.trainer.bitext
        self.num_domains = len(bitext.domains) + 1
        self.labels = bitext.label_ids
        self.log_prior = np.full(self.num_domains, -np.log(self.num_domains))
        seeds = self.labels[(self.labels != UNLABELED) & bitext.usable]
        _check_seeds(bitext.domains, np.bincount(seeds, None, len(bitext.domains)))
        if not ((self.labels == UNLABELED) & bitext.usable).any():
            warn("every pair has a domain label, so no pair is left for the out-domain")

    def initialize(self, stage: str) -> None:
        """Tables from one iteration on each sample; then language models, burn-in for the out one.

        The out-domain's sample is the rest of the pool; priors are ignored meanwhile. Its
        language model is of the pairs highest in P(D_OUT | f, e) then, as printed ("burn-in"), or
        of those that the seeds' language models explain worst per word ("dissimilar").
        """
        trainer, order = self.trainer, self.trainer.options.language_model_order
        trainer.split(self.num_domains)
        domain_of = np.where(self.labels == UNLABELED, self.num_domains - 1, self.labels)
        sample = np.where(np.arange(self.num_domains) == domain_of[:, None], 0.0, -np.inf)
        trainer.iterate(stage, 0, np.stack([sample, sample]))
        trainer.trace.pop()  # not one of the schedule
        self.started = True
        if order > 0:
            trainer.report("estimating domain language models")
            self._estimate_language(stage)

    def _estimate_language(self, stage: str) -> None:
        trainer = self.trainer
        usable, options = trainer.bitext.usable, trainer.options
        rows = [
            np.flatnonzero((self.labels == domain) & usable)
            for domain in range(self.num_domains - 1)
        ]
        size = max(
            options.out_domain_size or int(np.mean([len(seed_rows) for seed_rows in rows])), 2
        )
        seeds = DomainLanguageModels.from_samples(
            trainer.bitext, rows, options.language_model_order
        )
        language = seeds.score(trainer.bitext)
        if options.out_domain_selection == "burn-in":
            guess = domain_posterior(trainer.log_likelihoods(stage), None, self.log_prior)
            rest = guess[:, :-1].sum(1)  # 1 - P is exact where P itself rounds to 1
        else:
            lengths = trainer.bitext.source.lengths + trainer.bitext.target.lengths
            rest = language.sum(0).max(1) / np.maximum(lengths, 1)
        out = self.pool()[np.argsort(rest[self.pool()], kind="stable")[:size]]
        self._samples = [*rows, np.sort(out)]
        last = DomainLanguageModels.from_samples(
            trainer.bitext, self._samples[-1:], options.language_model_order
        )
        self.models = DomainLanguageModels(
            (*seeds.source, *last.source), (*seeds.target, *last.target)
        )
        scores = np.concatenate([language, last.score(trainer.bitext)], axis=2)
        self.language = LanguageScores.of(scores)

    @property
    def log_language(self) -> NDArray[np.float64] | None:
        """The scores, float64[2, num_pairs, D]; None where domains have no language models."""
        return None if self.language is None else self.language.values

    def pool(self) -> NDArray[np.int64]:
        """The unlabeled pairs, int64[n]; all, where every pair has a label."""
        usable = self.trainer.bitext.usable
        pool = np.flatnonzero((self.labels == UNLABELED) & usable)
        return pool if len(pool) else np.flatnonzero(usable)

    def refit_language(self, posterior: NDArray[np.float64]) -> None:
        """Have language models of all pairs whose domain is sure by now, in place of the old ones.

        A model that has seen a pair finds it likely, so that every pair would stay where it is:
        pairs are scored by models of the other half of the text (and of the seeds). All are
        estimated when they are asked for: what the last iteration finds is of use to stored
        models and to posteriors alone.
        posterior: float64[num_pairs, D], P(D | f, e).
        """
        bitext, order = self.trainer.bitext, self.trainer.options.language_model_order
        self.trainer.report(
            "domain language models are now re-estimated on the sentence pairs found"
        )
        likely = np.where(posterior.max(1) >= SURE, posterior.argmax(1), -1)
        assigned = [
            np.union1d(sample, np.flatnonzero(likely == domain))
            for domain, sample in enumerate(self._samples)
        ]
        self.language = LanguageScores(
            partial(_scored_by_halves, bitext, self._samples, assigned, order)
        )
        self.models = DomainLanguageModels.from_samples(bitext, assigned, order)

    def log_weights(self) -> NDArray[np.float64]:
        """Log weights of the domains for an E-step: float64[2, num_pairs, D].

        A labeled pair belongs to its domain with probability ``seed_confidence``, and otherwise to
        any domain as an unlabeled pair does. Unlikely domains are left out.
        """
        options, known = self.trainer.options, self.labels != UNLABELED
        prior = np.tile(self.log_prior, (len(self.labels), 1))
        if options.seed_confidence < 1.0:
            prior[known] += np.log(1.0 - options.seed_confidence)
            labeled = np.flatnonzero(known), self.labels[known]
            prior[labeled] = np.logaddexp(prior[labeled], np.log(options.seed_confidence))
        else:
            elsewhere = np.arange(self.num_domains) != self.labels[:, None]
            prior[known[:, None] & elsewhere] = -np.inf
            prior[known[:, None] & ~elsewhere] = 0.0
        prior[self._unlikely()] = -np.inf
        return log_domain_weights(
            self.log_language, prior, len(self.labels), options.language_model_sides
        )

    def _unlikely(self) -> NDArray[np.bool_]:
        """Which domains a pair isn't trained under, bool[num_pairs, D]; never its likeliest one."""
        # Before there are posteriors, those of unlabeled pairs by language models alone.
        threshold = self.trainer.options.min_domain_posterior
        if self.posterior is not None:
            most = self.posterior.max(1, keepdims=True)
            return np.asarray(self.posterior < np.minimum(threshold, most))
        result = np.zeros((len(self.labels), self.num_domains), np.bool_)
        if threshold > 0.0 and self.log_language is not None:
            score = self.log_prior + self.log_language.sum(0)
            score /= self.trainer.options.domain_temperature
            result = score < score.max(1, keepdims=True) + np.log(HOPELESS)
            result[self.labels != UNLABELED] = False
        return result

    def update(self, posterior: NDArray[np.float64]) -> None:
        """Re-estimate P(D), and the language models as often as asked for.

        posterior: float64[num_pairs, D], P(D | f, e)
        """
        self.posterior = posterior
        if self.models is not None and self.refits < self.trainer.options.language_model_refits:
            self.refits += 1
            self.refit_language(posterior)
        parts = np.add.reduceat(posterior, np.arange(0, len(posterior), PAIRS))
        total = exact_sums(parts)
        with np.errstate(divide="ignore"):
            self.log_prior = np.log(total / total.sum())

    def state(self) -> tuple[dict[str, NDArray[np.float64]], list[NDArray[np.int64]]]:
        """What :meth:`restore` needs beside the language models: arrays by name, and samples.

        The samples are int64[n] each, numbers of pairs.
        """
        arrays = {"log_prior": self.log_prior}
        if self.log_language is not None:
            arrays["log_language"] = self.log_language
        if self.posterior is not None:
            arrays["posterior"] = self.posterior
        return arrays, self._samples

    def restore(
        self,
        log_prior: NDArray[np.float64],
        log_language: NDArray[np.float64] | None,
        posterior: NDArray[np.float64],
        samples: list[NDArray[np.int64]],
        refits: int,
        models: DomainLanguageModels | None,
    ) -> None:
        """Go on from a state that was saved.

        log_prior: float64[D]; log_language: float64[2, num_pairs, D]
        posterior: float64[num_pairs, D]
        samples: int64[n] each, numbers of the pairs of each domain's sample
        """
        self.log_prior, self._samples = log_prior, samples
        self.language = None if log_language is None else LanguageScores.of(log_language)
        self.posterior, self.refits, self.models, self.started = posterior, refits, models, True
